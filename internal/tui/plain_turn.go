package tui

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/pkg/agent/session"
)

// One turn of the plain chat: what happens in it, and how it ends.

func (p *plain) turn(ctx context.Context, user session.User) {
	p.calls, p.about = nil, nil
	p.step(ctx, func(ctx context.Context) { p.say(ctx, user) })
}

// say answers one turn and shows how it ended.
func (p *plain) say(ctx context.Context, user session.User) {
	chat := p.con.cur.Chat
	res, err := chat.Say(ctx, user)
	res = p.o.Host.Complete(ctx, res, err)
	if ferr := chat.Finish(res); err == nil {
		err = ferr
	}
	p.newline()
	for _, c := range p.calls.running() {
		p.tell("[interrupted] %s %s", c.Name, arguments(c.Args))
		c.result = interrupted(c)
	}
	if len(p.calls) > 0 {
		p.con.last = p.calls
	}
	switch {
	case res.Stop == session.StopInterrupted:
		p.tell("stopped; the session goes on")
	case res.Question != nil:
		p.about = res.Question
		fmt.Fprintln(p.o.Out, termtext.Block(questionText(*res.Question)))
	case res.Error != nil:
		p.fail(res.Error.Message, res.Error.Hint)
	case err != nil:
		p.fail(p.o.Host.Explain(err))
	case res.Stop != session.StopAnswer && res.Stop != session.StopDenied:
		p.fail(p.o.Host.Why(res))
	}
}

func (p *plain) record(r session.Record) {
	switch b := r.Body.(type) {
	case session.TextDelta:
		text := termtext.Block(b.Text)
		p.midline = !strings.HasSuffix(text, "\n")
		fmt.Fprint(p.o.Out, text)
	case session.Warning:
		p.tell("warning: %s", b.Text)
	case session.Retry:
		p.tell("trying again: %s", b.Reason)
	case session.Compaction:
		p.newline()
		p.tell("the history became a summary")
	default:
		if c := p.calls.record(r); c != nil && c.result != nil {
			p.newline()
			p.tell("%s", strings.TrimSpace(fmt.Sprintf("[%s] %s %s  %s", c.result.Status, c.Name, arguments(c.Args), c.reason())))
		}
	}
}

func (p *plain) newline() {
	if p.midline {
		fmt.Fprintln(p.o.Out)
	}
	p.midline = false
}

// answer asks about a call and reads the decision.
func (p *plain) answer(ctx context.Context, a asking) {
	p.newline()
	summary, detail := a.question()
	p.tell("Allow? %s", summary)
	shown := strings.Split(detail, "\n")
	if len(shown) > shownDetail {
		p.tell("%s\n%s", strings.Join(shown[:shownDetail], "\n"), moreLines(len(shown)-shownDetail))
	} else if detail != "" {
		p.tell("%s", detail)
	}
	p.tell("%s", strings.Join(a.longer(), "\n"))
	for {
		fmt.Fprintf(p.o.Err, "%s: ", approvalKeysPlain)
		select {
		case line, ok := <-p.lines:
			word := strings.ToLower(strings.TrimSpace(line))
			if v, known := verdicts[word]; known || !ok {
				a.answer <- v // the end of the input denies
				return
			}
			if word == "v" || word == "e" {
				p.tell("%s", detail)
			}
		case <-ctx.Done():
			return
		}
	}
}
