package cli

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/pkg/agent/session"
)

func newSessionCmd(f *Factory) *cobra.Command {
	return group(&cobra.Command{
		Use: "session", Short: "List, show, export, rename and remove chats that were kept",
		Long: `Look after the sessions of chat. Each workspace has its own. An ID may be cut
short as long as only one session begins so. agentctl chat --continue goes on with
the last one, --session ID with any, --fork ID with a copy.`,
	},
		newSessionListCmd(f, nil),
		newSessionShowCmd(f, nil),
		newSessionExportCmd(f, nil),
		newSessionRenameCmd(f, nil),
		newSessionRmCmd(f, nil),
	)
}

// sessionOptions is embedded by the verbs about sessions.
type sessionOptions struct {
	outputOptions
	Sessions func() (session.Store, error)
}

func newSessionOptions(f *Factory) sessionOptions {
	return sessionOptions{outputOptions: outputOptions{IO: f.IO}, Sessions: func() (session.Store, error) { return f.sessions() }}
}

// find opens the store and completes the ID.
func (o *sessionOptions) find(prefix string) (session.Store, string, error) {
	store, err := o.Sessions()
	if err != nil {
		return store, "", err
	}
	id, err := store.Find(prefix)
	return store, id, err
}

const sessionCodes = `  0    done
  1    failed; the session is damaged, or a newer agentctl wrote it
  2    wrong arguments, or no session or several begin with that ID
  130  interrupted`

const sessionChangeCodes = `  0    done
  1    failed; a run of chat has the session, it is damaged, or a newer agentctl wrote it
  2    wrong arguments, or no session or several begin with that ID
  130  interrupted`

// sessionJSON is one session of a list.
type sessionJSON struct {
	ID      string    `json:"id"`
	Title   string    `json:"title"`
	App     string    `json:"app"`
	Model   string    `json:"model"`
	Turns   int       `json:"turns"`
	Updated time.Time `json:"updated"`
	// Problem says why the session cannot go on.
	Problem string `json:"problem,omitempty"`
}

func sessionShape(s session.Summary) sessionJSON {
	out := sessionJSON{ID: s.ID, Title: s.Title, App: s.App, Model: s.Model, Turns: s.Turns, Updated: s.Updated}
	if s.Problem != nil {
		out.Problem = s.Problem.Error()
	}
	return out
}

// sessionKind maps the errors of sessions.
func sessionKind(err error) (kind string, exit int, hint string, ok bool) {
	if e, ok := as[*session.NotFoundError](err); ok {
		return "not_found", exitUsage, candidatesHint(e), true
	}
	if e, ok := as[*session.BusyError](err); ok {
		return "busy", exitFailed, "wait until that run has ended; chat can go on with a copy: agentctl chat --fork " + e.ID, true
	}
	if _, ok := as[*session.NewerError](err); ok {
		return "newer_version", exitFailed, "agentctl version says what this one is", true
	}
	if _, ok := as[*session.DamagedError](err); ok {
		return "damaged", exitFailed, "without that line in the file the rest can be used; agentctl session rm ID removes the session", true
	}
	if _, ok := as[*session.TitleError](err); ok {
		return "usage", exitUsage, "give a few words", true
	}
	return "", 0, "", false
}

// candidatesHint lists the sessions that may have been meant.
func candidatesHint(e *session.NotFoundError) string {
	if e.None {
		return "agentctl chat begins one"
	}
	var lines []string
	if len(e.Nearest) > 0 {
		lines = append(lines, "did you mean "+strings.Join(e.Nearest, " or ")+"?")
	}
	what := "the sessions of this workspace, the last one first:"
	if len(e.Ambiguous) > 0 {
		what = "give more of the ID:"
	}
	lines = append(lines, what)
	for _, s := range e.Candidates {
		lines = append(lines, fmt.Sprintf("%s %s", s.ID, cmp.Or(s.Title, nothingSaid)))
	}
	if e.More > 0 {
		lines = append(lines, fmt.Sprintf("and %d more: agentctl session list", e.More))
	}
	return strings.Join(lines, "\n")
}
