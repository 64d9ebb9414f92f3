package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/registry"
	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/pkg/skill"
)

type skillLintOptions struct {
	outputOptions
	Skills    func(SkillScope) (skill.Resolver, error)
	Tools     func(context.Context) ([]string, error)
	Cwd       func() (string, error)
	Names     []string
	Format    string
	Lint      skill.LintOptions
	Fix, Diff bool
}

type skillLintJSON struct {
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
	Summary     skill.LintSummary `json:"summary"`
	// Diff is what --fix would change, with --diff.
	Diff string `json:"diff,omitempty"`
}

// lintFormats are the values of --format.
var lintFormats = []string{"text", "json", "sarif", "github"}

const lintCodes = `  0    no errors; there can be warnings
  1    failed
  2    wrong arguments, or the skill or folder does not exist
  3    there are lint errors
  130  interrupted`

func newSkillLintCmd(f *Factory, run func(context.Context, *skillLintOptions) error) *cobra.Command {
	opts := &skillLintOptions{
		outputOptions: outputOptions{IO: f.IO}, Cwd: func() (string, error) { return f.Cwd() },
		Skills: func(s SkillScope) (skill.Resolver, error) { return f.Skills(s) }, Tools: f.knownTools,
	}
	if run == nil {
		run = runSkillLint
	}
	cmd := &cobra.Command{
		Use: "lint [NAME or DIR …]", Short: "Check skills, with file, line and a stable id for every finding",
		Long: `Check skills: by name, or all in a folder; without arguments all that are not
built in. Every rule has an id that never changes its meaning; docs/lint-rules.md
explains them. A profile holds skills to the rules of one client.

--fix mends what can be mended without touching the meaning: quotes, fences, byte
order mark, line ends, a missing or badly spelled name, the file's own name; a
comment before the front matter becomes one in it. --diff shows that and writes
nothing.`,
		Example:           "  agentctl skill lint\n  agentctl skill lint ./skills --profile upload --format github\n  agentctl skill lint csv-summary --diff",
		Annotations:       map[string]string{exitCodes: lintCodes},
		ValidArgsFunction: eachOnce(orFolder(f.complete(f.skillNames(allSkills, nil), brokenNames(f.loadAllSkills), f.folderNames))),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Names = args
			return run(cmd.Context(), opts)
		},
	}
	opts.addFlags(cmd)
	fl := cmd.Flags()
	fl.StringVar(&opts.Lint.Profile, "profile", skill.ProfileAgentctl, "whose rules count: agentctl, spec, claude-code or upload")
	fl.StringVar(&opts.Format, "format", "text", "text, json, sarif or github")
	fl.BoolVar(&opts.Fix, "fix", false, "mend what can be mended by machine")
	fl.BoolVar(&opts.Diff, "diff", false, "show what --fix would change, and write nothing")
	completeFlag(cmd, "profile", oneOfWords(skill.Profiles()...))
	completeFlag(cmd, "format", oneOfWords(lintFormats...))
	return cmd
}

func runSkillLint(ctx context.Context, o *skillLintOptions) error {
	if err := oneOf("profile", o.Lint.Profile, skill.Profiles()...); err != nil {
		return err
	}
	if err := oneOf("format", o.Format, lintFormats...); err != nil {
		return err
	}
	if o.JSON && o.Format != "json" && o.Format != "text" {
		return usageError{message: "--format " + o.Format + " and --json exclude each other", hint: "give one of them"}
	}
	if o.JSON {
		o.Format = "json"
	}
	set, err := o.collect(ctx)
	if err != nil {
		return err
	}
	if o.Lint.Tools, err = o.Tools(ctx); err != nil {
		return err
	}
	diff := ""
	if o.Fix || o.Diff {
		if diff, err = o.fix(set); err != nil {
			return err
		}
		if !o.Diff {
			if set, err = o.collect(ctx); err != nil {
				return err
			}
		}
	}
	res, err := skill.LintAll(ctx, set.items, set.broken, o.Lint)
	if err != nil {
		return err
	}
	if err := o.print(res, diff); err != nil {
		return err
	}
	if res.HasErrors() {
		return exitError(exitCheck)
	}
	return nil
}

// lintSet is what a run looks at.
type lintSet struct {
	items  []*skill.Item
	broken []*registry.Broken
}

