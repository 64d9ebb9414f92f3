package tui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/pkg/agent/session"
)

// send begins what was typed.
func (m *screen) send(text string) tea.Cmd {
	m.ed.remember(text)
	m.ed.clear()
	m.host.AddHistory(m.ctx, text)
	if isCommand(text) {
		m.state = working
		m.out.add(block, m.typed(text))
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

// typed is what the user said, as it stays on the screen.
func (m *screen) typed(text string) string {
	lines := strings.Split(termtext.Block(text), "\n")
	for i := range lines {
		lines[i] = []string{"> ", "  "}[min(i, 1)] + lines[i]
	}
	return m.s.bold(strings.Join(lines, "\n"))
}

// turn lets the agent answer.
func (m *screen) turn(user session.User, shown string) tea.Cmd {
	if shown != "" {
		m.out.add(block, m.typed(shown))
	}
	ctx, cancel := context.WithCancel(m.ctx)
	m.state, m.cancel, m.calls, m.question = running, cancel, nil, nil
	chat, complete := m.con.cur.Chat, m.host.Complete
	m.steps.Add(1)
	return func() tea.Msg {
		defer m.steps.Done()
		defer cancel()
		res, err := chat.Say(ctx, user)
		res = complete(ctx, res, err)
		if ferr := chat.Finish(res); err == nil {
			err = ferr
		}
		return turnMsg{res, err}
	}
}

// turnDone shows how a turn ended.
func (m *screen) turnDone(res session.Result, err error) tea.Cmd {
	m.flush()
	for _, c := range m.calls.running() {
		c.result = &session.ToolResult{ID: c.ID, Name: c.Name, Status: "interrupted"}
		m.printCall(c)
	}
	if len(m.calls) > 0 {
		m.con.last, m.calls = m.calls, nil
	}
	m.con.count(res)
	m.ask, m.cancel = nil, nil
	m.ended(res, err)
	if m.state == leaving {
		return tea.Quit
	}
	m.state, m.notice = idle, ""
	return m.refresh()
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
