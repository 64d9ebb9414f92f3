package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/registry"
	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/pkg/skill"
)

type skillListOptions struct {
	outputOptions
	appFlag
	Skills func(SkillScope) (skill.Resolver, error)
	Path   string
	Why    string
}

type skillListJSON struct {
	Skills      []skillItemJSON   `json:"skills"`
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
}

type skillItemJSON struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	WhenToUse   string         `json:"when_to_use"`
	Aliases     []string       `json:"aliases"`
	Source      string         `json:"source" jsonschema:"enum=workspace,enum=user,enum=shared,enum=package,enum=path"`
	Root        string         `json:"root"`
	Dir         string         `json:"dir"`
	File        string         `json:"file"`
	State       registry.State `json:"state" jsonschema:"enum=active,enum=shadowed,enum=disabled,enum=untrusted"`
	ShadowedBy  string         `json:"shadowed_by,omitempty"`
}

func newSkillListCmd(f *Factory, run func(context.Context, *skillListOptions) error) *cobra.Command {
	opts := &skillListOptions{
		outputOptions: outputOptions{IO: f.IO}, appFlag: appFlag{Open: f.openSkillApp},
		Skills: func(s SkillScope) (skill.Resolver, error) { return f.Skills(s) },
	}
	if run == nil {
		run = runSkillList
	}
	cmd := &cobra.Command{
		Use: "list", Short: "List skills with their source and state",
		Long: `List the skills of all sources: name, state, source, description. Skills that
another one hides and skills that are switched off are listed and marked. What is
wrong with a file is said on stderr; the exit code stays 0.

--why NAME says which skill a name means, what else it could mean, and why not.`,
		Example: "  agentctl skill list\n  agentctl skill list --path ./skills --json\n  agentctl skill list --why csv-summary",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), opts) },
	}
	opts.addFlags(cmd)
	opts.addAppFlag(cmd)
	completeFlag(cmd, "app", orFolder(f.complete(f.appNames)))
	cmd.Flags().StringVar(&opts.Path, "path", "", "look at the skills folder `ROOT` alone")
	cmd.Flags().StringVar(&opts.Why, "why", "", "explain which skill `NAME` means")
	cmd.MarkFlagsMutuallyExclusive("path", "app")
	completeFlag(cmd, "why", f.complete(f.skillNames(opts.scope, nil)))
	return cmd
}

func runSkillList(ctx context.Context, o *skillListOptions) error {
	scope, err := o.scope(ctx)
	if err != nil {
		return err
	}
	l, err := loadListing(ctx, func() (skill.Resolver, error) { return o.Skills(scope) })
	if err != nil {
		return err
	}
	if scope.App != nil {
		l = l.Filter(scope.App.offered)
	}
	if o.Why != "" {
		return o.explain(l)
	}
	printDiagnostics(o.IO, l.Diagnostics)
	return o.print(l.Items, l.Diagnostics)
}

// scope is what is listed: the folder alone, or what the app gets.
func (o *skillListOptions) scope(ctx context.Context) (SkillScope, error) {
	scope, err := o.appFlag.scope(ctx)
	scope.Path = o.Path
	return scope, err
}

func (o *skillListOptions) print(items []*skill.Item, ds []diag.Diagnostic) error {
	if o.JSON {
		out := skillListJSON{Skills: []skillItemJSON{}, Diagnostics: list(ds)}
		for _, it := range items {
			out.Skills = append(out.Skills, skillJSON(it))
		}
		return writeJSON(o.IO.Out, out)
	}
	rows := make([][]string, len(items))
	for i, it := range items {
		rows[i] = []string{it.Name, string(it.State), it.Source.Name, it.Value.Description}
	}
	return writeTable(o.IO, []string{"name", "state", "source", "description"}, rows)
}

func skillJSON(it *skill.Item) skillItemJSON {
	return skillItemJSON{
		Name: it.Name, Description: squeeze(it.Value.Description), WhenToUse: squeeze(it.Value.WhenToUse),
		Aliases: list(it.Aliases), Source: it.Source.Name, Root: it.Source.Root, Dir: it.Dir, File: it.File(),
		State: it.State, ShadowedBy: it.ShadowedBy,
	}
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// explain prints what a name means and what else it could have meant.
func (o *skillListOptions) explain(l *skill.Listing) error {
	res, err := l.Resolve(o.Why)
	if err != nil {
		return err
	}
	items := []*skill.Item{res.Winner}
	for _, other := range res.Others {
		items = append(items, other.Item)
	}
	ds := diagnosticsOf(l, res.Winner)
	printDiagnostics(o.IO, ds)
	if o.JSON {
		return o.print(items, ds)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s (%s, %s, by %s)\n", o.Why, res.Winner.File(), res.Winner.Source.Name, res.Winner.State, res.By)
	for _, other := range res.Others {
		fmt.Fprintf(&b, "not: %s (%s): %s\n", other.Item.File(), other.Item.Source.Name, other.Reason)
	}
	_, err = fmt.Fprint(o.IO.Out, termtext.Block(b.String()))
	return err
}
