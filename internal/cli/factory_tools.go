package cli

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/frontmatter"
	"github.com/agentctl/agentctl/internal/registry"
	"github.com/agentctl/agentctl/internal/workspace"
	"github.com/agentctl/agentctl/pkg/sandbox"
	"github.com/agentctl/agentctl/pkg/toolpkg"
)

// toolsFactory is what the tool verbs need of the factory, as functions that a
// test can replace.
type toolsFactory struct {
	Catalog    func(ctx context.Context) (*toolpkg.Catalog, error)
	Sources    func(ctx context.Context) (*toolpkg.Sources, error)
	Prebuilder func(sandboxName string) (*toolpkg.Prebuilder, error)
	Cwd        func() (string, error)
}

func (f *Factory) tools() toolsFactory {
	return toolsFactory{Catalog: f.shownCatalog, Sources: f.toolSources, Prebuilder: f.prebuilder, Cwd: func() (string, error) { return f.Cwd() }}
}

// toolSources lists the source packages of the workspace and the configuration.
func (f *Factory) toolSources(ctx context.Context) (*toolpkg.Sources, error) {
	ws, err := f.Workspace()
	if err != nil {
		return nil, err
	}
	c, err := f.Config()
	if err != nil {
		return nil, err
	}
	return toolpkg.LoadSources(ctx, toolpkg.SourceRoots(ws, c.Tools.Sources))
}

// toolCatalog reads what is prebuilt, and which sources are not.
func (f *Factory) toolCatalog(ctx context.Context) (*toolpkg.Catalog, error) {
	sources, err := f.toolSources(ctx)
	if err != nil {
		return nil, err
	}
	roots, err := f.prebuiltRoots()
	if err != nil {
		return nil, err
	}
	l, err := toolpkg.LoadCatalog(ctx, roots, sources)
	if err != nil {
		return nil, err
	}
	l.Out, err = f.prebuiltDir()
	return l, err
}

// shownCatalog says also which folder of packages is held back.
func (f *Factory) shownCatalog(ctx context.Context) (*toolpkg.Catalog, error) {
	dir, err := f.prebuiltDir()
	if err != nil {
		return nil, err
	}
	held, err := f.heldBack()
	if err != nil {
		return nil, err
	}
	if overlapsAny(held, dir) {
		f.warnHeld(dir)
	}
	return f.toolCatalog(ctx)
}

// prebuiltRoots are the folders of prebuilt packages, in order of precedence,
// without those that a program made: a package gets what the user granted to its
// name.
func (f *Factory) prebuiltRoots() ([]string, error) {
	out, err := f.prebuiltDir()
	if err != nil {
		return nil, err
	}
	c, err := f.Config()
	if err != nil {
		return nil, err
	}
	held, err := f.heldBack()
	if err != nil {
		return nil, err
	}
	roots := append([]string{out}, c.Tools.Prebuilt...)
	return slices.DeleteFunc(roots, func(root string) bool { return overlapsAny(held, root) }), nil
}

func (f *Factory) prebuiltDir() (string, error) {
	ws, err := f.Workspace()
	return filepath.Join(ws, workspace.Dir, "prebuilt"), err
}

// prebuilder builds into the workspace; the sandbox is opened when it is needed.
func (f *Factory) prebuilder(sandboxName string) (*toolpkg.Prebuilder, error) {
	ws, err := f.Workspace()
	if err != nil {
		return nil, err
	}
	held, err := f.heldBack()
	if err != nil {
		return nil, err
	}
	out := filepath.Join(ws, workspace.Dir, "prebuilt")
	reason := ""
	if overlapsAny(held, out) {
		reason = "a program made it, or what lies around it, while it ran: look at it, then run agentctl trust"
	}
	return &toolpkg.Prebuilder{
		Out: out, Workspace: ws, Getenv: f.Getenv, Held: reason,
		Sandbox: func(ctx context.Context) (sandbox.RunFunc, error) {
			b, err := f.Sandbox(ctx, sandboxName)
			if err != nil {
				return nil, err
			}
			return b.Run, nil
		},
	}, nil
}

// toolDir tells whether a NAME is the path of a folder, or of the TOOL.md in one, and
// makes it absolute.
func toolDir(cwd, name string) (dir string, ok bool) {
	if name != "." && name != ".." && name != toolpkg.ManifestName && !strings.ContainsAny(name, `/\`) {
		return "", false
	}
	return registry.PackageFolder(absolutePaths(cwd, []string{name})[0], toolpkg.ManifestName), true
}

// noToolSources is the error of a verb for all packages where there is none: a CI
// job in the wrong folder must not pass.
func noToolSources(act string, looked []string) error {
	return usageError{
		message: "there is no tool package to " + act,
		hint:    "agentctl tool new NAME begins one; looked in: " + strings.Join(looked, ", "),
	}
}

// brokenSource is a package that was asked for and does not load.
type brokenSource struct {
	Name        string
	Diagnostics []diag.Diagnostic // the first is the reason
}

// pick resolves names and folders to source packages, each once, and to those that
// do not load, which stop no others; no names means all of them.
func (t toolsFactory) pick(l *toolpkg.Sources, names []string) (good []*toolpkg.Source, broken []brokenSource, err error) {
	if len(names) == 0 {
		for _, it := range l.Winners() {
			good = append(good, it.Value)
		}
		for _, b := range l.Broken {
			broken = append(broken, brokenSource{b.Name, b.Diagnostics})
		}
		return good, broken, nil
	}
	seen := map[string]bool{}
	for _, name := range names {
		src, err := t.source(l, name)
		bad, ok := asBroken(name, err)
		if err != nil && !ok {
			return nil, nil, err
		}
		key := bad.Name
		if src != nil {
			key = src.Dir
		}
		if seen[key] {
			continue
		}
		if seen[key] = true; src != nil {
			good = append(good, src)
		} else {
			broken = append(broken, bad)
		}
	}
	return good, broken, nil
}

// asBroken takes a package that does not load from the error about it.
func asBroken(name string, err error) (brokenSource, bool) {
	if e, ok := as[*registry.BrokenError](err); ok {
		return brokenSource{e.Name, e.Diagnostics}, true
	}
	if e, ok := as[*frontmatter.StrictError](err); ok {
		return brokenSource{filepath.Base(name), e.Diagnostics}, true
	}
	return brokenSource{}, false
}

func (t toolsFactory) source(l *toolpkg.Sources, name string) (*toolpkg.Source, error) {
	cwd, err := t.Cwd()
	if err != nil {
		return nil, err
	}
	if dir, ok := toolDir(cwd, name); ok {
		return readSourceDir(dir)
	}
	res, err := l.Resolve(name)
	if err != nil {
		return nil, err
	}
	return res.Winner.Value, nil
}

func readSourceDir(dir string) (*toolpkg.Source, error) {
	src, err := toolpkg.ReadSource(dir)
	if err != nil {
		return nil, hintedError{err: err, hint: "name a folder that holds a tool package", exit: exitUsage}
	}
	return src, nil
}
