package sandbox

import (
	"os"
	"path/filepath"
	"strings"
)

// gitFolder returns the folder outside the workspace in which git keeps what
// belongs to it: for a linked worktree the repository's .git, for a submodule its
// folder below .git/modules; "" for an ordinary checkout.
//
// The .git file of a foreign workspace could name any folder of the machine. What
// it names must name the workspace in turn, and only git in the user's hands
// writes there.
func gitFolder(workspace string) string {
	file := filepath.Join(workspace, ".git")
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	dir, ok := strings.CutPrefix(firstLine(file), "gitdir: ")
	if !ok {
		return ""
	}
	dir = joined(workspace, dir)
	if back := firstLine(filepath.Join(dir, "gitdir")); back != "" {
		common := joined(dir, firstLine(filepath.Join(dir, "commondir")))
		if sameFile(joined(dir, back), file) && common != dir && within(followed(dir), filepath.Join(followed(common), "worktrees")) {
			return common
		}
		return ""
	}
	if tree := configuredWorktree(filepath.Join(dir, "config")); tree != "" && sameFile(joined(dir, tree), workspace) {
		return dir
	}
	return ""
}

// configuredWorktree reads core.worktree the way that git submodule writes it.
func configuredWorktree(config string) string {
	for line := range strings.SplitSeq(smallFile(config), "\n") {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && strings.TrimSpace(key) == "worktree" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func firstLine(path string) string {
	line, _, _ := strings.Cut(smallFile(path), "\n")
	return strings.TrimRight(line, "\r")
}

// maxGitFile is far more than git writes into the files that are read here.
const maxGitFile = 1 << 20

// smallFile is the content of a regular file, "" for anything else: nothing that
// could block or be endless is opened.
func smallFile(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxGitFile {
		return ""
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(data)
}

func joined(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}
