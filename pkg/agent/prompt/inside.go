package prompt

import "regexp"

var inFile = Inside("context_file")

// Inside returns what makes a text fit between <tag> and </tag>: a closing tag in
// it, which would let a file or a tool go on in the user's name, becomes <\/tag>.
// Nothing else changes.
func Inside(tag string) func(text string) string {
	closing := regexp.MustCompile(`(?i)<(\s*/\s*` + regexp.QuoteMeta(tag) + `)\b`)
	return func(text string) string { return closing.ReplaceAllString(text, `<\$1`) }
}
