package toolpkg

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	ignore "github.com/sabhiram/go-gitignore"
)

// neverSource are folders and files of tools and systems, whatever .gitignore
// says about them.
var neverSource = []string{
	".git", ".hg", ".svn", ".jj", "__pycache__", "node_modules", ".venv", "venv", ".tox",
	".mypy_cache", ".pytest_cache", ".ruff_cache", ".DS_Store", "Thumbs.db", "desktop.ini",
}

// sourceFilter decides which files of a source folder count: for the stamp, and
// for what the exec builder copies.
type sourceFilter struct {
	dir   string // the package folder
	rules []ignoreRules
	root  string // the checkout, or the package folder itself
}

type ignoreRules struct {
	dir   string // the folder of the .gitignore
	rules *ignore.GitIgnore
}

// newSourceFilter reads the .gitignore files from the top of the checkout down
// to the package; those below it are read by the walk.
func newSourceFilter(dir string) *sourceFilter {
	f := &sourceFilter{dir: dir, root: checkout(dir)}
	var above []string
	for d := dir; ; d = filepath.Dir(d) {
		above = append(above, d)
		if d == f.root || d == filepath.Dir(d) {
			break
		}
	}
	for _, d := range slices.Backward(above) {
		f.read(d)
	}
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

func (f *sourceFilter) read(dir string) {
	data, err := os.ReadFile(filepath.Join(dir, ".gitignore"))
	if err != nil {
		return // there is none
	}
	f.rules = append(f.rules, ignoreRules{dir, ignore.CompileIgnoreLines(strings.Split(string(data), "\n")...)})
}

// keep is a filter of paths relative to the package; it reads the .gitignore of
// each folder that it lets in. A folder or file that the rules above the package
// leave out as a whole is still the package that was asked for.
func (f *sourceFilter) keep(p string, isDir bool) bool {
	if slices.Contains(neverSource, path.Base(p)) || strings.HasPrefix(path.Base(p), "._") {
		return false
	}
	if !isDir && strings.HasSuffix(p, ".pyc") {
		return false
	}
	full := filepath.Join(f.dir, filepath.FromSlash(p))
	if !isMarker(p) && f.ignored(full, isDir) {
		return false
	}
	if isDir {
		f.read(full)
	}
	return true
}

// isMarker: what makes the folder a package is part of it, also where a
// compiled launch is not committed.
func isMarker(p string) bool { return slices.Contains(markers, p) }

func (f *sourceFilter) ignored(full string, isDir bool) bool {
	for _, r := range f.rules {
		rel, err := filepath.Rel(r.dir, full)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		rel = filepath.ToSlash(rel)
		if isDir {
			rel += "/"
		}
		if f.above(r.dir) && r.rules.MatchesPath(f.packagePath(r.dir)) {
			continue // it leaves out the whole package, which says nothing about a file
		}
		if r.rules.MatchesPath(rel) {
			return true
		}
	}
	return false
}

func (f *sourceFilter) above(dir string) bool { return dir != f.dir && !strings.HasPrefix(dir, f.dir) }

func (f *sourceFilter) packagePath(from string) string {
	rel, err := filepath.Rel(from, f.dir)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(rel) + "/"
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
