package frontmatter

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/agentctl/agentctl/internal/termtext"
)

// New returns an empty document to fill with Set and SetBody.
func New() *Document {
	return &Document{BodyLine: 3, src: &source{
		head: fence + "\n", tail: fence + "\n", opener: 1, closer: 2, bodyLine: 3,
	}}
}

// Encode returns the document as a file. What was not edited is written byte for
// byte as it was read, with its BOM and line ends; see [Document.Normalize].
func (d *Document) Encode() []byte {
	var b strings.Builder
	b.WriteString(d.src.head)
	for _, line := range d.src.lines {
		b.WriteString(line)
	}
	b.WriteString(d.src.tail)
	b.WriteString(d.src.rest)
	return []byte(b.String())
}

// lineEnd is how the file ends its lines; an edit does the same.
func (d *Document) lineEnd() string {
	switch {
	case d.src.mac:
		return "\r"
	case strings.HasSuffix(d.src.head, "\r\n"):
		return "\r\n"
	}
	return "\n"
}

// SetBody replaces all that follows the closing fence. The body is given with LF
// and written with the line ends of the file.
func (d *Document) SetBody(body string) {
	end := d.lineEnd()
	d.Body = body
	d.src.tail = fence + end
	d.BodyLine = d.src.opener + len(d.src.lines) + 2
	d.src.rest = body
	if end != "\n" {
		d.src.rest = strings.ReplaceAll(body, "\n", end)
	}
}

// Set gives key a text as its value. It changes the lines of that key alone: the
// spelling of the key, other keys, comments, their order and line ends stay. A
// comment on the key's own line stays too, unless it is text that YAML cut off.
// A key that is new, which must be a word, is appended; name and description
// come first. One exception keeps the file readable: where the edit would let a
// broken entry swallow others, broken entries become comments.
// Diagnostics, which are about the file as it was read, do not change.
func (d *Document) Set(key, value string) {
	if d.odd {
		d.rewrite()
	}
	if e := d.find(key); e != nil {
		d.change(e, value)
		d.dropLater(e.key)
	} else {
		d.insert(key, value)
	}
	if d.repaired && d.misread() {
		d.disarm()
	}
}

// change gives an entry a new value.
func (d *Document) change(e *entry, value string) {
	token, indent := e.token, strings.Repeat(" ", e.column-1)
	line := indent + token + ": " + Quote(value) + d.keptComment(e) + d.endOf(e)
	d.replaceLines(e.start, e.end, line)
	e.node = textNode(value)
	e.fixed, e.joined = false, false
}

// Requote writes the scalar of a key in quotes where it needs them. Nothing
// else changes: a key that is there twice stays there twice.
func (d *Document) Requote(key string) {
	if e := d.get(key); e != nil && !d.odd && e.node.Kind == yaml.ScalarNode {
		d.change(e, e.node.Value)
	}
}

func textNode(value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.SingleQuotedStyle, Value: strings.ToValidUTF8(value, "\ufffd")}
}

// endOf is the line end of an entry's first line.
func (d *Document) endOf(e *entry) string {
	line := d.src.lines[e.start]
	return line[len(d.src.chomp(line)):]
}

// keptComment is the comment behind a value of one line, with its blanks.
func (d *Document) keptComment(e *entry) string {
	if e.end != e.start+1 || e.node == nil || e.fixed {
		return ""
	}
	plain := e.node.Style&^yaml.TaggedStyle == 0
	if plain && slices.Contains(textKeys, Canonical(e.key)) {
		return ""
	}
	value := d.valueText(e)
	at := commentAt(value)
	if at < 0 {
		return ""
	}
	blanks := len(value[:at]) - len(strings.TrimRight(value[:at], " \t"))
	return strings.Repeat(" ", max(blanks, 1)) + strings.TrimRight(value[at:], "\r")
}

// replaceLines puts new lines where others were, and moves the entries below.
func (d *Document) replaceLines(start, end int, lines ...string) {
	d.src.lines = slices.Replace(d.src.lines, start, end, lines...)
	delta := len(lines) - (end - start)
	for i := range d.entries {
		e := &d.entries[i]
		switch {
		case e.start == start && e.end == end:
			e.end = start + len(lines)
		case e.start >= end:
			e.start += delta
			e.end += delta
		}
	}
	d.BodyLine += delta
}

// dropLater removes the second coming of a key, which would now contradict it.
func (d *Document) dropLater(key string) {
	for i, v := range slices.Backward(d.entries) {
		if e := v; e.later && sameKey(e.key, key) {
			d.entries = slices.Delete(d.entries, i, i+1)
			d.replaceLines(e.start, e.end)
		}
	}
}

// insert adds a key that is not there yet.
func (d *Document) insert(key, value string) {
	at := len(d.src.lines)
	indent := ""
	if len(d.entries) > 0 {
		indent = strings.Repeat(" ", d.entries[0].column-1)
	}
	name := d.find("name")
	switch {
	case key == "name" || d.repaired:
		at = 0 // in a block that is no YAML, a line below may be taken for text
	case key == "description" && name != nil:
		at = name.end
	case key == "description":
		at = 0
	}
	d.replaceLines(at, at, indent+Quote(key)+": "+Quote(value)+d.lineEnd())
	d.entries = append(d.entries, entry{
		key: key, token: Quote(key), column: len(indent) + 1, start: at, end: at + 1, node: textNode(value),
	})
	slices.SortStableFunc(d.entries, func(a, b entry) int { return a.start - b.start })
}

