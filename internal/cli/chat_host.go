package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/agentctl/agentctl/internal/tui"
	"github.com/agentctl/agentctl/pkg/agent"
	"github.com/agentctl/agentctl/pkg/agent/chat"
	"github.com/agentctl/agentctl/pkg/agent/model/choose"
	"github.com/agentctl/agentctl/pkg/agent/session"
	"github.com/agentctl/agentctl/pkg/skill"
)

// chatHost does for the screen of a chat what needs the rest of the program.
type chatHost struct {
	o       *chatOptions
	mu      sync.Mutex // one command of the screen at a time
	current chat.Config
	policy  *agent.Policy
	done    func() error
}

func (h *chatHost) host() (tui.Host, error) {
	ws, err := h.o.f.Workspace()
	if err != nil {
		return tui.Host{}, err
	}
	state := h.o.f.State()
	typed, err := state.History()
	if err != nil {
		return tui.Host{}, err
	}
	return tui.Host{
		Open: h.open, Reload: h.reload, Model: h.model, Models: h.models, Complete: complete, Why: why, Explain: explain,
		Remember: func(ctx context.Context, key string) error {
			_, err := state.Approve(ctx, key, true)
			return err
		},
		Trust: h.trust, Allow: h.allow, Disallow: h.disallow, Allowed: h.allowed, Sessions: h.sessions, Export: h.export,
		Skills:  h.o.f.skillHost(h.scope),
		Render:  screenMarkdown(h.o.IO.Color),
		History: typed,
		AddHistory: func(ctx context.Context, line string) {
			_ = state.AddHistory(ctx, line) // the chat is worth more than its history
		},
		Workspace: ws,
		Banner:    "agentctl chat: /help lists commands",
	}, nil
}

// open starts a chat. Each session is composed anew, so it sees what changed.
func (h *chatHost) open(ctx context.Context, s tui.Start, watch func(session.Record), ask agent.Asker) (*tui.Opened, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	o := h.o
	if h.policy != nil { // the first one may still warn
		o = o.quiet(s)
	}
	c, err := o.setup(ctx)
	if err != nil {
		return nil, err
	}
	h.keepScript(&c)
	policy := c.Approver.(*agent.Policy) // setup makes it
	policy.Ask = ask
	opened, err := o.start(ctx, c, watch)
	if err != nil {
		if opened.close != nil {
			opened.close()
		}
		return nil, err
	}
	h.current, h.policy, h.done = c, policy, c.Model.Done
	return &tui.Opened{
		Chat: opened.chat, ID: opened.id, Close: opened.close,
		Resumed: s.Last || s.Session != "" || s.Fork != "",
	}, nil
}

// keepScript lets a scripted model go on where it is: its steps are played once.
func (h *chatHost) keepScript(c *chat.Config) {
	if old := h.current.Model; old != nil && old.Done != nil && old.Name == c.Model.Name {
		c.Model = old
	}
}

func (h *chatHost) reload(ctx context.Context) (chat.Config, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.o.f.forget() // forget the configuration that was read
	c, err := h.o.quiet(tui.Start{}).setup(ctx)
	if err != nil {
		return c, err
	}
	h.keepScript(&c)
	h.current, h.done = c, c.Model.Done
	return c, nil
}

func (h *chatHost) model(ctx context.Context, name string) (*choose.Choice, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	conf, err := h.o.f.chatConfig()
	if err != nil {
		return nil, err
	}
	m, err := h.o.f.chooseModel(ctx, name, "", conf.Config)
	if err != nil {
		return nil, err
	}
	h.o.Model, h.current.Model, h.done = name, m, m.Done
	return m, nil
}

// models are the names that a shell completes after --model.
func (h *chatHost) models(ctx context.Context) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	all, err := h.o.f.modelNames(ctx)
	if err != nil {
		return nil // /model says it
	}
	names := make([]string, len(all))
	for i, m := range all {
		names[i] = m.name
	}
	return names
}

