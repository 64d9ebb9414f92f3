package cli

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/agentctl/agentctl/internal/config"
	"github.com/agentctl/agentctl/internal/fspath"
	"github.com/agentctl/agentctl/internal/workspace"
	"github.com/agentctl/agentctl/pkg/agent/builtin"
	"github.com/agentctl/agentctl/pkg/skill"
	"github.com/agentctl/agentctl/skills"
)

// SkillScope says which skills a verb is about. The zero value is all sources of
// the workspace.
type SkillScope struct {
	// Path is one folder of skills, looked at alone.
	Path string
	// Which are the classes of sources; nil means all.
	Which []string
	// App adds the package skills of an app.
	App *skillApp
	// Extra are folders of single skills that the user named.
	Extra []string
}

// loadSkills returns the resolver of a scope.
func (f *Factory) loadSkills(s SkillScope) (skill.Resolver, error) {
	disabled, err := f.disabledSkills()
	if err != nil {
		return nil, err
	}
	lib := &skill.Library{Disabled: disabled, HeldBack: f.heldBack, CacheDir: f.Dirs.Cache}
	if s.Path != "" {
		lib.Sources, err = skill.PathSources(s.Path)
		return lib, err
	}
	lib.Sources, err = f.skillSources(s)
	return lib, err
}

func (f *Factory) skillSources(s SkillScope) ([]skill.Source, error) {
	ws, err := f.Workspace()
	if err != nil {
		return nil, err
	}
	trusted, err := f.Trusted()
	if err != nil {
		return nil, err
	}
	c, err := f.Config()
	if err != nil {
		return nil, err
	}
	o := skill.SourceOptions{
		SharedOfWorkspace: setBy(c, ws, "skills.shared"), DirOfWorkspace: setBy(c, ws, "skills.dir"),
		Workspace: ws, Dir: skillRoot(c, ws), Trusted: trusted, Dirs: f.Dirs,
		Shared: c.Skills.Shared, Embedded: skills.FS, Which: s.Which, Extra: s.Extra,
	}
	if s.App != nil {
		o.Package, o.PackageFS, o.Which = s.App.packageSkills, s.App.packageFS, s.App.sources
	}
	return skill.Sources(o), nil
}

// setBy tells whether the workspace's own configuration sets a value.
func setBy(c *config.Loaded, ws, key string) bool {
	file := filepath.Join(ws, workspace.ConfigFile)
	return slices.ContainsFunc(c.Values, func(v config.Value) bool { return v.Key == key && v.Origin == file })
}

// skillRoot is where the configuration wants skills of the workspace.
func skillRoot(c *config.Loaded, ws string) string {
	dir := cmp.Or(c.Skills.Dir, workspace.SkillDir)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(ws, dir)
	}
	return dir
}

// skillDir is where skills of the workspace are written. A workspace that is not
// trusted cannot send them somewhere else.
func (f *Factory) skillDir() (string, error) {
	ws, err := f.Workspace()
	if err != nil {
		return "", err
	}
	trusted, err := f.Trusted()
	if err != nil {
		return "", err
	}
	c, err := f.Config()
	if err != nil {
		return "", err
	}
	dir := skillRoot(c, ws)
	if fspath.Within(ws, dir) || trusted || !setBy(c, ws, "skills.dir") {
		return dir, nil
	}
	return "", refusedError{
		message: fmt.Sprintf("%s writes skills to %s, outside of a workspace that is not trusted", workspace.ConfigFile, dir),
		hint:    "agentctl trust, or pass --dir",
	}
}

// disabledSkills tells which names are switched off: by the user's own switch,
// else by the configuration.
func (f *Factory) disabledSkills() (func(string) bool, error) {
	ws, err := f.Workspace()
	if err != nil {
		return nil, err
	}
	c, err := f.Config()
	if err != nil {
		return nil, err
	}
	switches, err := f.State().SkillSwitches(ws)
	if err != nil {
		return nil, err
	}
	return func(name string) bool {
		if on, set := f.switches.get(name); set {
			return !on
		}
		if on, set := switches[name]; set {
			return !on
		}
		return slices.Contains(c.Skills.Disabled, name)
	}, nil
}

// openSkillApp reads what an app says about skills.
func (f *Factory) openSkillApp(ctx context.Context, ref string) (*skillApp, error) {
	a, err := f.App(ctx, ref)
	if err != nil {
		return nil, err
	}
	c, err := f.Config()
	if err != nil {
		return nil, err
	}
	out := skillAppOf(a)
	for _, m := range c.Models {
		if m.Name == cmp.Or(a.Model, c.Chat.Model) {
			out.window = m.ContextWindow
		}
	}
	return out, nil
}

// knownTools are the names that a skill's allowed-tools can mean: built-in tools
// and the commands of packages, prebuilt or not.
func (f *Factory) knownTools(ctx context.Context) ([]string, error) {
	catalog, err := f.toolCatalog(ctx)
	if err != nil {
		return nil, err
	}
	names := append(builtin.Names(), builtin.ReadSkill, "python_exec")
	for _, p := range catalog.Packages {
		names = append(names, p.Name)
		for _, c := range p.Commands {
			names = append(names, p.Name+":"+c.Name)
		}
	}
	return append(names, catalog.Unbuilt...), nil
}

// skillSwitches are the skills that were switched in this run alone.
type skillSwitches struct {
	mu sync.Mutex
	on map[string]bool
}

func (s *skillSwitches) set(name string, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.on == nil {
		s.on = map[string]bool{}
	}
	s.on[name] = on
}

func (s *skillSwitches) get(name string) (on, set bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	on, set = s.on[name]
	return on, set
}
