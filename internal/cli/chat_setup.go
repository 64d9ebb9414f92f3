package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/suggest"
	"github.com/agentctl/agentctl/pkg/agent"
	"github.com/agentctl/agentctl/pkg/agent/app"
	"github.com/agentctl/agentctl/pkg/agent/builtin"
	"github.com/agentctl/agentctl/pkg/agent/chat"
	"github.com/agentctl/agentctl/pkg/agent/session"
	"github.com/agentctl/agentctl/pkg/toolpkg"
)

// openedChat is a chat that is ready for its first turn.
type openedChat struct {
	chat *chat.Chat
	id   string // "" without a session
	// close lets go of the session.
	close func()
	// done checks a scripted model's script; nil for others.
	done func() error
}

// setup makes everything of a chat but its session: an error here leaves no trace.
func (o *chatOptions) setup(ctx context.Context) (chat.Config, error) {
	c, conf, err := o.f.composeChat(ctx, chatRequest{
		App: o.App, Model: o.Model, Skills: o.Skills, Sandbox: o.Sandbox, Start: o.allowStart,
	})
	if err != nil {
		return c, err
	}
	c.Skills = &toldSkills{Resolver: c.Skills, io: o.IO}
	tellBroken(o.IO, c.App, c.Catalog)
	if c.Model.Found {
		warn(o.IO, "model: %s (%s)", c.Model.Name, c.Model.From)
	}
	rules := agent.SplitRules(o.Allow)
	if err := checkAllow("--allow", rules, c.Catalog); err != nil {
		return c, err
	}
	o.tellTypos(append(slices.Clone(conf.Chat.Approvals.Deny), conf.Chat.Approvals.Allow...), c.Catalog)
	c.System, c.MaxSteps = o.System, o.MaxSteps
	c.Approver = &agent.Policy{
		Flags: rules, Allow: conf.Chat.Approvals.Allow, Deny: conf.Chat.Approvals.Deny, Remembered: o.f.remembered,
	}
	return c, nil
}

// allowStart refuses an app of an untrusted workspace, and says what else of the
// workspace is left out.
func (o *chatOptions) allowStart(a *app.App, trusted bool) error {
	if err := a.RequireTrust(); err != nil {
		return err
	}
	if trusted {
		return o.warnHeldBack()
	}
	return o.warnUntrustedWorkspace()
}

// start opens the session and the chat.
func (o *chatOptions) start(ctx context.Context, c chat.Config, watch func(session.Record)) (openedChat, error) {
	log, err := o.openSession()
	if err != nil {
		return openedChat{}, err
	}
	opened := openedChat{close: log.Close, done: c.Model.Done}
	c.Log, c.Watch = log, watch
	if l, ok := log.(*session.Log); ok {
		opened.id, c.Records = l.ID, l.Records
	}
	opened.chat, err = chat.Open(ctx, c)
	if opened.chat != nil {
		opened.close = func() { opened.chat.Close(); log.Close() }
	}
	return opened, err
}

type closableLog interface {
	agent.Recorder
	Close()
}

func (o *chatOptions) openSession() (closableLog, error) {
	store, err := o.f.sessions()
	if err != nil {
		return nil, err
	}
	switch {
	case o.Continue:
		return orNil(store.Last())
	case o.Session != "":
		return orNil(store.Open(o.Session))
	case o.Fork != "":
		return orNil(store.Fork(o.Fork))
	case o.NoSession:
		return &session.Ephemeral{Now: o.f.Now}, nil
	}
	return orNil(store.Create())
}

// orNil keeps a nil *Log from becoming a non-nil interface.
func orNil(l *session.Log, err error) (closableLog, error) {
	if err != nil {
		return nil, err
	}
	return l, nil
}

func (f *Factory) sessions() (session.Store, error) {
	ws, err := f.Workspace()
	if err != nil {
		return session.Store{}, err
	}
	return session.Store{Dir: filepath.Join(f.State().WorkspaceDir(ws), "sessions"), Now: f.Now}, nil
}

// tellTypos warns of configured rules that look like a misspelled tool: they would
// deny or allow nothing. A package can be one of another workspace.
func (o *chatOptions) tellTypos(rules []string, c *toolpkg.Catalog) {
	known := ruleNames(c)
	for _, r := range rules {
		if near := suggest.Nearest(r, append(builtin.Names(), "network", "all"), 1); len(near) > 0 && !isRule(r, known) {
			warn(o.IO, "chat.approvals in the configuration names %q, which is no tool; did you mean %s?", r, near[0])
		}
	}
}

// checkAllow refuses rules that name nothing: a typing mistake would deny later. how
// is what they were given by.
func checkAllow(how string, rules []string, c *toolpkg.Catalog) error {
	known := ruleNames(c)
	for _, r := range rules {
		if !isRule(r, known) {
			hint := "names: " + strings.Join(known, ", ") + ", exec:PROGRAM"
			if near := suggest.Nearest(r, known, 1); len(near) > 0 {
				hint = "did you mean " + near[0] + "?\n" + hint
			}
			return usageError{message: fmt.Sprintf("%s %q names nothing", how, r), hint: hint}
		}
	}
	return nil
}

// ruleNames are the names that a rule about approvals can have, besides programs.
func ruleNames(c *toolpkg.Catalog) []string {
	known := slices.Concat(builtin.Names(), []string{"network", "all"})
	for _, p := range c.Packages {
		known = append(known, p.Name)
		for _, cmd := range p.Commands {
			known = append(known, p.Name+":"+cmd.Name)
		}
	}
	return known
}

func isRule(rule string, known []string) bool {
	program, isProgram := strings.CutPrefix(rule, "exec:")
	return isProgram && program != "" || slices.Contains(known, rule)
}
