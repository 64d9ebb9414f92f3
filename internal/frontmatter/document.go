package frontmatter

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/agentctl/agentctl/internal/diag"
)

// Document is one manifest: its keys, its body, and what was said about it.
// It is no longer safe for concurrent use once it is edited.
type Document struct {
	// File is the name that the caller gave, as it stands in diagnostics.
	File string
	// Body is the text after the closing fence, exactly, with LF line ends.
	Body string
	// BodyLine is the 1-based line of the file on which Body begins.
	BodyLine int
	// Diagnostics are what was repaired or left out: a list shows them.
	Diagnostics []diag.Diagnostic
	// Findings are what a linter says besides: the file was read as YAML has
	// it, but not as its author may think.
	Findings []diag.Diagnostic
	// BOM and CRLF tell how the file was saved. Both are read silently.
	BOM, CRLF bool

	src     *source
	entries []entry
	// odd is a block that is not one key a line: JSON style, or "? key".
	// An edit writes such a block anew.
	odd bool
	// repaired is a block that is no YAML as a whole.
	repaired bool
}

// entry is one key of the front matter.
type entry struct {
	key, token string     // the key, and as written, with its quotes
	column     int        // 1-based, of the key
	start, end int        // its lines: src.lines[start:end], trailing comments not among them
	node       *yaml.Node // nil if the value could not be read and was left out
	keyLine    int        // the line of the key as the nodes count it
	fixed      bool       // the value is not what YAML makes of it
	joined     bool       // YAML can read it once its JSON escapes are joined
	later      bool       // the key was there before
}

// Kind is the form of a value.
type Kind int

// The kinds of values. A key without a value, ~ and null are Empty; a key whose
// value could not be read is Missing.
const (
	Missing Kind = iota
	Empty
	Scalar
	List
	Map
)

func newDocument(src *source) *Document {
	d := &Document{
		File:     src.file,
		Body:     src.rest,
		BodyLine: src.bodyLine,
		BOM:      strings.HasPrefix(src.text, bom),
		CRLF:     strings.HasSuffix(src.head, "\r\n"),
		src:      src,
	}
	if src.mac {
		d.Body = strings.ReplaceAll(d.Body, "\r", "\n")
	} else if strings.Contains(d.Body, "\r\n") {
		d.Body = strings.ReplaceAll(d.Body, "\r\n", "\n")
		d.CRLF = true
	}
	return d
}

// block is the text of some lines of the front matter, with LF line ends.
func (d *Document) block(start, end int) string {
	var b strings.Builder
	for _, line := range d.src.lines[start:end] {
		b.WriteString(d.src.chomp(line))
		b.WriteByte('\n')
	}
	return b.String()
}

// fileLine is the line in the file of a 0-based line of the front matter.
func (d *Document) fileLine(index int) int { return d.src.opener + 1 + index }

// Keys returns the keys that were read, as spelled, in the order of the file.
// Keys that were left out, and a key's second coming, are not among them.
func (d *Document) Keys() []string {
	var keys []string
	for _, e := range d.entries {
		if e.node != nil && !e.later {
			keys = append(keys, e.key)
		}
	}
	return keys
}

// find returns the entry of a key: spelled exactly so, else with hyphens for
// underscores, else in any spelling that [Canonical] knows.
func (d *Document) find(key string) *entry {
	for _, same := range []func(string) bool{
		func(k string) bool { return k == key },
		func(k string) bool { return sameKey(k, key) },
		func(k string) bool { return Canonical(k) == Canonical(key) },
	} {
		if i := slices.IndexFunc(d.entries, func(e entry) bool { return !e.later && same(e.key) }); i >= 0 {
			return &d.entries[i]
		}
	}
	return nil
}

// get is find for readers: an entry that was left out is not there.
func (d *Document) get(key string) *entry {
	if e := d.find(key); e != nil && e.node != nil {
		return e
	}
	return nil
}

// Has tells whether the key is there and was read, whatever its value.
func (d *Document) Has(key string) bool { return d.get(key) != nil }

// Kind returns the form of the key's value.
func (d *Document) Kind(key string) Kind {
	if e := d.get(key); e != nil {
		return kindOf(e.node)
	}
	return Missing
}

func kindOf(n *yaml.Node) Kind {
	switch {
	case n.Kind == yaml.SequenceNode:
		return List
	case n.Kind == yaml.MappingNode:
		return Map
	case isNull(n):
		return Empty
	}
	return Scalar
}

// Text returns the text of a scalar exactly as written, without its quotes:
// 1.10, 2048 and yes stay what they are, null is "". A list or map is returned
// as its source text, so that "argument-hint: [file]" is a hint.
func (d *Document) Text(key string) string {
	e := d.get(key)
	if e == nil {
		return ""
	}
	switch kindOf(e.node) {
	case Scalar:
		return e.node.Value
	case Empty:
		return ""
	}
	return d.Raw(key)
}

