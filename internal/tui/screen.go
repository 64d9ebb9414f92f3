package tui

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/pkg/agent/session"
)

// state is what the screen waits for.
type state int

const (
	idle    state = iota
	running       // a turn
	working       // a slash command
	leaving       // the step that runs is being stopped, then the end
)

// The messages that come from outside of the event loop.
type (
	recordMsg struct{ session.Record }
	askMsg    struct{ asking }
	turnMsg   struct {
		res session.Result
		err error
	}
	replyMsg struct{ reply }
	namesMsg struct{ skills, models []string }
	// clockMsg comes every second while something runs, for the step that
	// began then.
	clockMsg struct{ since time.Time }
)

// screen is the chat as a bubbletea model.
type screen struct {
	ctx  context.Context
	host Host
	con  *console
	s    style
	// author begins with the interview about a new skill; nil means no.
	author *string

	width, height int
	ed            editor
	out           printer
	frames        frames
	md            splitter
	thinking      bool
	calls         calls
	ask           *asking
	held          bool      // the request waits until the person pauses typing
	shown         time.Time // when the request was
	panel         *panel
	state         state
	cancel        context.CancelFunc // of the step that runs
	since         time.Time          // when it began
	queued        []string           // what was sent meanwhile, the oldest first
	typed         time.Time          // the last key that was text or sent it
	now           func() time.Time
	question      *session.Question
	status        status
	skills        []string // names that /NAME completes
	models        []string // names that /model completes
	choices       []string // candidates of the last Tab
	notice        string   // one line below the input until the next key
	armed         bool     // one Ctrl-C at an empty prompt was pressed
	steps         sync.WaitGroup
}

func newScreen(ctx context.Context, host Host, con *console, s style) *screen {
	m := &screen{ctx: ctx, host: host, con: con, s: s, width: 80, height: 24, status: statusOf(con.cur), now: time.Now}
	m.ed.history = host.History
	m.ed.clear()
	return m
}

// Init implements [tea.Model].
func (m *screen) Init() tea.Cmd {
	if m.author == nil {
		return tea.Batch(drawn(), m.refresh())
	}
	return tea.Batch(drawn(), m.interview(*m.author))
}

// interview begins the conversation about a new skill.
func (m *screen) interview(about string) tea.Cmd {
	m.out.add(block, m.echo(strings.TrimSpace("/"+AuthorSkill+" "+about)))
	return m.reply(func(ctx context.Context) reply { return m.con.author(ctx, about) })
}

// Update implements [tea.Model].
func (m *screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.update(msg)
	rows := m.frames.tallest(len(m.live()), m.now())
	if !m.out.waiting() {
		return m, cmd
	}
	return m, tea.Batch(cmd, m.out.next(m.s, m.width, m.height-rows-1))
}

func (m *screen) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		if msg.Width > 0 && msg.Height > 0 { // a terminal that does not know says 0
			m.width, m.height = msg.Width, msg.Height
		}
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.PasteMsg:
		m.paste(msg.Content)
	case recordMsg:
		m.record(msg.Record)
	case askMsg:
		m.ask, m.held = &msg.asking, true
		return m.release()
	case pauseMsg:
		return m.release()
	case clockMsg:
		return m.tick(msg.since)
	case turnMsg:
		return m.turnDone(msg.res, msg.err)
	case replyMsg:
		return m.replied(msg.reply)
	case panelMsg:
		return m.panelDone(msg)
	case namesMsg:
		m.skills, m.models = msg.skills, msg.models
	case printedMsg:
		m.out.busy = false
	case tea.ModeReportMsg:
		if msg.Mode == ansi.ModeUnicodeCore && msg.Value != ansi.ModeNotRecognized {
			m.s.method = ansi.GraphemeWidth
		}
	case readyMsg:
		m.out.ready = true
	}
	return nil
}

func (m *screen) paste(text string) {
	if m.panel != nil {
		m.panel.paste(text)
		return
	}
	m.choices, m.notice = nil, ""
	m.ed.insert(text)
	m.typed = m.now()
}

// record shows what happens in a turn.
func (m *screen) record(r session.Record) {
	m.status.record(r)
	switch b := r.Body.(type) {
	case session.TextDelta:
		m.thinking = false
		for _, text := range m.md.write(b.Text) {
			m.out.add(block, m.render(text))
		}
	case session.ReasoningDelta:
		m.thinking = true
	case session.ToolCall:
		m.flush()
		m.calls.record(r)
	case session.Warning:
		m.note("warning: " + b.Text)
	case session.Retry:
		m.note("trying again: " + b.Reason)
	case session.Compaction:
		if m.state == running { // /compact says it itself
			m.flush()
			m.note("the history became a summary to make room")
		}
	default:
		if c := m.calls.record(r); c != nil && c.result != nil {
			m.printCall(c)
		}
	}
}

