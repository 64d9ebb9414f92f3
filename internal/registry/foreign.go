package registry

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Foreign tells whether letters are lost on the way from a name to ASCII, so that
// other words can become the same. A letter with a mark, such as é, loses none.
func Foreign(name string) bool {
	return strings.ContainsFunc(bare(name), func(r rune) bool { return r >= utf8.RuneSelf && unicode.IsLetter(r) })
}

// SameWords tells whether two names differ at most in case and marks.
func SameWords(a, b string) bool { return strings.EqualFold(bare(a), bare(b)) }

// bare is a name without marks, with one blank between words.
func bare(name string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFKD.String(name))), " ")
}
