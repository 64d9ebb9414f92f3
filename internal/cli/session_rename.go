package cli

import (
	"context"

	"github.com/spf13/cobra"
)

type sessionRenameOptions struct {
	sessionOptions
	ID, Title string
}

type sessionRenameJSON struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

func newSessionRenameCmd(f *Factory, run func(context.Context, *sessionRenameOptions) error) *cobra.Command {
	opts := &sessionRenameOptions{sessionOptions: newSessionOptions(f)}
	if run == nil {
		run = runSessionRename
	}
	cmd := &cobra.Command{
		Use: "rename ID TITLE", Short: "Give a session a title",
		Long: `Give a session a title for lists and exports. It counts as no use of the session:
chat --continue goes on with the same one as before.`,
		Example:           "  agentctl session rename 4fa2 \"Parser bug\"",
		Args:              exactArgs(2, "the ID of a session and a title in quotes"),
		Annotations:       map[string]string{exitCodes: sessionChangeCodes},
		ValidArgsFunction: firstArg(f.complete(f.sessionIDs)),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.ID, opts.Title = args[0], args[1]
			return run(cmd.Context(), opts)
		},
	}
	opts.addFlags(cmd)
	return cmd
}

func runSessionRename(_ context.Context, o *sessionRenameOptions) error {
	store, id, err := o.find(o.ID)
	if err != nil {
		return err
	}
	title, err := store.Rename(id, o.Title)
	if err != nil {
		return err
	}
	if o.JSON {
		return writeJSON(o.IO.Out, sessionRenameJSON{ID: id, Title: title})
	}
	return writeTable(o.IO, []string{"id", "title"}, [][]string{{id, title}})
}
