package toolpkg

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// ignoreRules are the lines of .gitignore files, those of outer folders first.
// As in git the last one that matches a path decides. A path is asked about only
// when the folders above it were let in: nothing comes back below one that is
// left out.
//
// The libraries for this answer about a whole path at once, and so let "!keep/"
// bring back every file below keep.
type ignoreRules []ignoreRule

// ignoreRule is one line. It speaks of the path below its folder, or of the last
// name alone where it has no slash.
type ignoreRule struct {
	dir      string // the folder of the .gitignore, "." for the top
	glob     *regexp.Regexp
	keep     bool // it begins with "!"
	dirOnly  bool
	nameOnly bool
}

// parseIgnoreRules reads the .gitignore of one folder.
func parseIgnoreRules(dir, text string) ignoreRules {
	var rules ignoreRules
	for line := range strings.SplitSeq(strings.TrimPrefix(text, "\ufeff"), "\n") {
		if rule, ok := parseIgnoreRule(strings.TrimSuffix(line, "\r")); ok {
			rule.dir = dir
			rules = append(rules, rule)
		}
	}
	return rules
}

func parseIgnoreRule(line string) (r ignoreRule, ok bool) {
	if strings.HasPrefix(line, "#") {
		return r, false
	}
	line, r.keep = strings.CutPrefix(trimSpaces(line), "!")
	line, r.dirOnly = strings.CutSuffix(line, "/")
	if r.nameOnly = !strings.Contains(line, "/"); line == "" {
		return r, false
	}
	r.glob, ok = gitGlob(strings.TrimPrefix(line, "/"))
	return r, ok
}

// trimSpaces takes the spaces at the end that no backslash keeps.
func trimSpaces(line string) string {
	short := strings.TrimRight(line, " ")
	if rest := strings.TrimRight(short, `\`); (len(short)-len(rest))%2 == 1 && short != line {
		return short + " "
	}
	return short
}

func (r ignoreRule) matches(p string, isDir bool) bool {
	if r.dirOnly && !isDir {
		return false
	}
	if r.dir != "." {
		var below bool
		if p, below = strings.CutPrefix(p, r.dir+"/"); !below {
			return false
		}
	}
	if r.nameOnly {
		p = path.Base(p)
	}
	return r.glob.MatchString(eachByte(p))
}

// deciding is the index of the rule that decides about a path, -1 for none.
func (rules ignoreRules) deciding(p string, isDir bool) int {
	for i, r := range slices.Backward(rules) {
		if r.matches(p, isDir) {
			return i
		}
	}
	return -1
}

func (rules ignoreRules) ignore(p string, isDir bool) bool {
	i := rules.deciding(p, isDir)
	return i >= 0 && !rules[i].keep
}

// without leaves out the rules that ignore a folder, and its parents, as a whole.
func (rules ignoreRules) without(folder string) ignoreRules {
	rules = slices.Clone(rules)
	for ; folder != "."; folder = path.Dir(folder) {
		for rules.ignore(folder, true) {
			i := rules.deciding(folder, true)
			rules = slices.Delete(rules, i, i+1)
		}
	}
	return rules
}

// gitGlob makes a regular expression of a glob as git reads it: byte by byte, a
// star and a class never take a slash, and two stars mean more than one only as a
// whole part of a path. ok is false for a glob that matches nothing, such as one
// with a class that is not closed.
func gitGlob(glob string) (re *regexp.Regexp, ok bool) {
	var sb strings.Builder
	sb.WriteString("(?s)^")
	for i := 0; i < len(glob); {
		n := 1
		switch rest := glob[i:]; rest[0] {
		case '*':
			var text string
			text, n = gitStars(rest, i == 0 || glob[i-1] == '/')
			sb.WriteString(text)
		case '?':
			sb.WriteString("[^/]")
		case '[':
			var class string
			if class, n = gitClass(rest); n == 0 {
				return nil, false
			}
			sb.WriteString(class)
		case '\\':
			if len(rest) == 1 {
				return nil, false
			}
			sb.WriteString(regexp.QuoteMeta(eachByte(rest[1:2])))
			n = 2
		default:
			sb.WriteString(regexp.QuoteMeta(eachByte(rest[:1])))
		}
		i += n
	}
	re, err := regexp.Compile(sb.String() + "$")
	return re, err == nil
}

// gitStars reads the stars that text begins with; first tells that a part of a
// path begins here.
func gitStars(text string, first bool) (expr string, n int) {
	n = len(text) - len(strings.TrimLeft(text, "*"))
	switch rest := text[n:]; {
	case n == 1 || !first:
		return "[^/]*", n
	case rest == "":
		return ".*", n
	case rest[0] == '/':
		return "(?:.*/)?", n + 1
	}
	return "[^/]*", n
}

var classPart = regexp.MustCompile(`^(?s:\[:[a-z]+:\]|(\\.|[^\\])(?:-(\\.|[^\\\]]))?)`)

// gitClass reads the class that text begins with; n is 0 when it is not closed.
func gitClass(text string) (expr string, n int) {
	start := "["
	n = 1
	if len(text) > 1 && (text[1] == '!' || text[1] == '^') {
		start, n = "[^/", 2
	}
	for first := n; n < len(text); {
		if text[n] == ']' && n > first {
			return start + "]", n + 1
		}
		m := classPart.FindStringSubmatch(text[n:])
		switch {
		case m == nil:
			return "", 0
		case m[1] == "":
			start += m[0]
		default:
			start += classRange(m[1], cmp.Or(m[2], m[1]))
		}
		n += len(m[0])
	}
	return "", 0
}

// classRange is a range without the slash, which no class takes.
func classRange(from, to string) string {
	lo, hi := from[len(from)-1], to[len(to)-1]
	if lo > '/' || hi < '/' {
		return fmt.Sprintf(`\x{%x}-\x{%x}`, lo, hi)
	}
	text := ""
	if lo < '/' {
		text += classRange(from, ".")
	}
	if hi > '/' {
		text += classRange("0", to)
	}
	return text
}

// eachByte makes a character of each byte, which is what globs of git are about.
func eachByte(text string) string {
	runes := make([]rune, len(text))
	for i := range len(text) {
		runes[i] = rune(text[i])
	}
	return string(runes)
}
