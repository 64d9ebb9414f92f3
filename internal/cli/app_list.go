package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/registry"
	"github.com/agentctl/agentctl/pkg/agent/app"
)

type appListOptions struct {
	outputOptions
	Apps func() (*app.Library, error)
}

type appListJSON struct {
	Apps []appItemJSON `json:"apps"`
}

type appItemJSON struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Source      string   `json:"source" jsonschema:"enum=workspace,enum=user,enum=embedded"`
	Dir         string   `json:"dir"`
	Profiles    []string `json:"profiles"`
}

func newAppListCmd(f *Factory, run func(context.Context, *appListOptions) error) *cobra.Command {
	opts := &appListOptions{outputOptions: outputOptions{IO: f.IO}, Apps: func() (*app.Library, error) { return f.Apps() }}
	if run == nil {
		run = runAppList
	}
	cmd := &cobra.Command{
		Use: "list", Short: "List the apps that --app can name",
		Long: `List apps: name, source, description. Of several apps of one name the one that
--app means is listed; the others, and what is wrong with a file, are named on
stderr.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), opts) },
	}
	opts.addFlags(cmd)
	return cmd
}

func runAppList(ctx context.Context, o *appListOptions) error {
	lib, err := o.Apps()
	if err != nil {
		return err
	}
	l, err := lib.Load(ctx)
	if err != nil {
		return err
	}
	printDiagnostics(o.IO, l.Diagnostics)
	winners := l.Winners()
	o.noteOthers(l, winners)
	if o.JSON {
		out := appListJSON{Apps: []appItemJSON{}}
		for _, it := range winners {
			out.Apps = append(out.Apps, appItemJSON{
				Name: it.Name, Description: squeeze(it.Value.Description), Source: it.Source.Name, Dir: it.Dir,
				Profiles: list(it.Value.Profiles()),
			})
		}
		return writeJSON(o.IO.Out, out)
	}
	rows := make([][]string, len(winners))
	for i, it := range winners {
		rows[i] = []string{it.Name, it.Source.Name, squeeze(it.Value.Description)}
	}
	return writeTable(o.IO, []string{"name", "source", "description"}, rows)
}

// noteOthers names the apps that --app does not reach by their name, and those
// that may not start yet.
func (o *appListOptions) noteOthers(l *app.Listing, winners []*registry.Item[*app.Package]) {
	won := map[*registry.Item[*app.Package]]bool{}
	for _, it := range winners {
		won[it] = true
	}
	for _, it := range l.Items {
		switch {
		case it.State == registry.Untrusted:
			warn(o.IO, "%s may not start a chat until the workspace is trusted (agentctl trust)", it.File())
		case !won[it]:
			warn(o.IO, "%s is shadowed by %s", it.File(), it.ShadowedBy)
		}
	}
}
