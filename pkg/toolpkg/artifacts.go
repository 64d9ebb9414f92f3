package toolpkg

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/fspath"
)

// ArtifactRoot is the folder below which calls keep their files. It is opened
// before a program starts, and what the host writes later goes through it: the
// program may put a link where the folder was.
type ArtifactRoot struct {
	path      string
	workspace string   // in which path passes no link, "" for none
	base      *os.Root // the workspace, else the folder itself
	rel       string   // of path in base
	temporary bool
}

// OpenArtifactRoot opens the folder dir of a workspace, which is made once it is
// needed. Without a workspace it may lie anywhere; without dir it is a temporary
// one, which stays when something is left in it.
func OpenArtifactRoot(workspace, dir string) (*ArtifactRoot, error) {
	a := &ArtifactRoot{path: dir, workspace: workspace}
	if dir == "" {
		temp, err := os.MkdirTemp("", "agentctl-artifacts-*") // for the user alone
		if err != nil {
			return nil, err
		}
		a.path, a.workspace, a.temporary = temp, "", true
	}
	at := workspace
	rel, ok := fspath.Below(a.workspace, a.path)
	if !ok {
		at, rel = a.path, "."
		if err := os.MkdirAll(at, 0o755); err != nil {
			return nil, err
		}
	}
	base, err := os.OpenRoot(at)
	if err != nil {
		return nil, err
	}
	a.base, a.rel = base, rel
	return a, nil
}

// Make makes the folder, unless it is there, and opens it.
func (a *ArtifactRoot) Make() (*os.Root, error) {
	dir, err := openBelow(a.base, a.rel)
	if err != nil || a.temporary {
		return dir, err
	}
	f, err := dir.OpenFile(".gitignore", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return dir, nil //nolint:nilerr // it is there, or a person took it away: both are fine
	}
	_, err = f.WriteString("*\n") // artifacts are kept out of the user's commits
	if err = errors.Join(err, f.Close()); err != nil {
		_ = dir.Close()
		return nil, err
	}
	return dir, nil
}

// Close ends the use of the folder.
func (a *ArtifactRoot) Close() {
	_ = a.base.Close()
	if a.temporary {
		_ = os.Remove(a.path) // only when nothing is in it
	}
}

// outputDir is the folder of one call's artifacts.
type outputDir struct {
	path   string
	fresh  bool // made for this call, and removed again when nothing is in it
	before map[string]fs.FileInfo
	hostFiles
}

// hostFiles is where the host's own files about one call go: beside the folder of
// its artifacts, never in it.
type hostFiles struct {
	root *ArtifactRoot
	err  error // why there is none
	id   string
}

func openHostFiles(workspace, root string, now time.Time) hostFiles {
	h := hostFiles{id: callID(now)}
	h.root, h.err = OpenArtifactRoot(workspace, root)
	return h
}

func (h hostFiles) close() {
	if h.err == nil {
		h.root.Close()
	}
}

// file is one of them, which is made when there is something to write.
func (h hostFiles) file(suffix string) spillFile { return spillFile{h, h.id + suffix} }

type spillFile struct {
	hostFiles
	name string
}

func (f spillFile) path() string { return filepath.Join(f.root.path, f.name) }

