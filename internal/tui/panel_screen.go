package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// openPanel shows the skills panel in place of the input.
func (m *screen) openPanel() tea.Cmd {
	m.panel = newPanel(m.ctx, m.host.Skills, m.s, m.host.Render)
	m.panel.chat = true
	return m.panel.load("")
}

// panelDone takes what the panel came to, for the chat around it.
func (m *screen) panelDone(msg panelMsg) tea.Cmd {
	if m.panel == nil {
		return nil
	}
	if !msg.close {
		m.panel.done(msg)
		return nil
	}
	m.panel = nil
	if msg.write {
		return m.interview(msg.author)
	}
	return m.refresh()
}

// panelScreen is the panel as a program of its own.
type panelScreen struct {
	p             *panel
	width, height int
	closed        bool
	author        *string // the interview was asked for, with these words
}

// Init implements [tea.Model].
func (m *panelScreen) Init() tea.Cmd { return m.p.load("") }

// Update implements [tea.Model].
func (m *panelScreen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		if msg.Width > 0 && msg.Height > 0 {
			m.width, m.height = msg.Width, msg.Height
		}
	case tea.KeyPressMsg:
		if msg.String() == "ctrl+z" {
			return m, tea.Suspend
		}
		return m, m.p.key(msg.String(), msg.Text)
	case tea.PasteMsg:
		m.p.paste(msg.Content)
	case panelMsg:
		if !msg.close {
			m.p.done(msg)
			break
		}
		m.closed = true
		if msg.write {
			m.author = &msg.author
		}
		return m, tea.Quit
	}
	return m, nil
}

// View implements [tea.Model].
func (m *panelScreen) View() tea.View {
	var rows []string
	if !m.closed {
		rows = m.p.rows(m.width, m.height)
	}
	v := tea.NewView(strings.Join(rows, "\n"))
	if x, y, ok := m.p.cursor(m.width, m.height); ok && !m.closed {
		v.Cursor = tea.NewCursor(x, y)
	}
	return v
}
