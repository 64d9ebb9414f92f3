package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/state"
	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/internal/workspace"
)

type trustOptions struct {
	outputOptions
	Dir       string
	Revoke    bool
	State     state.Store
	Workspace func() (string, error)
}

type trustJSON struct {
	Dir     string `json:"dir"`
	Trusted bool   `json:"trusted"`
}

func newTrustCmd(f *Factory) *cobra.Command {
	opts := &trustOptions{
		outputOptions: outputOptions{IO: f.IO}, State: f.State(),
		Workspace: f.Workspace,
	}
	cmd := &cobra.Command{
		Use: "trust [DIR]", Short: "Let a workspace steer models",
		Long: `Trust a workspace (default: the current one). Skills, apps, tools, context files
and configuration of a workspace can steer a model, so chat leaves them out until
the workspace is trusted. Trust holds for that folder on this account.

A place like .skill or agentctl.yaml that a program makes while it runs is left
out as well, also of a trusted workspace, until you run this once more.`,
		Args:              rangeArgs(0, 1, "at most one folder"),
		ValidArgsFunction: firstArg(folders),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				opts.Dir = args[0]
			}
			return runTrust(cmd.Context(), opts)
		},
	}
	opts.addFlags(cmd)
	cmd.Flags().BoolVar(&opts.Revoke, "revoke", false, "take the trust back")
	return cmd
}

func runTrust(ctx context.Context, o *trustOptions) error {
	dir, err := o.dir()
	if err != nil {
		return err
	}
	appeared, err := o.State.Appeared(dir)
	if err != nil {
		return err
	}
	if _, err := o.State.Trust(ctx, dir, !o.Revoke); err != nil {
		return err
	}
	if !o.Revoke {
		if err := o.sayAgreed(dir, appeared); err != nil {
			return err
		}
	}
	if o.JSON {
		return writeJSON(o.IO.Out, trustJSON{Dir: dir, Trusted: !o.Revoke})
	}
	word := "trusted"
	if o.Revoke {
		word = "not trusted"
	}
	_, err = fmt.Fprintf(o.IO.Out, "%s\t%s\n", termtext.Line(dir), word)
	return err
}

// sayAgreed says which of the places that appeared count from now on, and which
// cannot yet.
func (o *trustOptions) sayAgreed(dir string, appeared []string) error {
	left, err := o.State.Appeared(dir)
	if err != nil {
		return err
	}
	agreed := slices.DeleteFunc(appeared, func(place string) bool { return slices.Contains(left, place) })
	if len(agreed) > 0 {
		warn(o.IO, "with what programs made in it: %s", strings.Join(agreed, ", "))
	}
	if len(left) > 0 {
		warn(o.IO, "still left out, since a program that made it still runs and can change it: %s. When that has ended, run this again", strings.Join(left, ", "))
	}
	return nil
}

func (o *trustOptions) dir() (string, error) {
	if o.Dir == "" {
		return o.Workspace()
	}
	dir, err := workspace.Explicit(o.Dir)
	if err != nil {
		return "", usageError{message: err.Error(), hint: "give the folder to trust"}
	}
	return dir, nil
}
