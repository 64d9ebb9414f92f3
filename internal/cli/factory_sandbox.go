package cli

import (
	"context"
	"path/filepath"

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
	o.Protect = append(o.Protect, c.Skills.Shared...)
	o.Protect = append(o.Protect, c.Tools.Prebuilt...)
	if dir := c.Skills.Dir; dir != "" && dir != workspace.SkillDir {
		o.Protect = append(o.Protect, dir)
	}
	for i, path := range o.Protect {
		if !filepath.IsAbs(path) {
			o.Protect[i] = filepath.Join(ws, path)
		}
	}
	return o, nil
}
