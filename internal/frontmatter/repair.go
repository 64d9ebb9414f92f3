package frontmatter

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/agentctl/agentctl/internal/diag"
)

// segment is one entry as the lines show it, when YAML does not: a "key:" at
// column 0 and all lines up to the next one.
type segment struct {
	key, value string // value: the rest of the key's line
	start, end int    // lines of the front matter; trailing blanks and comments are not among them
	looseKey   bool   // a key that no client knows follows; it may be prose
}

// repairBlock reads a block that is no YAML as a whole, entry by entry: a broken
// one then costs itself alone, or is prose with one meaning only.
func (d *Document) repairBlock() *diag.Diagnostic {
	d.repaired = true
	before := len(d.src.repairs)
	segments, bad := d.segments()
	if bad != nil {
		return bad
	}
	for _, s := range segments {
		if bad := d.readSegment(s); bad != nil {
			return bad
		}
	}
	if len(d.src.repairs) == before {
		d.warnWhole()
	}
	return nil
}

// warnWhole is for a block whose entries are all YAML: something between them is not.
func (d *Document) warnWhole() {
	if i := slices.IndexFunc(d.src.lines, tabIndented); i >= 0 {
		d.src.repair(d.fileLine(i), "not-yaml", "a tab (0x09) stands on a line between the keys, which YAML does not allow: remove it")
		return
	}
	d.src.repair(d.fileLine(0), "not-yaml", "the front matter is not valid YAML as a whole, although each entry is: look for odd line breaks between the keys")
}

func tabIndented(line string) bool { return strings.HasPrefix(strings.TrimLeft(line, " "), "\t") }

func (d *Document) segments() ([]segment, *diag.Diagnostic) {
	var all []segment
	for i, line := range d.src.lines {
		content := d.src.chomp(line)
		if key, value, ok := keyLine(content); ok {
			if n := len(all); n > 0 {
				all[n-1].looseKey = !known(key)
			}
			all = append(all, segment{key: key, value: value, start: i, end: i + 1})
			continue
		}
		if len(all) > 0 {
			all[len(all)-1].end = i + 1
		} else if !blankLine(content) && content[0] != '#' {
			return nil, d.strayLine(i, content)
		}
	}
	for i := range all {
		all[i].end = d.trimLines(all[i].start, all[i].end, 1)
	}
	return all, nil
}

func (d *Document) strayLine(index int, content string) *diag.Diagnostic {
	if hint := gluedKey(content, skillKey); hint != "" {
		return d.src.errorAt(d.fileLine(index), "no-blank-after-colon", "%s", hint)
	}
	return d.src.errorAt(d.fileLine(index), "not-yaml", `this line is no "key: value" and belongs to none: write the keys from column 1 on`)
}

// keyLine splits a line that begins an entry: a word at column 0, or one in
// quotes, and a colon with a blank or nothing behind it.
func keyLine(line string) (key, value string, ok bool) {
	if line == "" || isBlank(line[0]) || line[0] == '#' {
		return "", "", false
	}
	token, value, ok := keyToken(line)
	if !ok || len(token) > maxKey {
		return "", "", false
	}
	if token[0] == '"' || token[0] == '\'' {
		return token[1 : len(token)-1], value, true
	}
	for i, r := range token {
		letter := unicode.IsLetter(r) || r == '_'
		if !letter && (i == 0 || !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune("-./$", r)) {
			return "", "", false
		}
	}
	return token, value, true
}

// gluedKey says what is wrong with a line that was meant as "key: value" and
// is none, because no blank follows the colon. It is "" for other lines.
func gluedKey(line string, isKey func(string) bool) string {
	at := strings.IndexAny(line, ":：")
	if at < 1 {
		return ""
	}
	key := strings.TrimRight(line[:at], " \t")
	colon, n := utf8.DecodeRuneInString(line[at:])
	rest := line[at+n:]
	next, _ := utf8.DecodeRuneInString(rest)
	switch {
	case !isKey(key) || strings.HasPrefix(rest, "//"):
		return ""
	case colon != ':':
		return fmt.Sprintf("%s is followed by a full-width colon (U+%04X): write %s: and a blank", key, colon, key)
	case rest == "" || isBlank(rest[0]) || next == '\r':
		return ""
	case unicode.IsSpace(next):
		return fmt.Sprintf("the blank after %s: is no ASCII blank (U+%04X): replace it by one", key, next)
	}
	return fmt.Sprintf("YAML needs a blank after the colon: write %s: %s", key, rest)
}

func skillKey(key string) bool { return known(key) || Canonical(key) != key }

