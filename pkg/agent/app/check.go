package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/suggest"
	"github.com/agentctl/agentctl/pkg/toolpkg"
)

// Known is what exists for an app to name.
type Known struct {
	// Skills are the names that shared skills answer to.
	Skills []string
	// Packages are the tool packages, built or with a source alone.
	Packages []KnownPackage
	// Builtins are the functions that agentctl has itself, without read_skill.
	Builtins []string
	// Model tells why no chat could start with a model of that name, nil if one
	// could, and which names are known; nil means that models are not checked.
	Model func(name string) (names []string, err error)
}

// KnownPackage is one tool package by name.
type KnownPackage struct {
	Name     string
	Commands []string // as the package names them
	Built    bool     // prebuilt and usable
	// Problem says why a package that is not Built cannot be used, and Cure is
	// the command that helps; "" means that it has a source and no build.
	Problem, Cure string
	// Orphan is the folder of a build whose source is gone, "" for any other.
	Orphan string
}

// readSkill comes with the skill index and is never listed.
const readSkill = "read_skill"

// Check tells what keeps a chat from starting with the app: a shared skill, tool
// or package that does not exist, and two tools with one function name. Each
// error has a fix that works: the line to write, or the command to run. The
// app's own diagnostics come first.
func Check(_ context.Context, a *App, k Known) []diag.Diagnostic {
	c := &checker{
		app: a, known: k, diags: slices.Clone(a.Diagnostics),
		skillsFor: map[string]string{}, toolsFor: map[string]string{}, fixes: map[int]func() string{},
	}
	c.aliased = c.aliasesOfApp()
	c.model()
	c.skills()
	c.tools()
	c.aliases()
	c.functions()
	for i, fix := range c.fixes {
		c.diags[i].Fix = c.writable(fix())
	}
	diag.Sort(c.diags)
	return c.diags
}

type checker struct {
	app   *App
	known Known
	diags []diag.Diagnostic
	funcs []function // what the selection comes to, in order

	// What a line has to say in the end: fixes of one line must not undo each
	// other, so each of them is the whole line, made when all is known.
	skillsFor, toolsFor map[string]string // name in the list -> what is meant, "" for nothing
	aliased             map[string]aliased
	fixes               map[int]func() string
}

// function is one tool that a model would see.
type function struct {
	name    string
	owner   string // "pkg:cmd", or the built-in's name
	builtin bool
}

// model warns of a model that is not known here: it may be on another machine.
func (c *checker) model() {
	if c.app.Model == "" || c.known.Model == nil {
		return
	}
	names, err := c.known.Model(c.app.Model)
	if err == nil {
		return
	}
	near := suggest.Nearest(c.app.Model, names, 1)
	var fix func() string
	if len(near) > 0 {
		fix = func() string { return "model: " + flowText(near[0]) }
	}
	c.add(diag.Warning, "model", "app.unknown-model", fix,
		"%v%s: a chat here needs --model, or an entry of models in the configuration", err, didYouMean(near))
}

func (c *checker) skills() {
	if c.app.Skills.Set && !slices.Contains(c.app.SkillSources, "shared") && (c.app.Skills.All || len(c.app.Skills.Names) > 0) {
		c.add(diag.Warning, "skills", "app.skills-without-source", nil,
			"skills has no effect: skill-sources does not have shared")
		return
	}
	for _, name := range c.app.Skills.Names {
		if slices.Contains(c.known.Skills, name) {
			continue
		}
		near := suggest.Nearest(name, c.known.Skills, 1)
		c.skillsFor[name] = first(near)
		c.add(diag.Error, "skills", "app.unknown-skill", c.skillsLine, "shared skill %q does not exist%s", name, didYouMean(near))
	}
}

func (c *checker) skillsLine() string {
	return flowLine("skills", replaced(c.app.Skills, c.skillsFor))
}

func (c *checker) toolsLine() string {
	return flowLine("tools", replaced(c.app.Tools, c.toolsFor))
}

// tools resolves the selection and collects the functions that it comes to.
func (c *checker) tools() {
	sel := c.app.Tools
	if !sel.Set {
		sel.Names = c.known.Builtins
	}
	for _, name := range sel.Names {
		c.tool(name)
	}
	if sel.All {
		for _, p := range c.known.Packages {
			if p.Built {
				c.selectPackage(p, "")
			}
		}
	}
}

