package toolpkg

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// secret is a value that must not leave the host.
type secret struct{ name, value string }

// minSecret is the length from which a value is redacted: a shorter one occurs
// in ordinary text and would tear holes into it without hiding anything. A line of
// a value that has several, such as a brace, is more often a word of its own.
const (
	minSecret     = 4
	minSecretLine = 8
)

// redactor is a writer that replaces secrets by [redacted:NAME], also where one
// arrives in pieces. It holds back only what may be the start of one.
type redactor struct {
	forms   []secret // in every spelling, longest first
	out     io.Writer
	pending []byte
}

func newRedactor(out io.Writer, secrets []secret) io.WriteCloser {
	r := &redactor{out: out}
	for _, s := range secrets {
		for _, form := range spellings(s.value) {
			r.forms = append(r.forms, secret{s.name, form})
		}
	}
	slices.SortStableFunc(r.forms, func(a, b secret) int { return cmp.Compare(len(b.value), len(a.value)) })
	return r
}

// spellings are the texts by which a value is known: itself and each longer line
// of it, as they are, and as encoders write them into a string of JSON, which may
// stand in a string of JSON again.
func spellings(value string) []string {
	if len(value) < minSecret {
		return nil
	}
	seen := map[string]bool{value: true}
	add := func(text string, atLeast int) {
		if len(text) >= atLeast {
			seen[text] = true
		}
	}
	add(strings.TrimSpace(value), minSecret)
	if strings.Contains(strings.TrimSpace(value), "\n") {
		for line := range strings.Lines(value) {
			add(strings.TrimSpace(line), minSecretLine)
		}
	}
	for range 2 {
		for _, form := range slices.Sorted(maps.Keys(seen)) {
			for _, encoded := range inJSON(form) {
				seen[encoded] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// inJSON is a text as encoders write it between quotes. They agree on what must
// be escaped and differ in what may be: <, > and & (Go), / (PHP), and everything
// that is not ASCII (Python).
func inJSON(text string) []string {
	var out []string
	for _, html := range []bool{false, true} {
		for _, slash := range []bool{false, true} {
			for _, ascii := range []bool{false, true} {
				out = append(out, jsonText(text, html, slash, ascii))
			}
		}
	}
	return out
}

func jsonText(text string, html, slash, ascii bool) string {
	var sb strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		char := text[:size]
		text = text[size:]
		switch {
		case jsonShort[r] != "":
			sb.WriteString(jsonShort[r])
		case slash && r == '/':
			sb.WriteString(`\/`)
		case r < ' ', html && strings.ContainsRune("<>&\u2028\u2029", r), ascii && r >= utf8.RuneSelf && r != utf8.RuneError:
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&sb, `\u%04x`, unit)
			}
		default:
			sb.WriteString(char)
		}
	}
	return sb.String()
}

// jsonShort are the escapes of one letter.
var jsonShort = map[rune]string{
	'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`,
}

// redacted is a text without the secrets.
func redacted(text string, secrets []secret) string {
	var sb strings.Builder
	r := newRedactor(&sb, secrets)
	_, _ = io.WriteString(r, text) // a builder takes everything
	_ = r.Close()
	return sb.String()
}

// Write passes on everything that can no longer become a secret.
func (r *redactor) Write(p []byte) (int, error) {
	if len(r.forms) == 0 {
		return r.out.Write(p)
	}
	r.pending = append(r.pending, p...)
	if err := r.flush(false); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close passes on what was held back.
func (r *redactor) Close() error { return r.flush(true) }

func (r *redactor) flush(end bool) error {
	clean, rest := r.split(r.pending, end)
	var err error
	if len(clean) > 0 {
		_, err = r.out.Write(clean)
	}
	r.pending = append(r.pending[:0], rest...) // clean may be a part of it
	return err
}

// split replaces the secrets in text, the longest one at each place. Before the
// end of the stream it leaves a rest that a secret begins with.
func (r *redactor) split(text []byte, end bool) (clean, rest []byte) {
	next := make([]int, len(r.forms)) // where each form occurs, from i on
	for i := range next {
		next[i] = -1
	}
	hold := len(text)
	if !end {
		hold = r.unfinished(text, 0)
	}
	for i := 0; ; {
		at, found := r.first(text, next, i)
		if hold <= at && i == 0 {
			return text[:hold], text[hold:]
		} else if hold <= at {
			return append(clean, text[i:hold]...), text[hold:]
		}
		clean = append(clean, text[i:at]...)
		clean = append(clean, "[redacted:"+found.name+"]"...)
		if i = at + len(found.value); hold < i {
			hold = r.unfinished(text, i)
		}
	}
}

// first is the earliest secret in text from i on, and the longest one at that
// place; past the end when there is none.
func (r *redactor) first(text []byte, next []int, i int) (at int, found *secret) {
	at = len(text) + 1
	for k := range r.forms {
		if next[k] < i {
			if next[k] = bytes.Index(text[i:], []byte(r.forms[k].value)); next[k] < 0 {
				next[k] = len(text) + 1
			} else {
				next[k] += i
			}
		}
		if next[k] < at {
			at, found = next[k], &r.forms[k]
		}
	}
	return at, found
}

// unfinished is where the earliest end of text starts, from i on, that a longer
// secret begins with; the end when there is none.
func (r *redactor) unfinished(text []byte, i int) int {
	if len(r.forms) > 0 {
		i = max(i, len(text)-len(r.forms[0].value)+1)
	}
	for ; i < len(text); i++ {
		for _, form := range r.forms {
			if len(form.value) <= len(text)-i {
				break // and so are all after it
			}
			if form.value[0] == text[i] && strings.HasPrefix(form.value, string(text[i:])) {
				return i
			}
		}
	}
	return len(text)
}