// why says why a turn ended without an answer, for a person who can go on.
func why(res session.Result) (message, hint string) {
	f := stopFailure(res)
	switch res.Stop {
	case session.StopLimit:
		return f.Message, "say: go on"
	case session.StopDenied, session.StopNeedsInput:
		return f.Message, ""
	}
	return f.Message, f.Hint
}

func (h *chatHost) allow(rules []string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := checkAllow("/allow", rules, h.current.Catalog); err != nil {
		return err
	}
	h.o.Allow = append(h.o.Allow, rules...)
	h.policy.Flags = append(h.policy.Flags, rules...)
	return nil
}

// trust agrees to the workspace as it is now and returns what was left out of it.
func (h *chatHost) trust(ctx context.Context) ([]string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	places, err := h.o.f.leftOut()
	if err != nil {
		return nil, err
	}
	if err := h.o.f.trustNow(ctx); err != nil {
		return nil, err
	}
	// What a program that still runs made stays left out.
	held, err := h.o.f.heldBack()
	return slices.DeleteFunc(places, func(place string) bool { return slices.Contains(held, place) }), err
}

// disallow takes back what was allowed in this chat or for ever.
func (h *chatHost) disallow(ctx context.Context, rule string) (bool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	here := h.policy.Forget(rule)
	h.o.Allow = slices.DeleteFunc(agent.SplitRules(h.o.Allow), func(r string) bool { return r == rule })
	always, err := h.o.f.State().Approve(ctx, rule, false)
	return here || always, err
}

func (h *chatHost) allowed() ([]tui.Rule, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var rules []tui.Rule
	for _, r := range h.policy.Flags {
		rules = append(rules, tui.Rule{Name: r, From: "in this chat"})
	}
	for _, r := range h.policy.Kept() {
		rules = append(rules, tui.Rule{Name: r, From: "in this session"})
	}
	for _, r := range h.policy.Allow {
		rules = append(rules, tui.Rule{Name: r, From: "by the configuration"})
	}
	for _, r := range h.policy.Deny {
		rules = append(rules, tui.Rule{Name: r, From: "denied by the configuration"})
	}
	always, err := h.o.f.State().Approvals()
	for _, r := range always {
		rules = append(rules, tui.Rule{Name: r, From: "always"})
	}
	return rules, err
}

func (h *chatHost) sessions(ctx context.Context) ([]tui.SessionRow, error) {
	store, err := h.o.f.sessions()
	if err != nil {
		return nil, err
	}
	all, err := store.List(ctx)
	rows := make([]tui.SessionRow, 0, len(all))
	for _, s := range all {
		rows = append(rows, tui.SessionRow{ID: s.ID, Title: markedTitle(s), When: s.Updated.Local().Format("2006-01-02 15:04")})
	}
	return rows, err
}

// export writes a session beside the work, or where a person says.
func (h *chatHost) export(_ context.Context, id, file string) (string, error) {
	store, err := h.o.f.sessions()
	if err != nil {
		return "", err
	}
	records, err := store.Records(id)
	if err != nil {
		return "", err
	}
	if file == "" {
		file = "chat-" + id + ".md"
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if os.IsExist(err) {
		return "", fmt.Errorf("%s exists already: /export FILE takes another name", file)
	}
	if err != nil {
		return "", err
	}
	if err := session.Markdown(f, records); err != nil {
		_ = f.Close()
		return "", err
	}
	return file, f.Close()
}

// scope are all skills there are, also those that the app does not offer.
func (h *chatHost) scope(context.Context) (SkillScope, func(*skill.Item) bool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	a := skillAppOf(h.current.App)
	a.sources = nil
	return SkillScope{App: a, Extra: h.o.Skills}, a.offered, nil
}

// remembered tells whether the user allowed a key for ever.
func (f *Factory) remembered(key string) bool {
	keys, err := f.State().Approvals()
	return err == nil && slices.Contains(keys, key)
}
