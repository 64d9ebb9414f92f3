package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/pkg/agent/session"
)

// View implements [tea.Model]: the lines at the bottom that are still changing.
func (m *screen) View() tea.View {
	rows := m.live()
	v := tea.NewView(strings.Join(rows, "\n"))
	if m.panel != nil {
		if x, y, ok := m.panel.cursor(m.width, m.height); ok {
			v.Cursor = tea.NewCursor(x, y)
		}
		return v
	}
	if m.ask == nil && m.state != leaving {
		v.Cursor = m.cursor(len(rows))
	}
	return v
}

// live are the rows that are drawn. They never fill the screen: what scrolls away
// cannot be redrawn.
func (m *screen) live() []string {
	if m.state == leaving {
		return nil
	}
	if m.panel != nil {
		return m.panel.rows(m.width, m.height)
	}
	var rows []string
	if m.out.last != nothing {
		rows = append(rows, "")
	}
	if progress := m.progress(); len(progress) > 0 {
		rows = append(append(rows, progress...), "")
	}
	if m.ask != nil {
		rows = append(rows, m.ask.rows(m.s, m.width-1, m.height-len(rows))...)
	} else {
		rows = append(rows, m.input()...)
	}
	rows = append(rows, m.below()...)
	if over := len(rows) - (m.height - 1); over > 0 {
		rows = rows[over:]
	}
	return rows
}

// progress shows what the turn does: the open block, the calls that run.
func (m *screen) progress() []string {
	var rows []string
	room := max(m.height-10, 2)
	if text := m.md.open(); strings.TrimSpace(text) != "" {
		for _, l := range m.s.lastLines(text, m.width-1, room) {
			rows = append(rows, m.s.dim(l))
		}
	}
	if m.thinking {
		rows = append(rows, m.s.dim("thinking…"))
	}
	for _, c := range m.calls.running() {
		rows = append(rows, c.line(m.s, m.width-1))
		if last := lastOutput(c.output); last != "" {
			rows = append(rows, "  "+m.s.dim(m.s.cut(last, m.width-3)))
		}
	}
	return rows
}

// lastOutput is the last line that is not empty.
func lastOutput(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return termtext.Line(lines[len(lines)-1])
}

// input is the editor, a window of it when it is long.
func (m *screen) input() []string {
	rows, _, y := m.ed.rows(m.s, m.width-3)
	from, to := window(len(rows), y, m.maxInput())
	out := make([]string, 0, to-from)
	for i := from; i < to; i++ {
		out = append(out, m.s.mark([]string{"> ", "  "}[min(i, 1)])+rows[i])
	}
	return out
}

func (m *screen) maxInput() int { return max(min(m.height/2, 10), 1) }

// window is the part of n rows that shows row y, at most size rows.
func window(n, y, size int) (from, to int) {
	if n <= size {
		return 0, n
	}
	from = min(max(y-size/2, 0), n-size)
	return from, from + size
}

// cursor is where the editor's cursor stands among n live rows.
func (m *screen) cursor(n int) *tea.Cursor {
	rows, x, y := m.ed.rows(m.s, m.width-3)
	from, to := window(len(rows), y, m.maxInput())
	top := n - len(m.below()) - (to - from)
	return tea.NewCursor(x+2, top+y-from)
}

// below are the rows under the input: candidates, a notice, the status.
func (m *screen) below() []string {
	var rows []string
	if len(m.choices) > 0 {
		rows = m.s.firstLines(strings.Join(m.choices, "  "), m.width-1, 4)
		for i, r := range rows {
			rows[i] = m.s.dim(r)
		}
	}
	if m.notice != "" {
		rows = append(rows, m.s.dim(m.s.cut(m.notice, m.width-1)))
	}
	return append(rows, m.s.dim(m.status.line(m.s, m.state, m.width-1)))
}

// status is what the last line tells.
type status struct {
	model, session string
	step           int
	in, out        int
}

func statusOf(o *Opened) status { return status{}.of(o) }

// of is the status with the facts of another chat; tokens go on counting.
func (st status) of(o *Opened) status {
	st.model, st.session = termtext.Line(o.Chat.Model().Name), o.ID
	return st
}

func (st *status) record(r session.Record) {
	if r.Step > 0 {
		st.step = r.Step
	}
	if u, ok := r.Body.(session.Usage); ok {
		st.in += u.Input
		st.out += u.Output
	}
}

// line fits the facts into width cells, the most useful ones first.
func (st status) line(paint style, s state, width int) string {
	var parts []string
	switch s {
	case running:
		parts = append(parts, fmt.Sprintf("step %d, Esc stops", max(st.step, 1)))
	case working:
		parts = append(parts, "working, Esc stops")
	}
	parts = append(parts, st.model)
	if st.in+st.out > 0 {
		parts = append(parts, fmt.Sprintf("%s in %s out", count(st.in), count(st.out)))
	}
	if st.session != "" {
		parts = append(parts, st.session)
	}
	if s == idle {
		parts = append(parts, "/help")
	}
	line := parts[0]
	for _, p := range parts[1:] {
		if paint.width(line+p)+3 > width {
			continue
		}
		line += " · " + p
	}
	return paint.cut(line, width)
}
