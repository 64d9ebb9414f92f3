package registry

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// errNoFile is why a pipe or a device is not opened.
var errNoFile = errors.New("is neither a file nor a folder")

// Folder is [os.DirFS] for a folder that somebody else filled: a named pipe or a
// device is not opened, since that could wait for ever, and signals with it.
func Folder(dir string) fs.FS { return folder{dir: dir, fsys: os.DirFS(dir)} }

// folder has the methods without which the functions of [fs] open files to ask
// about them.
type folder struct {
	dir  string
	fsys fs.FS
}

func (f folder) Open(name string) (fs.File, error) {
	if err := f.check("open", name); err != nil {
		return nil, err
	}
	return f.fsys.Open(name)
}

func (f folder) ReadFile(name string) ([]byte, error) {
	if err := f.check("read", name); err != nil {
		return nil, err
	}
	return fs.ReadFile(f.fsys, name)
}

// check refuses what is there and neither a file nor a folder.
func (f folder) check(op, name string) error {
	if !fs.ValidPath(name) {
		return &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	info, err := os.Stat(filepath.Join(f.dir, filepath.FromSlash(name)))
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		err = &fs.PathError{Op: op, Path: name, Err: errNoFile}
	}
	return err
}

func (f folder) ReadDir(name string) ([]fs.DirEntry, error)    { return fs.ReadDir(f.fsys, name) }
func (f folder) Stat(name string) (fs.FileInfo, error)         { return fs.Stat(f.fsys, name) }
func (f folder) Lstat(name string) (fs.FileInfo, error)        { return fs.Lstat(f.fsys, name) }
func (f folder) ReadLink(name string) (target string, _ error) { return fs.ReadLink(f.fsys, name) }
