package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agentctl/agentctl/internal/config"
	"github.com/agentctl/agentctl/internal/iostreams"
	"github.com/agentctl/agentctl/internal/state"
	"github.com/agentctl/agentctl/internal/userdirs"
	"github.com/agentctl/agentctl/internal/workspace"
	"github.com/agentctl/agentctl/pkg/agent/app"
	"github.com/agentctl/agentctl/pkg/sandbox"
	"github.com/agentctl/agentctl/pkg/skill"
)

// Factory makes what commands need, when they need it: `agentctl version` reads
// no configuration. Every field can be replaced by a test.
type Factory struct {
	IO     *iostreams.IOStreams
	Getenv func(string) string
	Dirs   userdirs.Dirs
	Cwd    func() (string, error)
	Now    func() time.Time

	// WorkspaceFlag is the value of --workspace.
	WorkspaceFlag string
	// switches are the skills that were switched for this run.
	switches skillSwitches
	// unrecorded are the places that appeared and could not be recorded.
	unrecorded pathSet
	// TrustFlag is set by --trust-workspace: trust for this run.
	TrustFlag bool

	mu      sync.Mutex // for answers: a chat asks in the background
	answers answers

	// Skills is the one way to the skills of a scope.
	Skills func(SkillScope) (skill.Resolver, error)
	// Apps is the one way to the apps.
	Apps func() (*app.Library, error)
	// App opens one app by its reference; "" is the configured one.
	App func(ctx context.Context, ref string) (*app.App, error)
	// Sandbox opens the backend that runs programs; "" is the configured one.
	Sandbox func(ctx context.Context, name string) (sandbox.Backend, error)
}

// answers are what is found out once, until [Factory.forget].
type answers struct {
	workspace func() (string, error)
	trusted   func() (bool, error)
	config    func() (*config.Loaded, error)
}

// NewFactory returns the factory of this process.
func NewFactory() *Factory {
	f := &Factory{
		IO:     iostreams.System(os.Getenv),
		Getenv: os.Getenv,
		Dirs:   userdirs.System(),
		Cwd:    currentFolder,
		Now:    time.Now,
	}
	f.fill()
	return f
}

// currentFolder is where agentctl was started.
func currentFolder() (string, error) {
	dir, err := os.Getwd()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", usageError{message: "the current folder does not exist any more", hint: "change to a folder that exists: cd"}
	case err != nil:
		return "", usageError{message: fmt.Sprintf("the current folder cannot be found out: %v", err), hint: "change to another folder: cd"}
	}
	return dir, nil
}

// fill sets the closures that are built from the fields above.
func (f *Factory) fill() {
	f.forget()
	f.Skills = f.loadSkills
	f.Apps = f.appLibrary
	f.App = f.openApp
	f.Sandbox = f.openSandbox
}

// forget makes what is found out once be found out anew.
func (f *Factory) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers = answers{
		workspace: sync.OnceValues(f.findWorkspace),
		trusted:   sync.OnceValues(f.trusted),
		config:    sync.OnceValues(f.loadConfig),
	}
}

// useConfig makes load say what the configuration is from now on.
func (f *Factory) useConfig(load func() (*config.Loaded, error)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers.config = sync.OnceValues(load)
}

func (f *Factory) answer() answers {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.answers
}

// Workspace is the folder that this run belongs to.
func (f *Factory) Workspace() (string, error) { return f.answer().workspace() }

// Trusted tells whether the workspace may steer a model.
func (f *Factory) Trusted() (bool, error) { return f.answer().trusted() }

// Config is the configuration with the origin of every value.
func (f *Factory) Config() (*config.Loaded, error) { return f.answer().config() }

func (f *Factory) findWorkspace() (string, error) {
	if f.WorkspaceFlag != "" {
		dir, err := workspace.Explicit(f.WorkspaceFlag)
		if err != nil {
			return "", usageError{message: err.Error(), hint: "give an existing folder"}
		}
		return dir, nil
	}
	cwd, err := f.Cwd()
	if err != nil {
		return "", err
	}
	return workspace.Find(cwd, f.Dirs.Home)
}

// State is the store of what the user decided.
func (f *Factory) State() state.Store { return state.Store{Dir: f.Dirs.State} }

func (f *Factory) loadConfig() (*config.Loaded, error) {
	ws, err := f.Workspace()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(ws, workspace.ConfigFile)
	trusted, err := f.trustedAt(file)
	if err != nil {
		return nil, err
	}
	if file, err = f.unlessHeld(file); err != nil {
		return nil, err
	}
	return f.readConfig(config.Options{WorkspaceFile: file, Trusted: trusted})
}

// readConfig loads the configuration and checks the names that only other
// packages know.
func (f *Factory) readConfig(o config.Options) (*config.Loaded, error) {
	var err error
	if o.UserFile, err = f.unlessHeld(f.Dirs.ConfigFile()); err != nil {
		return nil, err
	}
	o.Getenv = f.Getenv
	c, err := config.Load(o)
	if err != nil {
		return nil, err
	}
	if slices.Contains(sandbox.Names(), c.Sandbox.Backend) {
		return c, nil
	}
	return nil, usageError{
		message: fmt.Sprintf("sandbox.backend is %q (from %s), which is not known", c.Sandbox.Backend, c.Origin("sandbox.backend")),
		hint:    "use one of: " + strings.Join(sandbox.Names(), ", "),
	}
}
