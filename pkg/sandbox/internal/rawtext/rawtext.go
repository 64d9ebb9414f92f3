// Package rawtext puts strings of any bytes, such as paths and arguments, into JSON,
// which knows only UTF-8.
package rawtext

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Quote returns s if it is UTF-8, else the Go string literal of it.
func Quote(s string) string {
	// One that looks like a literal must not be taken for it.
	if utf8.ValidString(s) && !strings.HasPrefix(s, `"`) {
		return s
	}
	return strconv.Quote(s)
}

// Unquote returns the string that [Quote] got.
func Unquote(text string) string {
	if s, err := strconv.Unquote(text); err == nil && strings.HasPrefix(text, `"`) {
		return s
	}
	return text
}

// Each returns a copy of a list with f applied to every string.
func Each(list []string, f func(string) string) []string {
	if list == nil {
		return nil
	}
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = f(s)
	}
	return out
}
