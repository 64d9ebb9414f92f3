package frontmatter

import (
	"fmt"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"
)

// typedWords are what YAML 1.1 or 1.2 reads as a boolean or null.
var typedWords = map[string]bool{
	"y": true, "n": true, "yes": true, "no": true, "on": true, "off": true,
	"true": true, "false": true, "null": true,
}

// Quote writes text as a YAML scalar on one line that every YAML 1.1 and 1.2
// parser reads back as exactly the same text: plain where that is safe, else in
// single quotes, else in double quotes with escapes. Letters of all scripts and
// emoji stay readable. Bytes that are not UTF-8 become U+FFFD.
func Quote(text string) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	switch {
	case isPlain(text):
		return text
	case strings.IndexFunc(text, mustEscape) < 0:
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		writeEscaped(&b, r)
	}
	b.WriteByte('"')
	return b.String()
}

// isPlain tells whether text is safe without quotes: it begins with a letter,
// has no mark that means something to YAML, and is no word with a type.
func isPlain(text string) bool {
	if text == "" || typedWords[strings.ToLower(text)] || strings.HasSuffix(text, " ") {
		return false
	}
	for i, r := range text {
		switch {
		case unicode.IsLetter(r):
		case i == 0:
			return false
		case unicode.IsDigit(r) || unicode.IsMark(r) || strings.ContainsRune(" -_./,;()'!?+$%", r):
		case r >= 0xa1 && unicode.IsGraphic(r) && !unicode.IsSpace(r):
		default:
			return false
		}
	}
	return true
}

// mustEscape tells which characters cannot stand in single quotes on one line.
func mustEscape(r rune) bool {
	switch r {
	case '\u0085', '\u2028', '\u2029', '\ufeff', '\ufffe', '\uffff':
		return true
	}
	return r < 0x20 || r >= 0x7f && r < 0xa0
}

func writeEscaped(b *strings.Builder, r rune) {
	switch {
	case r == '"' || r == '\\':
		b.WriteByte('\\')
		b.WriteRune(r)
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\t':
		b.WriteString(`\t`)
	case !mustEscape(r):
		b.WriteRune(r)
	default:
		fmt.Fprintf(b, `\u%04x`, r)
	}
}

// flowText writes a value on one line. Plain scalars stay as they were written.
func flowText(n *yaml.Node) string {
	var parts []string
	switch n.Kind {
	case yaml.SequenceNode:
		for _, item := range n.Content {
			parts = append(parts, flowText(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			parts = append(parts, flowText(n.Content[i])+": "+flowText(n.Content[i+1]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	if isNull(n) {
		return "null"
	}
	if n.Style == 0 && n.Tag != "!!str" && n.Tag != "!!merge" {
		return n.Value // a number or boolean, which quotes would make text
	}
	if text := Quote(n.Value); text != n.Value || !strings.ContainsAny(text, ",!?") {
		return text
	}
	return "'" + strings.ReplaceAll(n.Value, "'", "''") + "'"
}
