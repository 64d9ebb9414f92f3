package skill

import (
	"context"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/registry"
)

// LintOptions choose what a skill is held to.
type LintOptions struct {
	// Profile is one of [Profiles]; "" means agentctl.
	Profile string
	// Tools are the names of all known tools, for allowed-tools; nil means
	// unknown, and the rule is off.
	Tools []string
}

// LintResult is what was found in some skills.
type LintResult struct {
	Diagnostics []Diagnostic
	Summary     LintSummary
}

// LintSummary counts findings, and the files that were looked at.
type LintSummary struct {
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Infos    int `json:"infos"`
	Files    int `json:"files"`
}

// Lint holds one skill that loads to all rules and returns the findings in the
// order of lines. The error is that of the file system or of ctx.
func Lint(ctx context.Context, it *Item, o LintOptions) ([]Diagnostic, error) {
	c := &check{it: it, opts: o, severity: severities(o.Profile), paths: map[string]bool{}}
	for _, d := range it.Value.Doc.Diagnostics {
		c.keep(d)
	}
	for _, d := range it.Value.Doc.Findings {
		c.keep(d)
	}
	c.names()
	c.texts()
	c.body()
	if err := c.files(ctx); err != nil {
		return nil, err
	}
	diag.Sort(c.found)
	return c.found, nil
}

// LintAll lints skills, and reports those that do not load as such.
func LintAll(ctx context.Context, items []*Item, broken []*registry.Broken, o LintOptions) (LintResult, error) {
	found := make([][]Diagnostic, len(items))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for n, it := range items {
		g.Go(func() (err error) {
			found[n], err = Lint(ctx, it, o)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return LintResult{}, err
	}
	for _, b := range broken {
		found = append(found, b.Diagnostics)
	}
	return summarize(found), nil
}

func summarize(found [][]Diagnostic) LintResult {
	res := LintResult{Summary: LintSummary{Files: len(found)}}
	for _, ds := range found {
		res.Diagnostics = append(res.Diagnostics, ds...)
	}
	diag.Sort(res.Diagnostics)
	for _, d := range res.Diagnostics {
		switch d.Severity {
		case diag.Error:
			res.Summary.Errors++
		case diag.Warning:
			res.Summary.Warnings++
		default:
			res.Summary.Infos++
		}
	}
	return res
}

// check is one run over one skill.
type check struct {
	it       *Item
	opts     LintOptions
	severity map[string]diag.Severity
	found    []Diagnostic
	paths    map[string]bool // whether the skill holds them, as far as asked
}

// keep takes over a finding of the reader, with the severity of the profile.
func (c *check) keep(d Diagnostic) {
	if s, known := c.severity[d.Code]; known {
		d.Severity = s
	}
	c.found = append(c.found, d)
}

// at reports a finding in the manifest. Rules that are off report nothing.
func (c *check) at(line, column int, rule, format string, args ...any) *Diagnostic {
	return c.in(c.it.File(), line, column, rule, format, args...)
}

// in reports a finding in any file.
func (c *check) in(file string, line, column int, rule, format string, args ...any) *Diagnostic {
	s := c.severity[rule]
	if s == off {
		return &Diagnostic{}
	}
	c.found = append(c.found, Diagnostic{
		File: file, Line: line, Column: column, Severity: s, Code: rule, Message: fmt.Sprintf(format, args...),
	})
	return &c.found[len(c.found)-1]
}

// key reports a finding about one key of the front matter.
func (c *check) key(key, rule, format string, args ...any) *Diagnostic {
	line, column := c.it.Value.Doc.Position(key)
	return c.at(max(line, 1), column, rule, format, args...)
}
