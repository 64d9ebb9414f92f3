package registry

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentctl/agentctl/internal/fspath"
)

// The reasons why a manifest is not read.
var (
	errNotRegular = errors.New("is not a regular file")
	errDangling   = errors.New("is a link to a file that does not exist")
	errLinkOut    = errors.New("is a link out of its folder; put the file itself there")
)

// ReadManifest reads a file of a package that says what it is, by its slash path
// below the package's folder: a plain file that lies in that folder, also by a
// link. A link out of it is refused: it would show a model a file that the package
// does not hold. A pipe or a device is never opened. At most limit bytes and one
// more are read, so that a parser can say that there are too many.
func ReadManifest(l Location, name string, limit int64) ([]byte, error) {
	linked, err := isLinked(l.FS, name)
	if err != nil {
		return nil, err
	}
	if linked {
		if err := checkInside(l, name); err != nil {
			return nil, err
		}
	}
	f, err := l.FS.Open(name)
	if errors.Is(err, errNoFile) {
		return nil, errNotRegular
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, cmp.Or(err, errNotRegular)
	}
	return io.ReadAll(io.LimitReader(f, limit+1))
}

// isLinked tells whether a file, or a folder on the way to it, is a link.
func isLinked(fsys fs.FS, name string) (bool, error) {
	for i := 0; i <= len(name); i++ {
		if i < len(name) && name[i] != '/' {
			continue
		}
		info, err := fs.Lstat(fsys, name[:i])
		if err != nil {
			return false, err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return true, nil
		}
	}
	return false, nil
}

func checkInside(l Location, name string) error {
	dir, err := filepath.EvalSymlinks(l.Dir)
	if err != nil {
		return err
	}
	target, err := filepath.EvalSymlinks(filepath.Join(dir, filepath.FromSlash(name)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errDangling
	case err != nil:
		return err
	case !fspath.Within(dir, target):
		return errLinkOut
	}
	return nil
}

// Misspelled finds what stands where a manifest should be: a file of that name in
// other case, or a folder of it. It returns what is there, and what to do about it;
// "" when there is nothing of the kind.
func Misspelled(entries []fs.DirEntry, manifest string) (found, cure string) {
	for _, e := range entries {
		switch {
		case e.Name() == manifest && !e.IsDir():
			return "", ""
		case !strings.EqualFold(e.Name(), manifest):
		case e.IsDir():
			found, cure = e.Name(), fmt.Sprintf("is a folder: %s must be a file", manifest)
		default:
			found, cure = e.Name(), fmt.Sprintf("is not called %s, so it is not read: rename it", manifest)
		}
	}
	return found, cure
}

// PackageFolder returns the folder of a package of which path names the manifest,
// else path itself: who names the file means the package.
func PackageFolder(path, manifest string) string {
	if !strings.EqualFold(filepath.Base(path), manifest) {
		return path
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return path
	}
	return filepath.Dir(path)
}
