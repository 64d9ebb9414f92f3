package skill

import (
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// From where on a body belongs into several files, as the standard advises. A
// token is taken for four bytes, which most models come close to.
const (
	maxLines  = 500
	maxTokens = 5_000
)

// maxCode is the number of lines up to which a program in a body is an example:
// a longer one is copied out by models, with mistakes, each time.
const maxCode = 30

// body checks the text below the front matter.
func (c *check) body() {
	s := c.it.Value
	if strings.TrimSpace(s.Body) == "" {
		c.at(s.BodyLine, 1, "body.empty", "there is no text below the front matter: write the steps")
		return
	}
	c.bodySize(s.Body, s.BodyLine)
	var code codeBlock
	var part section
	line := s.BodyLine
	for text := range strings.Lines(s.Body) {
		text = strings.TrimRight(text, "\n")
		part = c.sectionLine(part, line, text, code.mark != "")
		code = c.bodyLine(line, text, code)
		line++
	}
	c.sectionEnd(part)
}

func (c *check) bodySize(body string, line int) {
	if n := strings.Count(body, "\n"); n > maxLines {
		c.at(line, 1, "body.lines", "the body has %d lines: move what is not always needed to references/", n)
	}
	if n := utf8.RuneCountInString(body); n > MaxBody {
		c.at(line, 1, "body.too-long", "the body has %d characters, a model gets %d at once: move details to references/", n, MaxBody)
	} else if n := len(body) / 4; n > maxTokens {
		c.at(line, 1, "body.tokens", "the body has about %d tokens, %d are advised: move what is not always needed to references/", n, maxTokens)
	}
}

// codeBlock is the code block that a line lies in.
type codeBlock struct {
	mark string // that closes it; "" outside of code
	lang string // as written behind the opening mark
	line int    // of the opening mark
}

// programs are the languages of code blocks that could be scripts.
var programs = []string{
	"bash", "go", "javascript", "js", "node", "perl", "php", "powershell", "ps1", "py", "python", "python3", "rb", "ruby", "sh", "shell",
	"ts", "typescript", "zsh",
}

// bodyLine checks one line and returns the code block that is open behind it.
func (c *check) bodyLine(line int, text string, code codeBlock) codeBlock {
	if at := strings.IndexFunc(text, hides); at >= 0 {
		r, _ := utf8.DecodeRuneInString(text[at:])
		c.at(line, column(text, at), "body.invisible", "the body holds U+%04X, which hides or reorders text: remove it", r)
	}
	if strings.Contains(text, "/home/") || strings.Contains(text, "Users") {
		for _, m := range personalPath.FindAllStringIndex(text, -1) {
			c.at(line, column(text, m[0]), "link.absolute", "%s is a path of one machine: use a path relative to the skill or the workspace", text[m[0]:m[1]])
		}
	}
	c.secrets(c.it.File(), line, text, "body.secret")
	if mark := fenceMark(text); mark != "" {
		switch {
		case code.mark == "":
			return codeBlock{mark: mark, lang: language(text), line: line}
		case strings.HasPrefix(mark, code.mark):
			c.codeSize(code, line)
			return codeBlock{}
		}
	}
	switch {
	case code.mark == "":
		c.prose(line, text)
	case code.lang == "" || slices.Contains(shells, code.lang):
		c.scriptPaths(line, text)
	}
	return code
}

// shells are the languages of code blocks whose lines are commands.
var shells = []string{"bash", "console", "sh", "shell", "zsh"}

// codeSize reports a program that is too long for a body.
func (c *check) codeSize(code codeBlock, end int) {
	if n := end - code.line - 1; n > maxCode && slices.Contains(programs, code.lang) {
		c.at(code.line, 1, "body.code-block", "a program of %d lines in the text: put it into scripts/ and say how to call it", n)
	}
}

// language is the word behind the mark that opens a code block.
func language(text string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(strings.TrimLeft(text, " \t>`~")), " ")
	return strings.ToLower(strings.Trim(word, "{}."))
}

// fenceMark is the run of back-ticks or tildes that opens or closes a code block.
func fenceMark(text string) string {
	t := strings.TrimLeft(text, " \t>")
	for _, mark := range []string{"`", "~"} {
		if n := len(t) - len(strings.TrimLeft(t, mark)); n >= 3 && !strings.Contains(t[n:], "`") {
			return t[:n]
		}
	}
	return ""
}

