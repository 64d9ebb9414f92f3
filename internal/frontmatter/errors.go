package frontmatter

import (
	"fmt"

	"github.com/agentctl/agentctl/internal/diag"
)

// SkipError says that a file is not loaded. Its first diagnostic is the reason,
// with file, line and cure; warnings that came before it follow.
type SkipError struct {
	// Name is the value of the name key as far as it could be read, "" if not.
	Name        string
	Diagnostics []diag.Diagnostic
}

// Error returns the reason as file:line: what and how to cure it.
func (e *SkipError) Error() string { return place(e.Diagnostics[0]) }

// StrictError holds everything that is wrong with a file that is read strictly,
// at least one diagnostic, in the order of lines.
type StrictError struct {
	Diagnostics []diag.Diagnostic
}

// Error returns the first diagnostic and the number of the others.
func (e *StrictError) Error() string {
	first := place(e.Diagnostics[0])
	if n := len(e.Diagnostics) - 1; n > 0 {
		return fmt.Sprintf("%s (and %d more)", first, n)
	}
	return first
}

func place(d diag.Diagnostic) string {
	if d.Line == 0 {
		return fmt.Sprintf("%s: %s", d.File, d.Message)
	}
	return fmt.Sprintf("%s:%d: %s", d.File, d.Line, d.Message)
}