func (c *checker) tool(name string) {
	pkg, cmd, isCommand := strings.Cut(name, ":")
	builtin := functionName(name)
	switch {
	case builtin == readSkill:
		c.toolsFor[name] = ""
		c.add(diag.Error, "tools", "app.read-skill-listed", c.toolsLine,
			"read_skill is never listed: it comes with the skill index")
	case !isCommand && slices.Contains(c.known.Builtins, builtin):
		c.funcs = append(c.funcs, function{name: builtin, owner: builtin, builtin: true})
	default:
		i := slices.IndexFunc(c.known.Packages, func(p KnownPackage) bool { return p.Name == pkg })
		if i < 0 {
			c.unknownTool(name)
			return
		}
		c.selectNamed(c.known.Packages[i], cmd, name)
	}
}

// selectNamed selects a package, or one command of it, that the app names.
func (c *checker) selectNamed(p KnownPackage, cmd, selector string) {
	if !p.Built {
		cure := func() string { return cmp.Or(p.Cure, "agentctl tool prebuild "+p.Name) }
		c.add(diag.Error, "tools", "app.package-not-built", cure, "package %q %s", p.Name, cmp.Or(p.Problem, "is not built"))
		return
	}
	if cmd != "" && !slices.ContainsFunc(p.Commands, sameFunction(cmd)) {
		c.toolsFor[selector] = first(selectors(p.Name, suggest.Nearest(cmd, p.Commands, 1)))
		c.add(diag.Error, "tools", "app.unknown-tool", c.toolsLine,
			"package %q has no command %q; it has %s", p.Name, cmd, strings.Join(p.Commands, ", "))
		return
	}
	c.selectPackage(p, cmd)
}

func (c *checker) selectPackage(p KnownPackage, cmd string) {
	for _, name := range p.Commands {
		owner := p.Name + ":" + name
		if cmd != "" && !sameFunction(cmd)(name) || slices.ContainsFunc(c.funcs, func(f function) bool { return f.owner == owner }) {
			continue
		}
		c.funcs = append(c.funcs, function{name: c.nameOf(p.Name, name), owner: owner})
	}
}

// nameOf is the function name of a command: its alias, else its own name.
func (c *checker) nameOf(pkg, cmd string) string {
	if alias := c.aliasOf(pkg + ":" + cmd); alias != "" {
		return functionName(alias)
	}
	return functionName(cmd)
}

func (c *checker) unknownTool(name string) {
	near := suggest.Nearest(name, c.allTools(), 1)
	c.toolsFor[name] = first(near)
	c.add(diag.Error, "tools", "app.unknown-tool", c.toolsLine,
		"tool %q is neither a built-in nor a package%s", name, didYouMean(near))
}

// allTools are the names that tools may list.
func (c *checker) allTools() []string {
	all := slices.Clone(c.known.Builtins)
	for _, p := range c.known.Packages {
		all = append(all, p.Name)
		all = append(all, selectors(p.Name, p.Commands)...)
	}
	return all
}

// add reports a finding at the place where a key was set last. fix is asked when
// everything was looked at; nil is none.
func (c *checker) add(severity diag.Severity, key, code string, fix func() string, format string, args ...any) {
	at := c.place(key)
	if fix != nil {
		c.fixes[len(c.diags)] = fix
	}
	c.diags = append(c.diags, diag.Diagnostic{
		File: at.file, Line: at.line, Column: min(at.line, 1), Severity: severity, Code: code, Message: fmt.Sprintf(format, args...),
	})
}

// place is where a key was set last, else the app's file.
func (c *checker) place(key string) place {
	if at, ok := c.app.places[key]; ok {
		return at
	}
	return place{file: c.app.File}
}

// writable tells how to follow a fix of an embedded file: it cannot be edited,
// but a workspace's app of that name goes before it.
func (c *checker) writable(fix string) string {
	if c.app.Source != SourceEmbedded || strings.HasPrefix(fix, "agentctl ") || strings.HasPrefix(fix, deleteFolder) {
		return fix
	}
	return fmt.Sprintf("mkdir -p apps/%s && agentctl app show %s > apps/%s/%s, then write there: %s",
		c.app.Name, c.app.Ref(), c.app.Name, ManifestFile, fix)
}

func didYouMean(near []string) string {
	if len(near) == 0 {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", near[0])
}

func selectors(pkg string, commands []string) []string {
	out := make([]string, len(commands))
	for i, cmd := range commands {
		out[i] = pkg + ":" + cmd
	}
	return out
}

// functionName is the form in which names of tools are compared and offered.
func functionName(name string) string {
	function, _ := toolpkg.FunctionName(name)
	return function
}

func sameFunction(name string) func(string) bool {
	return func(other string) bool { return functionName(other) == functionName(name) }
}
