package builtin

import (
	"crypto/rand"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/agentctl/agentctl/internal/workspace"
	"github.com/agentctl/agentctl/pkg/sandbox"
	"github.com/agentctl/agentctl/pkg/toolpkg"
)

// artifacts is the folder for outputs and artifacts: rel below root, which is
// "" when there is none.
func (e *Env) artifacts() (root, rel string) {
	if e.Artifacts == "" && sandbox.Mountable(e.Workspace, e.Home) {
		return e.Workspace, filepath.Join(workspace.Dir, "artifacts")
	}
	return e.Artifacts, "."
}

// same is what the loop guard compares of a text for the model: without the name
// of the folder that this call alone has.
func (e *Env) same(text string) string {
	root, rel := e.artifacts()
	if root == "" {
		return ""
	}
	base := filepath.Join(root, rel) + string(filepath.Separator)
	parts := strings.Split(text, base)
	for i, part := range parts[1:] {
		end := strings.IndexAny(part, "/\\ \t\r\n\"'")
		parts[i+1] = part[max(end, 0):]
	}
	return strings.Join(parts, base)
}

// callDir is the folder for the files of one call, made once it is needed. What
// the host writes lies beside the folder that the command may write to, where it
// could have put a link, and goes through folders that were opened before the
// command started.
type callDir struct {
	artifacts *toolpkg.ArtifactRoot // nil when there is no place
	once      sync.Once
	above     *os.Root // nil as long as there is no folder
	root      *os.Root
}

func (e *Env) newCallDir() *callDir {
	root, rel := e.artifacts()
	if root == "" {
		return &callDir{}
	}
	artifacts, err := toolpkg.OpenArtifactRoot(e.Workspace, filepath.Join(root, rel))
	if err != nil {
		return &callDir{}
	}
	return &callDir{artifacts: artifacts}
}

// open makes the folder; nil means that there is no place for it.
func (d *callDir) open() *os.Root {
	d.once.Do(func() {
		if d.artifacts == nil {
			return
		}
		above, err := d.artifacts.Make()
		if err != nil {
			return
		}
		name := "call-" + strings.ToLower(rand.Text()[:12])
		if err := above.Mkdir(name, 0o755); err == nil {
			d.root, _ = above.OpenRoot(name)
		}
		d.above = above
	})
	return d.root
}

// create makes a file of the host; nil means that there is no place for it.
func (d *callDir) create(name string) *os.File {
	root := d.open()
	if root == nil {
		return nil
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil
	}
	return f
}

const ownDir = "out"

// forCommand makes the folder that the command itself may write to.
func (d *callDir) forCommand() string {
	root := d.open()
	if root == nil || root.Mkdir(ownDir, 0o755) != nil {
		return ""
	}
	return filepath.Join(root.Name(), ownDir)
}

// close ends the use of the folder. One without files goes away.
func (d *callDir) close() {
	if d.root != nil {
		_ = d.root.Remove(ownDir) // only when it is empty
		_ = d.root.Close()
		_ = d.above.Remove(filepath.Base(d.root.Name())) // as well
	}
	if d.above != nil {
		_ = d.above.Close()
	}
	if d.artifacts != nil {
		d.artifacts.Close()
	}
}

// collect lists the files that the command left in its folder. Links and
// folders without files are none.
func (d *callDir) collect(own string) []toolpkg.Artifact {
	if own == "" {
		return nil
	}
	var out []toolpkg.Artifact
	_ = fs.WalkDir(d.root.FS(), ownDir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil //nolint:nilerr // what cannot be read is no artifact
		}
		if info, err := entry.Info(); err == nil {
			out = append(out, toolpkg.Artifact{Path: filepath.Join(d.root.Name(), filepath.FromSlash(path)), Bytes: info.Size()})
		}
		return nil
	})
	return out
}
