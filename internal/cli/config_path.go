package cli

import (
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/workspace"
)

type configPathOptions struct {
	outputOptions
	User      string
	Workspace func() (string, error)
}

type configPathJSON struct {
	Files []configFileJSON `json:"files"`
}

type configFileJSON struct {
	Scope  string `json:"scope" jsonschema:"enum=user,enum=workspace"`
	File   string `json:"file"`
	Exists bool   `json:"exists"`
}

func newConfigPathCmd(f *Factory, run func(context.Context, *configPathOptions) error) *cobra.Command {
	opts := &configPathOptions{
		outputOptions: outputOptions{IO: f.IO},
		User:          f.Dirs.ConfigFile(),
		Workspace:     f.Workspace,
	}
	if run == nil {
		run = runConfigPath
	}
	cmd := &cobra.Command{
		Use: "path", Short: "Print which configuration files are read",
		Long: `Print the configuration files in order of precedence, lowest first: scope, path,
and whether the file exists.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), opts) },
	}
	opts.addFlags(cmd)
	return cmd
}

func runConfigPath(_ context.Context, o *configPathOptions) error {
	ws, err := o.Workspace()
	if err != nil {
		return err
	}
	files := []configFileJSON{
		{Scope: "user", File: o.User, Exists: exists(o.User)},
		{Scope: "workspace", File: filepath.Join(ws, workspace.ConfigFile), Exists: exists(filepath.Join(ws, workspace.ConfigFile))},
	}
	if o.JSON {
		return writeJSON(o.IO.Out, configPathJSON{files})
	}
	var rows [][]string
	for _, f := range files {
		state := "missing"
		if f.Exists {
			state = "exists"
		}
		rows = append(rows, []string{f.Scope, f.File, state})
	}
	return writeTable(o.IO, []string{"scope", "file", "state"}, rows)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
