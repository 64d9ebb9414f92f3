package toolpkg

import (
	"bytes"
	"cmp"
	"io"
	"slices"
	"strings"
)

// secret is a value that must not leave the host.
type secret struct{ name, value string }

// minSecret is the length from which a value is redacted: a shorter one occurs
// in ordinary text and would tear holes into it without hiding anything.
const minSecret = 4

// redactor is a writer that replaces secrets by [redacted:NAME], also where one
// arrives in pieces. It holds back only what may be the start of one.
type redactor struct {
	secrets []secret // longest first
	out     io.Writer
	pending []byte
}

// newRedactor returns out itself when there is nothing to hide.
func newRedactor(out io.Writer, secrets []secret) io.WriteCloser {
	kept := slices.DeleteFunc(slices.Clone(secrets), func(s secret) bool { return len(s.value) < minSecret })
	slices.SortFunc(kept, func(a, b secret) int { return cmp.Compare(len(b.value), len(a.value)) })
	return &redactor{secrets: kept, out: out}
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
	if len(r.secrets) == 0 {
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
	r.pending = append([]byte(nil), rest...)
	if len(clean) == 0 {
		return nil
	}
	_, err := r.out.Write(clean)
	return err
}

// split replaces the secrets in text. Before the end of the stream it leaves a
// rest that a secret begins with.
func (r *redactor) split(text []byte, end bool) (clean, rest []byte) {
	for {
		at, found := r.first(text)
		if !end {
			if hold := r.unfinished(text); hold <= at {
				return append(clean, text[:hold]...), text[hold:]
			}
		}
		if found == nil {
			return append(clean, text...), nil
		}
		clean = append(clean, text[:at]...)
		clean = append(clean, "[redacted:"+found.name+"]"...)
		text = text[at+len(found.value):]
	}
}

// first is the earliest secret in text, and the longest one at that place.
func (r *redactor) first(text []byte) (at int, found *secret) {
	at = len(text)
	for i := range r.secrets {
		if n := bytes.Index(text, []byte(r.secrets[i].value)); n >= 0 && n < at {
			at, found = n, &r.secrets[i]
		}
	}
	return at, found
}

// unfinished is where the earliest end of text starts that a longer secret
// begins with; past the end when there is none.
func (r *redactor) unfinished(text []byte) int {
	earliest := len(text) + 1
	for _, s := range r.secrets {
		for n := min(len(s.value)-1, len(text)); n > 0; n-- {
			if at := len(text) - n; at < earliest && bytes.HasSuffix(text, []byte(s.value[:n])) {
				earliest = at
				break
			}
		}
	}
	return earliest
}
