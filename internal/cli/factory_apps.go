package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/agentctl/agentctl/apps"
	"github.com/agentctl/agentctl/internal/fspath"
	"github.com/agentctl/agentctl/pkg/agent/app"
	"github.com/agentctl/agentctl/pkg/agent/builtin"
	"github.com/agentctl/agentctl/pkg/agent/model/choose"
	"github.com/agentctl/agentctl/pkg/skill"
	"github.com/agentctl/agentctl/pkg/toolpkg"
)

func (f *Factory) appLibrary() (*app.Library, error) {
	ws, err := f.Workspace()
	if err != nil {
		return nil, err
	}
	trusted, err := f.trustedAt(filepath.Join(ws, "apps"))
	if err != nil {
		return nil, err
	}
	held, err := f.heldBack()
	if err != nil {
		return nil, err
	}
	sources := app.Sources(app.SourceOptions{Workspace: ws, Trusted: trusted, Dirs: f.Dirs, Embedded: apps.FS})
	for i, src := range sources {
		sources[i].Untrusted = src.Untrusted || src.FS == nil && overlapsAny(held, src.Root)
	}
	return &app.Library{Sources: sources}, nil
}

// openApp opens "APP[/PROFILE]", or the folder of an app or profile: one that
// begins with . or /, or that no app is called after. "" is the app of the
// configuration.
func (f *Factory) openApp(ctx context.Context, ref string) (*app.App, error) {
	if ref == "" {
		c, err := f.Config()
		if err != nil {
			return nil, err
		}
		ref = cmp.Or(c.Chat.App, app.DefaultName)
	}
	if ref == "." || strings.HasPrefix(ref, "./") || strings.HasPrefix(ref, "../") || filepath.IsAbs(ref) {
		return f.openAppDir(ctx, ref)
	}
	lib, err := f.Apps()
	if err != nil {
		return nil, err
	}
	a, err := lib.Open(ctx, ref)
	if _, missing := errors.AsType[*app.NotFoundError](err); missing && f.isAppDir(ref) {
		return f.openAppDir(ctx, ref)
	}
	return a, err
}

func (f *Factory) isAppDir(ref string) bool {
	cwd, err := f.Cwd()
	if err != nil {
		return false
	}
	return app.IsDir(filepath.Join(cwd, ref))
}

// openAppDir opens a folder. It is as trusted as the workspace that it lies in.
func (f *Factory) openAppDir(ctx context.Context, ref string) (*app.App, error) {
	cwd, err := f.Cwd()
	if err != nil {
		return nil, err
	}
	a, err := app.OpenDir(ctx, absolutePaths(cwd, []string{ref})[0])
	if err != nil {
		return nil, err
	}
	ws, err := f.Workspace()
	if err != nil {
		return nil, err
	}
	trusted, err := f.trustedAt(a.Dir)
	a.Untrusted = !trusted && fspath.Within(ws, a.Dir)
	return a, err
}

// appKnown is what exists for apps to name: shared skills, tool packages and
// the built-in tools.
func (f *Factory) appKnown(ctx context.Context) (app.Known, error) {
	catalog, err := f.toolCatalog(ctx)
	if err != nil {
		return app.Known{}, err
	}
	k, err := f.appKnownWith(ctx, catalog)
	k.Model = func(name string) ([]string, error) { return f.checkModel(ctx, name) }
	return k, err
}

// checkModel tells why no chat can start with the model of an app, and which names
// of models are known. Nobody is asked.
func (f *Factory) checkModel(ctx context.Context, name string) ([]string, error) {
	conf, err := f.Config()
	if err != nil {
		return nil, err
	}
	cwd, err := f.Cwd()
	if err != nil {
		return nil, err
	}
	_, err = choose.Model(ctx, choose.Request{Flag: name, Config: conf.Config, Getenv: f.Getenv, Cwd: cwd})
	if unknown, ok := as[*choose.UnknownError](err); ok {
		return unknown.Models, fmt.Errorf("model %q is not known", name)
	}
	return nil, err
}

func (f *Factory) appKnownWith(ctx context.Context, catalog *toolpkg.Catalog) (app.Known, error) {
	k := app.Known{Builtins: builtin.Names()}
	resolver, err := f.Skills(SkillScope{Which: []string{skill.SourceShared}})
	if err != nil {
		return k, err
	}
	listing, err := resolver.Load(ctx)
	if err != nil {
		return k, err
	}
	for _, it := range listing.Winners() {
		k.Skills = append(k.Skills, it.Name)
	}
	k.Packages = knownPackages(catalog)
	return k, nil
}

func knownPackages(c *toolpkg.Catalog) []app.KnownPackage {
	var out []app.KnownPackage
	for _, p := range c.Packages {
		known := app.KnownPackage{Name: p.Name, Built: true, Orphan: c.Orphan(p)}
		for _, command := range p.Commands {
			known.Commands = append(known.Commands, command.Name)
		}
		out = append(out, known)
	}
	for _, name := range c.Unbuilt {
		out = append(out, app.KnownPackage{Name: name})
	}
	for name, err := range c.Broken {
		known := app.KnownPackage{Name: name, Problem: "cannot be used"}
		if broken, ok := errors.AsType[*toolpkg.BrokenError](err); ok {
			known.Problem, known.Cure = "cannot be used: "+broken.Reason, broken.Cure()
		}
		out = append(out, known)
	}
	return out
}
