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
// could have put a link.
type callDir struct {
	root, rel string
	once      sync.Once
	dir       string
}

func (e *Env) newCallDir() *callDir {
	root, rel := e.artifacts()
	return &callDir{root: root, rel: rel}
}

// path makes the folder; "" means that there is no place for it.
func (d *callDir) path() string {
	d.once.Do(func() {
		if d.root == "" {
			return
		}
		if dir, err := makeCallDir(d.root, d.rel); err == nil {
			d.dir = dir
		}
	})
	return d.dir
}

// create makes a file of the host; nil means that there is no place for it.
func (d *callDir) create(name string) *os.File {
	dir := d.path()
	if dir == "" {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil
	}
	return f
}

// forCommand makes the folder that the command itself may write to.
func (d *callDir) forCommand() string {
	dir := d.path()
	if dir == "" {
		return ""
	}
	dir = filepath.Join(dir, "out")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return ""
	}
	return dir
}

// collect lists the files that the command left in its folder. Links and
// folders without files are none. An empty folder goes away.
func (d *callDir) collect(dir string) []toolpkg.Artifact {
	var out []toolpkg.Artifact
	if dir == "" {
		return nil
	}
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil //nolint:nilerr // what cannot be read is no artifact
		}
		if info, err := entry.Info(); err == nil {
			out = append(out, toolpkg.Artifact{Path: path, Bytes: info.Size()})
		}
		return nil
	})
	_ = os.Remove(dir)   // only when they are empty
	_ = os.Remove(d.dir) //
	return out
}

// makeCallDir makes a fresh folder below rel, through os.Root, since a command
// may have put a link in the way. The folder above keeps itself out of version
// control.
func makeCallDir(base, rel string) (string, error) {
	if err := os.MkdirAll(base, 0o755); err != nil {
		return "", err
	}
	root, err := os.OpenRoot(base)
	if err != nil {
		return "", err
	}
	defer root.Close()
	if err := root.MkdirAll(rel, 0o755); err != nil {
		return "", err
	}
	ignore := filepath.Join(rel, ".gitignore")
	if _, err := root.Lstat(ignore); err != nil {
		if err := root.WriteFile(ignore, []byte("*\n"), 0o644); err != nil {
			return "", err
		}
	}
	dir := filepath.Join(rel, "call-"+strings.ToLower(rand.Text()[:12]))
	return filepath.Join(base, dir), root.Mkdir(dir, 0o755)
}
