package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/pkg/agent/session"
)

type sessionRmOptions struct {
	sessionOptions
	IDs []string
	All bool
}

type sessionRmJSON struct {
	Removed []string `json:"removed"`
}

func newSessionRmCmd(f *Factory, run func(context.Context, *sessionRmOptions) error) *cobra.Command {
	opts := &sessionRmOptions{sessionOptions: newSessionOptions(f)}
	if run == nil {
		run = runSessionRm
	}
	cmd := &cobra.Command{
		Use: "rm ID…", Short: "Remove sessions",
		Long: `Remove sessions of this workspace for good: all that are named, or none when one of
them is not found or in use.`,
		Example:           "  agentctl session rm 4fa2 07c1\n  agentctl session rm --all",
		Args:              rangeArgs(0, -1, "the IDs of sessions"),
		Annotations:       map[string]string{exitCodes: sessionChangeCodes},
		ValidArgsFunction: eachOnce(f.complete(f.sessionIDs)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if opts.All == (len(args) > 0) {
				return usageError{message: "session rm wants the IDs of sessions, or --all", hint: "agentctl session list shows them"}
			}
			opts.IDs = args
			return run(cmd.Context(), opts)
		},
	}
	opts.addFlags(cmd)
	cmd.Flags().BoolVar(&opts.All, "all", false, "remove all sessions of this workspace")
	return cmd
}

func runSessionRm(ctx context.Context, o *sessionRmOptions) error {
	store, err := o.Sessions()
	if err != nil {
		return err
	}
	ids, err := o.ids(ctx, store)
	if err != nil {
		return err
	}
	if err := store.Remove(ids...); err != nil {
		return err
	}
	if o.JSON {
		return writeJSON(o.IO.Out, sessionRmJSON{Removed: list(ids)})
	}
	rows := make([][]string, len(ids))
	for i, id := range ids {
		rows[i] = []string{id}
	}
	return writeTable(o.IO, []string{"removed"}, rows)
}

// ids completes what was named, each once.
func (o *sessionRmOptions) ids(ctx context.Context, store session.Store) ([]string, error) {
	var ids []string
	if o.All {
		all, err := store.List(ctx)
		for _, s := range all {
			ids = append(ids, s.ID)
		}
		return ids, err
	}
	for _, prefix := range o.IDs {
		id, err := store.Find(prefix)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}
