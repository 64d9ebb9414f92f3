package builtin

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/agentctl/agentctl/pkg/sandbox"
	"github.com/agentctl/agentctl/pkg/skill"
)

// Env is what the tools of one session work on. Its fields do not change while
// the session lasts; a nil function means that the chat does not have it.
type Env struct {
	// Workspace and Home are absolute. Without a workspace, or with one that is
	// Home or above it, there are no files for the model.
	Workspace, Home string
	// Protect are further absolute paths that nothing may write: roots of skills,
	// apps and packages that the configuration names.
	Protect []string
	// Artifacts is the folder for outputs that are too long for a model; "" means
	// .agentctl/artifacts in the workspace.
	Artifacts string

	// Skills returns what the model may see ([skill.ModelView]); it is asked anew
	// at each call, so that an edit counts at once.
	Skills func(ctx context.Context) (*skill.Listing, error)
	// SkillsDir is where save_skill writes; "" means that there is no place.
	SkillsDir string
	// SkillsRead are the names of skills that earlier runs of the session read.
	SkillsRead []string

	// Backend opens the sandbox at the first call that runs something.
	Backend func(ctx context.Context) (sandbox.Backend, error)
	// Python says what runs the Python scripts of a skill that has an environment
	// of its own; nil, or an empty answer, means the system's python3.
	Python func(ctx context.Context, it *skill.Item) (Python, error)
	// Grants are the variables that the user lets packages have, by package;
	// LookupEnv reads them.
	Grants    map[string][]string
	LookupEnv func(name string) (string, bool)
	// Unconfined: the user chose to run without a sandbox; approvals say so.
	Unconfined bool

	mu        sync.Mutex
	functions map[string][]string // normal form of a name: functions that it means
	names     []string            // all names of all tools, as allowed-tools may spell them
	read      map[string]string   // name of a skill that was read: its folder
}

// Python is an interpreter with the packages that a skill's scripts want.
type Python struct {
	// Interpreter is an absolute path; "" means the system's python3.
	Interpreter string
	// ReadOnly are the absolute paths that it needs to see.
	ReadOnly []string
	// Unprepared is the command that makes the environment which the skill wants
	// and does not have; "" when there is nothing to make.
	Unprepared string
}

// register makes the names of a tool known, for [Env.ToolNames] and for those
// who call it like a program.
func (e *Env) register(function string, names ...string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.functions == nil {
		e.functions = map[string][]string{}
	}
	for _, name := range append([]string{function}, names...) {
		if key := normal(name); !slices.Contains(e.functions[key], function) {
			e.functions[key] = append(e.functions[key], function)
		}
		if !slices.Contains(e.names, name) {
			e.names = append(e.names, name)
		}
	}
}

// ToolNames are all names that the tools of this session answer to: functions,
// packages and pkg:cmd.
func (e *Env) ToolNames() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.names)
}

// SkillNames are the names of the skills that the model may see, for the answer
// to a call of a tool that does not exist.
func (e *Env) SkillNames(ctx context.Context) ([]string, error) {
	if e.Skills == nil {
		return nil, nil
	}
	view, err := e.Skills(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, it := range view.Winners() {
		names = append(names, it.Name)
	}
	return names, nil
}

// functionsOf returns the functions that a name means: several for a package.
func (e *Env) functionsOf(name string) []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.functions[normal(name)]
}

// workspace is what commands see of it.
func (e *Env) workspace() sandbox.WorkspaceOptions {
	return sandbox.WorkspaceOptions{Dir: e.Workspace, Home: e.Home, Protect: e.Protect}
}

// normal is the form in which names of tools are compared.
func normal(name string) string {
	return strings.NewReplacer("-", "_", ".", "_").Replace(strings.ToLower(strings.TrimSpace(name)))
}

// MarkRead remembers that the model has a skill, so that it may look into its folder.
func (e *Env) MarkRead(name, dir string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.read == nil {
		e.read = map[string]string{}
	}
	e.read[name] = dir
}

// skillFolders returns the folders of the skills that this session has read, by
// name. Those of earlier runs are looked up once they are needed.
func (e *Env) skillFolders(ctx context.Context) (map[string]string, error) {
	e.mu.Lock()
	earlier := e.SkillsRead
	e.SkillsRead = nil
	e.mu.Unlock()
	if len(earlier) > 0 && e.Skills != nil {
		if err := e.markEarlier(ctx, earlier); err != nil {
			return nil, err
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return maps.Clone(e.read), nil
}

func (e *Env) markEarlier(ctx context.Context, names []string) error {
	view, err := e.Skills(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		res, err := view.Resolve(name)
		if err != nil {
			continue // gone, or switched off meanwhile
		}
		dir, err := skill.Dir(ctx, res.Winner)
		if err != nil {
			return err
		}
		e.MarkRead(res.Winner.Name, dir)
	}
	return nil
}
