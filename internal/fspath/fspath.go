// Package fspath answers where a path leads and whether it lies in a folder.
package fspath

import "path/filepath"

// Real follows the links in path. Of a path whose end does not exist yet, those in
// the folders that do exist are followed.
func Real(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	dir := filepath.Dir(path)
	if dir == path {
		return path
	}
	return filepath.Join(Real(dir), filepath.Base(path))
}

// Below returns path relative to dir if it is dir, which is ".", or lies below it.
// No link is followed; both are absolute or both relative. Nothing lies in "".
func Below(dir, path string) (rel string, ok bool) {
	if dir == "" {
		return "", false
	}
	rel, err := filepath.Rel(dir, path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return rel, true
}

// Within tells whether path is dir or lies below it, as [Below] does.
func Within(dir, path string) bool {
	_, ok := Below(dir, path)
	return ok
}
