package frontmatter

import (
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/agentctl/agentctl/internal/diag"
)

// load fills the entries from the block, by YAML, or entry by entry if the
// block is no YAML. It returns the reason if that fails too.
func (d *Document) load() *diag.Diagnostic {
	text := d.block(0, len(d.src.lines))
	if bad := d.checkCharacters(text); bad != nil {
		return bad
	}
	root, err := parseYAML(text)
	switch {
	case err != nil:
		return d.repairBlock()
	case root == nil:
		return nil
	case root.Kind != yaml.MappingNode:
		return d.notAMapping(root)
	}
	d.addMapping(root, lineMap(text))
	return nil
}

func (d *Document) checkCharacters(text string) *diag.Diagnostic {
	r, at := controlCharacter(text)
	if at < 0 {
		return nil
	}
	line := d.fileLine(strings.Count(text[:at], "\n"))
	return d.src.errorAt(line, "control-character", "the control character U+%04X is not allowed here: remove it", r)
}

func (d *Document) notAMapping(root *yaml.Node) *diag.Diagnostic {
	for i, line := range d.src.lines {
		if hint := gluedKey(d.src.chomp(line), skillKey); hint != "" {
			return d.src.errorAt(d.fileLine(i), "no-blank-after-colon", "%s", hint)
		}
	}
	is := map[Kind]string{List: "a list", Scalar: "plain text", Empty: "empty"}[kindOf(root)]
	return d.src.errorAt(d.fileLine(max(root.Line-1, 0)), "not-a-mapping", `the front matter is %s: write one "key: value" a line`, is)
}

// addMapping makes an entry of each key of the root, which says where keys
// begin; where values end follows from that.
func (d *Document) addMapping(root *yaml.Node, lines []int) {
	d.odd = root.Style&yaml.FlowStyle != 0
	for i := 0; i+1 < len(root.Content); i += 2 {
		limit := len(d.src.lines)
		if i+2 < len(root.Content) {
			limit = mapLine(lines, root.Content[i+2].Line)
		}
		start := mapLine(lines, root.Content[i].Line)
		if !d.addEntry(root.Content[i], root.Content[i+1], start, limit) {
			d.odd = true
		}
	}
}

// addEntry appends the entry whose key stands on line start and whose value ends
// before line limit. It tells whether key and value are where they should be.
func (d *Document) addEntry(key, value *yaml.Node, start, limit int) bool {
	e := entry{key: key.Value, token: Quote(key.Value), column: key.Column, start: start, node: value, keyLine: key.Line}
	ok := false
	if start < limit {
		ok = d.locate(&e, limit)
	}
	d.entries = append(d.entries, e)
	return ok
}

// locate finds the key's token and the end of the value in the lines.
func (d *Document) locate(e *entry, limit int) bool {
	line := d.src.chomp(d.src.lines[e.start])
	if len(line) < e.column || strings.Trim(line[:e.column-1], " ") != "" {
		return false
	}
	token, value, ok := keyToken(line[e.column-1:])
	if !ok || token != e.key && token[0] != '"' && token[0] != '\'' {
		return false
	}
	e.token = token
	e.end, ok = d.valueEnd(e, value, limit)
	return ok
}

// valueEnd returns the index after the last line of a value. Trailing blank
// lines and comments at the column of the key belong to nobody.
func (d *Document) valueEnd(e *entry, first string, limit int) (int, bool) {
	n := closedEnd(first)
	end := e.start + 1
	if n < 0 {
		e.end = limit
		text := d.valueText(e)
		if n = closedEnd(text); n < 0 {
			return limit, false
		}
		end += strings.Count(text[:n], "\n")
		first, _, _ = strings.Cut(text[n:], "\n")
		n = 0
	}
	trimmed := d.trimLines(e.start, limit, e.column)
	if n > 0 || end > e.start+1 {
		tail := strings.TrimLeft(first[n:], " \t\r")
		return end, trimmed <= end && (tail == "" || tail[0] == '#')
	}
	return trimmed, true
}

// trimLines moves limit up over blank lines and comments not deeper than column.
func (d *Document) trimLines(start, limit, column int) int {
	for ; limit > start+1; limit-- {
		line := d.src.lines[limit-1]
		text := strings.TrimLeft(line, " ")
		comment := strings.HasPrefix(text, "#") && len(line)-len(text) < column
		if !comment && !blankLine(line) {
			break
		}
	}
	return limit
}
