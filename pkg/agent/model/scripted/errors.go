package scripted

import (
	"fmt"
	"strings"
)

// MismatchError reports that a run was not the one that the script describes:
// another request than expected, one too many, a template that found nothing to
// quote, or steps that were left over.
type MismatchError struct {
	File string
	// Step is the 1-based step at which it went wrong, 0 when there is no single
	// one.
	Step int
	// Problem is one sentence.
	Problem string
	// Diff has a line for each thing that differs: what was expected and what came.
	Diff []string
}

func (e *MismatchError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "script %s", e.File)
	if e.Step > 0 {
		fmt.Fprintf(&b, ", step %d", e.Step)
	}
	fmt.Fprintf(&b, ": %s", e.Problem)
	for _, line := range e.Diff {
		fmt.Fprintf(&b, "\n  %s", line)
	}
	return b.String()
}
