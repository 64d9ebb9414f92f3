package archive

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// File is one file of a folder or an archive, checked but not yet read.
type File struct {
	Path string // slash separated, relative
	Size int64  // as announced; reading more is an error
	// Mode is [ModeFile], [ModeExec], or "" where the source knows no modes: then
	// a file that starts with #! is executable.
	Mode string
	Open func() (io.ReadCloser, error)
}

// List returns the files of a tree that keep accepts (nil: all), sorted, after
// checking every name and limit. Links and special files are refused.
//
// The error is a [*PathError], a [*LimitError], that of the file system or of ctx.
func List(ctx context.Context, fsys fs.FS, keep func(p string, isDir bool) bool) ([]File, error) {
	var files []File
	t := newTally()
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err := cmp.Or(err, ctx.Err()); err != nil || p == "." {
			return err
		}
		if keep != nil && !keep(p, d.IsDir()) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return checkName(p)
		}
		f, err := listed(fsys, p, d)
		if err != nil {
			return err
		}
		files = append(files, f)
		return t.add(p, f.Size)
	})
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files, err
}

func listed(fsys fs.FS, p string, d fs.DirEntry) (File, error) {
	if err := checkType(p, d.Type()); err != nil {
		return File{}, err
	}
	info, err := d.Info()
	if err != nil {
		return File{}, err
	}
	open := func() (io.ReadCloser, error) { return fsys.Open(p) }
	return File{Path: p, Size: info.Size(), Mode: fileMode(info.Mode()), Open: open}, nil
}

func checkType(p string, mode fs.FileMode) error {
	switch {
	case mode&fs.ModeSymlink != 0:
		return &PathError{p, "is a symbolic link; put the file itself there"}
	case !mode.IsRegular():
		return &PathError{p, "is neither a file nor a folder; remove it"}
	}
	return nil
}

// Extract writes files below dir, which must exist. Files that are there already
// are an error. It never writes outside dir, nor more than a file announced.
func Extract(ctx context.Context, files []File, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := extractOne(root, f); err != nil {
			return err
		}
	}
	return nil
}

func extractOne(root *os.Root, f File) error {
	if err := root.MkdirAll(path.Dir(f.Path), 0o755); err != nil {
		return err
	}
	in, err := f.Open()
	if err != nil {
		return fmt.Errorf("read %s: %w", f.Path, err)
	}
	defer func() { _ = in.Close() }()
	out, err := root.OpenFile(f.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	exec, err := copyFile(out, in, f)
	if err == nil && exec {
		err = out.Chmod(0o755)
	}
	// What replaces other files must not be empty after a power cut.
	return cmp.Or(err, out.Sync(), out.Close())
}

// copyFile copies what was announced and tells whether the file is executable.
func copyFile(out io.Writer, in io.Reader, f File) (exec bool, err error) {
	head := &headWriter{}
	n, err := io.Copy(io.MultiWriter(out, head), io.LimitReader(in, f.Size+1))
	if err != nil {
		return false, fmt.Errorf("copy %s: %w", f.Path, err)
	}
	if n > f.Size {
		return false, &LimitError{f.Path, "is larger than announced"}
	}
	return f.Mode == ModeExec || f.Mode == "" && string(head.data) == "#!", nil
}

// headWriter keeps the first two bytes.
type headWriter struct{ data []byte }

func (h *headWriter) Write(p []byte) (int, error) {
	if room := 2 - len(h.data); room > 0 {
		h.data = append(h.data, p[:min(room, len(p))]...)
	}
	return len(p), nil
}
