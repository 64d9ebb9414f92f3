package toolpkg

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2/maybe"

	"github.com/agentctl/agentctl/internal/archive"
	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/pkg/sandbox"
)

// work is one package being built.
type work struct {
	p       *Prebuilder
	src     *Source
	root    string // the package's folder below Out
	builder Builder
	job     Build
	stamp   Stamp
}

// tmpPrefix marks unfinished builds. They are siblings of the finished ones, so
// that a rename publishes them.
const tmpPrefix = ".tmp-"

// do builds in a temporary sibling, moves the result once and describes it
// there, which proves that it can be moved, and publishes it. Whatever fails
// leaves the build in use as it was.
func (w *work) do(ctx context.Context, run sandbox.RunFunc, o *Outcome) error {
	w.removeTemporary()
	tmp, err := os.MkdirTemp(w.root, tmpPrefix)
	if err != nil {
		return err
	}
	defer removeTree(tmp)
	w.job.Out = filepath.Join(tmp, "build")
	if err := os.Mkdir(w.job.Out, 0o755); err != nil {
		return err
	}
	w.job.Builds = w.finished()
	rt, err := w.builder.Build(ctx, w.job)
	if err != nil {
		return sourcePaths(err, tmp, w.src.Dir)
	}
	moved := filepath.Join(tmp, "moved")
	if err := os.Rename(w.job.Out, moved); err != nil {
		return err
	}
	commands, found, err := Describe(ctx, SandboxLauncher(run, moved))
	o.Diagnostics = InSource(w.src.Dir, found)
	if bad, ok := errors.AsType[*DescribeError](err); ok {
		bad.Package = w.src.Name
	}
	if err != nil {
		return sourcePaths(err, tmp, w.src.Dir)
	}
	if diag.HasErrors(found) {
		return errors.New("a schema does not pass; see the diagnostics")
	}
	meta := newMeta(w.src, w.builder, rt)
	meta.Lint = keepFindings(found)
	if err := freeze(moved, meta, commands, w.stamp); err != nil {
		return err
	}
	o.Digest, err = w.publish(ctx, moved)
	o.Status, o.Commands, o.Reasons = Built, len(commands), nil
	return err
}

// finished are the folders of the builds in use, the package's own first. A
// forced build takes nothing over, and nobody one that is held back.
func (w *work) finished() []string {
	if w.p.Force || w.p.Held != "" {
		return nil
	}
	roots := []string{w.root}
	entries, _ := os.ReadDir(w.p.Out) // w.root is in it
	for _, e := range entries {
		if root := filepath.Join(w.p.Out, e.Name()); root != w.root {
			roots = append(roots, root)
		}
	}
	var dirs []string
	for _, root := range roots {
		if digest, err := readCurrent(os.DirFS(root)); err == nil {
			dirs = append(dirs, filepath.Join(root, digest))
		}
	}
	return dirs
}

func keepFindings(found []diag.Diagnostic) []Finding {
	var out []Finding
	for _, d := range found {
		if d.Severity == diag.Warning {
			command, text, _ := strings.Cut(d.Message, ": ")
			out = append(out, Finding{Command: command, Code: d.Code, Message: text})
		}
	}
	return out
}

// publish renames the finished folder to its digest and then makes it the one in
// use. The same content as before keeps the folder that is there.
func (w *work) publish(ctx context.Context, dir string) (string, error) {
	if err := plainModes(dir); err != nil {
		return "", err
	}
	digest, err := writeContents(ctx, dir)
	if err != nil {
		return "", err
	}
	hex := strings.TrimPrefix(digest, "sha256:")
	previous, _ := readCurrent(os.DirFS(w.root)) // none, or one that nobody can use
	target := filepath.Join(w.root, hex)
	if err := replaceTree(dir, target); err != nil {
		return "", err
	}
	if err := maybe.WriteFile(filepath.Join(w.root, currentName), []byte(hex+"\n"), 0o644); err != nil {
		return "", err
	}
	if hex != previous {
		w.clean(hex, previous)
	}
	return digest, nil
}

// plainModes gives a folder the modes that its digest speaks of: the umask of the
// one who builds says nothing about who can run a copy.
func plainModes(dir string) error {
	return filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.Type()&fs.ModeSymlink != 0 {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o644)
		if d.IsDir() || info.Mode()&0o111 != 0 {
			want = 0o755
		}
		if info.Mode().Perm() == want {
			return nil
		}
		return os.Chmod(file, want)
	})
}

// replaceTree puts dir in the place of target, unless the same is there already. A
// folder of that name may still be damaged.
func replaceTree(dir, target string) error {
	opts := archive.ScanOptions{Links: true}
	if got, err := archive.Digest(context.Background(), os.DirFS(target), opts); err == nil && strings.HasSuffix(got, filepath.Base(target)) {
		return nil
	}
	old := dir + "-old"
	if err := os.Rename(target, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(dir, target)
}

// clean removes builds other than the one in use and the one before it, unless
// a session holds them. What cannot be removed is tried again next time.
func (w *work) clean(keep ...string) {
	entries, err := os.ReadDir(w.root)
	if err != nil {
		return
	}
	for _, e := range entries {
		name := e.Name()
		if !digestPattern.MatchString(name) || name == keep[0] || name == keep[1] {
			continue
		}
		file := filepath.Join(w.root, holdName(name))
		if noLinks(w.root, file) != nil {
			continue
		}
		lock := flock.New(file)
		if free, err := lock.TryLock(); err != nil || !free {
			continue
		}
		removeTree(filepath.Join(w.root, name))
		_ = os.Remove(lock.Path())
		_ = lock.Unlock()
	}
}

// removeTemporary clears what a killed prebuild left; the lock is ours.
func (w *work) removeTemporary() {
	left, _ := filepath.Glob(filepath.Join(w.root, tmpPrefix+"*"))
	for _, dir := range left {
		removeTree(dir)
	}
}

// removeTree removes a folder, also with read-only folders in it, as module
// caches have.
func removeTree(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(path, 0o700) //nolint:gosec // a folder needs its x bit to be emptied
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}
