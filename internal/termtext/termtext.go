// Package termtext makes foreign text safe to print. Names, descriptions,
// model answers and tool output come from others: a control sequence in them
// could rewrite what the user sees.
package termtext

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Line returns s on one line: a line break or tab, with the white space around it,
// is one blank, and every other control, bidirectional or invisible character is
// shown as its code point. Blanks within a line stay: a path may have two.
func Line(s string) string {
	lines := strings.FieldsFunc(s, breaks)
	kept := lines[:0]
	for _, line := range lines {
		if line = strings.TrimSpace(line); line != "" {
			kept = append(kept, line)
		}
	}
	return Block(strings.Join(kept, " "))
}

func breaks(r rune) bool {
	switch r {
	case '\n', '\t', '\r', '\v', '\f', 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// Block keeps line feeds and tabs and shows every other control,
// bidirectional or invisible character as its code point, e.g. <U+001B>, and a
// byte that is not UTF-8, which can be a control of its own, as <0x9B>.
func Block(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, unsafe) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, "<0x%02X>", s[0])
		case unsafe(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
		s = s[size:]
	}
	return b.String()
}

// JSON writes the characters of encoded JSON that Block would show as escapes of
// JSON, which means the same to a program.
func JSON(data []byte) []byte {
	if !bytes.ContainsFunc(data, unsafe) {
		return data
	}
	var out []byte
	for _, r := range string(data) {
		switch {
		case !unsafe(r):
			out = utf8.AppendRune(out, r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

// Strip removes what Block would show.
func Strip(s string) string {
	return strings.Map(func(r rune) rune {
		if unsafe(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
}

// Invisible tells whether r is a character that hides or reorders text:
// zero-width, bidirectional, tag and soft-hyphen characters. Variation
// selectors and the joiners of emoji are left alone.
func Invisible(r rune) bool {
	switch {
	case r == 0x00AD, r == 0x180E, r == 0xFEFF,
		r == 0x200B, r == 0x200E, r == 0x200F, r == 0x061C,
		r >= 0x202A && r <= 0x202E,
		r >= 0x2060 && r <= 0x206F,
		r >= 0xE0000 && r <= 0xE007F:
		return true
	}
	return false
}

func unsafe(r rune) bool {
	if r == '\n' || r == '\t' {
		return false
	}
	return unicode.IsControl(r) || Invisible(r)
}

// Count is a number with its noun: "1 file", "2 files".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
