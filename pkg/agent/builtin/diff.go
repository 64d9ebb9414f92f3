package builtin

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
)

// maxDiff is how large a file may be to be compared, in bytes; maxDiffLines how
// much of a diff is shown. A person decides on what fits on a few screens.
const (
	maxDiff      = 1 << 20
	maxDiffLines = 200
)

// diff shows what would change in a file.
func diff(name, before, after string) string {
	switch {
	case before == after:
		return "no change\n"
	case len(after) > maxDiff, !utf8.ValidString(before), !utf8.ValidString(after):
		return fmt.Sprintf("%d bytes, too much or too binary to show\n", len(after))
	}
	text := udiff.Unified("a/"+name, "b/"+name, before, after)
	lines := strings.SplitAfter(text, "\n")
	if len(lines) <= maxDiffLines {
		return text
	}
	return strings.Join(lines[:maxDiffLines], "") + fmt.Sprintf("… %d more lines\n", len(lines)-maxDiffLines)
}
