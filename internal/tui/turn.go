package tui

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/pkg/agent/session"
)

// send takes what was typed: it begins now, or after what runs.
func (m *screen) send(text string) tea.Cmd {
	m.ed.remember(text)
	m.ed.clear()
	// Who sends a line may be typing the next one already, unless a request is there.
	m.typed = m.now()
	if m.asks() {
		m.typed = time.Time{}
	}
	m.host.AddHistory(m.ctx, text)
	if m.state != idle {
		m.queued = append(m.queued, text)
		return nil
	}
	return m.start(text)
}

// start runs a command, or says the text to the agent.
func (m *screen) start(text string) tea.Cmd {
	if isCommand(text) {
		m.out.add(block, m.echo(text))
		return m.reply(func(ctx context.Context) reply { return m.con.run(ctx, text) })
	}
	text = chosen(m.question, text)
	return m.turn(session.User{Text: text}, text)
}

// chosen lets a number stand for one of the choices of a question.
func chosen(q *session.Question, text string) string {
	if q == nil {
		return text
	}
	for i, c := range q.Choices {
		if text == string(rune('1'+i)) && i < 9 {
			return c
		}
	}
	return text
}

// maxEcho is how many lines of what the user said stay on the screen: a pasted
// file would push away everything else.
const maxEcho = 12

// echo is what the user said, as it stays on the screen.
func (m *screen) echo(text string) string {
	lines := strings.Split(termtext.Block(text), "\n")
	if more := len(lines) - maxEcho; more > 0 {
		lines = append(lines[:maxEcho-1], moreLines(more+1))
	}
	for i := range lines {
		lines[i] = []string{"> ", "  "}[min(i, 1)] + lines[i]
	}
	return m.s.bold(strings.Join(lines, "\n"))
}

// turn lets the agent answer.
func (m *screen) turn(user session.User, shown string) tea.Cmd {
	if shown != "" {
		m.out.add(block, m.echo(shown))
	}
	m.state, m.calls, m.question, m.status.step = running, nil, nil, 0
	chat, complete := m.con.cur.Chat, m.host.Complete
	return m.step(func(ctx context.Context) tea.Msg {
		res, err := chat.Say(ctx, user)
		res = complete(ctx, res, err)
		if ferr := chat.Finish(res); err == nil {
			err = ferr
		}
		return turnMsg{res, err}
	})
}

// turnDone shows how a turn ended.
func (m *screen) turnDone(res session.Result, err error) tea.Cmd {
	m.flush()
	for _, c := range m.calls.running() {
		c.result = interrupted(c)
		m.printCall(c)
	}
	if len(m.calls) > 0 {
		m.con.last, m.calls = m.calls, nil
	}
	m.ask, m.held, m.cancel = nil, false, nil
	m.ended(res, err)
	if m.state == leaving {
		return tea.Quit
	}
	m.state, m.notice = idle, ""
	if err != nil || res.Question != nil || res.Stop != session.StopAnswer && res.Stop != session.StopDenied {
		m.takeBack()
	}
	return m.goOn()
}

func (m *screen) ended(res session.Result, err error) {
	switch {
	case res.Stop == session.StopInterrupted:
		m.note("stopped; the session goes on")
	case res.Question != nil:
		m.question = res.Question
		m.out.add(block, m.render(questionText(*res.Question)))
	case res.Error != nil:
		m.failure(res.Error.Message, res.Error.Hint)
	case err != nil:
		m.failure(m.host.Explain(err))
	case res.Stop != session.StopAnswer && res.Stop != session.StopDenied:
		m.failure(m.host.Why(res))
	}
}

// questionText is a question of the model with its choices numbered.
func questionText(q session.Question) string {
	var b strings.Builder
	b.WriteString(q.Text)
	for i, c := range q.Choices {
		if i == 0 {
			b.WriteString("\n")
		}
		b.WriteString("\n" + string(rune('1'+i%9)) + ". " + c)
	}
	return b.String()
}
