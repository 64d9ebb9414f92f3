package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/registry"
	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/pkg/skill"
)

type skillIndexOptions struct {
	outputOptions
	appFlag
	Skills func(SkillScope) (skill.Resolver, error)
	Budget int
}

type skillIndexJSON struct {
	Text    string                `json:"text"`
	Budget  int                   `json:"budget"`
	Used    int                   `json:"used"`
	Entries []skillIndexEntryJSON `json:"entries"`
}

type skillIndexEntryJSON struct {
	Name      string `json:"name"`
	Block     string `json:"block" jsonschema:"enum=session,enum=workspace"`
	Chars     int    `json:"chars"`
	FullChars int    `json:"full_chars"`
	Shortened bool   `json:"shortened"`
}

func newSkillIndexCmd(f *Factory, run func(context.Context, *skillIndexOptions) error) *cobra.Command {
	opts := &skillIndexOptions{
		outputOptions: outputOptions{IO: f.IO}, appFlag: appFlag{Open: f.openSkillApp},
		Skills: func(s SkillScope) (skill.Resolver, error) { return f.Skills(s) },
	}
	if run == nil {
		run = runSkillIndex
	}
	cmd := &cobra.Command{
		Use: "index", Short: "Print the skill index that a model gets, with its cost",
		Long: `Print the exact text that a model gets about skills: the index of the session,
then the block of the workspace's skills. stderr says what each entry costs and
what was shortened to stay within the budget of each block.

Without --app these are the skills of all sources; a chat gets those that its app
offers. Skills of a workspace that is not trusted are left out, as in a chat.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("budget") && opts.Budget <= 0 {
				return usageError{message: fmt.Sprintf("--budget %d is not positive", opts.Budget), hint: "give a number of characters, such as 8000"}
			}
			return run(cmd.Context(), opts)
		},
	}
	opts.addFlags(cmd)
	opts.addAppFlag(cmd)
	completeFlag(cmd, "app", orFolder(f.complete(f.appNames)))
	cmd.Flags().IntVar(&opts.Budget, "budget", 0, "`CHARS` for each block (default: 2 % of the model's context window)")
	cmd.Flags().BoolVar(&f.TrustFlag, "trust-workspace", f.TrustFlag, "trust the workspace for this run")
	return cmd
}

func runSkillIndex(ctx context.Context, o *skillIndexOptions) error {
	scope, err := o.scope(ctx)
	if err != nil {
		return err
	}
	l, err := loadListing(ctx, func() (skill.Resolver, error) { return o.Skills(scope) })
	if err != nil {
		return err
	}
	printDiagnostics(o.IO, l.Diagnostics)
	warnUntrusted(&o.outputOptions, l)
	var offered func(*skill.Item) bool
	budget := skill.Budget(0)
	if scope.App != nil {
		offered, budget = scope.App.offered, skill.Budget(scope.App.window)
	}
	if o.Budget > 0 {
		budget = o.Budget
	}
	return o.print(indexOf(skill.ModelView(l, offered), budget))
}

// indexOf builds both blocks as a new session gets them.
func indexOf(view *skill.Listing, budget int) skillIndexJSON {
	var session, workspace []*skill.Item
	for _, it := range view.Winners() {
		if it.Source.Name == skill.SourceWorkspace {
			workspace = append(workspace, it)
		} else {
			session = append(session, it)
		}
	}
	a := skill.Index(session, skill.SessionTag, budget)
	b := skill.WorkspaceIndex(workspace, session, "", budget)
	out := skillIndexJSON{Budget: budget, Used: a.Used + b.Used, Entries: []skillIndexEntryJSON{}}
	for _, text := range []string{a.Text, b.Text} {
		if text != "" {
			out.Text += text + "\n"
		}
	}
	out.add("session", a.Entries)
	out.add("workspace", b.Entries)
	return out
}

func (x *skillIndexJSON) add(block string, entries []skill.IndexEntry) {
	for _, e := range entries {
		x.Entries = append(x.Entries, skillIndexEntryJSON{
			Name: e.Name, Block: block, Chars: e.Chars, FullChars: e.FullChars, Shortened: e.Shortened,
		})
	}
}

func (o *skillIndexOptions) print(x skillIndexJSON) error {
	if o.JSON {
		return writeJSON(o.IO.Out, x)
	}
	for _, e := range x.Entries {
		line := fmt.Sprintf("%s: %s: %d characters", e.Block, e.Name, e.Chars)
		if e.Shortened {
			line += fmt.Sprintf(", shortened from %d", e.FullChars)
		}
		fmt.Fprintln(o.IO.Err, termtext.Line(line))
	}
	fmt.Fprintf(o.IO.Err, "%d characters in all; each block may have %d\n", x.Used, x.Budget)
	_, err := fmt.Fprint(o.IO.Out, x.Text)
	return err
}

// warnUntrusted says which skills a model does not get, and how to change that.
func warnUntrusted(o *outputOptions, l *skill.Listing) {
	var names []string
	for _, it := range l.Items { // sorted by name
		if it.State == registry.Untrusted && (len(names) == 0 || names[len(names)-1] != it.Name) {
			names = append(names, it.Name)
		}
	}
	if len(names) > 0 {
		warn(o.IO, "this workspace is not trusted, left out: %s (agentctl trust)", shorten(names, 20))
	}
}
