package repair

import (
	"encoding/json"
	"fmt"
	"strings"
)

// mend reads the first JSON value in text, and rewrites what is wrong with its
// syntax alone: trailing commas, single quotes, the words of Python, raw line
// breaks in a text. rest is what follows it. Text before the value is left out.
//
// The error is a [*SyntaxError], with Cut when the value has no end.
func mend(text string) (value, rest string, what []string, err error) {
	start := strings.IndexAny(text, "{[")
	if start < 0 {
		return "", "", nil, &SyntaxError{Detail: fmt.Sprintf("expected an object, got %q", head(text))}
	}
	m := &mender{in: text, pos: start, notes: map[string]bool{}}
	if strings.TrimSpace(text[:start]) != "" {
		m.note("text before the arguments left out")
	}
	if err := m.value(); err != nil {
		return "", "", nil, err
	}
	out := m.out.String()
	if !json.Valid([]byte(out)) {
		return "", "", nil, &SyntaxError{Detail: why(out)}
	}
	return out, text[m.pos:], m.what, nil
}

func why(text string) string {
	var v any
	return json.Unmarshal([]byte(text), &v).Error()
}

type mender struct {
	in    string
	pos   int
	out   strings.Builder
	what  []string
	notes map[string]bool
}

func (m *mender) note(text string) {
	if !m.notes[text] {
		m.notes[text] = true
		m.what = append(m.what, text)
	}
}

// value copies one object or list up to its end.
func (m *mender) value() error {
	depth := 0
	for m.pos < len(m.in) {
		c := m.in[m.pos]
		switch {
		case c == '"' || c == '\'':
			if err := m.text(c); err != nil {
				return err
			}
			continue
		case c == ',' && m.closes():
			m.note("trailing comma")
			m.pos++
			continue
		case isLetter(c):
			m.word()
			continue
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
		m.out.WriteByte(c)
		m.pos++
		if depth == 0 {
			return nil
		}
	}
	return &SyntaxError{Cut: true, Detail: "the end of the JSON is missing"}
}

// closes tells whether a bracket follows the comma at pos.
func (m *mender) closes() bool {
	rest := strings.TrimLeft(m.in[m.pos+1:], blanks)
	return rest != "" && (rest[0] == '}' || rest[0] == ']')
}

// text copies a string, in double quotes whatever it had.
func (m *mender) text(quote byte) error {
	if quote == '\'' {
		m.note("single quotes")
	}
	m.out.WriteByte('"')
	for m.pos++; m.pos < len(m.in); m.pos++ {
		c := m.in[m.pos]
		switch {
		case c == quote:
			m.pos++
			m.out.WriteByte('"')
			return nil
		case c == '\\' && m.pos+1 < len(m.in):
			m.pos++
			m.escape(m.in[m.pos])
		case c == '"':
			m.out.WriteString(`\"`)
		case c < ' ':
			m.note("raw line break in a text")
			fmt.Fprintf(&m.out, `\u%04x`, c)
		default:
			m.out.WriteByte(c)
		}
	}
	return &SyntaxError{Cut: true, Detail: "a text has no closing quote"}
}

func (m *mender) escape(c byte) {
	if c != '\'' {
		m.out.WriteByte('\\')
	}
	m.out.WriteByte(c)
}

// word copies true, false and null, also as Python writes them. Other words stay
// and make the result invalid.
func (m *mender) word() {
	end := m.pos
	for end < len(m.in) && isLetter(m.in[end]) {
		end++
	}
	word := m.in[m.pos:end]
	m.pos = end
	if json, ok := map[string]string{"True": "true", "False": "false", "None": "null"}[word]; ok {
		m.note(word + " to " + json)
		word = json
	}
	m.out.WriteString(word)
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
