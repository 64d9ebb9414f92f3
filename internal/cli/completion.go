package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

type completionOptions struct {
	outputOptions
	Shell string
	Root  *cobra.Command
}

type completionJSON struct {
	Shell  string `json:"shell" jsonschema:"enum=bash,enum=zsh,enum=fish,enum=powershell"`
	Script string `json:"script"`
}

var shells = []string{"bash", "zsh", "fish", "powershell"}

func newCompletionCmd(f *Factory, run func(context.Context, *completionOptions) error) *cobra.Command {
	opts := &completionOptions{outputOptions: outputOptions{IO: f.IO}}
	if run == nil {
		run = runCompletion
	}
	cmd := &cobra.Command{
		Use: "completion SHELL", Short: "Print the completion script for a shell",
		Long: `Print the completion script for bash, zsh, fish or powershell. Completed are commands
and flags, the names of skills, tools, apps, models and sessions that exist, and the
words that a flag takes.

  bash        source <(agentctl completion bash)     (needs the package bash-completion)
  zsh         agentctl completion zsh > "${fpath[1]}/_agentctl"
  fish        agentctl completion fish > ~/.config/fish/completions/agentctl.fish
  powershell  agentctl completion powershell | Out-String | Invoke-Expression`,
		Args:      exactArgs(1, "a shell: bash, zsh, fish or powershell"),
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Shell, opts.Root = args[0], cmd.Root()
			return run(cmd.Context(), opts)
		},
	}
	opts.addFlags(cmd)
	return cmd
}

func runCompletion(_ context.Context, o *completionOptions) error {
	var script bytes.Buffer
	if err := o.generate(&script); err != nil {
		return err
	}
	if o.JSON {
		return writeJSON(o.IO.Out, completionJSON{Shell: o.Shell, Script: script.String()})
	}
	_, err := script.WriteTo(o.IO.Out)
	return err
}

func (o *completionOptions) generate(w io.Writer) error {
	switch o.Shell {
	case "bash":
		return o.Root.GenBashCompletionV2(w, true)
	case "zsh":
		return o.Root.GenZshCompletion(w)
	case "fish":
		return o.Root.GenFishCompletion(w, true)
	case "powershell":
		return o.Root.GenPowerShellCompletionWithDesc(w)
	}
	return usageError{message: fmt.Sprintf("there is no completion for %q", o.Shell), hint: "shells: bash, zsh, fish, powershell"}
}
