package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/pkg/agent/session"
)

// The slash commands about sessions.

// open opens another session. The running one is let go first only when that is
// known to work: a busy or missing one leaves things as they are.
func (c *console) open(ctx context.Context, s Start, text string) reply {
	next, err := c.host.Open(ctx, s, c.watch, c.ask)
	if err != nil {
		return reply{err: err}
	}
	return reply{opened: next, text: text}
}

func (c *console) fresh(ctx context.Context, _ string) reply {
	return c.open(ctx, Start{}, "A new session."+c.kept())
}

// kept says how to come back to the session that is left.
func (c *console) kept() string {
	if c.cur.ID == "" || lastTurnOf(c.cur.Chat.Records()).turns == 0 {
		return "" // one in which nothing was said is not kept
	}
	return fmt.Sprintf(" The other one is kept: /resume %s", c.cur.ID)
}

func (c *console) resume(ctx context.Context, id string) reply {
	if id != "" {
		if c.cur.ID != "" && strings.HasPrefix(c.cur.ID, id) {
			return reply{text: "This is that session."}
		}
		return c.open(ctx, Start{Session: id}, "")
	}
	rows, err := c.host.Sessions(ctx)
	if err != nil {
		return reply{err: err}
	}
	var b strings.Builder
	for _, r := range rows {
		if r.ID != c.cur.ID {
			fmt.Fprintf(&b, "%s  %s  %s\n", r.ID, r.When, cmp.Or(short(r.Title, 46), "(nothing was said)"))
		}
	}
	if b.Len() == 0 {
		return reply{text: "There is no other session in this workspace."}
	}
	return reply{text: b.String() + "/resume ID goes on with one; the beginning of an ID is enough."}
}

func (c *console) fork(ctx context.Context, _ string) reply {
	if c.cur.ID == "" {
		return reply{err: errors.New("this chat keeps no session (--no-session), so there is nothing to copy")}
	}
	return c.open(ctx, Start{Fork: c.cur.ID}, "A copy of the session."+c.kept())
}

func (c *console) compact(ctx context.Context, _ string) reply {
	done, err := c.cur.Chat.Compact(ctx)
	if err != nil {
		return reply{err: err}
	}
	return reply{text: fmt.Sprintf("%d messages became a summary; skills that were read are kept word for word.\n\n%s", done.Before, termtext.Block(done.Summary))}
}

func (c *console) export(ctx context.Context, file string) reply {
	if c.cur.ID == "" {
		return reply{err: errors.New("this chat keeps no session (--no-session), so there is nothing to export")}
	}
	if lastTurnOf(c.cur.Chat.Records()).turns == 0 {
		return reply{err: errors.New("nothing was said in this session yet, so there is nothing to export")}
	}
	path, err := c.host.Export(ctx, c.cur.ID, file)
	if err != nil {
		return reply{err: err}
	}
	return reply{text: "Written: " + termtext.Line(path)}
}

func (c *console) usageText(context.Context, string) reply {
	u := usedBy(c.cur.Chat.Records())
	text := fmt.Sprintf("%s, %s of the model; %s tokens in (%s from the cache), %s out",
		plural(u.turns, "turn"), plural(u.answers, "answer"), count(u.in), count(u.cached), count(u.out))
	return reply{text: text}
}

// used is what a session cost until now.
type used struct{ turns, answers, in, out, cached int }

func usedBy(records []session.Record) (u used) {
	for _, r := range records {
		switch b := r.Body.(type) {
		case session.User:
			u.turns++
		case session.Result:
			u.answers += b.Steps
		case session.Usage:
			u.in += b.Input
			u.out += b.Output
			u.cached += b.Cached
		}
	}
	return u
}

func (c *console) reload(ctx context.Context, _ string) reply {
	fresh, err := c.host.Reload(ctx)
	if err != nil {
		return reply{err: err}
	}
	if err := c.cur.Chat.Reload(ctx, fresh); err != nil {
		return reply{err: err}
	}
	return reply{text: "App, skills and tools were read anew."}
}

// trust agrees to the workspace as it is now, and reads it anew.
func (c *console) trust(ctx context.Context, _ string) reply {
	places, err := c.host.Trust(ctx)
	if err != nil {
		return reply{err: err}
	}
	if len(places) == 0 {
		return reply{text: "Nothing of this workspace was left out."}
	}
	out := c.reload(ctx, "")
	if out.err == nil {
		out.text = "Used from now on: " + termtext.Line(strings.Join(places, ", ")) + "\n" + out.text
	}
	return out
}

// count shows a number of tokens in four characters or so.
func count(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 100_000:
		return fmt.Sprintf("%.1fk", float64(n)/1000)
	}
	return fmt.Sprintf("%dk", n/1000)
}
