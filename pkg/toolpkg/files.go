package toolpkg

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// neverSource are folders and files of tools and systems, whatever .gitignore
// says about them.
var neverSource = []string{
	".git", ".hg", ".svn", ".jj", "__pycache__", "node_modules", ".venv", "venv", ".tox",
	".mypy_cache", ".pytest_cache", ".ruff_cache", ".DS_Store", "Thumbs.db", "desktop.ini",
}

// sourceFilter decides which files of a source folder count: for the stamp, and
// for what the builders copy.
type sourceFilter struct {
	dir   string // the package folder
	below string // its path in the checkout, with slashes
	rules ignoreRules
}

// newSourceFilter reads the .gitignore files from the top of the checkout down
// to the package; those below it are read by the walk. A rule that leaves out the
// package as a whole says nothing about a file of it: somebody asked for it.
func newSourceFilter(dir string) *sourceFilter {
	root := checkout(dir)
	f := &sourceFilter{dir: dir}
	if rel, err := filepath.Rel(root, dir); err == nil {
		f.below = filepath.ToSlash(rel)
	}
	for d := f.below; d != "."; {
		d = path.Dir(d)
		f.rules = append(readIgnoreRules(filepath.Join(root, filepath.FromSlash(d)), d), f.rules...)
	}
	f.rules = append(f.rules.without(f.below), readIgnoreRules(dir, f.below)...)
	return f
}

// checkout is the nearest folder above that holds a .git, or dir.
func checkout(dir string) string {
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			return d
		}
		if d == filepath.Dir(d) {
			return dir
		}
	}
}

func readIgnoreRules(dir, below string) ignoreRules {
	data, err := os.ReadFile(filepath.Join(dir, ".gitignore"))
	if err != nil {
		return nil // there is none
	}
	return parseIgnoreRules(below, string(data))
}

// keep is a filter of paths relative to the package; it reads the .gitignore of
// each folder that it lets in.
func (f *sourceFilter) keep(p string, isDir bool) bool {
	if slices.Contains(neverSource, path.Base(p)) || strings.HasPrefix(path.Base(p), "._") {
		return false
	}
	if !isDir && strings.HasSuffix(p, ".pyc") {
		return false
	}
	below := path.Join(f.below, p)
	if !isMarker(p) && f.rules.ignore(below, isDir) {
		return false
	}
	if isDir {
		f.rules = append(f.rules, readIgnoreRules(filepath.Join(f.dir, filepath.FromSlash(p)), below)...)
	}
	return true
}

// isMarker: what makes the folder a package is part of it, also where a
// compiled launch is not committed.
func isMarker(p string) bool { return slices.Contains(markers, p) }

// noFile says why a path that TOOL.md or a project names is no file of the package.
func noFile(dir, name string) string {
	info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
	switch {
	case !filepath.IsLocal(filepath.FromSlash(name)):
		return "leaves the package"
	case err != nil:
		return "does not exist in the package"
	case !info.Mode().IsRegular():
		return "is no file"
	}
	return "is there and no part of the package: .gitignore leaves it out, or it is a cache"
}

// copyFiles copies the named files of src below dst, with mode 0644 or 0755.
// Links are copied as links.
func copyFiles(src, dst string, files []string) error {
	in, err := os.OpenRoot(src)
	if err != nil {
		return err
	}
	defer in.Close()
	for _, name := range files {
		to := filepath.Join(dst, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := copyFile(in, filepath.FromSlash(name), to); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(in *os.Root, name, to string) error {
	info, err := in.Lstat(name)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := in.Readlink(name)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	}
	data, err := in.ReadFile(name)
	if err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if info.Mode()&0o111 != 0 {
		mode = 0o755
	}
	return os.WriteFile(to, data, mode)
}
