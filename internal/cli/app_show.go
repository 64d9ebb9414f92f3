package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/pkg/agent/app"
	"github.com/agentctl/agentctl/pkg/agent/builtin"
)

type appShowOptions struct {
	outputOptions
	Ref string
	App func(ctx context.Context, ref string) (*app.App, error)
}

// appShowJSON is an app with its profile merged in and its defaults filled in:
// "*" in skills and tools stands for all.
type appShowJSON struct {
	Name          string            `json:"name"`
	Profile       string            `json:"profile"`
	Description   string            `json:"description"`
	Source        string            `json:"source" jsonschema:"enum=workspace,enum=user,enum=embedded,enum=path"`
	Dir           string            `json:"dir"`
	File          string            `json:"file"`
	ProfileFile   string            `json:"profile_file,omitempty"`
	Untrusted     bool              `json:"untrusted"`
	Model         string            `json:"model"`
	Inventory     string            `json:"inventory"`
	Skills        []string          `json:"skills"`
	SkillSources  []string          `json:"skill_sources"`
	PackageSkills string            `json:"package_skills"`
	Tools         []string          `json:"tools"`
	Aliases       map[string]string `json:"aliases"`
	ContextFiles  []string          `json:"context_files"`
	Prompt        string            `json:"prompt"`
	Diagnostics   []diag.Diagnostic `json:"diagnostics"`
}

func newAppShowCmd(f *Factory, run func(context.Context, *appShowOptions) error) *cobra.Command {
	opts := &appShowOptions{
		outputOptions: outputOptions{IO: f.IO},
		App:           func(ctx context.Context, ref string) (*app.App, error) { return f.App(ctx, ref) },
	}
	if run == nil {
		run = runAppShow
	}
	cmd := &cobra.Command{
		Use: "show [APP[/PROFILE]]", Short: "Print an app with its profile merged in",
		Long: `Print an app (default: the configured one) as one APP.md with its profile merged
in, so that it can be saved as an app of its own. APP can be the folder of an app
or of a profile. What the app does not say is left out; --json fills in the
defaults.`,
		Example: `  agentctl app show rca/methodology
  mkdir -p apps/default && agentctl app show default > apps/default/APP.md`,
		Args:              rangeArgs(0, 1, "at most one app"),
		ValidArgsFunction: firstArg(orFolder(f.complete(f.appNames))),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				opts.Ref = args[0]
			}
			return run(cmd.Context(), opts)
		},
	}
	opts.addFlags(cmd)
	return cmd
}

func runAppShow(ctx context.Context, o *appShowOptions) error {
	a, err := o.App(ctx, o.Ref)
	if err != nil {
		return err
	}
	printDiagnostics(o.IO, append(a.Instead, a.Diagnostics...))
	if o.JSON {
		return writeJSON(o.IO.Out, appShape(a))
	}
	return writeText(o.IO, a.Format())
}

func appShape(a *app.App) appShowJSON {
	tools := selectionNames(a.Tools)
	if !a.Tools.Set {
		tools = builtin.Names()
	}
	return appShowJSON{
		Name: a.Name, Profile: a.Profile, Description: a.Description, Source: a.Source, Dir: a.Dir, File: a.File,
		ProfileFile: a.ProfileFile, Untrusted: a.Untrusted, Model: a.Model, Inventory: a.Inventory,
		Skills: selectionNames(a.Skills), SkillSources: list(a.SkillSources), PackageSkills: a.PackageSkills,
		Tools: tools, Aliases: a.Aliases, ContextFiles: list(a.ContextFiles), Prompt: a.Prompt,
		Diagnostics: list(a.Diagnostics),
	}
}

func selectionNames(s app.Selection) []string {
	names := append([]string{}, s.Names...)
	if s.All {
		names = append(names, "*")
	}
	return names
}
