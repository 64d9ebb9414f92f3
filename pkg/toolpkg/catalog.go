package toolpkg

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/registry"
	"github.com/agentctl/agentctl/internal/suggest"
)

// Catalog is a snapshot of all prebuilt packages, with the names of those that
// have a source and no build. It is immutable.
type Catalog struct {
	// Packages are the usable ones, sorted by name.
	Packages []*Package
	// Unbuilt are names of source packages without a build, sorted.
	Unbuilt []string
	// Broken are prebuilt packages that do not load, by name.
	Broken map[string]error
	// Diagnostics are what was found wrong, sorted.
	Diagnostics []diag.Diagnostic
	// Sources is what the unbuilt ones were found in; it may be nil.
	Sources *Sources
	// Out is the folder that prebuild writes, "" where nobody knows: a package in it
	// without a source is what one that was removed has left.
	Out string

	prebuilt *registry.Listing[*Package]
}

// prebuiltKind is how the registry finds prebuilt packages.
func prebuiltKind() registry.Kind[*Package] {
	return registry.Kind[*Package]{Name: "tool package", Depth: 1, Detect: detectPrebuilt, Parse: parsePrebuilt}
}

func detectPrebuilt(entries []fs.DirEntry) (manifest string, ok bool) {
	ok = slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == currentName && !e.IsDir() })
	return currentName, ok
}

func parsePrebuilt(_ context.Context, l registry.Location) (registry.Parsed[*Package], []diag.Diagnostic, error) {
	p, err := LoadPackage(l.Dir)
	if err == nil {
		err = p.Usable()
	}
	if err != nil {
		return registry.Parsed[*Package]{}, []diag.Diagnostic{{
			File: l.File(), Severity: diag.Error, Code: "tool.broken", Message: err.Error(), Fix: cure(err),
		}}, err
	}
	return registry.Parsed[*Package]{Value: p, Name: p.Name}, nil, nil
}

func cure(err error) string {
	if e, ok := errors.AsType[interface {
		error
		Cure() string
	}](err); ok {
		return e.Cure()
	}
	return ""
}

// LoadCatalog reads the prebuilt packages below the roots, in order of
// precedence. sources, which may be nil, tells which packages could be built.
// The error is that of ctx.
func LoadCatalog(ctx context.Context, prebuilt []string, sources *Sources) (*Catalog, error) {
	var roots []registry.Source
	for i, root := range prebuilt {
		roots = append(roots, registry.Source{Name: "prebuilt", Rank: i, Root: root})
	}
	l, err := prebuiltKind().Load(ctx, roots, registry.Options{})
	if err != nil {
		return nil, err
	}
	c := &Catalog{Diagnostics: append(slices.Clone(l.Diagnostics), missingRoots(roots)...), Sources: sources, Broken: map[string]error{}, prebuilt: l}
	for _, it := range l.Winners() {
		c.Packages = append(c.Packages, it.Value)
	}
	for _, b := range l.Broken {
		if c.find(b.Name) == nil {
			c.Broken[b.Name] = &BrokenError{Package: b.Name, Reason: brokenReason(b)}
		}
	}
	if sources != nil {
		c.addSources(sources)
	}
	diag.Sort(c.Diagnostics)
	return c, nil
}

// brokenReason is the reason without the sentence that names the package.
func brokenReason(b *registry.Broken) string {
	_, reason, ok := strings.Cut(b.Diagnostics[0].Message, "cannot be used: ")
	if !ok {
		return b.Diagnostics[0].Message
	}
	return reason
}

func (c *Catalog) addSources(sources *Sources) {
	c.Diagnostics = append(c.Diagnostics, sources.Diagnostics...)
	for _, it := range sources.Winners() {
		if c.find(it.Name) == nil && c.Broken[it.Name] == nil {
			c.Unbuilt = append(c.Unbuilt, it.Name)
		}
	}
}

