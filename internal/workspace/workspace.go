// Package workspace finds the folder that a run belongs to.
package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/agentctl/agentctl/internal/fspath"
)

// ConfigFile is the configuration of a workspace, at its root.
const ConfigFile = "agentctl.yaml"

// Dir is agentctl's own folder in a workspace: prebuilt packages, artifacts.
const Dir = ".agentctl"

// SkillDir is where skills of a workspace are written.
const SkillDir = ".skill"

var markers = []string{ConfigFile, Dir, ".git", ".hg", ".svn"}

// Markers are the names that make a folder a workspace.
func Markers() []string { return slices.Clone(markers) }

// Find returns the workspace of start: the nearest ancestor (start included)
// that holds agentctl.yaml, .agentctl or a VCS folder, else start itself.
// The home folder and those above it are never taken by the search, so that a
// stray marker there does not make a workspace of a whole disk.
func Find(start, home string) (string, error) {
	start, err := filepath.Abs(start)
	if err != nil {
		return "", err
	}
	for dir := start; !atOrAbove(dir, home); dir = filepath.Dir(dir) {
		if Marked(dir) {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return start, nil
}

// Marked tells whether a folder has what makes it a workspace.
func Marked(dir string) bool {
	return slices.ContainsFunc(markers, func(m string) bool {
		_, err := os.Lstat(filepath.Join(dir, m))
		return err == nil
	})
}

// Explicit returns the folder that a user named with --workspace.
func Explicit(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(abs)
	if err != nil {
		return "", fmt.Errorf("workspace %q does not exist", dir)
	}
	if !info.IsDir() {
		return "", fmt.Errorf("workspace %q is a file, want a folder", dir)
	}
	return abs, nil
}

// IsRisky tells whether dir is the root of a file system view, the home folder
// or above it: such a folder is never mounted into a sandbox.
func IsRisky(dir, home string) bool { return atOrAbove(dir, home) }

// atOrAbove tells whether dir is "/", home, or a folder above home.
func atOrAbove(dir, home string) bool {
	if dir == filepath.Dir(dir) {
		return true
	}
	if home == "" {
		return false
	}
	return fspath.Within(fspath.Real(dir), fspath.Real(home))
}

// Overlap tells whether one of two paths lies in the other, also by a link: as
// they are named, or as what they lead to.
func Overlap(a, b string) bool {
	for _, a := range forms(a) {
		for _, b := range forms(b) {
			if fspath.Within(a, b) || fspath.Within(b, a) {
				return true
			}
		}
	}
	return false
}

// forms are a name in its real folder, and what the name leads to.
func forms(path string) [2]string {
	named := filepath.Join(fspath.Real(filepath.Dir(path)), filepath.Base(path))
	return [2]string{named, fspath.Real(path)}
}
