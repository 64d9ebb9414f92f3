package frontmatter

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

var (
	errAlias     = errors.New("aliases and anchors are not followed")
	errKey       = errors.New("a key must be text")
	errDocuments = errors.New("more than one YAML document")
)

// parseYAML reads one YAML document into nodes, which keep the text of scalars
// as written. The node is nil for an empty document. Aliases are refused, so
// that no bomb can go off, and so are keys that are no scalars.
func parseYAML(text string) (root *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			// The library is not ours and the bytes are foreign: a fault in
			// it costs this one file.
			root, err = nil, fmt.Errorf("yaml: %v", r)
		}
	}()
	dec := yaml.NewDecoder(strings.NewReader(text))
	var doc yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return nil, err
	}
	var more yaml.Node
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		if err == nil {
			err = errDocuments
		}
		return nil, err
	}
	return doc.Content[0], checkNode(doc.Content[0])
}

func checkNode(n *yaml.Node) error {
	if n.Kind == yaml.AliasNode {
		return errAlias
	}
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && child.Kind != yaml.ScalarNode && child.Kind != yaml.AliasNode {
			return errKey
		}
		if err := checkNode(child); err != nil {
			return err
		}
	}
	return nil
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// yamlErrors says in plain words what the library means, with the cure.
var yamlErrors = []struct{ has, say string }{
	{"mapping values are not allowed", `a value with ": " in it must be quoted`},
	{"found a tab character", "a tab cannot indent (0x09): use blanks"},
	{"cannot start any token", "a value cannot begin with this character: quote it"},
	{"could not find expected ':'", `a line is neither "key: value" nor part of a value: indent it, or put ": " after the key`},
	{"did not find expected ',' or", "a bracket or brace is not closed, or text follows it: close it or quote the value"},
	{"did not find expected node content", "a list or map in brackets is not written right: check its commas, or quote the value"},
	{"found unexpected end of stream", "a quote is not closed"},
	{"found unexpected document indicator", "a quote is not closed"},
	{"block sequence entries are not allowed", `a value cannot begin with "- ": quote it`},
	{"mapping keys are not allowed", `a value cannot begin with "? ": quote it`},
	{"unknown anchor", "a value cannot begin with *: quote it"},
	{"did not find expected alphabetic or numeric character", "a value cannot begin with * or &: quote it"},
	{"found unknown escape character", `a backslash in double quotes begins an escape: use single quotes`},
	{"did not find expected hexdecimal number", `a backslash in double quotes begins an escape: use single quotes`},
	{"invalid Unicode character escape code", `YAML has no \ud83d\udc26 pairs: write the character itself`},
	{"did not find expected comment or line break", "text follows > or | on its line: quote the value, or begin the text on the next line"},
	{"did not find expected key", "the indentation is not right, or text follows a closing quote or bracket"},
	{"did not find expected '-' indicator", "the indentation of a list is not right"},
	{"did not find URI escaped", "a value cannot begin with !: quote it"},
	{"exceeded max depth", "brackets are nested too deep"},
	{"control characters are not allowed", "control characters are not allowed: remove them"},
}

// explain turns an error of the YAML stage into a phrase with its cure.
func explain(err error) string {
	text := err.Error()
	for _, e := range yamlErrors {
		if strings.Contains(text, e.has) {
			return e.say
		}
	}
	text = strings.TrimPrefix(text, "yaml: ")
	if _, after, ok := strings.Cut(text, ": "); ok && errorLine(err) > 0 {
		text = after
	}
	return text
}

// errorLine is the 1-based line that the library names, 0 if it names none.
func errorLine(err error) int {
	rest, ok := strings.CutPrefix(err.Error(), "yaml: line ")
	if !ok {
		return 0
	}
	digits, _, _ := strings.Cut(rest, ":")
	n, _ := strconv.Atoi(digits)
	return n
}

// lineMap translates a 1-based line of the YAML library, for which NEL, LS, PS
// and a lone CR end a line too, to a 0-based line of text. It is nil when both
// count alike.
func lineMap(text string) []int {
	if !strings.ContainsAny(text, "\r\u0085\u2028\u2029") {
		return nil
	}
	ours := 0
	lines := []int{0}
	for i, r := range text {
		switch r {
		case '\n':
			ours++
			lines = append(lines, ours)
		case '\r':
			if !strings.HasPrefix(text[i+1:], "\n") {
				lines = append(lines, ours)
			}
		case '\u0085', '\u2028', '\u2029':
			lines = append(lines, ours)
		}
	}
	return lines
}

func mapLine(lines []int, yamlLine int) int {
	if lines == nil {
		return yamlLine - 1
	}
	return lines[min(yamlLine, len(lines))-1]
}

// controlCharacter finds the first character that YAML does not allow at all.
func controlCharacter(text string) (rune, int) {
	for i := 0; i < len(text); {
		c := text[i]
		if c >= 0x20 && c < 0x7f || c == '\n' || c == '\t' || c == '\r' {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if r < 0xa0 && r != 0x85 || r == 0xfffe || r == 0xffff {
			return r, i
		}
		i += n
	}
	return 0, -1
}