func (c *Catalog) find(name string) *Package {
	for _, p := range c.Packages {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// Package returns a package by name. The error is a [*NotBuiltError], a
// [*BrokenError] or a [*NotFoundError].
func (c *Catalog) Package(name string) (*Package, error) {
	if p := c.find(name); p != nil {
		return p, nil
	}
	if err := c.Broken[name]; err != nil {
		return nil, err
	}
	if slices.Contains(c.Unbuilt, name) {
		return nil, &NotBuiltError{Package: name}
	}
	e := c.notFound("tool package", name, c.names())
	e.Broken = slices.Sorted(maps.Keys(c.Broken))
	e.Nearest = suggest.Nearest(name, slices.Concat(e.Available, e.Broken), 3)
	return nil, e
}

// names are those of all packages, usable or not.
func (c *Catalog) names() []string {
	var names []string
	for _, p := range c.Packages {
		names = append(names, p.Name)
	}
	return append(names, c.Unbuilt...)
}

func (c *Catalog) notFound(kind, name string, available []string) *NotFoundError {
	slices.Sort(available)
	return &NotFoundError{
		Kind: kind, Name: name, Available: available, Looked: c.prebuilt.Looked,
		Nearest: suggest.Nearest(name, available, 3),
	}
}

// Find returns the command that PKG:CMD or a bare CMD means, in its own or its
// function's spelling. The error is that of [Catalog.Package], an
// [*AmbiguousError], or a [*NotFoundError] that lists what exists.
func (c *Catalog) Find(name string) (*Package, Command, error) {
	if pkg, cmd, ok := strings.Cut(name, ":"); ok {
		p, err := c.Package(pkg)
		if err != nil {
			return nil, Command{}, err
		}
		command, err := p.Command(cmd)
		return p, command, err
	}
	if err := c.Broken[name]; err != nil {
		return nil, Command{}, err // nobody knows its commands, and another's may not be meant
	}
	var owners []string
	var pkg *Package
	var found Command
	for _, p := range c.Packages {
		if command, err := p.Command(name); err == nil {
			pkg, found = p, command
			owners = append(owners, p.Name+":"+command.Name)
		}
	}
	switch len(owners) {
	case 0:
		return nil, Command{}, c.noCommand(name)
	case 1:
		return pkg, found, nil
	}
	return nil, Command{}, &AmbiguousError{Command: name, Owners: owners}
}

func (c *Catalog) noCommand(name string) error {
	if p := c.find(name); p != nil {
		e := &NotFoundError{Kind: "tool", Name: name}
		for _, command := range p.Commands {
			e.Available = append(e.Available, p.Name+":"+command.Name)
		}
		return e
	}
	var all []string
	for _, p := range c.Packages {
		for _, command := range p.Commands {
			all = append(all, p.Name+":"+command.Name)
		}
	}
	e := c.notFound("tool", name, all)
	for _, full := range all { // the name after the colon may be what was meant
		_, command, _ := strings.Cut(full, ":")
		if len(suggest.Nearest(name, []string{command}, 1)) > 0 && !slices.Contains(e.Nearest, full) {
			e.Nearest = append(e.Nearest, full)
		}
	}
	return e
}

func (p *Package) commandNotFound(name string) error {
	e := &NotFoundError{Kind: "command", Name: p.Name + ":" + name}
	var names []string
	for _, c := range p.Commands {
		names, e.Available = append(names, c.Name), append(e.Available, p.Name+":"+c.Name)
	}
	for _, near := range suggest.Nearest(name, names, 3) {
		e.Nearest = append(e.Nearest, p.Name+":"+near)
	}
	return e
}

// Function is one command as an app offers it.
type Function struct {
	// Name is the function name: the alias, if the app gives one.
	Name    string
	Package *Package
	Command Command
}

// Key is "pkg:cmd", by which approvals are remembered.
func (f Function) Key() string { return f.Package.Name + ":" + f.Command.Name }

// Selection is what an app selects from a catalog.
type Selection struct {
	// Selectors are "pkg", "pkg:cmd" or "*" for every prebuilt package.
	Selectors []string
	// Aliases give commands ("pkg:cmd") another function name.
	Aliases map[string]string
	// Reserved are names that are taken, those of built-in tools.
	Reserved []string
}

// Select returns the functions of an app, sorted by package and command. All
// that is wrong comes back joined: what [Catalog.Find] says about a selector or
// an alias, and a [*CollisionError] for each name that two tools have.
func (c *Catalog) Select(s Selection) ([]Function, error) {
	var out []Function
	var errs []error
	for _, selector := range s.Selectors {
		more, err := c.selected(selector)
		out, errs = append(out, more...), append(errs, err)
	}
	slices.SortFunc(out, compareFunctions)
	out = slices.CompactFunc(out, func(a, b Function) bool { return a.Key() == b.Key() })
	errs = append(errs, c.rename(out, s.Aliases), c.collisions(out, s.Reserved))
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return out, nil
}

func compareFunctions(a, b Function) int {
	return cmp.Or(cmp.Compare(a.Package.Name, b.Package.Name), cmp.Compare(a.Command.Name, b.Command.Name))
}

func (c *Catalog) selected(selector string) ([]Function, error) {
	if selector == "*" {
		var out []Function
		for _, p := range c.Packages {
			out = append(out, functions(p)...)
		}
		return out, nil
	}
	if strings.Contains(selector, ":") {
		p, command, err := c.Find(selector)
		if err != nil {
			return nil, err
		}
		return []Function{{command.Tool(), p, command}}, nil
	}
	p, err := c.Package(selector)
	if err != nil {
		return nil, err
	}
	return functions(p), nil
}

func functions(p *Package) []Function {
	out := make([]Function, len(p.Commands))
	for i, command := range p.Commands {
		out[i] = Function{command.Tool(), p, command}
	}
	return out
}

// rename gives the functions their aliases. An alias for something that is not
// selected is left alone: the app may select it by another profile.
func (c *Catalog) rename(fns []Function, aliases map[string]string) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(aliases)) {
		target := aliases[name]
		if _, ok := FunctionName(name); !ok {
			errs = append(errs, &ArgError{Arg: name, Reason: "as an alias is no function name"})
			continue
		}
		if !strings.Contains(target, ":") {
			errs = append(errs, &ArgError{Arg: target, Reason: "in aliases wants the form pkg:cmd"})
			continue
		}
		p, command, err := c.Find(target)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for i := range fns {
			if fns[i].Package == p && fns[i].Command.Name == command.Name {
				fns[i].Name, _ = FunctionName(name)
			}
		}
	}
	return errors.Join(errs...)
}