// askUser is the built-in tool by which a model asks.
const askUser = "ask_user"

func (m *screen) printCall(c *call) {
	if c.Name == askUser && c.result.Status == "ok" {
		return // the question itself is shown
	}
	text := c.line(m.s, m.width-1)
	if why := c.reason(); why != "" {
		text += "\n  " + m.s.dim(m.s.cut(why, m.width-3))
	}
	m.out.add(callLine, text)
}

// flush ends the block that is open: something else comes now.
func (m *screen) flush() {
	m.thinking = false
	for _, text := range m.md.close() {
		m.out.add(block, m.render(text))
	}
}

func (m *screen) render(markdown string) string {
	return strings.Trim(m.host.Render(termtext.Block(markdown), m.width-1), "\n")
}

func (m *screen) note(text string) { m.out.add(note, m.s.dim(termtext.Block(text))) }

func (m *screen) failure(message, hint string) {
	m.out.add(note, m.s.bad("error: ")+termtext.Block(message))
	if hint != "" {
		m.out.add(note, m.s.dim(termtext.Block(hint)))
	}
}

// reply runs a command outside of the event loop.
func (m *screen) reply(run func(context.Context) reply) tea.Cmd {
	m.state = working
	return m.step(func(ctx context.Context) tea.Msg { return replyMsg{run(ctx)} })
}

// step runs something that can be stopped outside of the event loop.
func (m *screen) step(run func(context.Context) tea.Msg) tea.Cmd {
	ctx, cancel := context.WithCancel(m.ctx)
	m.cancel, m.since = cancel, m.now()
	m.steps.Add(1)
	return tea.Batch(m.tick(m.since), func() tea.Msg {
		defer m.steps.Done()
		defer cancel()
		return run(ctx)
	})
}

// tick draws the time of the step that began then, as long as it runs.
func (m *screen) tick(since time.Time) tea.Cmd {
	if m.cancel == nil || !since.Equal(m.since) {
		return nil
	}
	return tea.Tick(time.Second, func(time.Time) tea.Msg { return clockMsg{since} })
}

// replied shows what a command came to and does what it asks for.
func (m *screen) replied(r reply) tea.Cmd {
	m.state, m.cancel, m.notice = idle, nil, ""
	if r.err != nil {
		if errors.Is(r.err, context.Canceled) {
			m.note("stopped")
		} else {
			m.failure(m.host.Explain(r.err))
		}
		m.takeBack()
		return nil
	}
	if r.opened != nil {
		m.con.cur.Close()
		m.con.cur = r.opened
		m.con.last = nil
		m.question = nil
	}
	m.status = m.status.of(m.con.cur)
	if r.text != "" {
		m.out.add(note, strings.TrimRight(r.text, "\n"))
	}
	if r.opened != nil && r.opened.Resumed {
		m.tail()
	}
	switch {
	case r.quit:
		m.state = leaving
		return tea.Quit
	case r.skills:
		m.takeBack()
		return m.openPanel()
	case r.say != nil:
		return m.turn(*r.say, "")
	}
	return m.goOn()
}

// goOn begins what was sent meanwhile, else waits for the person.
func (m *screen) goOn() tea.Cmd {
	if len(m.queued) == 0 {
		return m.refresh()
	}
	text := m.queued[0]
	m.queued = m.queued[1:]
	return m.start(text)
}

// takeBack gives what was sent meanwhile back to the editor: things went in
// another way than the person thought.
func (m *screen) takeBack() {
	if len(m.queued) == 0 {
		return
	}
	texts := m.queued
	if m.ed.text != "" {
		texts = append(texts, m.ed.text)
	}
	m.ed.set(strings.Join(texts, "\n"))
	m.queued = nil
}

// refresh learns the names that Tab completes.
func (m *screen) refresh() tea.Cmd {
	chat, models := m.con.cur.Chat, m.host.Models
	return func() tea.Msg {
		items, err := chat.Invocable(m.ctx)
		if err != nil {
			return nil // the next use of a skill says it
		}
		names := make([]string, len(items))
		for i, it := range items {
			names[i] = it.Name
		}
		return namesMsg{names, models(m.ctx)}
	}
}
