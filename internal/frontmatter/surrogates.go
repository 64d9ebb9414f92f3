package frontmatter

import (
	"strconv"
	"strings"
	"unicode/utf16"
)

// joinSurrogates replaces \ud83d\udc26 by the one character that JSON means by
// it. Text that has no such pair comes back unchanged.
func joinSurrogates(text string) string {
	var b strings.Builder
	last := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		high, low := escape(text[i:]), rune(0)
		if utf16.IsSurrogate(high) {
			low = escape(text[i+6:])
		}
		if r := utf16.DecodeRune(high, low); r != '\ufffd' {
			b.WriteString(text[last:i])
			b.WriteRune(r)
			i += 11
			last = i + 1
			continue
		}
		i++ // the escaped character, which may be a backslash
	}
	if last == 0 {
		return text
	}
	return b.String() + text[last:]
}

// escape is the code unit of a \uXXXX at the start of text, 0 if there is none.
func escape(text string) rune {
	if len(text) < 6 || text[:2] != `\u` {
		return 0
	}
	n, err := strconv.ParseUint(text[2:6], 16, 16)
	if err != nil {
		return 0
	}
	return rune(n)
}
