package cli

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"sync"

	"github.com/agentctl/agentctl/internal/config"
	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/registry"
	"github.com/agentctl/agentctl/internal/workspace"
	"github.com/agentctl/agentctl/pkg/agent/app"
	"github.com/agentctl/agentctl/pkg/agent/builtin"
	"github.com/agentctl/agentctl/pkg/agent/chat"
	"github.com/agentctl/agentctl/pkg/agent/model/choose"
	"github.com/agentctl/agentctl/pkg/sandbox"
	"github.com/agentctl/agentctl/pkg/skill"
	"github.com/agentctl/agentctl/pkg/toolpkg"
)

// chatRequest says which chat is meant.
type chatRequest struct {
	App, Model string
	Skills     []string // folders that the user named
	Sandbox    string
	// Start decides whether a model may be started with the app. nil: none is
	// started, and a model that nobody named is one of which nothing is known.
	Start func(a *app.App, trusted bool) error
}

// composeChat puts together what a chat is made of, for a run and for a look at
// its prompt alike.
func (f *Factory) composeChat(ctx context.Context, r chatRequest) (c chat.Config, conf *config.Loaded, err error) {
	if c.Trusted, err = f.Trusted(); err != nil {
		return c, nil, err
	}
	// From here on the configuration of an untrusted workspace counts nowhere, so
	// a mistake in it does not matter either.
	f.useConfig(f.chatConfig)
	if conf, err = f.Config(); err != nil {
		return c, nil, err
	}
	ref := cmp.Or(r.App, conf.Chat.App, app.DefaultName)
	if c.App, err = f.App(ctx, ref); err != nil {
		if broken, ok := errors.AsType[*registry.BrokenError](err); ok && r.Start != nil {
			err = &appRefusedError{app: ref, findings: broken.Diagnostics}
		}
		return c, nil, err
	}
	if r.Start != nil {
		if err := r.Start(c.App, c.Trusted); err != nil {
			return c, nil, err
		}
	}
	// Who only looks at the prompt sees the packages of a workspace that nobody
	// trusted yet; whoever starts a model does not.
	if c.Catalog, err = f.chatCatalog(ctx, conf, c.Trusted || r.Start == nil); err != nil {
		return c, nil, err
	}
	if err := f.checkApp(ctx, c.App, c.Catalog); err != nil {
		return c, nil, err
	}
	choose := f.chooseModel
	if r.Start == nil {
		choose = f.describedModel
	}
	if c.Model, err = choose(ctx, r.Model, c.App.Model, conf.Config); err != nil {
		return c, nil, err
	}
	if c.Skills, err = f.Skills(SkillScope{App: skillAppOf(c.App), Extra: r.Skills}); err != nil {
		return c, nil, err
	}
	c.Sandbox = cmp.Or(r.Sandbox, conf.Sandbox.Backend)
	if c.Env, err = f.chatEnv(r.Sandbox, conf); err != nil {
		return c, nil, err
	}
	named, err := f.namedFolders(c.App, r.Skills)
	c.Env.Protect = append(c.Env.Protect, named...)
	return c, conf, err
}

// namedFolders steer this chat, wherever they lie: the app's, and those of the
// skills that the user named.
func (f *Factory) namedFolders(a *app.App, skills []string) ([]string, error) {
	if filepath.IsAbs(a.Dir) { // an embedded app has no folder
		skills = append([]string{a.Dir}, skills...)
	}
	cwd, err := f.Cwd()
	return absolutePaths(cwd, skills), err
}

// checkApp refuses an app that names what does not exist, as app lint reports it.
func (f *Factory) checkApp(ctx context.Context, a *app.App, catalog *toolpkg.Catalog) error {
	known, err := f.appKnownWith(ctx, catalog)
	if err != nil {
		return err
	}
	refused := &appRefusedError{app: a.Ref()}
	for _, d := range app.Check(ctx, a, known) {
		if d.Severity == diag.Error {
			refused.findings = append(refused.findings, d)
		}
	}
	if len(refused.findings) > 0 {
		return refused
	}
	return nil
}

// describedModel is what is known of the model without asking anybody.
func (f *Factory) describedModel(ctx context.Context, flag, ofApp string, c config.Config) (*choose.Choice, error) {
	c.Chat.Discover = false
	choice, err := f.chooseModel(ctx, flag, ofApp, c)
	if _, none := errors.AsType[*choose.NoneError](err); none {
		return &choose.Choice{}, nil
	}
	if _, several := errors.AsType[*choose.SeveralError](err); several {
		return &choose.Choice{}, nil
	}
	return choice, err
}

// chatConfig is the configuration that steers a chat: that of the workspace
// counts only once it is trusted.
func (f *Factory) chatConfig() (*config.Loaded, error) {
	ws, err := f.Workspace()
	if err != nil {
		return nil, err
	}
	trusted, err := f.trustedAt(filepath.Join(ws, workspace.ConfigFile))
	if err != nil {
		return nil, err
	}
	if trusted {
		return f.loadConfig()
	}
	return f.readConfig(config.Options{})
}

func (f *Factory) chooseModel(ctx context.Context, flag, ofApp string, c config.Config) (*choose.Choice, error) {
	cwd, err := f.Cwd()
	if err != nil {
		return nil, err
	}
	return choose.Model(ctx, choose.Request{Flag: flag, App: ofApp, Config: c, Getenv: f.Getenv, Cwd: cwd})
}

// chatCatalog has the packages of the user's configuration, and those of the
// workspace as far as it is trusted.
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
		Grants: c.Tools.Env, LookupEnv: f.lookupEnv, Python: f.skillPython,
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

// skillPython is what runs the Python scripts of a skill: the environment that
// skill prepare made. A chat makes none, since that would download packages.
func (f *Factory) skillPython(ctx context.Context, it *skill.Item) (builtin.Python, error) {
	env, ok, err := skill.FindEnvironment(ctx, it, f.Dirs.Cache)
	switch {
	case err != nil:
		return builtin.Python{}, err
	case ok:
		return builtin.Python{Interpreter: env.Python, ReadOnly: env.ReadOnly}, nil
	}
	wants, err := skill.WantsEnvironment(ctx, it)
	if err != nil || !wants {
		return builtin.Python{}, err
	}
	return builtin.Python{Unprepared: "agentctl skill prepare " + it.Name}, nil
}

// lookupEnv reads a variable that a package declared and the user granted.
func (f *Factory) lookupEnv(name string) (string, bool) {
	v := f.Getenv(name)
	return v, v != ""
}
