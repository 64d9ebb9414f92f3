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
	// apps and prebuilt packages that the configuration names. Those that neither
	// lie in the workspace nor lead into it are ignored.
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
	if git := gitFolder(o.Dir); git != "" && Mountable(git, o.Home) && !within(followed(git), followed(o.Dir)) {
		p.ReadOnly = append(p.ReadOnly, Mount{Host: git})
	}
	mount := Mount{Host: o.Dir}
	if o.Access == WorkspaceRO {
		p.ReadOnly = append(p.ReadOnly, mount)
		return p
	}
	p.ReadWrite = []Mount{mount}
	p.Protect = ProtectedPaths(o.Dir, o.Protect...)
	// agentctl makes this folder itself, also while a command runs. What can steer
	// in it is listed beside it.
	own := filepath.Join(o.Dir, ".agentctl")
	if _, err := os.Lstat(own); err != nil {
		p.Protect = slices.DeleteFunc(p.Protect, func(path string) bool { return path == own })
	}
	p.Watch = WatchedFolders(o.Dir)
	return p
}

// steering are the names at the root of a workspace that can steer a model, a
// later run or the user's own tools.
var steering = []string{".git", ".hg", ".svn", ".agentctl", ".skill", ".agents", ".claude", "agentctl.yaml", "skills"}

// busy are those that version control and agentctl write all the time.
var busy = []string{".git", ".hg", ".svn", ".agentctl"}

// roots are the folders of packages among them. Any of them can be a link, and
// hold links to packages elsewhere in the workspace.
var roots = []string{".skill", ".agents/skills", ".claude/skills", "skills", ".agentctl/prebuilt"}

// ProtectedPaths lists what no command and no model may write in a workspace,
// sorted, whether it exists or not, the [PackageLinks] of its folders of packages
// among them. More are further absolute paths; the workspace itself and what
// holds it are left out.
//
// apps/ counts where it is a source of apps or does not exist. An apps/ folder
// of something else stays writable, and only the files that would make it a
// source are listed.
func ProtectedPaths(workspace string, more ...string) []string {
	var paths []string
	for _, name := range steering {
		paths = append(paths, filepath.Join(workspace, name))
	}
	apps := filepath.Join(workspace, "apps")
	paths = append(append(paths, protectedApps(apps)...), PackageLinks(apps)...)
	for _, root := range roots {
		root = filepath.Join(workspace, filepath.FromSlash(root))
		paths = append(append(paths, root), PackageLinks(root)...)
	}
	for _, path := range more {
		if path = filepath.Clean(path); !within(followed(workspace), followed(path)) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// The bounds of a search for packages, as loading them has.
const (
	maxRootDepth   = 6
	maxRootFolders = 20_000
)

// PackageLinks are the symbolic links in a folder of packages that may lead to one:
// those above the packages, and those in the folders of an app's profiles. What
// they lead to is loaded like what lies there, so it wants the same protection.
func PackageLinks(root string) []string {
	var links []string
	left := maxRootFolders
	var walk func(dir string, depth int)
	walk = func(dir string, depth int) {
		if left--; left < 0 || depth > maxRootDepth {
			return
		}
		entries, _ := os.ReadDir(dir) // what cannot be read is not loaded either
		isPackage := depth > 0 && slices.ContainsFunc(entries, isManifest)
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			switch {
			case isPackage && e.Name() != "profiles" && e.Name() != ".skill":
			case e.Type()&os.ModeSymlink != 0:
				links = append(links, path)
			case e.IsDir():
				walk(path, depth+1)
			}
		}
	}
	walk(followed(root), 0)
	return links
}

// isManifest tells a file that ends the search in its folder: nothing below a
// package is another one.
func isManifest(e os.DirEntry) bool {
	return e.Type().IsRegular() && slices.Contains([]string{"SKILL.md", appFile, "current"}, e.Name())
}

// WatchedFolders are those of a workspace that become protected by what is put
// into them.
func WatchedFolders(workspace string) []FolderWatch {
	return []FolderWatch{{Dir: filepath.Join(workspace, "apps"), File: appFile}}
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
	return home == "" || !within(followed(home), real)
}

func followed(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}
