package tui

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/pkg/agent/session"
)

// plain is the chat without cursor control: lines in, lines out.
type plain struct {
	o       Options
	con     *console
	lines   chan string // closed at the end of the input
	signals chan os.Signal
	calls   calls
	midline bool // the answer's last piece did not end its line
	about   *session.Question
	quit    bool
	end     context.CancelFunc
}

// runPlain reads lines until the input ends. An interrupt stops the step that
// runs; the second one at the prompt leaves.
func runPlain(ctx context.Context, o Options) (Ended, error) {
	outer := ctx
	ctx, cancel := detached(outer)
	defer cancel()
	p := &plain{o: o, lines: make(chan string), signals: make(chan os.Signal, 4), end: cancel}
	signal.Notify(p.signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(p.signals)
	p.con = &console{host: o.Host, watch: p.record, ask: newAsker(func(a asking) { go p.answer(ctx, a) }, o.Host.Remember)}
	opened, err := o.Host.Open(ctx, o.Start, p.con.watch, p.con.ask)
	if err != nil {
		return Ended{}, err
	}
	p.con.cur = opened
	defer func() { p.con.cur.Close() }()
	go p.read(ctx)
	p.begin(ctx)
	err = p.loop(ctx)
	return p.con.ended(), err
}

// detached is a context that an interrupt of the process does not end, but its
// deadline does.
func detached(ctx context.Context) (context.Context, context.CancelFunc) {
	free := context.WithoutCancel(ctx)
	if at, ok := ctx.Deadline(); ok {
		return context.WithDeadline(free, at)
	}
	return context.WithCancel(free)
}

func (p *plain) read(ctx context.Context) {
	defer close(p.lines)
	in := bufio.NewReader(p.o.In)
	for {
		line, err := in.ReadString('\n')
		if line != "" {
			select {
			case p.lines <- strings.TrimRight(line, "\r\n"):
			case <-ctx.Done():
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (p *plain) begin(ctx context.Context) {
	if p.o.Host.Banner != "" {
		p.tell("%s", p.o.Host.Banner)
	}
	if p.con.cur.Resumed {
		p.tail()
	}
	if p.o.Author != nil {
		p.replied(ctx, p.con.author(ctx, *p.o.Author))
	}
}

func (p *plain) tail() {
	records := p.con.cur.Chat.Records()
	t := lastTurnOf(records)
	p.tell("%s", t.where(p.con.cur.ID))
	if t.user != "" {
		p.tell("> %s\n\n%s", t.user, t.answer)
	}
	if res, ok := lastBody[session.Result](records); ok {
		p.about = res.Question
	}
}

func (p *plain) loop(ctx context.Context) error {
	for !p.quit {
		text, err := p.prompt(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if text = strings.TrimSpace(termtext.Strip(text)); text == "" {
			continue
		}
		p.o.Host.AddHistory(ctx, text)
		if isCommand(text) {
			p.step(ctx, func(ctx context.Context) { p.replied(ctx, p.con.run(ctx, text)) })
			continue
		}
		p.turn(ctx, session.User{Text: chosen(p.about, text)})
	}
	return nil
}

// prompt reads an entry: a line, and more while a backslash ends it.
func (p *plain) prompt(ctx context.Context) (string, error) {
	fmt.Fprint(p.o.Err, "> ")
	var entry strings.Builder
	armed := false
	for {
		select {
		case line, ok := <-p.lines:
			if !ok {
				fmt.Fprintln(p.o.Err)
				return "", io.EOF
			}
			more := strings.HasSuffix(line, `\`)
			entry.WriteString(strings.TrimSuffix(line, `\`))
			if !more {
				return entry.String(), nil
			}
			entry.WriteString("\n")
			fmt.Fprint(p.o.Err, "  ")
		case s := <-p.signals:
			if s != os.Interrupt {
				p.end()
				return "", context.Canceled
			}
			if armed {
				fmt.Fprintln(p.o.Err)
				return "", io.EOF
			}
			armed = true
			entry.Reset()
			fmt.Fprint(p.o.Err, "\n(Ctrl-C again leaves, and so does Ctrl-D)\n> ")
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// step runs something that an interrupt stops.
func (p *plain) step(ctx context.Context, run func(context.Context)) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(ctx)
	}()
	for {
		select {
		case <-done:
			cancel()
			return
		case s := <-p.signals:
			cancel()
			if s != os.Interrupt {
				p.end()
			}
		}
	}
}

func (p *plain) replied(ctx context.Context, r reply) {
	switch {
	case errors.Is(r.err, context.Canceled):
		p.tell("stopped")
		return
	case r.err != nil:
		p.fail(p.o.Host.Explain(r.err))
		return
	case r.opened != nil:
		p.con.cur.Close()
		p.con.cur, p.con.last = r.opened, nil
	}
	if r.text != "" {
		p.tell("%s", strings.TrimRight(r.text, "\n"))
	}
	switch {
	case r.opened != nil && r.opened.Resumed:
		p.tail()
	case r.quit:
		p.quit = true
	case r.skills:
		p.skills(ctx)
	case r.say != nil:
		p.calls, p.about = nil, nil
		p.say(ctx, *r.say)
	}
}

// skills is the panel's list; what it does beyond that has verbs.
func (p *plain) skills(ctx context.Context) {
	list, err := p.o.Host.Skills.List(ctx)
	if err != nil {
		p.fail(p.o.Host.Explain(err))
		return
	}
	for _, r := range list.Rows {
		p.tell("%s\t%s\t%s\t%s", r.Item.Name, r.Item.State, r.Item.Source.Name, short(r.Item.Value.Description, 60))
	}
	for _, b := range list.Broken {
		p.tell("%s", b)
	}
	p.tell("/skill NAME follows one; agentctl skill --help lists the verbs that change them.")
}

func (p *plain) tell(format string, args ...any) {
	fmt.Fprintln(p.o.Err, termtext.Block(fmt.Sprintf(format, args...)))
}

func (p *plain) fail(message, hint string) {
	p.tell("error: %s", message)
	if hint != "" {
		p.tell("%s", hint)
	}
}
