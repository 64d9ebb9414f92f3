package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/agentctl/agentctl/internal/fspath"
	"github.com/agentctl/agentctl/internal/workspace"
	"github.com/agentctl/agentctl/pkg/sandbox"
)

// openSandbox returns the backend that a run uses: the one named by --sandbox,
// else by AGENTCTL_SANDBOX, else by the configuration, else auto.
func (f *Factory) openSandbox(ctx context.Context, name string) (sandbox.Backend, error) {
	o, err := f.sandboxOptions(name)
	if err != nil {
		return nil, err
	}
	b, err := sandbox.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	return watchful{Backend: b, f: f}, nil
}

// sandboxOptions are those of this machine and configuration; name, if not "",
// wins over both.
func (f *Factory) sandboxOptions(name string) (sandbox.Options, error) {
	ws, err := f.Workspace()
	if err != nil {
		return sandbox.Options{}, err
	}
	c, err := f.Config()
	if err != nil {
		return sandbox.Options{}, err
	}
	o := sandbox.Options{
		Name: c.Sandbox.Backend, MinLevel: c.Sandbox.MinLevel, Home: f.Dirs.Home, Dir: ws,
		Image: c.Sandbox.Image, Runtime: c.Sandbox.Runtime,
		Path: f.Getenv("PATH"), CacheDir: filepath.Join(f.Dirs.State, "sandbox"),
	}
	if o.MinLevel == "full" {
		o.MinLevel = "" // the library's word for it
	}
	if name != "" {
		o.Name = name
	}
	return o, nil
}

// workspaceOptions describe the workspace to a sandbox: where it is, and what
// in it stays read-only because configuration makes it a source.
func (f *Factory) workspaceOptions() (sandbox.WorkspaceOptions, error) {
	ws, err := f.Workspace()
	if err != nil {
		return sandbox.WorkspaceOptions{}, err
	}
	c, err := f.Config()
	if err != nil {
		return sandbox.WorkspaceOptions{}, err
	}
	o := sandbox.WorkspaceOptions{Dir: ws, Home: f.Dirs.Home}
	roots := slices.Concat(c.Skills.Shared, c.Skills.Sync, c.Tools.Prebuilt)
	if dir := c.Skills.Dir; dir != "" && dir != workspace.SkillDir {
		roots = append(roots, dir)
	}
	roots = append(append(absolutePaths(ws, roots), f.Dirs.Skills()...), f.Dirs.Apps())
	o.Protect = roots
	for _, root := range roots {
		o.Protect = append(o.Protect, sandbox.PackageLinks(root)...)
	}
	for _, more := range []func(string) ([]string, error){f.ownFolders, f.innerWorkspaces, f.foldersAround} {
		paths, err := more(ws)
		if err != nil {
			return o, err
		}
		o.Protect = append(o.Protect, paths...)
	}
	return o, nil
}

// ownFolders are where agentctl keeps what the user decided. They may lie in the
// workspace, where a script puts them or where the user keeps such files under
// version control. Those that agentctl writes are made now, before a program can.
func (f *Factory) ownFolders(ws string) ([]string, error) {
	for _, dir := range []string{f.Dirs.State, f.Dirs.Cache} {
		if !workspace.Overlap(ws, dir) {
			continue
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("make state folder: %w", err)
		}
	}
	return []string{f.Dirs.Config, f.Dirs.State, f.Dirs.Cache}, nil
}

// innerWorkspaces are the protected places of trusted workspaces that lie in this
// one, for what writes without a program: those get them by [Factory.protectTrusted].
func (f *Factory) innerWorkspaces(ws string) ([]string, error) {
	protect, _, err := f.trustedPlaces(ws, ws)
	return protect, err
}

// foldersAround are the names that would make a workspace of the current folder,
// or of one between it and the workspace: the next run would take that one.
func (f *Factory) foldersAround(ws string) ([]string, error) {
	cwd, err := f.Cwd()
	if err != nil {
		return nil, err
	}
	var paths []string
	for dir := cwd; dir != ws && fspath.Within(ws, dir); dir = filepath.Dir(dir) {
		for _, name := range workspace.Markers() {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	return paths, nil
}
