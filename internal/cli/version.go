package cli

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version, commit are set at link time; without them the build information
// that Go records is used, so that `go install` stays honest.
var version, commit string

type versionJSON struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func newVersionCmd(f *Factory, run func(context.Context, *outputOptions) error) *cobra.Command {
	opts := &outputOptions{IO: f.IO}
	if run == nil {
		run = runVersion
	}
	cmd := &cobra.Command{
		Use: "version", Short: "Print the version of this program",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), opts) },
	}
	opts.addFlags(cmd)
	return cmd
}

func runVersion(_ context.Context, o *outputOptions) error {
	v := buildVersion()
	if o.JSON {
		return writeJSON(o.IO.Out, v)
	}
	_, err := fmt.Fprintln(o.IO.Out, v)
	return err
}

func (v versionJSON) String() string {
	return fmt.Sprintf("agentctl %s (%s, %s, %s)", v.Version, v.Commit, v.Go, v.Platform)
}

func buildVersion() versionJSON {
	v := versionJSON{Version: version, Commit: commit, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if v.Version == "" {
		v.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && v.Commit == "" {
			v.Commit = s.Value
		}
	}
	if v.Version == "" {
		v.Version = "(devel)"
	}
	if v.Commit == "" {
		v.Commit = "unknown"
	}
	return v
}