func (c *Catalog) collisions(fns []Function, reserved []string) error {
	owner, orphan := map[string]string{}, map[string]string{}
	for _, name := range reserved {
		owner[name] = "built-in " + name
	}
	taken := func(name string) bool {
		return owner[name] != "" || slices.ContainsFunc(fns, func(f Function) bool { return f.Name == name })
	}
	var errs []error
	for _, f := range fns {
		first := owner[f.Name]
		if first == "" {
			owner[f.Name], orphan[f.Name] = f.Key(), c.Orphan(f.Package)
			continue
		}
		errs = append(errs, &CollisionError{
			Tool: f.Name, First: first, Second: f.Key(), Alias: freeName(f, taken), Orphan: cmp.Or(orphan[f.Name], c.Orphan(f.Package)),
		})
	}
	return errors.Join(errs...)
}

// freeName proposes package_command, cut to what providers take.
func freeName(f Function, taken func(string) bool) string {
	name, _ := FunctionName(f.Package.Name + "_" + f.Command.Name)
	if name[0] >= '0' && name[0] <= '9' {
		name = "_" + name
	}
	name = name[:min(len(name), 64)]
	for n := '2'; taken(name) && n <= '9'; n++ {
		name = name[:min(len(name), 62)] + "_" + string(n)
	}
	return name
}