// collect finds what the arguments name. Nothing to check is an error: a check
// that looked at nothing must not pass.
func (o *skillLintOptions) collect(ctx context.Context) (lintSet, error) {
	var set lintSet
	if len(o.Names) == 0 {
		l, err := loadListing(ctx, func() (skill.Resolver, error) { return o.Skills(SkillScope{}) })
		if err != nil {
			return set, err
		}
		set.add(l)
		if len(set.items)+len(set.broken) == 0 {
			return set, usageError{message: "there is no skill to check", hint: "name a folder of skills; looked in: " + shorten(l.Looked, 20)}
		}
		return set, nil
	}
	for _, name := range o.Names {
		if err := o.one(ctx, name, &set); err != nil {
			return set, err
		}
	}
	return set, nil
}

func (o *skillLintOptions) one(ctx context.Context, name string, set *lintSet) error {
	if isFolder(name) || isDir(name) && o.unknown(ctx, name) {
		return o.folder(ctx, name, set)
	}
	l, err := loadListing(ctx, func() (skill.Resolver, error) { return o.Skills(SkillScope{}) })
	if err != nil {
		return err
	}
	res, err := l.Resolve(name)
	if isBrokenSkill(err) {
		for _, b := range l.Broken {
			if b.Name == name || filepath.Base(b.Dir) == name {
				set.broken = append(set.broken, b)
			}
		}
		return nil
	}
	if err == nil {
		set.items = append(set.items, res.Winner)
	}
	return err
}

// unknown tells whether no skill is called so: then a folder of that name is meant.
func (o *skillLintOptions) unknown(ctx context.Context, name string) bool {
	l, err := loadListing(ctx, func() (skill.Resolver, error) { return o.Skills(SkillScope{}) })
	if err != nil {
		return false
	}
	_, err = l.Resolve(name)
	_, missing := as[*skill.NotFoundError](err)
	return missing
}

func (o *skillLintOptions) folder(ctx context.Context, dir string, set *lintSet) error {
	l, err := loadListing(ctx, func() (skill.Resolver, error) { return o.Skills(SkillScope{Path: dir}) })
	if err != nil {
		return err
	}
	if len(l.Items)+len(l.Broken) == 0 {
		return &skill.NotSkillError{Dir: dir}
	}
	set.add(l)
	return nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// add takes what lies in folders; what is built in is not the user's to mend.
func (s *lintSet) add(l *skill.Listing) {
	s.items = append(s.items, slices.DeleteFunc(slices.Clone(l.Items), func(it *skill.Item) bool {
		return it.Source.Root == registry.EmbeddedRoot
	})...)
	s.broken = append(s.broken, l.Broken...)
}

// fix mends the skills, or with --diff only says how.
func (o *skillLintOptions) fix(set lintSet) (diff string, err error) {
	for _, it := range set.items {
		f, err := skill.FixOf(it)
		if err != nil {
			return "", err
		}
		if f == nil {
			continue
		}
		diff += f.Diff()
		if o.Diff {
			continue
		}
		if err := f.Apply(); err != nil {
			return "", err
		}
		warn(o.IO, "fixed %s", f.NewFile)
	}
	return diff, nil
}

func (o *skillLintOptions) print(res skill.LintResult, diff string) error {
	base, err := o.Cwd()
	if err != nil {
		return err
	}
	if !o.Diff {
		diff = ""
	}
	switch o.Format {
	case "json":
		return writeJSON(o.IO.Out, skillLintJSON{list(res.Diagnostics), res.Summary, diff})
	case "sarif":
		return skill.WriteSARIF(o.IO.Out, res.Diagnostics, base, buildVersion().Version)
	case "github":
		w := forTerminal(o.IO.Out, o.IO.OutTTY)
		return errors.Join(skill.WriteGitHub(w, res.Diagnostics, base), w.Close())
	}
	if o.Diff {
		printDiagnostics(o.IO, res.Diagnostics)
		return writeText(o.IO, diff)
	}
	for _, d := range res.Diagnostics {
		if _, err := fmt.Fprintln(o.IO.Out, termtext.Line(d.String())); err != nil {
			return err
		}
	}
	s := res.Summary
	fmt.Fprintf(o.IO.Err, "%s: %s\n", termtext.Count(s.Files, "skill"), findingCounts(s.Errors, s.Warnings, s.Infos))
	return nil
}
