package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/config"
	"github.com/agentctl/agentctl/internal/workspace"
)

type configShowOptions struct {
	outputOptions
	Config func() (*config.Loaded, error)
	// Untrusted is the file of which a chat takes nothing until the workspace is
	// trusted, "" for none.
	Untrusted func() (string, error)
}

type configShowJSON struct {
	Values []configValueJSON `json:"values"`
}

type configValueJSON struct {
	config.Value
	// LeftOut: a chat does not use the value until the workspace is trusted.
	LeftOut bool `json:"left_out,omitempty"`
}

func newConfigShowCmd(f *Factory, run func(context.Context, *configShowOptions) error) *cobra.Command {
	opts := &configShowOptions{outputOptions: outputOptions{IO: f.IO}, Config: f.Config, Untrusted: f.untrustedConfig}
	if run == nil {
		run = runConfigShow
	}
	cmd := &cobra.Command{
		Use: "show", Short: "Print every value with its origin",
		Long: `Print every configuration value with the file, variable or default that it
comes from: key, value, origin. A chat uses those of agentctl.yaml only once the
workspace is trusted; until then they are marked.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), opts) },
	}
	opts.addFlags(cmd)
	return cmd
}

func runConfigShow(_ context.Context, o *configShowOptions) error {
	c, err := o.Config()
	if err != nil {
		return err
	}
	printDiagnostics(o.IO, c.Diagnostics)
	untrusted, err := o.Untrusted()
	if err != nil {
		return err
	}
	out := configShowJSON{Values: []configValueJSON{}}
	for _, v := range c.Values {
		hideSecrets(v.Value)
		out.Values = append(out.Values, configValueJSON{v, untrusted != "" && v.Origin == untrusted})
	}
	if o.JSON {
		return writeJSON(o.IO.Out, out)
	}
	rows := make([][]string, len(out.Values))
	for i, v := range out.Values {
		rows[i] = []string{v.Key, valueText(v.Value.Value), v.Origin}
		if v.LeftOut {
			rows[i][2] += " (not used by a chat until the workspace is trusted)"
		}
	}
	return writeTable(o.IO, []string{"key", "value", "origin"}, rows)
}

// hideSecrets puts dots for the headers of a provider's entry, and for the password
// in its address.
func hideSecrets(value any) {
	entry, _ := value.(map[string]any)
	headers, _ := entry["headers"].(map[string]any)
	for name := range headers {
		headers[name] = "…"
	}
	base, _ := entry["base_url"].(string)
	if u, err := url.Parse(base); err == nil && u.User != nil {
		entry["base_url"] = u.Redacted()
	}
}

// untrustedConfig is the configuration of a workspace that may not steer a chat.
func (f *Factory) untrustedConfig() (string, error) {
	ws, err := f.Workspace()
	if err != nil {
		return "", err
	}
	file := filepath.Join(ws, workspace.ConfigFile)
	trusted, err := f.trustedAt(file)
	if trusted {
		file = ""
	}
	return file, err
}

// valueText prints scalars bare and everything else as JSON.
func valueText(v any) string {
	switch v := v.(type) {
	case string, bool, int, float64:
		return fmt.Sprint(v)
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}
