package cli

import (
	"fmt"
	"strings"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/termtext"
)

// lintJSON is the shape of app lint and tool lint.
type lintJSON struct {
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
	Summary     lintSummaryJSON   `json:"summary"`
}

type lintSummaryJSON struct {
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Infos    int `json:"infos"`
	Files    int `json:"files"`
}

// findings collects what a check found. A finding that comes twice, such as one
// that two profiles of an app share, counts once.
type findings struct {
	diags []diag.Diagnostic
	files map[string]bool // that were looked at
	seen  map[string]bool
}

func newFindings() *findings {
	return &findings{files: map[string]bool{}, seen: map[string]bool{}}
}

func (c *findings) add(ds ...diag.Diagnostic) {
	for _, d := range ds {
		if key := d.String(); !c.seen[key] {
			c.seen[key] = true
			c.diags = append(c.diags, d)
		}
	}
}

// print prints the findings on stdout, sorted, and ends with 3 if there are
// errors among them.
func (c *findings) print(o outputOptions) error {
	diag.Sort(c.diags)
	out := lintJSON{Diagnostics: list(c.diags), Summary: c.summary()}
	write := func() error { return writeJSON(o.IO.Out, out) }
	if !o.JSON {
		write = func() error { return printFindings(o, out) }
	}
	if err := write(); err != nil {
		return err
	}
	if out.Summary.Errors > 0 {
		return exitError(exitCheck)
	}
	return nil
}

func (c *findings) summary() lintSummaryJSON {
	s := lintSummaryJSON{Files: len(c.files)}
	for _, d := range c.diags {
		switch d.Severity {
		case diag.Error:
			s.Errors++
		case diag.Warning:
			s.Warnings++
		default:
			s.Infos++
		}
	}
	return s
}

func printFindings(o outputOptions, out lintJSON) error {
	for _, d := range out.Diagnostics {
		text := termtext.Line(d.String())
		if d.Fix != "" {
			text += "\n  fix: " + termtext.Line(d.Fix)
		}
		if _, err := fmt.Fprintln(o.IO.Out, text); err != nil {
			return err
		}
	}
	s := out.Summary
	warn(o.IO, "%s in %s", findingCounts(s.Errors, s.Warnings, s.Infos), termtext.Count(s.Files, "file"))
	return nil
}

// findingCounts is "1 error, 2 warnings, 0 infos".
func findingCounts(errors, warnings, infos int) string {
	return strings.Join([]string{termtext.Count(errors, "error"), termtext.Count(warnings, "warning"), termtext.Count(infos, "info")}, ", ")
}
