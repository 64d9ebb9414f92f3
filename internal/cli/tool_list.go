package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/pkg/toolpkg"
)

type toolListOptions struct {
	outputOptions
	toolsFactory
}

type toolListJSON struct {
	Packages    []toolPackageJSON `json:"packages"`
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
}

type toolPackageJSON struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	Platform    string            `json:"platform"`
	Digest      string            `json:"digest"`
	Status      string            `json:"status" jsonschema:"enum=ready,enum=missing,enum=broken"`
	Commands    []toolCommandJSON `json:"commands"`
}

type toolCommandJSON struct {
	Name        string `json:"name"`
	Tool        string `json:"tool"`
	Description string `json:"description"`
}

func newToolListCmd(f *Factory, run func(context.Context, *toolListOptions) error) *cobra.Command {
	opts := &toolListOptions{outputOptions: outputOptions{IO: f.IO}, toolsFactory: f.tools()}
	if run == nil {
		run = runToolList
	}
	cmd := &cobra.Command{
		Use: "list", Short: "List tool packages with their status and commands",
		Long: `List the prebuilt tool packages and the sources that are not built: package,
status, version, commands. Everything is read from files; nothing is run. What is
wrong with a package is said on stderr; the exit code stays 0.

Status is ready, missing (there is a source and no build) or broken.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), opts) },
	}
	opts.addFlags(cmd)
	return cmd
}

func runToolList(ctx context.Context, o *toolListOptions) error {
	c, err := o.Catalog(ctx)
	if err != nil {
		return err
	}
	packages := listPackages(c)
	printDiagnostics(o.IO, c.Diagnostics)
	if o.JSON {
		return writeJSON(o.IO.Out, toolListJSON{packages, list(c.Diagnostics)})
	}
	rows := make([][]string, len(packages))
	for i, p := range packages {
		var names []string
		for _, command := range p.Commands {
			names = append(names, command.Name)
		}
		rows[i] = []string{p.Name, p.Status, p.Version, strings.Join(names, ",")}
	}
	return writeTable(o.IO, []string{"package", "status", "version", "commands"}, rows)
}

// listPackages has every package that is known by name, sorted.
func listPackages(c *toolpkg.Catalog) []toolPackageJSON {
	out := []toolPackageJSON{}
	for _, p := range c.Packages {
		item := toolPackageJSON{
			Name: p.Name, Version: p.Version, Description: squeeze(p.Description), Platform: p.Platform,
			Digest: p.Digest, Status: "ready", Commands: []toolCommandJSON{},
		}
		for _, command := range p.Commands {
			item.Commands = append(item.Commands, toolCommandJSON{command.Name, command.Tool(), squeeze(command.Description)})
		}
		out = append(out, item)
	}
	for _, name := range c.Unbuilt {
		item := toolPackageJSON{Name: name, Status: "missing", Commands: []toolCommandJSON{}}
		if res, err := c.Sources.Resolve(name); err == nil {
			m := res.Winner.Value.Manifest
			item.Version, item.Description = m.Version, squeeze(m.Description)
		}
		out = append(out, item)
	}
	for name := range c.Broken {
		out = append(out, toolPackageJSON{Name: name, Status: "broken", Commands: []toolCommandJSON{}})
	}
	slices.SortFunc(out, func(a, b toolPackageJSON) int { return strings.Compare(a.Name, b.Name) })
	return out
}
