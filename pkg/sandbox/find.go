package sandbox

import (
	"os"
	"path/filepath"
)

// findProgram looks for a helper program on the caller's PATH. One that lies in
// the workspace or the current folder is passed over, since what lies there came
// with the files that are to be confined.
func (o Options) findProgram(name string) (path string, ignored []string) {
	avoid := o.untrustedFolders()
	for _, dir := range filepath.SplitList(o.Path) {
		if !filepath.IsAbs(dir) {
			ignored = append(ignored, filepath.Join(dir, name))
			continue
		}
		real, err := filepath.EvalSymlinks(filepath.Join(dir, name))
		if err != nil || !isExecutable(real) {
			continue
		}
		if anyHolds(avoid, real) || anyHolds(avoid, filepath.Clean(dir)) {
			ignored = append(ignored, filepath.Join(dir, name))
			continue
		}
		return real, ignored
	}
	return "", ignored
}

// untrustedFolders are the workspace and the current folder, unless the latter
// is so high up that everything lies in it.
func (o Options) untrustedFolders() []string {
	var out []string
	cwd, _ := os.Getwd() // without one there is nothing to avoid
	for _, dir := range []string{o.Dir, cwd} {
		real, err := filepath.EvalSymlinks(dir)
		if dir == "" || err != nil || real == "/" || within("/usr/bin", real) {
			continue
		}
		out = append(out, real)
	}
	return out
}

func anyHolds(dirs []string, path string) bool {
	for _, dir := range dirs {
		if within(path, dir) {
			return true
		}
	}
	return false
}

func isExecutable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
