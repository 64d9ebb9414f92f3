// Package chat puts a chat together: an app, its skills and tools, a model, a
// session. It is what `agentctl chat` runs and what another program would use.
package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/agentctl/agentctl/internal/registry"
	"github.com/agentctl/agentctl/pkg/agent"
	"github.com/agentctl/agentctl/pkg/agent/app"
	"github.com/agentctl/agentctl/pkg/agent/builtin"
	"github.com/agentctl/agentctl/pkg/agent/model/choose"
	"github.com/agentctl/agentctl/pkg/agent/prompt"
	"github.com/agentctl/agentctl/pkg/agent/session"
	"github.com/agentctl/agentctl/pkg/agent/textmode"
	"github.com/agentctl/agentctl/pkg/skill"
	"github.com/agentctl/agentctl/pkg/toolpkg"
)

// Config is what a chat is made of.
type Config struct {
	App *app.App
	// System is appended to the app's body.
	System string
	// Skills is the resolver of all skills in the app's sources.
	Skills skill.Resolver
	// Catalog has the prebuilt tool packages.
	Catalog *toolpkg.Catalog
	// Env is what the tools work on. Its Skills function is set here.
	Env *builtin.Env
	// Model answers; only its properties are used by [Compose].
	Model *choose.Choice
	// Sandbox is the name of the backend that was asked for, for the record.
	Sandbox string
	// Trusted workspaces may attach skills and context files.
	Trusted bool

	Approver agent.Approver
	MaxSteps int
	// Log keeps the records, Records are those of earlier runs.
	Log     agent.Recorder
	Records []session.Record
	Watch   func(session.Record)
}

// Prompt is the fixed part of a session: what every request starts with.
type Prompt struct {
	System string
	Tools  []agent.Tool
	// Skills are those of the index in System.
	Skills []*skill.Item
}

// Chat answers turns.
type Chat struct {
	mu     sync.Mutex // for config: a screen asks for names while a person changes it
	config Config
	prompt Prompt
	agent  *agent.Agent
	// held keeps the builds of tool packages in place while the chat lasts.
	held []func()
}

// now is what the chat is made of at this moment.
func (c *Chat) now() Config {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.config
}

func (c *Chat) setConfig(config Config) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.config = config
}

// AppError reports an app that cannot start: each problem with its fix.
type AppError struct {
	App string
	Err error
}

func (e *AppError) Error() string { return fmt.Sprintf("app %q cannot start: %v", e.App, e.Err) }

// Unwrap returns the problems.
func (e *AppError) Unwrap() error { return e.Err }

// Compose makes the fixed part of a session. The error is an [*AppError] for an
// app that selects what does not exist, or that of reading skills.
func Compose(ctx context.Context, c Config) (Prompt, error) {
	view, err := c.view(ctx)
	if err != nil {
		return Prompt{}, err
	}
	index := c.sessionSkills(view)
	c.Env.Skills = c.view
	anySkill := len(view.Winners()) > 0
	tools, err := c.tools(anySkill)
	if err != nil {
		return Prompt{}, &AppError{App: c.App.Ref(), Err: err}
	}
	p := prompt.Parts{
		Body:   strings.TrimSpace(c.App.Prompt + "\n\n" + c.System),
		Skills: anySkill,
		Tools:  len(tools) > 0,
		Index:  skill.Index(index, skill.SessionTag, skill.Budget(c.Model.ContextWindow)).Text,
	}
	if prompt.WantsInventory(c.Model.Inventory, c.App.Inventory, c.native(), c.Model.ContextWindow) {
		p.Inventory = prompt.Inventory(agent.Specs(tools))
	}
	out := Prompt{System: prompt.System(p), Tools: tools, Skills: index}
	if c.Model.ToolMode == agent.ToolModeText {
		out.System = textmode.System(out.System, agent.Specs(tools))
	}
	return out, nil
}

