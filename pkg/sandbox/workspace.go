package sandbox

import (
	"os"
	"path/filepath"
	"slices"
)

// WorkspaceAccess says how a command sees the workspace. The words are those
// of TOOL.md.
type WorkspaceAccess string

// The kinds of access. The zero value is rw.
const (
	WorkspaceRW   WorkspaceAccess = "rw"
	WorkspaceRO   WorkspaceAccess = "ro"
	WorkspaceNone WorkspaceAccess = "none"
)

// WorkspaceOptions describe the workspace that commands run in.
type WorkspaceOptions struct {
	// Dir is the absolute path of the workspace; "" means there is none.
	Dir string
	// Home is the user's home folder. A workspace that is /, Home or above it is
	// not mounted.
	Home string
	// Access is what the command may do there.
	Access WorkspaceAccess
	// Protect are further absolute paths that stay read-only: roots of skills,
	// apps and prebuilt packages that the configuration names. Those that do not
	// lie in the workspace are ignored.
	Protect []string
}

// WorkspacePolicy is the default policy of everything that runs in a
// workspace: system libraries and the workspace can be read, the workspace
// written except for its [ProtectedPaths], no network, the workspace as the
// working directory. The repository of a linked git worktree can be read. Callers add the mounts of their package to it.
func WorkspacePolicy(o WorkspaceOptions) Policy {
	if o.Access == WorkspaceNone || !Mountable(o.Dir, o.Home) {
		return Policy{}
	}
	p := Policy{Dir: o.Dir}
	if git := gitFolder(o.Dir); git != "" && Mountable(git, o.Home) && !inside(followed(o.Dir), followed(git)) {
		p.ReadOnly = append(p.ReadOnly, Mount{Host: git})
	}
	mount := Mount{Host: o.Dir}
	if o.Access == WorkspaceRO {
		p.ReadOnly = append(p.ReadOnly, mount)
		return p
	}
	p.ReadWrite = []Mount{mount}
	p.Protect = ProtectedPaths(o.Dir, o.Protect...)
	return p
}

// steering are the names at the root of a workspace that can steer a model, a
// later run or the user's own tools.
var steering = []string{".git", ".agentctl", ".skill", ".agents", ".claude", "agentctl.yaml", "skills"}

// ProtectedPaths lists what no command and no model may write in a workspace,
// sorted, whether it exists or not. More are further absolute paths; those
// outside the workspace are left out.
//
// apps/ counts where it is a source of apps or does not exist. An apps/ folder
// of something else stays writable, and only the files that would make it a
// source are listed.
func ProtectedPaths(workspace string, more ...string) []string {
	var paths []string
	for _, name := range steering {
		paths = append(paths, filepath.Join(workspace, name))
	}
	paths = append(paths, protectedApps(filepath.Join(workspace, "apps"))...)
	for _, path := range more {
		if path = filepath.Clean(path); path != workspace && inside(workspace, path) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// appFile makes a folder an app.
const appFile = "APP.md"

func protectedApps(apps string) []string {
	entries, err := os.ReadDir(apps)
	if err != nil {
		return []string{apps}
	}
	// The app of this name is what a chat takes when it is told nothing.
	watched := []string{filepath.Join(apps, "default", appFile)}
	for _, e := range entries {
		file := filepath.Join(apps, e.Name(), appFile)
		if _, err := os.Lstat(file); err == nil {
			return []string{apps}
		}
		if e.IsDir() {
			watched = append(watched, file)
		}
	}
	return watched
}

// Mountable tells whether a folder may be made visible as a workspace: it is
// no file system root and neither home nor above home, also by a link.
func Mountable(dir, home string) bool {
	if dir == "" {
		return false
	}
	real := followed(dir)
	if real == filepath.Dir(real) {
		return false
	}
	return home == "" || !inside(real, followed(home))
}

// inside tells whether path is dir or lies below it.
func inside(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

func followed(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}
