package tui

import (
	"fmt"
	"strings"
	"time"

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
	if m.takesText() {
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
	rows = append(rows, m.queue()...)
	var input []string
	if m.takesText() {
		input = m.input()
	}
	if m.asks() {
		rows = append(rows, m.ask.rows(m.s, m.width-1, m.height-len(rows)-len(input))...)
	}
	rows = append(append(rows, input...), m.below()...)
	if over := len(rows) - (m.height - 1); over > 0 {
		rows = rows[over:]
	}
	return rows
}

// takesText tells whether the input is drawn: beside a request only when
// something stands in it.
func (m *screen) takesText() bool {
	return m.state != leaving && (!m.asks() || m.ed.text != "")
}

// maxQueue is how many of the messages that wait are drawn.
const maxQueue = 3

// queue are the messages that wait for the end of the turn.
func (m *screen) queue() []string {
	var rows []string
	for _, text := range m.queued {
		rows = append(rows, m.s.dim(m.s.cut("next: "+short(text, m.width), m.width-1)))
	}
	if over := len(rows) - maxQueue; over > 0 {
		rows = append([]string{m.s.dim(moreLines(over))}, rows[over:]...)
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
		mark := []string{"> ", "  "}[min(i, 1)]
		switch {
		case i == from && i > 0: // there is more above
			mark = "↑ "
		case i == to-1 && to < len(rows):
			mark = "↓ "
		}
		out = append(out, m.s.mark(mark)+rows[i])
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
		rows = m.s.firstLines(strings.Join(m.choices, "  "), m.width-1, max(min(4, m.height/4), 1))
		for i, r := range rows {
			rows[i] = m.s.dim(r)
		}
	}
	if notice := m.hint(); notice != "" {
		rows = append(rows, m.s.dim(m.s.cut(notice, m.width-1)))
	}
	st := m.status
	if m.cancel != nil {
		st.running = m.now().Sub(m.since)
	}
	return append(rows, m.s.dim(st.line(m.s, m.state, m.width-1)))
}

// hint is the line above the status.
func (m *screen) hint() string {
	switch {
	case m.notice != "":
		return m.notice
	case m.ask != nil && m.held:
		return "a call waits for your decision: pause typing to see it"
	case m.asks() && m.ed.text != "":
		return "pause typing, then a key decides; Enter sends this afterwards"
	case len(m.queued) > 0 && m.ed.text == "":
		return "sent when this is done; Up takes it back"
	}
	return ""
}

// status is what the last line tells.
type status struct {
	model, session string
	step           int
	in, out        int
	running        time.Duration // how long the step runs
}

func statusOf(o *Opened) status { return status{}.of(o) }

// of is the status with the facts of a chat: its tokens are those of its session.
func (st status) of(o *Opened) status {
	u := usedBy(o.Chat.Records())
	st.model, st.session, st.in, st.out = termtext.Line(o.Chat.Model().Name), o.ID, u.in, u.out
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

// seconds shows a time that goes on.
func seconds(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%d s", int(d.Seconds()))
	}
	return d.Truncate(time.Second).String()
}

// line fits the facts into width cells, the most useful ones first.
func (st status) line(paint style, s state, width int) string {
	var parts []string
	what := map[state]string{running: fmt.Sprintf("step %d", max(st.step, 1)), working: "working"}[s]
	if what != "" {
		if st.running >= 2*time.Second { // a person begins to wonder
			what += ", " + seconds(st.running)
		}
		parts = append(parts, what+", Esc stops")
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