// native tells whether the model calls tools by itself, as far as it is known: a
// setting counts, else small models are not trusted to.
func (c Config) native() bool {
	switch c.Model.ToolMode {
	case "native":
		return true
	case "", "auto":
		return !c.Model.Small
	}
	return false
}

// view is what the model may see: the app's shared skills, all others of its
// sources.
func (c Config) view(ctx context.Context) (*skill.Listing, error) {
	if c.App.NoSkills {
		return &skill.Listing{Kind: "skill"}, nil
	}
	l, err := c.Skills.Load(ctx)
	if err != nil {
		return nil, err
	}
	return skill.ModelView(l, c.App.OffersSkill), nil
}

// sessionSkills are those of the index; the workspace's come with the turns.
func (c Config) sessionSkills(view *skill.Listing) []*skill.Item {
	return ofWorkspace(view, false)
}

func ofWorkspace(view *skill.Listing, want bool) []*skill.Item {
	var out []*skill.Item
	for _, it := range view.Winners() {
		if (it.Source.Name == skill.SourceWorkspace) == want {
			out = append(out, it)
		}
	}
	return out
}

// tools are the functions of this chat: read_skill, the built-ins, the packages'
// commands.
func (c Config) tools(anySkill bool) ([]agent.Tool, error) {
	names, selectors := c.selection()
	withSkills := anySkill && !c.App.NoSkills
	reserved := slices.Clone(names)
	if !c.App.NoSkills {
		reserved = append(reserved, builtin.ReadSkill)
	}
	fns, err := c.Catalog.Select(toolpkg.Selection{Selectors: selectors, Aliases: c.App.Aliases, Reserved: reserved})
	if err != nil {
		return nil, err
	}
	return append(builtin.Tools(c.Env, names, withSkills), builtin.PackageTools(c.Env, fns)...), nil
}

// selection splits an app's tools into built-ins and packages.
func (c Config) selection() (names, selectors []string) {
	if !c.App.Tools.Set {
		return builtin.Names(), nil
	}
	for _, n := range c.App.Tools.Names {
		if slices.Contains(builtin.Names(), n) {
			names = append(names, n)
		} else {
			selectors = append(selectors, n)
		}
	}
	if c.App.Tools.All {
		selectors = append(selectors, "*")
	}
	return names, selectors
}

// Open starts a session, or goes on with the one whose records are given: then
// the system prompt stays as it was.
func Open(ctx context.Context, c Config) (*Chat, error) {
	p, err := Compose(ctx, c)
	if err != nil {
		return nil, err
	}
	c.Env.SkillsRead = skillsRead(c.Records)
	started := lastInit(c.Records)
	if started != nil {
		p.System = started.System
	}
	ch := &Chat{config: c, prompt: p, agent: &agent.Agent{
		System: p.System, Tools: p.Tools,
		Approver: c.Approver, Log: c.Log, Watch: c.Watch, MaxSteps: c.MaxSteps, History: c.Records,
	}}
	ch.useModel(c.Model)
	ch.agent.SkillNames = ch.skillNames
	ch.hold(c.Catalog.Packages)
	return ch, ch.agent.Note(session.Init{
		App: c.App.Ref(), Model: c.Model.Name, Workspace: c.Env.Workspace, Sandbox: c.Sandbox,
		Resumed: started != nil, System: p.System, Tools: agent.Specs(p.Tools),
	})
}

// lastInit has what the requests of the session start with; a reload made it anew.
func lastInit(records []session.Record) *session.Init {
	for _, r := range slices.Backward(records) {
		if b, ok := r.Body.(session.Init); ok {
			return &b
		}
	}
	return nil
}

// skillsRead are the skills that earlier runs loaded, also those that were killed.
func skillsRead(records []session.Record) []string {
	var names []string
	for _, r := range session.SkillReads(records) {
		names = append(names, r.Name)
	}
	return names
}

