package cli

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/pkg/agent/session"
)

type sessionListOptions struct{ sessionOptions }

type sessionListJSON struct {
	Sessions []sessionJSON `json:"sessions"`
}

func newSessionListCmd(f *Factory, run func(context.Context, *sessionListOptions) error) *cobra.Command {
	opts := &sessionListOptions{newSessionOptions(f)}
	if run == nil {
		run = runSessionList
	}
	cmd := &cobra.Command{
		Use: "list", Short: "List the sessions of this workspace, the last one first",
		Long: `List the sessions of this workspace, the one used last first: id, time of the last
change, turns, title. The title is the one that was given by session rename, else
the first words. A session that cannot go on is listed too, and marked.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), opts) },
	}
	opts.addFlags(cmd)
	return cmd
}

func runSessionList(ctx context.Context, o *sessionListOptions) error {
	store, err := o.Sessions()
	if err != nil {
		return err
	}
	all, err := store.List(ctx)
	if err != nil {
		return err
	}
	out := sessionListJSON{Sessions: []sessionJSON{}}
	rows := make([][]string, 0, len(all))
	for _, s := range all {
		if s.Problem != nil {
			warn(o.IO, "%s: %v", s.ID, s.Problem)
		}
		out.Sessions = append(out.Sessions, sessionShape(s))
		title := markedTitle(s)
		if o.IO.OutTTY {
			title = cmp.Or(title, nothingSaid)
		}
		rows = append(rows, []string{s.ID, o.when(s.Updated), strconv.Itoa(s.Turns), title})
	}
	if o.JSON {
		return writeJSON(o.IO.Out, out)
	}
	return writeTable(o.IO, []string{"id", "updated", "turns", "title"}, rows)
}

// when is a time for a person on a terminal, and for a program elsewhere.
func (o *sessionListOptions) when(t time.Time) string {
	if o.IO.OutTTY {
		return t.Local().Format("2006-01-02 15:04")
	}
	return t.UTC().Format(time.RFC3339)
}

// nothingSaid stands for the title of a session that was cut off at its start.
const nothingSaid = "(nothing was said)"

// markedTitle tells a session that cannot go on from the others.
func markedTitle(s session.Summary) string {
	if s.Problem == nil {
		return s.Title
	}
	mark := "[cannot be read]"
	if _, ok := as[*session.NewerError](s.Problem); ok {
		mark = "[newer version]"
	}
	if _, ok := as[*session.DamagedError](s.Problem); ok {
		mark = "[damaged]"
	}
	return strings.TrimSpace(mark + " " + s.Title)
}
