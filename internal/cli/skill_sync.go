package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/config"
	"github.com/agentctl/agentctl/internal/workspace"
	"github.com/agentctl/agentctl/pkg/skill"
)

type skillSyncOptions struct {
	outputOptions
	Config  func() (*config.Loaded, error)
	Trusted func() (bool, error)
	// Workspace is where the configuration may come from.
	Workspace func() (string, error)
	Roots     []string
}

type skillSyncJSON struct {
	Roots []skillSyncRootJSON `json:"roots"`
}

type skillSyncRootJSON struct {
	Root    string           `json:"root"`
	Status  skill.SyncStatus `json:"status" jsonschema:"enum=updated,enum=current,enum=dirty,enum=diverged,enum=failed"`
	From    string           `json:"from"`
	To      string           `json:"to"`
	Added   []string         `json:"added"`
	Changed []string         `json:"changed"`
	Removed []string         `json:"removed"`
	// Message says why a root failed or was left alone.
	Message string `json:"message,omitempty"`
}

const syncCodes = `  0    every root is up to date
  1    a root failed
  2    wrong arguments, or no root is known
  3    a tree is dirty or diverged, and was not touched
  4    the roots come from a workspace that is not trusted
  130  interrupted`

func newSkillSyncCmd(f *Factory, run func(context.Context, *skillSyncOptions) error) *cobra.Command {
	opts := &skillSyncOptions{
		outputOptions: outputOptions{IO: f.IO},
		Config:        f.Config,
		Trusted:       func() (bool, error) { return f.Trusted() },
		Workspace:     f.Workspace,
	}
	if run == nil {
		run = runSkillSync
	}
	cmd := &cobra.Command{
		Use: "sync [ROOT…]", Short: "Bring shared skills in git checkouts up to date",
		Long: `Fetch and fast-forward the git checkouts that hold skills: the folders that are
named, else those of skills.sync. No hook runs, and a tree with changes of its own
is never touched. What was added, changed and removed is printed.`,
		Annotations:       map[string]string{exitCodes: syncCodes},
		ValidArgsFunction: folders,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Roots = args
			return run(cmd.Context(), opts)
		},
	}
	opts.addFlags(cmd)
	return cmd
}

func runSkillSync(ctx context.Context, o *skillSyncOptions) error {
	roots, err := o.roots()
	if err != nil {
		return err
	}
	out := skillSyncJSON{}
	code := exitOK
	for _, root := range roots {
		res, err := skill.Sync(ctx, root)
		if err != nil {
			return err
		}
		if res.Err != nil {
			warn(o.IO, "%s: %v", res.Status, res.Err)
		}
		code = worse(code, res.Status)
		out.Roots = append(out.Roots, syncRootJSON(res))
	}
	if err := o.print(out); err != nil {
		return err
	}
	if code != exitOK {
		return exitError(code)
	}
	return nil
}

func syncRootJSON(res skill.SyncResult) skillSyncRootJSON {
	out := skillSyncRootJSON{
		Root: res.Root, Status: res.Status, From: res.From, To: res.To,
		Added: list(res.Added), Changed: list(res.Changed), Removed: list(res.Removed),
	}
	if res.Err != nil {
		out.Message = res.Err.Error()
	}
	return out
}

// worse is the exit code after one more root: a failure outranks a tree that was
// left alone.
func worse(code int, s skill.SyncStatus) int {
	switch s {
	case skill.SyncFailed:
		return exitFailed
	case skill.SyncDirty, skill.SyncDiverged:
		if code == exitOK {
			return exitCheck
		}
	}
	return code
}

// roots are those of the command line, else of a configuration that may decide
// which programs and servers are called.
func (o *skillSyncOptions) roots() ([]string, error) {
	if len(o.Roots) > 0 {
		return o.Roots, nil
	}
	c, err := o.Config()
	if err != nil {
		return nil, err
	}
	if len(c.Skills.Sync) == 0 {
		return nil, usageError{message: "no root is known", hint: "name a folder of skills in a git checkout, or set skills.sync"}
	}
	trusted, err := o.Trusted()
	if err != nil {
		return nil, err
	}
	ws, err := o.Workspace()
	if err != nil {
		return nil, err
	}
	if !trusted && setBy(c, ws, "skills.sync") {
		return nil, refusedError{message: workspace.ConfigFile + " names the roots, and the workspace is not trusted", hint: "agentctl trust"}
	}
	return c.Skills.Sync, nil
}

func (o *skillSyncOptions) print(out skillSyncJSON) error {
	if o.JSON {
		return writeJSON(o.IO.Out, out)
	}
	rows := make([][]string, len(out.Roots))
	for i, r := range out.Roots {
		rows[i] = []string{r.Root, string(r.Status), changesText(r)}
	}
	return writeTable(o.IO, []string{"root", "status", "changes"}, rows)
}

func changesText(r skillSyncRootJSON) string {
	var parts []string
	for _, p := range []struct {
		mark  string
		names []string
	}{{"+", r.Added}, {"~", r.Changed}, {"-", r.Removed}} {
		for _, n := range p.names {
			parts = append(parts, p.mark+n)
		}
	}
	return strings.Join(parts, " ")
}