func (f spillFile) create() (*os.File, error) {
	if f.err != nil {
		return nil, f.err
	}
	dir, err := f.root.Make()
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.OpenFile(f.name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
}

// check tells whether the path still leads to the file, once nothing runs that
// could have changed it: whoever reads the path must not get another one.
func (f spillFile) check(file *os.File) error {
	want, err := file.Stat()
	if err != nil {
		return err
	}
	if err := noLinks(f.root.workspace, f.path()); err != nil {
		return err
	}
	if got, err := os.Lstat(f.path()); err != nil || !os.SameFile(got, want) {
		return fmt.Errorf("%q was moved away while the program ran", f.path())
	}
	return nil
}

// openOutputDir makes .agentctl/artifacts/<call> below root, or takes the folder
// that the user named. Without a root a temporary folder is one.
func openOutputDir(workspace, root, named string, now time.Time) (*outputDir, error) {
	d := &outputDir{path: named, hostFiles: openHostFiles(workspace, root, now)}
	open := d.makeFresh
	if named != "" {
		open = d.takeNamed
	}
	if err := open(); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

func (d *outputDir) takeNamed() error {
	if err := os.MkdirAll(d.path, 0o755); err != nil {
		return err
	}
	if _, err := os.ReadDir(d.path); err != nil {
		return err
	}
	d.before = map[string]fs.FileInfo{}
	walkFiles(d.path, func(path string, info fs.FileInfo, _ error) { d.before[path] = info })
	return nil
}

func (d *outputDir) makeFresh() error {
	if d.err != nil {
		return d.err
	}
	root, err := d.root.Make()
	if err != nil {
		return err
	}
	defer root.Close()
	d.path, d.fresh = filepath.Join(d.root.path, d.id), true
	return root.Mkdir(d.id, 0o755)
}

// makeBelow makes a folder, which does not pass a link below base. "" is no base,
// and a folder elsewhere is its owner's affair.
func makeBelow(base, dir string) error {
	rel, ok := fspath.Below(base, dir)
	if !ok {
		return os.MkdirAll(dir, 0o755)
	}
	root, err := os.OpenRoot(base)
	if err != nil {
		return err
	}
	defer root.Close()
	made, err := openBelow(root, rel)
	if err != nil {
		return err
	}
	return made.Close()
}

// openBelow makes a folder below an open one and opens it. Each step is taken from
// the folder before it and looked at once it is open, so that no link can get in
// between.
func openBelow(base *os.Root, rel string) (*os.Root, error) {
	at, err := base.OpenRoot(".")
	for name := range strings.SplitSeq(filepath.ToSlash(filepath.Clean(rel)), "/") {
		if err != nil || name == "." {
			break
		}
		above := at
		at, err = openStep(above, name)
		_ = above.Close()
	}
	return at, err
}

func openStep(at *os.Root, name string) (*os.Root, error) {
	path := filepath.Join(at.Name(), name)
	if err := at.Mkdir(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	want, err := at.Lstat(name)
	if err != nil {
		return nil, err
	}
	if want.Mode()&fs.ModeSymlink != 0 {
		return nil, linkError(path)
	}
	next, err := at.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if got, err := next.Stat("."); err != nil || !os.SameFile(got, want) {
		_ = next.Close()
		return nil, linkError(path)
	}
	return next, nil
}

func linkError(path string) error {
	return fmt.Errorf("%q is a symbolic link, and nothing is written through one in a workspace: remove it", path)
}

// noLinks refuses a path with a symbolic link in it below base: one that came with
// a checkout must not lead what is written out of it. "" is no base, and a path
// elsewhere is its owner's affair.
func noLinks(base, path string) error {
	rel, ok := fspath.Below(base, path)
	if !ok {
		return nil
	}
	at := base
	for name := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		at = filepath.Join(at, name)
		if info, err := os.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return linkError(at)
		}
	}
	return nil
}

// callID sorts by time and is never the same twice.
func callID(now time.Time) string {
	var b [3]byte
	_, _ = rand.Read(b[:]) // it never fails
	return now.UTC().Format("20060102-150405-") + hex.EncodeToString(b[:])
}

// collect lists the files that the call left, and removes a fresh folder in
// which there are none. What is there and no artifact is in the diagnostics.
func (d *outputDir) collect() ([]Artifact, []diag.Diagnostic) {
	artifacts, found := []Artifact{}, []diag.Diagnostic{}
	drop := func(path, why string) {
		found = append(found, diag.Diagnostic{
			File: path, Severity: diag.Warning, Code: "tool.artifact-dropped", Message: why + ", and is no artifact",
		})
	}
	walkFiles(d.path, func(path string, info fs.FileInfo, err error) {
		switch old, ok := d.before[path]; {
		case ok && unchanged(old, info):
		case err != nil:
			drop(path, "cannot be read ("+reason(err)+")")
		case !info.Mode().IsRegular():
			drop(path, fmt.Sprintf("is a %s, not a file", kindOfFile(info.Mode())))
		default:
			artifacts = append(artifacts, Artifact{Path: path, Bytes: info.Size()})
		}
	})
	if d.fresh && len(artifacts) == 0 && len(found) == 0 {
		removeTree(d.path)
	}
	return artifacts, found
}

// unchanged tells whether something is what it was; nil is what cannot be read.
func unchanged(old, now fs.FileInfo) bool {
	if old == nil || now == nil {
		return old == now
	}
	return old.Size() == now.Size() && old.ModTime().Equal(now.ModTime())
}

// reason is an error without the path that it is about.
func reason(err error) string {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err
	}
	return err.Error()
}

func kindOfFile(m fs.FileMode) string {
	if m&fs.ModeSymlink != 0 {
		return "symbolic link"
	}
	return "special file"
}

// walkFiles visits everything below dir that is no folder, in order, without
// following links, and with an error every folder and file that cannot be read.
// What goes away meanwhile is not there.
func walkFiles(dir string, visit func(path string, info fs.FileInfo, err error)) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		var info fs.FileInfo
		if err == nil {
			if d.IsDir() {
				return nil
			}
			info, err = d.Info()
		}
		if !errors.Is(err, fs.ErrNotExist) {
			visit(path, info, err)
		}
		return nil // go on with the others
	})
}
