package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/config"
	"github.com/agentctl/agentctl/pkg/agent/model"
)

type configShowOptions struct {
	outputOptions
	Config func() (*config.Loaded, error)
}

type configShowJSON struct {
	Values []config.Value `json:"values"`
}

func newConfigShowCmd(f *Factory, run func(context.Context, *configShowOptions) error) *cobra.Command {
	opts := &configShowOptions{outputOptions: outputOptions{IO: f.IO}, Config: f.Config}
	if run == nil {
		run = runConfigShow
	}
	cmd := &cobra.Command{
		Use: "show", Short: "Print every value with its origin",
		Long: `Print every configuration value with the file, variable or default that it
comes from: key, value, origin.`,
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
	for _, v := range c.Values {
		hideHeaders(v.Value)
	}
	if o.JSON {
		return writeJSON(o.IO.Out, configShowJSON{list(c.Values)})
	}
	rows := make([][]string, len(c.Values))
	for i, v := range c.Values {
		rows[i] = []string{v.Key, valueText(v.Value), v.Origin}
	}
	return writeTable(o.IO, []string{"key", "value", "origin"}, rows)
}

// hideHeaders puts dots for the secrets in the headers of a provider's entry.
func hideHeaders(value any) {
	entry, _ := value.(map[string]any)
	headers, _ := entry["headers"].(map[string]any)
	for name := range headers {
		if model.SecretHeader(name) {
			headers[name] = "…"
		}
	}
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
