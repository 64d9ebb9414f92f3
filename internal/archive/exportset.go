package archive

import (
	"path"
	"slices"
	"strings"
)

// leftOut are the names of files and folders that belong to a tool or a system
// and never to a package.
var leftOut = []string{
	".git", ".hg", ".svn", "__pycache__", "node_modules", ".venv", "venv",
	".mypy_cache", ".pytest_cache", ".ruff_cache", ".DS_Store", "__MACOSX", "Thumbs.db", "desktop.ini",
}

// Exported tells whether a path of a skill folder belongs to its exported set:
// no VCS data, caches, environments, files of an operating system, and no evals
// at the top. It is a [ScanOptions.Keep].
func Exported(p string, isDir bool) bool {
	base := path.Base(p)
	switch {
	case slices.Contains(leftOut, base), strings.HasPrefix(base, "._"), p == "evals" && isDir:
		return false
	}
	return isDir || !strings.HasSuffix(base, ".pyc")
}