// readSegment adds the entry of a segment: as YAML has it, else repaired, else
// left out.
func (d *Document) readSegment(s segment) *diag.Diagnostic {
	text := d.block(s.start, s.end)
	key, value, err := parseEntry(text)
	if err == nil {
		d.addParsed(s, key, value)
		return nil
	}
	if key, value, ok := parseSurrogates(text); ok {
		d.addParsed(s, key, value)
		d.entries[len(d.entries)-1].joined = true
		d.warn(s, "surrogate-escape", `%s has escapes such as \ud83d\udc26, which YAML does not know: write the character itself`, s.key)
		return nil
	}
	for i := s.start + 1; i < s.end; i++ {
		if hint := gluedKey(d.src.chomp(d.src.lines[i]), skillKey); hint != "" {
			return d.src.errorAt(d.fileLine(i), "no-blank-after-colon", "%s", hint)
		}
	}
	return d.repairSegment(s, err)
}

// addParsed adds an entry that YAML could read alone.
func (d *Document) addParsed(s segment, key, value *yaml.Node) {
	if !d.addEntry(key, value, s.start, s.end) {
		e := &d.entries[len(d.entries)-1]
		e.column, e.end = 1, s.end
	}
}

// parseEntry reads the one entry of a segment.
func parseEntry(text string) (key, value *yaml.Node, err error) {
	root, err := parseYAML(text)
	switch {
	case err != nil:
		return nil, nil, err
	case root == nil || root.Kind != yaml.MappingNode || len(root.Content) != 2 || root.Style&yaml.FlowStyle != 0:
		return nil, nil, errKey
	}
	return root.Content[0], root.Content[1], nil
}

// repairSegment deals with an entry that is no YAML.
func (d *Document) repairSegment(s segment, cause error) *diag.Diagnostic {
	reason := d.reason(s, cause)
	switch key := Canonical(s.key); {
	case key == "description" && s.end > s.start+1:
		return d.joinLines(s, reason)
	case key == "description" || key == "name":
		return d.takeVerbatim(s, reason)
	case (key == "when_to_use" || key == "argument-hint") && s.end == s.start+1:
		if d.takeVerbatim(s, reason) == nil {
			return nil
		}
	case d.runsOn(s) && !known(s.key):
		return d.src.errorAt(d.fileLine(s.start), "runs-on", "%s is no key that is known, and the text below it is not valid YAML: %s", s.key, reason)
	case d.runsOn(s) && d.hasHeading(s):
		return d.src.errorAt(d.fileLine(s.start), "runs-on", "text with a heading follows %s: close the front matter with a line --- before it", s.key)
	}
	d.leaveOut(s)
	d.warn(s, "left-out", "%s is left out: %s", s.key, reason)
	return nil
}

// reason explains a fault of YAML, with its line if that is not the key's.
func (d *Document) reason(s segment, err error) string {
	n := errorLine(err)
	for i := s.start; i < s.end; i++ {
		if line := d.src.lines[i]; tabIndented(line) && !blankLine(line) {
			return fmt.Sprintf("line %d is indented with a tab (0x09): use blanks", d.fileLine(i))
		}
	}
	if n > 1 && n <= s.end-s.start {
		return fmt.Sprintf("line %d: %s", d.fileLine(s.start+n-1), explain(err))
	}
	return explain(err)
}

// runsOn tells whether an entry has text at column 0 below its key.
func (d *Document) runsOn(s segment) bool {
	return slices.ContainsFunc(d.src.lines[s.start+1:s.end], func(line string) bool {
		return !blankLine(line) && !isBlank(line[0]) && line[0] != '#'
	})
}

// hasHeading tells whether a line at column 0 looks like a heading: then the
// closing fence is missing, and a rule in the body was taken for it.
func (d *Document) hasHeading(s segment) bool {
	return slices.ContainsFunc(d.src.lines[s.start+1:s.end], func(line string) bool { return line[0] == '#' })
}

// takeVerbatim reads a broken value of one line as it is written, without a pair
// of quotes around it.
func (d *Document) takeVerbatim(s segment, reason string) *diag.Diagnostic {
	value := strings.Trim(s.value, " \t\r")
	switch {
	case s.end > s.start+1:
		return d.src.errorAt(d.fileLine(s.start), "not-yaml", "%s runs over several lines and is not valid YAML: %s", s.key, reason)
	case openQuote(value):
		return d.src.errorAt(d.fileLine(s.start), "open-quote", "%s begins with a quote that is not closed: close it, or quote the whole value", s.key)
	}
	d.addText(s, unquoteOuter(value))
	d.warn(s, "read-verbatim", "%s is not valid YAML and was read as written: %s", s.key, reason)
	return nil
}