var (
	personalPath = regexp.MustCompile(`(?:/Users/|/home/|[A-Z]:[\\/]Users[\\/])[A-Za-z][\w.-]*[/\\][^\s)"'` + "`" + `]*`)
	todo         = regexp.MustCompile(`\b(TODO|FIXME)\b`)
	codeSpan     = regexp.MustCompile("`[^`]+`")
	mdLink       = regexp.MustCompile(`\]\(<?([^)<>\s]+)>?(?:\s+"[^"]*")?\)`)
	definition   = regexp.MustCompile(`^ {0,3}\[[^]^][^]]*\]:\s+<?([^<>\s]+)>?`)
	scriptPath   = regexp.MustCompile(`(?:^|[\s"'=])((?:\./)?scripts/[\w./-]*\.\w+)(?:[\s"',;:)]|\.?$)`)
	skillPath    = regexp.MustCompile(`(?:^|[\s"'=])((?:\./)?(?:scripts|references|knowledge|examples|schemas|assets)/[^\s"'` + "`" + `,;:)\]]+)`)
)

// prose checks a line outside of code blocks.
func (c *check) prose(line int, text string) {
	if at := strings.Index(text, "!`"); at >= 0 && strings.Contains(text[at+2:], "`") {
		c.at(line, column(text, at), "body.inline-shell", "some clients run !`…` before a model reads it, agentctl never does: write it as a step")
	}
	if strings.ContainsAny(text, "TF") {
		if m := todo.FindStringIndex(text); m != nil {
			c.at(line, column(text, m[0]), "body.todo", "a %s was left here", text[m[0]:m[1]])
		}
	}
	if strings.Contains(text, "`") {
		for _, span := range codeSpan.FindAllStringIndex(text, -1) {
			c.codePaths(line, text, span[0]+1, span[1]-1)
		}
		text = codeSpan.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat(" ", len(s)) })
	}
	c.scriptPaths(line, text)
	if m := definition.FindStringSubmatchIndex(text); m != nil && strings.ContainsAny(text[m[2]:m[3]], "/.") {
		c.link(line, column(text, m[2]), text[m[2]:m[3]])
	}
	if strings.Contains(text, "](") {
		for _, m := range mdLink.FindAllStringSubmatchIndex(text, -1) {
			c.link(line, column(text, m[2]), text[m[2]:m[3]])
		}
	}
}

// codePaths finds paths of the skill in a code span.
func (c *check) codePaths(line int, text string, start, end int) {
	span := text[start:end]
	for _, m := range skillPath.FindAllStringSubmatchIndex(span, -1) {
		p := strings.TrimRight(span[m[2]:m[3]], ".")
		if strings.ContainsAny(p, "*<>{}$…[(") {
			continue
		}
		c.exists(line, column(text, start+m[2]), p)
	}
}

// scriptPaths finds scripts of the skill in prose and commands. Other folders
// are looked for in code spans alone, where a path is surely meant.
func (c *check) scriptPaths(line int, text string) {
	if !strings.Contains(text, "scripts/") {
		return
	}
	for _, m := range scriptPath.FindAllStringSubmatchIndex(text, -1) {
		c.exists(line, column(text, m[2]), text[m[2]:m[3]])
	}
}

// link checks a relative link.
func (c *check) link(line, col int, target string) {
	u, err := url.Parse(target)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Path == "" || strings.HasPrefix(u.Path, "/") || strings.ContainsAny(target, "{}$*") {
		return
	}
	c.exists(line, col, u.Path)
}

// exists reports a path that leaves the skill or leads nowhere.
func (c *check) exists(line, col int, p string) {
	clean := path.Clean(p)
	if clean == ".." || strings.HasPrefix(clean, "../") {
		c.at(line, col, "link.outside", "%s leaves the skill's folder: it breaks when the skill is moved", p)
		return
	}
	if !c.holds(clean) {
		c.at(line, col, "link.missing", "the skill holds no %s: add it or correct the path", p)
	}
}

// holds tells whether the skill holds a path; a body often names one twice.
func (c *check) holds(p string) bool {
	there, asked := c.paths[p]
	if !asked {
		_, err := fs.Lstat(c.it.FS, p) // fs.Stat would open it, and wait for the writer of a pipe
		there = err == nil
		c.paths[p] = there
	}
	return there
}

// column is the 1-based position of a byte offset, in characters.
func column(text string, offset int) int { return utf8.RuneCountInString(text[:offset]) + 1 }
