package tui

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agentctl/agentctl/pkg/agent/session"
)

// Options are what a chat needs besides its host.
type Options struct {
	Host Host
	// In and Out are the terminal. With Plain, Err gets everything that is no
	// answer.
	In       io.Reader
	Out, Err io.Writer
	// Plain: no cursor control, lines in and lines out.
	Plain bool
	// Color allows colours and other marks.
	Color bool
	Start Start
	// Author begins with the interview about a new skill; nil means no.
	Author *string
}

// Ended says how a chat was left.
type Ended struct {
	// Session is its id, "" when none is kept.
	Session string
	// Turns is how many the session has.
	Turns int
}

// fps bounds redraws: text arrives faster than anybody reads.
const fps = 30

// Run lets a person chat until they leave. The error is that of opening the
// session, or of ctx.
func Run(ctx context.Context, o Options) (Ended, error) {
	if o.Plain {
		return runPlain(ctx, o)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var to sender
	con := &console{host: o.Host, watch: to.record, ask: newAsker(to.ask, o.Host.Remember)}
	opened, err := o.Host.Open(ctx, o.Start, con.watch, con.ask)
	if err != nil {
		return Ended{}, err
	}
	con.cur = opened
	m := newScreen(ctx, o.Host, con, style{color: o.Color})
	m.begin(o.Author)
	prog := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(o.In), tea.WithOutput(o.Out), tea.WithoutSignalHandler(), tea.WithFPS(fps))
	to.prog.Store(prog)
	_, err = prog.Run()
	cancel()
	m.wait()
	defer con.cur.Close()
	return con.ended(), ended(ctx, err)
}

// stopping is how long a step that was stopped may take to record that it was. A
// program that was killed may have dropped the command that would run the step, so
// that nobody would ever end it.
const stopping = 10 * time.Second

func (m *screen) wait() {
	done := make(chan struct{})
	go func() {
		m.steps.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(stopping):
	}
}

// ended maps the end of a program: who cancelled ctx from outside knows why.
func ended(ctx context.Context, err error) error {
	if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func (c *console) ended() Ended {
	return Ended{Session: c.cur.ID, Turns: lastTurnOf(c.cur.Chat.Records()).turns}
}

// begin says where the session stands and what it starts with.
func (m *screen) begin(author *string) {
	if m.host.Banner != "" {
		m.note(m.host.Banner)
	}
	if m.con.cur.Resumed {
		m.tail()
	}
	m.author = author
}

// sender passes on what happens in other goroutines once the program runs.
type sender struct{ prog atomic.Pointer[tea.Program] }

func (s *sender) send(m tea.Msg) {
	if p := s.prog.Load(); p != nil {
		p.Send(m)
	}
}

func (s *sender) record(r session.Record) { s.send(recordMsg{r}) }

func (s *sender) ask(a asking) { s.send(askMsg{a}) }

// PanelOptions are what the skills panel needs.
type PanelOptions struct {
	Skills SkillHost
	In     io.Reader
	Out    io.Writer
	Color  bool
	Render func(markdown string, width int) string
}

// RunPanel shows the skills panel until it is closed. author is not nil when a
// chat that writes a new skill was asked for; it holds what the skill should do.
func RunPanel(ctx context.Context, o PanelOptions) (author *string, err error) {
	m := &panelScreen{p: newPanel(ctx, o.Skills, style{color: o.Color}, o.Render), width: 80, height: 24}
	prog := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(o.In), tea.WithOutput(o.Out), tea.WithoutSignalHandler(), tea.WithFPS(fps))
	_, err = prog.Run()
	return m.author, ended(ctx, err)
}
