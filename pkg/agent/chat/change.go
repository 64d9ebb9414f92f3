package chat

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/registry"
	"github.com/agentctl/agentctl/pkg/agent"
	"github.com/agentctl/agentctl/pkg/agent/model/choose"
	"github.com/agentctl/agentctl/pkg/agent/session"
	"github.com/agentctl/agentctl/pkg/skill"
)

// What a person changes while a chat runs. None of it may be called during a turn or
// twice at once, except what only asks: [Chat.Invocable], [Chat.WhyNot], [Chat.Model]
// and [Chat.App].

// Reload makes the fixed part of the session anew from c: its app, skills, tools
// and model. Log, Records, Watch and Approver of the running chat stay. The
// history is kept; the error is that of [Compose], and then nothing changed.
func (c *Chat) Reload(ctx context.Context, fresh Config) error {
	old := c.now()
	fresh.Log, fresh.Watch, fresh.Approver, fresh.Records = old.Log, old.Watch, old.Approver, nil
	p, err := Compose(ctx, fresh)
	if err != nil {
		return err
	}
	fresh.Env.SkillsRead = skillsRead(c.agent.History)
	c.Close()
	c.hold(fresh.Catalog.Packages)
	c.setConfig(fresh)
	c.prompt = p
	c.agent.System = p.System
	c.agent.SetTools(p.Tools)
	c.useModel(fresh.Model)
	return c.note()
}

// SetModel lets another model answer from the next turn on. The system prompt
// stays as it is, so that the session reads as one.
func (c *Chat) SetModel(m *choose.Choice) error {
	c.useModel(m)
	return c.note()
}

func (c *Chat) useModel(m *choose.Choice) {
	config := c.now()
	config.Model = m
	c.setConfig(config)
	c.agent.Model, c.agent.ModelName, c.agent.MaxOutput = m.Model, m.Name, m.MaxOutput
	c.agent.ToolMode, c.agent.ContextWindow, c.agent.WindowFix = m.ToolMode, m.ContextWindow, m.WindowFix
}

// note records what the requests start with from now on.
func (c *Chat) note() error {
	config := c.now()
	return c.agent.Note(session.Init{
		App: config.App.Ref(), Model: config.Model.Name, Workspace: config.Env.Workspace, Sandbox: config.Sandbox,
		Resumed: true, System: c.agent.System, Tools: agent.Specs(c.agent.Tools),
	})
}

// Compact is [agent.Agent.Compact].
func (c *Chat) Compact(ctx context.Context) (session.Compaction, error) { return c.agent.Compact(ctx) }

// Tools are the functions that the model can call now.
func (c *Chat) Tools() []agent.Tool { return slices.Clone(c.agent.Tools) }

// Records are those of the session until now.
func (c *Chat) Records() []session.Record { return slices.Clone(c.agent.History) }

// Model is the one that answers.
func (c *Chat) Model() *choose.Choice { return c.now().Model }

// App is the reference of the chat's app.
func (c *Chat) App() string { return c.now().App.Ref() }

// Invocable are the skills that a person may call by name, in order of names.
func (c *Chat) Invocable(ctx context.Context) ([]*skill.Item, error) {
	view, err := c.invocable(ctx)
	if err != nil {
		return nil, err
	}
	return view.Winners(), nil
}

// invocable is what the user may call: skills that only people may call are in
// it, those that only models may call are not.
func (c *Chat) invocable(ctx context.Context) (*skill.Listing, error) {
	config := c.now()
	if config.App.NoSkills {
		return &skill.Listing{Kind: "skill"}, nil
	}
	l, err := config.Skills.Load(ctx)
	if err != nil {
		return nil, err
	}
	return l.Filter(func(it *skill.Item) bool {
		return !it.Source.Untrusted && it.State != registry.Disabled && it.Value.UserInvocable && config.App.OffersSkill(it)
	}), nil
}

// Withheld says why a skill that exists cannot be called by name.
type Withheld string

// The reasons.
const (
	Untrusted Withheld = "untrusted" // the workspace is
	Appeared  Withheld = "appeared"  // in a trusted workspace: a program made its folder
	Disabled  Withheld = "disabled"
	ModelOnly Withheld = "model_only"
	NotInApp  Withheld = "not_in_app" // the app does not offer it
)

// WhyNot says why the skill of that name cannot be called, "" when there is none or
// nothing is in the way.
func (c *Chat) WhyNot(ctx context.Context, name string) (Withheld, error) {
	config := c.now()
	l, err := config.Skills.Load(ctx)
	if err != nil {
		return "", err
	}
	res, err := l.Resolve(name)
	if err != nil {
		return "", nil //nolint:nilerr // no such skill is an answer
	}
	switch it := res.Winner; {
	case it.State == registry.Disabled:
		return Disabled, nil
	case it.Source.Untrusted && config.Trusted:
		return Appeared, nil
	case it.Source.Untrusted:
		return Untrusted, nil
	case !it.Value.UserInvocable:
		return ModelOnly, nil
	case config.App.NoSkills, !config.App.OffersSkill(it):
		return NotInApp, nil
	}
	return "", nil
}

// Invoke makes the user's turn that calls a skill by name: what read_skill would
// have answered, as the user's own words. The error is a [*skill.ReadError] for
// a name that cannot be called.
func (c *Chat) Invoke(ctx context.Context, name, args string) (session.User, error) {
	view, err := c.invocable(ctx)
	if err != nil {
		return session.User{}, err
	}
	return c.InvokeFrom(ctx, view, name, args)
}

// InvokeFrom is [Chat.Invoke] for the skills of a listing, whatever the app offers.
func (c *Chat) InvokeFrom(ctx context.Context, view *skill.Listing, name, args string) (session.User, error) {
	text, it, err := skill.ReadForModel(ctx, view, skill.ReadRequest{Name: name, Args: args, Tools: c.now().Env.ToolNames()})
	if err != nil {
		return session.User{}, err
	}
	dir, err := skill.Dir(ctx, it)
	if err != nil {
		return session.User{}, err
	}
	c.now().Env.MarkRead(it.Name, dir)
	call := strings.TrimSpace(fmt.Sprintf("/%s %s", it.Name, args))
	return session.User{Text: call + "\n\nFollow this skill now.\n\n" + text, Skill: it.Name}, nil
}
