package registry

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/agentctl/agentctl/internal/diag"
)

// MaxFolders bounds the scan of one root. A root with more folders is most
// likely a home folder or a data disk; reaching the bound is reported.
const MaxFolders = 20_000

// skipped folders hold no packages of anybody and can be huge.
var skipped = map[string]bool{
	".git": true, ".hg": true, ".svn": true, ".jj": true,
	"node_modules": true, ".venv": true, "venv": true, "site-packages": true,
	"__pycache__": true, ".mypy_cache": true, ".pytest_cache": true, ".ruff_cache": true,
	".tox": true, ".cache": true, ".agentctl": true,
}

// Skipped tells whether a scan looks past folders of that name, so that no package
// can lie in one.
func Skipped(name string) bool { return skipped[name] || strings.HasPrefix(name, StagingPrefix) }

// StagingPrefix starts the names of folders in which a package is being put
// together before it gets its name; a killed run can leave one behind.
const StagingPrefix = ".agentctl-"

// found is one package folder of a root.
type found struct {
	rel      string // slash separated, "." for the root
	manifest string
	real     string // canonical path of an OS folder, "" otherwise
}

// scanner walks one source.
type scanner struct {
	src    *Source
	fsys   fs.FS
	depth  int
	detect func([]fs.DirEntry) (string, bool)
	found  []found
	diags  []diag.Diagnostic
	count  int
	real   string // canonical root, "" for an fs.FS
	full   bool
}

func (s *scanner) run(ctx context.Context) error {
	if s.src.FS != nil {
		s.fsys = s.src.FS
	} else {
		real, err := filepath.EvalSymlinks(s.src.Root)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a source that is not there holds nothing
		}
		if err != nil {
			s.report(s.src.Root, "scan.unreadable", fmt.Sprintf("cannot be read: %v", err))
			return nil
		}
		s.real, s.fsys = real, Folder(real)
	}
	return s.folder(ctx, ".", 0, s.src.Single, s.real)
}

// folder looks at one folder: a package ends the descent. real is its canonical path.
func (s *scanner) folder(ctx context.Context, rel string, depth int, single bool, real string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.count++; s.count > MaxFolders {
		s.overflow()
		return nil
	}
	entries, err := fs.ReadDir(s.fsys, rel)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) || rel != "." {
			s.report(s.path(rel), "scan.unreadable", fmt.Sprintf("cannot be read: %v", err))
		}
		return nil
	}
	if depth > 0 || single {
		if manifest, ok := s.detect(entries); ok {
			s.found = append(s.found, found{rel: rel, manifest: manifest, real: real})
			return nil
		}
	}
	if depth == s.depth || single {
		return nil
	}
	if depth > 0 && isVirtualenv(entries) {
		return nil
	}
	for _, e := range entries {
		if s.full {
			return nil
		}
		if err := s.child(ctx, rel, e, depth+1, real); err != nil {
			return err
		}
	}
	return nil
}

func (s *scanner) child(ctx context.Context, parent string, e fs.DirEntry, depth int, real string) error {
	if Skipped(e.Name()) {
		return nil
	}
	rel := path.Join(parent, e.Name())
	switch {
	case e.IsDir():
		if real != "" {
			real = filepath.Join(real, e.Name())
		}
		return s.folder(ctx, rel, depth, false, real)
	case e.Type()&fs.ModeSymlink != 0:
		return s.link(ctx, rel, depth, real)
	}
	return nil
}

// link follows a symbolic link once: to a package folder, never into a tree.
func (s *scanner) link(ctx context.Context, rel string, depth int, parent string) error {
	info, err := fs.Stat(s.fsys, rel)
	if err != nil || !info.IsDir() {
		return nil
	}
	if parent != "" {
		if parent, err = filepath.EvalSymlinks(filepath.Join(parent, path.Base(rel))); err != nil {
			return nil
		}
	}
	return s.folder(ctx, rel, depth, true, parent)
}

func (s *scanner) overflow() {
	if s.full {
		return
	}
	s.full = true
	s.report(s.src.Root, "scan.too-many-folders", fmt.Sprintf(
		"%s holds more than %d folders; the rest was not looked at. Point the source at a smaller folder", s.src.Root, MaxFolders))
}

func (s *scanner) report(file, code, message string) {
	s.diags = append(s.diags, diag.Diagnostic{File: file, Severity: diag.Warning, Code: code, Message: message})
}

func (s *scanner) path(rel string) string { return join(s.src.Root, rel) }

func isVirtualenv(entries []fs.DirEntry) bool {
	for _, e := range entries {
		if e.Name() == "pyvenv.cfg" {
			return true
		}
	}
	return false
}

// EmbeddedRoot is the Root of sources that live in the binary.
const EmbeddedRoot = "embedded"

// join appends a slash path to a root: an OS path, or one below "embedded".
func join(root, rel string) string {
	if rel == "." || rel == "" {
		return root
	}
	if root == EmbeddedRoot || strings.HasPrefix(root, EmbeddedRoot+"/") {
		return path.Join(root, rel)
	}
	return filepath.Join(root, filepath.FromSlash(rel))
}

func base(dir string) string { return filepath.Base(filepath.FromSlash(dir)) }