// Raw returns the source text of the key's value, without a comment behind it:
// one line, or several with the indentation that they have.
func (d *Document) Raw(key string) string {
	e := d.get(key)
	if e == nil {
		return ""
	}
	if d.odd || e.end == 0 {
		return flowText(e.node)
	}
	return rawValue(d.valueText(e))
}

// valueText is the source of a value: what follows the colon, up to the end of
// the entry's last line.
func (d *Document) valueText(e *entry) string {
	text := d.block(e.start, e.end)
	_, value, _ := keyToken(text[e.column-1:])
	return strings.TrimSuffix(value, "\n")
}

func rawValue(text string) string {
	if !strings.Contains(text, "\n") {
		if i := commentAt(text); i >= 0 {
			text = text[:i]
		}
		return strings.Trim(text, " \t\r")
	}
	first, rest, _ := strings.Cut(text, "\n")
	if blankLine(first) {
		return strings.TrimRight(rest, " \t\r\n")
	}
	return strings.Trim(text, " \t\r\n")
}

// Position returns the 1-based line and column of a key in the file, zeros if
// the key is not there.
func (d *Document) Position(key string) (line, column int) {
	if e := d.find(key); e != nil {
		return d.fileLine(e.start), e.column
	}
	return 0, 0
}

// List returns the items of a list, or of a scalar with commas between them.
// Commas in brackets do not separate. Items that are no scalars are left out.
func (d *Document) List(key string) []string {
	items, _ := d.items(key, func(c byte) bool { return c == ',' })
	return items
}

// Words is List for values in which blanks separate as well, as in
// "allowed-tools: Read Bash(git log:*)". ok is false if the brackets do not match.
func (d *Document) Words(key string) (words []string, ok bool) {
	return d.items(key, func(c byte) bool { return c == ',' || isBlank(c) || c == '\n' || c == '\r' })
}

func (d *Document) items(key string, separates func(byte) bool) ([]string, bool) {
	e := d.get(key)
	if e == nil || isNull(e.node) {
		return nil, true
	}
	nodes := e.node.Content
	switch e.node.Kind {
	case yaml.ScalarNode:
		nodes = []*yaml.Node{e.node}
	case yaml.MappingNode:
		return nil, true
	}
	var all []string
	balanced := true
	for _, n := range nodes {
		if n.Kind == yaml.ScalarNode && !isNull(n) {
			items, ok := splitOutside(n.Value, separates)
			all = append(all, items...)
			balanced = balanced && ok
		}
	}
	return all, balanced
}

// splitOutside cuts text at separators that are not in brackets.
func splitOutside(text string, separates func(byte) bool) (items []string, balanced bool) {
	depth, start := 0, 0
	balanced = true
	add := func(end int) {
		if item := strings.TrimSpace(text[start:end]); item != "" {
			items = append(items, item)
		}
	}
	for i := range len(text) {
		switch c := text[i]; {
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			if depth--; depth < 0 {
				depth, balanced = 0, false
			}
		case depth == 0 && separates(c):
			add(i)
			start = i + 1
		}
	}
	add(len(text))
	return items, balanced && depth == 0
}

// Bool returns the key as true or false, fallback if it is not there. It reads
// true, yes, on, y, 1 and their opposites in any case, quoted or not; ok is
// false for any other value, which is fallback too.
func (d *Document) Bool(key string, fallback bool) (value, ok bool) {
	switch d.Kind(key) {
	case Missing, Empty:
		return fallback, true
	case Scalar:
		switch strings.ToLower(strings.TrimSpace(d.Text(key))) {
		case "true", "yes", "on", "y", "1":
			return true, true
		case "false", "no", "off", "n", "0":
			return false, true
		}
	}
	return fallback, false
}

// Child is one key of a map in the front matter.
type Child struct {
	Key  string
	Kind Kind
	// Text is a scalar as written; of a list or map, its text on one line.
	Text string
	// Line and Column are where the key stands in the file.
	Line, Column int
}

// Children returns the keys of a map, one level deep, in the order of the file.
func (d *Document) Children(key string) []Child {
	e := d.get(key)
	if e == nil || e.node.Kind != yaml.MappingNode {
		return nil
	}
	var children []Child
	for i := 0; i+1 < len(e.node.Content); i += 2 {
		k, v := e.node.Content[i], e.node.Content[i+1]
		children = append(children, Child{
			Key: k.Value, Kind: kindOf(v), Text: childText(v),
			Line: d.fileLine(e.start + k.Line - e.keyLine), Column: k.Column,
		})
	}
	return children
}

func childText(n *yaml.Node) string {
	switch kindOf(n) {
	case Scalar:
		return n.Value
	case Empty:
		return ""
	}
	return flowText(n)
}
