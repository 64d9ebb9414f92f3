package skill

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/archive"
)

// MaxFile is the largest supporting file that is read as text.
const MaxFile = 10 << 20

// FileNotFoundError reports a path that a skill does not hold.
type FileNotFoundError struct {
	Skill, Path string
	// Files are those that the skill holds.
	Files []string
}

func (e *FileNotFoundError) Error() string {
	return fmt.Sprintf("skill %q has no file %q", e.Skill, e.Path)
}

// Files lists the files of a skill beside its SKILL.md, sorted, as slash paths.
// Links, caches and evals are left out.
func Files(ctx context.Context, it *Item) ([]string, error) {
	var files []string
	err := fs.WalkDir(it.FS, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil || p == ".":
			return err
		case !archive.Exported(p, d.IsDir()):
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.Type().IsRegular() && p != it.Manifest:
			files = append(files, p)
		}
		return nil
	})
	slices.Sort(files)
	return files, err
}

// ReadFile returns one file of a skill, by a path relative to its folder or an
// absolute one inside it. A path or link that leaves the folder is refused.
//
// The error is a [*RefusedError] or a [*FileNotFoundError].
func ReadFile(ctx context.Context, it *Item, name string) ([]byte, error) {
	rel, err := relative(ctx, it, name)
	if err != nil {
		return nil, err
	}
	f, err := open(it, rel)
	if err != nil {
		return nil, fileError(ctx, it, name, err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fileError(ctx, it, name, fs.ErrNotExist)
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if len(data) > MaxFile {
		return nil, refuse("path", "%q is larger than %d MiB", name, MaxFile>>20)
	}
	return data, err
}

// relative turns the path that somebody gave into one for the skill's folder.
func relative(ctx context.Context, it *Item, given string) (string, error) {
	name := given
	if filepath.IsAbs(name) {
		dir, err := Dir(ctx, it)
		if err != nil {
			return "", err
		}
		if rel, err := filepath.Rel(dir, name); err == nil {
			name = rel
		}
	}
	rel := path.Clean(filepath.ToSlash(name))
	if !filepath.IsLocal(filepath.FromSlash(rel)) {
		return "", refuse("path", "path %q leaves the folder of skill %q; give a path relative to it", given, it.Name)
	}
	return rel, nil
}

// open opens a file below the skill's folder. On disk os.Root holds it inside,
// whatever links say; opening never waits for the writer of a pipe.
func open(it *Item, rel string) (fs.File, error) {
	if onDisk(it) {
		root, err := os.OpenRoot(it.Dir)
		if err != nil {
			return nil, err
		}
		defer func() { _ = root.Close() }()
		info, err := root.Stat(rel)
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			return nil, fs.ErrNotExist
		}
		return root.Open(rel)
	}
	return it.FS.Open(rel)
}

// onDisk tells whether a skill lies in a real folder.
func onDisk(it *Item) bool { return it.Source.FS == nil }

// fileError says whether the file is missing or out of reach.
func fileError(ctx context.Context, it *Item, name string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) && strings.Contains(err.Error(), "escapes") {
		return refuse("path", "path %q of skill %q is a link out of its folder", name, it.Name)
	}
	if errors.Is(err, fs.ErrPermission) {
		return err
	}
	files, listErr := Files(ctx, it)
	if listErr != nil {
		return listErr
	}
	return &FileNotFoundError{Skill: it.Name, Path: name, Files: files}
}