// misread tells whether a block that was no YAML has become YAML by an edit, but
// says something else: an open quote above may now be closed by one below.
func (d *Document) misread() bool {
	root, err := parseYAML(d.block(0, len(d.src.lines)))
	if err != nil {
		return false
	}
	if root == nil || root.Kind != yaml.MappingNode || len(root.Content) != 2*len(d.entries) {
		return true
	}
	for i, e := range d.entries {
		key, value := root.Content[2*i], root.Content[2*i+1]
		if e.key != key.Value || e.node == nil || childText(e.node) != childText(value) {
			return true
		}
	}
	return false
}

// disarm makes comments of the entries that could not be read, and quotes those
// that were read as text.
func (d *Document) disarm() {
	for i := range d.entries {
		e := &d.entries[i]
		if e.node != nil && e.fixed {
			d.change(e, e.node.Value)
		}
		for j := e.start; e.node == nil && j < e.end; j++ {
			d.src.lines[j] = "# " + d.src.lines[j]
		}
	}
	d.entries = slices.DeleteFunc(d.entries, func(e entry) bool { return e.node == nil })
}

// rewrite writes a block that is not one key a line as one that is. Its values
// and comments stay.
func (d *Document) rewrite() {
	end := d.lineEnd()
	delta := len(d.src.lines)
	notes := d.comments()
	d.src.lines = nil
	add := func(lines ...string) {
		for _, line := range lines {
			d.src.lines = append(d.src.lines, line+end)
		}
	}
	add(notes[0]...)
	for i := range d.entries {
		e := &d.entries[i]
		add(notes[i+1]...)
		e.token, e.column, e.start = Quote(e.key), 1, len(d.src.lines)
		add(e.token + ": " + flowText(e.node))
		e.end = e.start + 1
	}
	add(notes[len(notes)-1]...)
	d.odd = false
	d.BodyLine += len(d.src.lines) - delta
}

// comments are those of the block: above all entries, of each entry, and below.
func (d *Document) comments() [][]string {
	notes := make([][]string, len(d.entries)+2)
	root, err := parseYAML(d.block(0, len(d.src.lines)))
	if err != nil || root == nil || len(root.Content) != 2*len(d.entries) {
		return notes
	}
	notes[0] = noteLines(root.HeadComment, root.LineComment)
	for i := range d.entries {
		notes[i+1] = slices.Concat(nodeNotes(root.Content[2*i]), nodeNotes(root.Content[2*i+1]))
	}
	notes[len(notes)-1] = noteLines(root.FootComment)
	return notes
}

// nodeNotes are the comments of a node and of all below it.
func nodeNotes(n *yaml.Node) []string {
	notes := noteLines(n.HeadComment, n.LineComment, n.FootComment)
	for _, child := range n.Content {
		notes = append(notes, nodeNotes(child)...)
	}
	return notes
}

func noteLines(comments ...string) []string {
	var lines []string
	for _, c := range comments {
		for line := range strings.SplitSeq(c, "\n") {
			if line = strings.TrimSpace(line); line != "" {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// Normalize rewrites all that was repaired so that a strict reader accepts it:
// values that were read as text are quoted, pairs of JSON escapes become the
// character that they mean, the file begins with ---, each fence
// is a line of its own, lines end in LF and there is no BOM. An HTML comment
// before the front matter becomes a comment in it, since the body is what models
// read. Entries that could not be read stay as they are.
func (d *Document) Normalize() {
	for i := range d.entries {
		switch e := &d.entries[i]; {
		case e.fixed && e.node != nil:
			d.change(e, e.node.Value)
		case e.joined:
			d.joinEscapes(e)
		}
	}
	if d.repaired && d.misread() {
		d.disarm()
	}
	d.replaceLines(0, 0, d.leadingComment()...)
	for i, line := range d.src.lines {
		d.src.lines[i] = d.src.chomp(line) + "\n"
		if d.repaired && blankLine(line) && !d.inside(i) {
			d.src.lines[i] = "\n" // a tab may be in it, which no YAML reader takes
		}
	}
	d.BOM, d.CRLF = false, false
	d.src.mac = false
	d.src.head, d.src.opener = fence+"\n", 1
	d.SetBody(d.Body)
}

// joinEscapes writes the characters that the JSON escapes of an entry mean.
func (d *Document) joinEscapes(e *entry) {
	for i := e.start; i < e.end; i++ {
		d.src.lines[i] = joinSurrogates(d.src.lines[i])
	}
	e.joined = false
}

// inside tells whether a line belongs to an entry.
func (d *Document) inside(line int) bool {
	return slices.ContainsFunc(d.entries, func(e entry) bool { return e.start <= line && line < e.end })
}

// leadingComment is the comment before the opening fence, as lines of YAML.
func (d *Document) leadingComment() []string {
	head := strings.TrimPrefix(d.src.head, bom)
	at := strings.Index(head, "<!--")
	end := strings.LastIndex(head, "-->")
	if at < 0 || end < at {
		return nil
	}
	// Nothing in it may end a comment of YAML or be forbidden there.
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", " ", "\u2029", " ").Replace(head[at+len("<!--") : end])
	var lines []string
	for line := range strings.Lines(strings.TrimSpace(termtext.Strip(text))) {
		lines = append(lines, strings.TrimRight("# "+line, " \t\n")+"\n")
	}
	return lines
}
