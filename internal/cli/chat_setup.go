package cli

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/agentctl/agentctl/internal/config"
	"github.com/agentctl/agentctl/internal/suggest"
	"github.com/agentctl/agentctl/pkg/agent"
	"github.com/agentctl/agentctl/pkg/agent/app"
	"github.com/agentctl/agentctl/pkg/agent/builtin"
	"github.com/agentctl/agentctl/pkg/agent/chat"
	"github.com/agentctl/agentctl/pkg/agent/model/choose"
	"github.com/agentctl/agentctl/pkg/agent/session"
	"github.com/agentctl/agentctl/pkg/sandbox"
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
	var c chat.Config
	trusted, err := o.f.Trusted()
	if err != nil {
		return c, err
	}
	conf, err := o.f.chatConfig()
	if err != nil {
		return c, err
	}
	c.Trusted, c.System, c.MaxSteps = trusted, o.System, o.MaxSteps
	if c.App, err = o.f.App(ctx, cmp.Or(o.App, conf.Chat.App, app.DefaultName)); err != nil {
		return c, err
	}
	if err := c.App.RequireTrust(); err != nil {
		return c, err
	}
	if !trusted {
		if err := o.warnUntrustedWorkspace(); err != nil {
			return c, err
		}
	}
	if err := o.f.checkApp(ctx, c.App); err != nil {
		return c, err
	}
	if c.Model, err = o.f.chooseModel(ctx, o.Model, c.App.Model, conf.Config); err != nil {
		return c, err
	}
	if c.Model.Found {
		warn(o.IO, "model: %s (%s)", c.Model.Name, c.Model.From)
	}
	return c, o.environment(ctx, &c, conf)
}

// environment adds skills, tools and what they work on.
func (o *chatOptions) environment(ctx context.Context, c *chat.Config, conf *config.Loaded) error {
	var err error
	scope := SkillScope{App: skillAppOf(c.App), Extra: o.Skills}
	if c.Skills, err = o.f.Skills(scope); err != nil {
		return err
	}
	if c.Catalog, err = o.f.chatCatalog(ctx, conf, c.Trusted); err != nil {
		return err
	}
	if c.Env, err = o.f.chatEnv(o.Sandbox, conf); err != nil {
		return err
	}
	c.Sandbox = cmp.Or(o.Sandbox, conf.Sandbox.Backend)
	rules := agent.SplitRules(o.Allow)
	if err := checkAllow(rules, c.Catalog); err != nil {
		return err
	}
	c.Approver = &agent.Policy{Flags: rules, Allow: conf.Chat.Approvals.Allow, Deny: conf.Chat.Approvals.Deny}
	return nil
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

// chatConfig is the configuration that steers a chat: that of the workspace
// counts only once it is trusted.
func (f *Factory) chatConfig() (*config.Loaded, error) {
	trusted, err := f.Trusted()
	if err != nil {
		return nil, err
	}
	if trusted {
		return f.Config()
	}
	return config.Load(config.Options{UserFile: f.Dirs.ConfigFile(), Getenv: f.Getenv})
}

func (f *Factory) chooseModel(ctx context.Context, flag, ofApp string, c config.Config) (*choose.Choice, error) {
	cwd, err := f.Cwd()
	if err != nil {
		return nil, err
	}
	return choose.Model(ctx, choose.Request{Flag: flag, App: ofApp, Config: c, Getenv: f.Getenv, Cwd: cwd})
}

// chatCatalog has the packages of the user's configuration, and those of the
// workspace once it is trusted.
func (f *Factory) chatCatalog(ctx context.Context, c *config.Loaded, trusted bool) (*toolpkg.Catalog, error) {
	if !trusted {
		return toolpkg.LoadCatalog(ctx, c.Tools.Prebuilt, nil)
	}
	return f.toolCatalog(ctx)
}

// chatEnv is what the tools of a chat work on. The sandbox is opened at the
// first call that runs a program.
func (f *Factory) chatEnv(backend string, c *config.Loaded) (*builtin.Env, error) {
	w, err := f.workspaceOptions()
	if err != nil {
		return nil, err
	}
	dir, err := f.skillDir()
	if err != nil {
		return nil, err
	}
	o, err := f.sandboxOptions(backend)
	if err != nil {
		return nil, err
	}
	var once sync.Mutex
	var open sandbox.Backend
	return &builtin.Env{
		Workspace: w.Dir, Home: w.Home, Protect: w.Protect, SkillsDir: dir, Unconfined: o.Name == sandbox.NameNone,
		Grants: c.Tools.Env, LookupEnv: f.lookupEnv,
		Backend: func(ctx context.Context) (sandbox.Backend, error) {
			once.Lock()
			defer once.Unlock()
			if open != nil {
				return open, nil
			}
			var err error
			open, err = f.Sandbox(ctx, backend)
			return open, err
		},
	}, nil
}

// lookupEnv reads a variable that a package declared and the user granted.
func (f *Factory) lookupEnv(name string) (string, bool) {
	v := f.Getenv(name)
	return v, v != ""
}

// checkAllow refuses rules that name nothing: a typing mistake would deny later.
func checkAllow(rules []string, c *toolpkg.Catalog) error {
	known := slices.Concat(builtin.Names(), []string{"network", "all"})
	for _, p := range c.Packages {
		known = append(known, p.Name)
		for _, cmd := range p.Commands {
			known = append(known, p.Name+":"+cmd.Name)
		}
	}
	for _, r := range rules {
		if program, ok := strings.CutPrefix(r, "exec:"); ok && program != "" {
			continue
		}
		if !slices.Contains(known, r) {
			hint := "names: " + strings.Join(known, ", ") + ", exec:PROGRAM"
			if near := suggest.Nearest(r, known, 1); len(near) > 0 {
				hint = "did you mean " + near[0] + "?\n" + hint
			}
			return usageError{message: fmt.Sprintf("--allow %q names nothing", r), hint: hint}
		}
	}
	return nil
}
