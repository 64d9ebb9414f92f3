package builtin

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/fspath"
	"github.com/agentctl/agentctl/internal/suggest"
	"github.com/agentctl/agentctl/pkg/sandbox"
)

// maxText is how much of a file, a list or an output a model gets at once, in
// characters: about 8,000 tokens, which a small window still holds.
const maxText = 30_000

// place is a file or folder that a tool may touch: rel below root, which is the
// workspace or the folder of a skill. os.Root keeps it there, whatever links say.
type place struct {
	root, rel string
	shown     string // as the model should name it
}

// files returns the workspace, or the error that the model gets without one.
func (e *Env) files() (string, error) {
	switch {
	case e.Workspace == "":
		return "", refuse("there is no workspace, so there are no files here. Tell the user to start agentctl in a project folder.")
	case !sandbox.Mountable(e.Workspace, e.Home):
		return "", refuse("the current folder %s is the home folder or above it, so its files are not available. Tell the user to start agentctl in a project folder.", e.Workspace)
	}
	return e.Workspace, nil
}

// locate finds the place of a path: relative to the workspace, or absolute in
// it or in the folder of a skill that was read.
func (e *Env) locate(ctx context.Context, name string) (place, error) {
	name = filepath.FromSlash(strings.TrimSpace(name))
	if !filepath.IsAbs(name) {
		return e.inWorkspace(name)
	}
	if p, err := e.inWorkspace(name); err == nil {
		return p, nil
	}
	folders, err := e.skillFolders(ctx)
	if err != nil {
		return place{}, err
	}
	for _, dir := range folders {
		if rel, ok := below(dir, name); ok {
			return place{dir, rel, filepath.Join(dir, rel)}, nil
		}
	}
	return e.inWorkspace(name) // for its error
}

// inWorkspace finds the place of a path in the workspace alone.
func (e *Env) inWorkspace(name string) (place, error) {
	dir, err := e.files()
	if err != nil {
		return place{}, err
	}
	name = filepath.FromSlash(strings.TrimSpace(name))
	rel, ok := filepath.Clean(name), filepath.IsLocal(name) || name == ""
	if filepath.IsAbs(name) {
		rel, ok = below(dir, name)
	}
	if !ok {
		return place{}, refuse("%q is outside the workspace.%s Give a path relative to the workspace %s.", name, guess(dir, name), dir)
	}
	return place{dir, rel, filepath.ToSlash(rel)}, nil
}

// guess finds what a model meant that takes the workspace for the root.
func guess(dir, name string) string {
	rel := strings.TrimLeft(filepath.Clean(name), `/\.`)
	for rel != "" {
		if _, err := os.Lstat(filepath.Join(dir, rel)); err == nil && filepath.IsLocal(rel) {
			return " Did you mean \"" + filepath.ToSlash(rel) + "\"?"
		}
		_, after, found := strings.Cut(rel, string(filepath.Separator))
		if !found {
			break
		}
		rel = after
	}
	return ""
}

// below returns path relative to dir when it lies there, also when one of them
// goes through a link.
func below(dir, path string) (string, bool) {
	for _, base := range []string{dir, fspath.Real(dir)} {
		if rel, ok := fspath.Below(base, path); ok {
			return rel, true
		}
	}
	return "", false
}

// open opens a regular file for reading. Looking first keeps it from waiting
// for the other end of a pipe.
func (e *Env) open(ctx context.Context, p place) (*os.File, error) {
	root, err := os.OpenRoot(p.root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(p.rel)
	if err != nil {
		return nil, e.fileError(ctx, p, err)
	}
	switch {
	case info.IsDir():
		return nil, refuse("%q is a folder. Call %s.", p.shown, call(listFilesName, "path", p.shown))
	case !info.Mode().IsRegular():
		return nil, refuse("%q is no regular file and cannot be read.", p.shown)
	}
	f, err := root.Open(p.rel)
	if err != nil {
		return nil, e.fileError(ctx, p, err)
	}
	return f, nil
}

// fileError says why a place cannot be used, and what is there instead.
func (e *Env) fileError(ctx context.Context, p place, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return e.missing(ctx, p)
	case strings.Contains(err.Error(), "escapes"):
		return refuse("%q is a link out of the workspace and cannot be used. Work with files inside it.", p.shown)
	case errors.Is(err, fs.ErrPermission):
		return refuse("%q cannot be opened: permission denied. Go on without it, or tell the user.", p.shown)
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return refuse("%q cannot be opened: %v. Call %s to see what is there.", p.shown, err, call(listFilesName, "path", p.parent()))
}

// missing says what a model may have meant by a path that leads nowhere.
func (e *Env) missing(ctx context.Context, p place) error {
	folders, err := e.skillFolders(ctx)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		if info, err := os.Stat(filepath.Join(folders[name], p.rel)); err == nil && info.Mode().IsRegular() && p.root != folders[name] {
			return refuse("%q is not in the workspace, but the skill %s has it. Call %s.", p.shown, name, call(readSkillName, "name", name, "path", filepath.ToSlash(p.rel)))
		}
	}
	dir, names := p.nearestFolder()
	text := ""
	if near := suggest.Nearest(path.Base(filepath.ToSlash(p.rel)), names, 1); len(near) > 0 {
		text = " Did you mean \"" + join(dir, near[0]) + "\"?"
	}
	return refuse("there is no %q.%s Call %s to see what is there.", p.shown, text, call(listFilesName, "path", dir))
}

// parent is the folder of the place, as a model should name it.
func (p place) parent() string {
	if p.rel == "." {
		return p.shown
	}
	if filepath.IsAbs(p.shown) {
		return filepath.Dir(p.shown)
	}
	return path.Dir(p.shown)
}

// maxNames is how many names of a folder are looked at for a suggestion.
const maxNames = 2000

// nearestFolder returns the deepest folder above the place that exists, and the
// names in it.
func (p place) nearestFolder() (shown string, names []string) {
	root, err := os.OpenRoot(p.root)
	if err != nil {
		return ".", nil
	}
	defer root.Close()
	for q := p; ; q = (place{q.root, filepath.Dir(q.rel), q.parent()}) {
		if f, err := root.Open(filepath.Dir(q.rel)); err == nil {
			names, err = f.Readdirnames(maxNames)
			_ = f.Close()
			if err == nil || len(names) > 0 || filepath.Dir(q.rel) == "." {
				return q.parent(), names
			}
		}
		if q.rel == "." || filepath.Dir(q.rel) == "." {
			return q.parent(), nil
		}
	}
}

// join puts a name behind a folder that a model may name.
func join(dir, name string) string {
	if filepath.IsAbs(dir) {
		return filepath.Join(dir, name)
	}
	return path.Join(dir, name)
}