// hold keeps the packages' builds from being cleaned up by a prebuild.
func (c *Chat) hold(packages []*toolpkg.Package) {
	for _, p := range packages {
		c.held = append(c.held, p.Hold())
	}
}

// Close lets go of what the chat holds. The session's log is the caller's.
func (c *Chat) Close() {
	for _, release := range c.held {
		release()
	}
	c.held = nil
}

// Turn answers what the user said.
func (c *Chat) Turn(ctx context.Context, text string) (session.Result, error) {
	return c.Say(ctx, session.User{Text: text})
}

// Say is [Chat.Turn] with a whole record of the user's, see [Chat.Invoke].
func (c *Chat) Say(ctx context.Context, user session.User) (session.Result, error) {
	attached, err := c.attach(ctx)
	if err != nil {
		return session.Result{Stop: session.StopError, Model: c.now().Model.Name}, err
	}
	return c.agent.Say(ctx, user, attached)
}

// skillNames are the skills that the model can read now.
func (c *Chat) skillNames() []string {
	view, err := c.now().view(context.Background())
	if err != nil {
		return nil
	}
	var names []string
	for _, it := range view.Winners() {
		names = append(names, it.Name)
	}
	return names
}

// Warn records something that the person should know.
func (c *Chat) Warn(w session.Warning) error { return c.agent.Note(w) }

// Finish records the result of a run.
func (c *Chat) Finish(r session.Result) error { return c.agent.Note(r) }

// attach is what goes with this turn, and makes read_skill appear with the first skill.
func (c *Chat) attach(ctx context.Context) (session.Context, error) {
	if !c.now().Trusted {
		return session.Context{}, nil
	}
	view, err := c.now().view(ctx)
	if err != nil {
		return session.Context{}, err
	}
	c.addReadSkill(len(view.Winners()) > 0)
	files, err := c.contextFiles()
	if err != nil {
		return session.Context{}, err
	}
	return prompt.Attach(prompt.Turn{
		Skills: ofWorkspace(view, true), Session: c.prompt.Skills,
		Budget: skill.Budget(c.now().Model.ContextWindow), Files: files,
	}, c.agent.History), nil
}

func (c *Chat) addReadSkill(anySkill bool) {
	has := slices.ContainsFunc(c.agent.Tools, func(t agent.Tool) bool { return t.Spec().Name == builtin.ReadSkill })
	if has || !anySkill || c.now().App.NoSkills {
		return
	}
	c.agent.SetTools(append(slices.Clone(c.agent.Tools), builtin.Tools(c.now().Env, nil, true)...))
}

// contextFiles reads the app's context files that exist. They are in the
// workspace: a link that leaves it is refused.
func (c *Chat) contextFiles() (map[string]string, error) {
	files := map[string]string{}
	if c.now().Env.Workspace == "" {
		return files, nil
	}
	root, err := os.OpenRoot(c.now().Env.Workspace)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for _, path := range c.now().App.ContextFiles {
		// A pipe would never end, and a folder is no text.
		info, err := root.Stat(filepath.FromSlash(path))
		if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
			continue
		}
		if err == nil {
			files[path], err = readContext(root, path)
		}
		if err != nil {
			return nil, unreadable(path, err)
		}
	}
	return files, nil
}

// readContext reads as much as is attached: agents append to these files. Each byte
// that is no UTF-8 becomes a character of its own, so that none is missing.
func readContext(root *os.Root, path string) (string, error) {
	f, err := root.Open(filepath.FromSlash(path))
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, prompt.MaxContextBytes))
	return string([]rune(string(data))), err
}

// unreadable is the error of a context file that is there.
func unreadable(path string, err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err
	}
	return fmt.Errorf("context file %q cannot be read (%w); a link that leaves the workspace is refused: remove it, or name others in context-files of APP.md", path, err)
}

// NotFoundError is what a selector or a skill name that does not exist ends in.
type NotFoundError = registry.NotFoundError
