// Package diag is the one form in which agentctl reports what it found in a
// file: a place, a severity, a stable code and a sentence that says what to do.
//
// Diagnostics are data. Readers collect them and go on; only the command line
// prints them.
package diag

import (
	"cmp"
	"fmt"
	"slices"
)

// Severity says how bad a finding is.
type Severity string

const (
	// Error: the thing does not load, or a check must fail.
	Error Severity = "error"
	// Warning: it loads, but not as written, or will not load elsewhere.
	Warning Severity = "warning"
	// Info: worth knowing; nothing has to change.
	Info Severity = "info"
)

// Diagnostic is one finding. Its JSON form is part of every --json shape that
// carries diagnostics.
type Diagnostic struct {
	// File is the path as the user would open it, "" when there is none.
	File string `json:"file"`
	// Line and Column are 1-based; 0 means the whole file.
	Line   int `json:"line"`
	Column int `json:"column"`
	// Severity is error, warning or info.
	Severity Severity `json:"severity" jsonschema:"enum=error,enum=warning,enum=info"`
	// Code is a stable identifier in dotted kebab-case, e.g. "frontmatter.not-closed".
	Code string `json:"code"`
	// Message says what was found and what to do about it.
	Message string `json:"message"`
	// Fix is the replacement text or command that cures it, if there is one.
	Fix string `json:"fix,omitempty"`
}

// String is the form for people: file:line:column: severity: message (code).
// Parts that are not known are left out.
func (d Diagnostic) String() string {
	place := d.File
	if d.Line > 0 {
		place = fmt.Sprintf("%s:%d", place, d.Line)
		if d.Column > 0 {
			place = fmt.Sprintf("%s:%d", place, d.Column)
		}
	}
	if place != "" {
		place += ": "
	}
	return fmt.Sprintf("%s%s: %s (%s)", place, d.Severity, d.Message, d.Code)
}

// Sort orders by file, line, column, code, so that output does not depend on
// the order of a walk.
func Sort(ds []Diagnostic) {
	slices.SortStableFunc(ds, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Code, b.Code),
		)
	})
}

// HasErrors tells whether any finding is an error.
func HasErrors(ds []Diagnostic) bool {
	return slices.ContainsFunc(ds, func(d Diagnostic) bool { return d.Severity == Error })
}
