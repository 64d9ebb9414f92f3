package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/pkg/agent/session"
)

type sessionShowOptions struct {
	sessionOptions
	ID string
}

// sessionShowJSON is a session with all that happened in it.
type sessionShowJSON struct {
	sessionJSON
	// Records are the events of chat --output stream-json.
	Records []json.RawMessage `json:"records"`
}

func newSessionShowCmd(f *Factory, run func(context.Context, *sessionShowOptions) error) *cobra.Command {
	opts := &sessionShowOptions{sessionOptions: newSessionOptions(f)}
	if run == nil {
		run = runSessionShow
	}
	cmd := &cobra.Command{
		Use: "show ID", Short: "Print what was said in a session, and which tools ran",
		Long: `Print a session as Markdown: what was said, which tools ran and what came of them;
rendered on a terminal, plain elsewhere. --json prints every record, also the
system prompt and what was attached to the turns.`,
		Example:           "  agentctl session show 4fa2\n  agentctl session show 4fa2 --json | jq '.records[] | select(.type == \"tool_call\")'",
		Args:              exactArgs(1, "the ID of a session"),
		Annotations:       map[string]string{exitCodes: sessionCodes},
		ValidArgsFunction: firstArg(f.complete(f.sessionIDs)),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.ID = args[0]
			return run(cmd.Context(), opts)
		},
	}
	opts.addFlags(cmd)
	return cmd
}

func runSessionShow(_ context.Context, o *sessionShowOptions) error {
	store, id, err := o.find(o.ID)
	if err != nil {
		return err
	}
	records, err := store.Records(id)
	if err != nil {
		return err
	}
	if o.JSON {
		out, err := sessionDocument(store, id, records)
		if err != nil {
			return err
		}
		return writeJSON(o.IO.Out, out)
	}
	if !o.IO.OutTTY {
		return session.Markdown(o.IO.Out, records)
	}
	var b bytes.Buffer
	if err := session.Markdown(&b, records); err != nil {
		return err
	}
	return renderMarkdown(o.IO, b.String())
}

// sessionDocument is a whole session in one value.
func sessionDocument(store session.Store, id string, records []session.Record) (sessionShowJSON, error) {
	sum := session.Summarise(records)
	sum.ID = id
	if info, err := os.Stat(store.File(id)); err == nil {
		sum.Updated = info.ModTime().UTC()
	}
	out := sessionShowJSON{sessionJSON: sessionShape(sum), Records: []json.RawMessage{}}
	for _, r := range records {
		line, err := r.Line()
		if err != nil {
			return out, err
		}
		out.Records = append(out.Records, bytes.TrimSpace(line))
	}
	return out, nil
}
