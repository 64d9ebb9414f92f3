package toolpkg

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/diag"
)

// outputDir is the folder of one call's artifacts.
type outputDir struct {
	path   string
	fresh  bool // made for this call, and removed again when nothing is in it
	before map[string]fs.FileInfo
	// base is where the host's own files about the call go: beside the folder, never
	// in it, where the tool could have put a link.
	base      string
	workspace string
	temporary string // the root, where the caller has none
}

// close removes what was made for this call alone and has nothing in it.
func (d *outputDir) close() {
	if d.temporary != "" && !d.holdsFiles() {
		removeTree(d.temporary)
	}
}

func (d *outputDir) holdsFiles() bool {
	entries, err := os.ReadDir(d.temporary)
	return err != nil || slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() != ".gitignore" })
}

// file is one of the host's own files about the call, which is made when there
// is something to write.
func (d *outputDir) file(suffix string) spillFile { return spillFile{d.workspace, d.base + suffix} }

type spillFile struct{ workspace, path string }

func (f spillFile) create() (*os.File, error) {
	if err := makeArtifactRoot(f.workspace, filepath.Dir(f.path)); err != nil {
		return nil, err
	}
	return os.OpenFile(f.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
}

// openOutputDir makes .agentctl/artifacts/<call> below root, or takes the folder
// that the user named. Without a root a temporary folder is one.
func openOutputDir(workspace, root, named string, now time.Time) (*outputDir, error) {
	d := &outputDir{workspace: workspace}
	if root == "" {
		root = filepath.Join(os.TempDir(), "agentctl-artifacts-"+rand.Text())
		d.temporary = root
	}
	d.base = filepath.Join(root, callID(now))
	if named != "" {
		d.path = named
		if err := os.MkdirAll(named, 0o755); err != nil {
			return nil, err
		}
		d.before = map[string]fs.FileInfo{}
		err := walkFiles(named, func(path string, info fs.FileInfo) { d.before[path] = info })
		return d, err
	}
	if err := makeArtifactRoot(workspace, root); err != nil {
		return nil, err
	}
	d.path, d.fresh = d.base, true
	return d, os.Mkdir(d.path, 0o755)
}

// makeArtifactRoot keeps artifacts out of the user's commits.
func makeArtifactRoot(workspace, root string) error {
	if err := makeBelow(workspace, root); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(root, ".gitignore"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644) //nolint:gosec // it holds no secret, and others read the checkout
	if err != nil {
		return nil //nolint:nilerr // it is there, or a person took it away: both are fine
	}
	_, err = f.WriteString("*\n")
	return errors.Join(err, f.Close())
}

// makeBelow makes a folder, which does not pass a link below base: [noLinks].
func makeBelow(base, dir string) error {
	if err := noLinks(base, dir); err != nil {
		return err
	}
	return os.MkdirAll(dir, 0o755)
}

// noLinks refuses a path with a symbolic link in it below base: one that came with
// a checkout must not lead what is written out of it. "" is no base, and a path
// elsewhere is its owner's affair.
func noLinks(base, path string) error {
	rel, err := filepath.Rel(base, path)
	if base == "" || err != nil || !filepath.IsLocal(rel) {
		return nil
	}
	at := base
	for name := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		at = filepath.Join(at, name)
		if info, err := os.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return fmt.Errorf("%q is a symbolic link, and nothing is written through one in a workspace: remove it", at)
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
// which there are none.
func (d *outputDir) collect() ([]Artifact, []diag.Diagnostic, error) {
	artifacts, found := []Artifact{}, []diag.Diagnostic{}
	err := walkFiles(d.path, func(path string, info fs.FileInfo) {
		if old, ok := d.before[path]; ok && old.Size() == info.Size() && old.ModTime().Equal(info.ModTime()) {
			return
		}
		if !info.Mode().IsRegular() {
			found = append(found, diag.Diagnostic{
				File: path, Severity: diag.Warning, Code: "tool.artifact-dropped",
				Message: fmt.Sprintf("is a %s, not a file, and is no artifact", kindOfFile(info.Mode())),
			})
			return
		}
		artifacts = append(artifacts, Artifact{Path: path, Bytes: info.Size()})
	})
	if d.fresh && len(artifacts) == 0 && len(found) == 0 {
		removeTree(d.path)
	}
	return artifacts, found, err
}

func kindOfFile(m fs.FileMode) string {
	if m&fs.ModeSymlink != 0 {
		return "symbolic link"
	}
	return "special file"
}

// walkFiles visits everything below dir that is no folder, in order, without
// following links.
func walkFiles(dir string, visit func(path string, info fs.FileInfo)) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		visit(path, info)
		return nil
	})
}
