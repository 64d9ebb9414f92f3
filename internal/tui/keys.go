package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// key takes one key press. What has the focus: the panel, a request for
// approval, else the input.
func (m *screen) key(k tea.KeyPressMsg) tea.Cmd {
	name := k.String()
	switch {
	case m.panel != nil:
		return m.panel.key(name, k.Text)
	case m.asks() && m.answer(name):
		return nil
	case name == "up" && m.ed.text == "" && len(m.queued) > 0:
		m.unqueue()
		return nil
	}
	m.notice = ""
	m.armed = m.armed && name == "ctrl+c"
	switch name {
	case "esc":
		m.escape()
	case "ctrl+c":
		return m.interrupt()
	case "ctrl+d":
		if m.ed.text == "" {
			return m.leave()
		}
		m.ed.key("delete", "")
	case "ctrl+z":
		return tea.Suspend
	case "ctrl+l":
		return tea.ClearScreen
	case "ctrl+o":
		m.showCalls()
	case "enter":
		return m.enter()
	case "tab":
		m.complete()
		return nil
	default:
		m.ed.key(name, k.Text)
		m.typed = m.now()
	}
	m.choices = nil
	return nil
}

// typingPause is how long a person has to pause before a key decides about a
// request: the y of a sentence that was begun before it appeared must not.
const typingPause = time.Second

// pauseMsg comes when a pause may be long enough.
type pauseMsg struct{}

func (m *screen) typing() bool { return m.now().Sub(m.typed) < typingPause }

// asks tells whether a request for approval is shown.
func (m *screen) asks() bool { return m.ask != nil && !m.held }

// release shows a request that was held back, once nobody types.
func (m *screen) release() tea.Cmd {
	if m.ask == nil || !m.held {
		return nil
	}
	if m.typing() {
		return tea.Tick(m.typed.Add(typingPause).Sub(m.now()), func(time.Time) tea.Msg { return pauseMsg{} })
	}
	m.held, m.shown = false, m.now()
	return nil
}

// reaction is the least time in which a person can have read a request: a key that
// comes sooner was meant for something else.
const reaction = 400 * time.Millisecond

// answer takes a key of a request for approval. What decides nothing is input.
func (m *screen) answer(name string) bool {
	if m.typing() || m.now().Sub(m.shown) < reaction {
		return false
	}
	switch name {
	case "v", "e":
		summary, detail := m.ask.question()
		m.out.add(block, m.s.bold(summary)+"\n"+diffColors(m.s, detail))
		return true
	}
	v, ok := verdicts[name]
	if !ok {
		return false
	}
	m.ask.answer <- v
	m.ask = nil
	return true
}

// escape stops the step that runs, and nothing else.
func (m *screen) escape() {
	if m.cancel != nil {
		m.ask = nil
		m.cancel()
	}
}

// interrupt is Ctrl-C: it stops what runs, else clears the input, else leaves at
// the second time.
func (m *screen) interrupt() tea.Cmd {
	switch {
	case m.cancel != nil:
		m.escape()
	case m.ed.text != "":
		m.ed.clear()
	case m.armed:
		return m.leave()
	default:
		m.armed = true
		m.notice = "Ctrl-C again leaves, and so does Ctrl-D"
		return nil
	}
	return nil
}

// leave ends the chat, after the step that runs has stopped.
func (m *screen) leave() tea.Cmd {
	if m.state == running {
		m.state = leaving
		m.escape()
		return nil
	}
	m.state = leaving
	return tea.Quit
}

// enter sends the input. A backslash at its end asks for one more line.
func (m *screen) enter() tea.Cmd {
	if m.ed.at == len(m.ed.text) && strings.HasSuffix(m.ed.text, `\`) {
		m.ed.remove(m.ed.at-1, m.ed.at)
		m.ed.insert("\n")
		return nil
	}
	text := strings.TrimSpace(m.ed.text)
	if text == "" {
		return nil
	}
	m.choices = nil
	return m.send(text)
}

// unqueue takes back what was sent last and has not begun.
func (m *screen) unqueue() {
	last := len(m.queued) - 1
	m.ed.set(m.queued[last])
	m.queued = m.queued[:last]
}

func (m *screen) showCalls() {
	last := m.con.last
	if len(m.calls) > 0 {
		last = m.calls
	}
	if len(last) == 0 {
		m.notice = "no tool was called yet"
		return
	}
	m.out.add(block, m.s.dim(last.full()))
}