// openQuote tells whether a value begins with a quote that nothing closes: the
// quotes in it do not pair up. Apostrophes inside a word are no quotes.
func openQuote(value string) bool {
	if value == "" || value[0] != '"' && value[0] != '\'' {
		return false
	}
	count := 0
	for i := 0; i < len(value); i++ {
		switch {
		case value[0] == '"' && value[i] == '\\':
			i++
		case value[i] == value[0] && (value[0] == '"' || !insideWord(value, i)):
			count++
		}
	}
	return count%2 != 0
}

// insideWord tells whether the bytes on both sides belong to words.
func insideWord(text string, i int) bool {
	return i > 0 && i+1 < len(text) && wordByte(text[i-1]) && wordByte(text[i+1])
}

func wordByte(c byte) bool {
	return c >= 0x80 || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// unquoteOuter removes the quotes around a value. Those of `"A" and "B"` are two
// pairs and stay: the second quote closes, since a blank follows it.
func unquoteOuter(value string) string {
	last := len(value) - 1
	if last < 1 || value[0] != value[last] || value[0] != '"' && value[0] != '\'' {
		return value
	}
	inner := value[1:last]
	second := strings.IndexByte(inner, value[0])
	if second > 0 && !isBlank(inner[second-1]) && second+1 < len(inner) && strings.IndexByte(" \t,;.:", inner[second+1]) >= 0 {
		return value
	}
	return strings.TrimSpace(inner)
}

// joinLines reads a broken description of several lines as the text it is,
// unless anything hints that it is something else.
func (d *Document) joinLines(s segment, reason string) *diag.Diagnostic {
	var words []string
	for i := s.start; i < s.end; i++ {
		content := d.src.chomp(d.src.lines[i])
		if i == s.start {
			content = s.value
		}
		text := strings.Trim(content, " \t\r")
		if what := obstacle(text, i == s.start, len(words) == 0); what != "" {
			return d.src.errorAt(d.fileLine(i), "unclear-description", "the description is not valid YAML, and it is unclear whether %s belongs to it: quote the description, or close the front matter before this line (%s)", what, reason)
		}
		if text != "" {
			words = append(words, text)
		}
	}
	if s.looseKey && d.runsOn(s) {
		return d.src.errorAt(d.fileLine(s.end), "unclear-description", "the description is not valid YAML, and it is unclear whether this line belongs to it: quote the description (%s)", reason)
	}
	d.addText(s, strings.Join(words, " "))
	d.warn(s, "joined-lines", "the description is not valid YAML, and its lines were joined: %s", reason)
	return nil
}

// obstacle names what keeps a line from being read as prose, "" if nothing does.
func obstacle(text string, keyLine, first bool) string {
	if text == "" {
		return ""
	}
	word, _, isKey := strings.Cut(text, ":")
	switch {
	case text[0] == '"' || text[0] == '\'' || strings.Count(text, `"`)%2 != 0:
		return "a quote"
	case text[0] == '|' || text[0] == '>':
		return "a block mark"
	case text[0] == '#':
		return "a heading"
	case strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~") || strings.HasPrefix(text, fence):
		return "a fence"
	case !keyLine && isKey && slices.Contains(standardKeys, word):
		return "the key " + word
	case !keyLine && first && isKey && !strings.ContainsAny(word, " \t"):
		return "the key " + word
	case !keyLine && first && strings.HasPrefix(text, "- "):
		return "a list"
	}
	return ""
}

// addText adds an entry whose value is text that YAML did not understand.
func (d *Document) addText(s segment, text string) {
	d.leaveOut(s)
	e := &d.entries[len(d.entries)-1]
	e.node = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	e.fixed = true
}

func (d *Document) leaveOut(s segment) {
	token, _, _ := keyToken(d.src.lines[s.start])
	d.entries = append(d.entries, entry{key: s.key, token: token, column: 1, start: s.start, end: s.end, keyLine: 1})
}

// warn adds a diagnostic for a segment, with the line that would cure it.
func (d *Document) warn(s segment, code, format string, args ...any) {
	w := d.src.diagnostic(d.fileLine(s.start), 1, diag.Warning, code, format, args...)
	if e := d.entries[len(d.entries)-1]; e.fixed && e.node != nil {
		w.Fix = e.token + ": " + Quote(e.node.Value)
	}
	d.src.repairs = append(d.src.repairs, w)
}

// parseSurrogates reads an entry once more with each pair of JSON escapes
// replaced by the character that it stands for.
func parseSurrogates(text string) (key, value *yaml.Node, ok bool) {
	joined := joinSurrogates(text)
	if joined == text {
		return nil, nil, false
	}
	key, value, err := parseEntry(joined)
	return key, value, err == nil
}
