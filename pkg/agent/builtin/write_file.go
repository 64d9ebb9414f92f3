package builtin

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/fspath"
	"github.com/agentctl/agentctl/internal/workspace"
	"github.com/agentctl/agentctl/pkg/agent"
	"github.com/agentctl/agentctl/pkg/sandbox"
	"github.com/agentctl/agentctl/pkg/skill"
)

const writeFileName = "write_file"

type writeFileArgs struct {
	Path    string `json:"path"`
	Content string `json:"content" jsonschema_description:"the whole file"`
}

func (e *Env) writeFile() agent.Tool {
	return asking[writeFileArgs]{
		tool: newTool(writeFileName, "Create or replace a file.", func(ctx context.Context, _ agent.Call, args writeFileArgs) (agent.Output, error) {
			w, err := e.target(ctx, args.Path)
			if err != nil {
				return agent.Output{}, err
			}
			if err := w.write(args.Content); err != nil {
				return agent.Output{}, e.fileError(ctx, w.place, err)
			}
			return agent.Output{Text: fmt.Sprintf("%s %s (%d bytes)", w.verb("created", "replaced"), w.shown, len(args.Content))}, nil
		}),
		ask: func(ctx context.Context, args writeFileArgs) (agent.ApprovalRequest, error) {
			w, err := e.target(ctx, args.Path)
			if err != nil {
				return agent.ApprovalRequest{}, err
			}
			return agent.ApprovalRequest{
				Key: writeFileName, Covers: writeFileName + " to any file of the workspace", Names: []string{writeFileName}, Ask: true,
				Summary: w.verb("create", "replace") + " " + w.shown,
				Detail:  diff(w.shown, w.old, args.Content),
			}, nil
		},
	}
}

// target is a file that may be written.
type target struct {
	place
	exists bool
	mode   fs.FileMode
	old    string // the content so far, as much as a diff needs
}

func (w target) verb(create, replace string) string {
	if w.exists {
		return replace
	}
	return create
}

// target checks a path and looks at what is there.
func (e *Env) target(ctx context.Context, name string) (target, error) {
	w := target{mode: 0o644}
	var err error
	if w.place, err = e.inWorkspace(name); err != nil {
		return w, err
	}
	if w.rel == "." {
		return w, refuse("path is the workspace itself. Give the path of a file in it.")
	}
	root, err := os.OpenRoot(w.root)
	if err != nil {
		return w, err
	}
	defer root.Close()
	info, err := root.Lstat(w.rel)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return w, e.writable(w.place)
	case err != nil:
		return w, e.fileError(ctx, w.place, err)
	case info.Mode()&fs.ModeSymlink != 0:
		to, _ := root.Readlink(w.rel)
		return w, refuse("%q is a link to %q. Write to the file itself.", w.shown, to)
	case info.IsDir():
		return w, refuse("%q is a folder. Give the path of a file in it.", w.shown)
	case !info.Mode().IsRegular():
		return w, refuse("%q is no regular file and cannot be written.", w.shown)
	}
	w.exists, w.mode = true, info.Mode().Perm()
	if info.Size() <= maxDiff {
		if data, err := root.ReadFile(w.rel); err == nil {
			w.old = string(data)
		}
	}
	return w, e.writable(w.place)
}

// writable refuses what no command may write either, and leaves SKILL.md to
// save_skill.
func (e *Env) writable(p place) error {
	real := fspath.Real(filepath.Join(p.root, p.rel))
	if rel, ok := e.inSkill(p.root, real); ok {
		if strings.EqualFold(filepath.Base(rel), skill.ManifestName) {
			return refuse("%q is written by save_skill alone. Call %s.", p.shown, call(saveSkillName, "name", filepath.Base(filepath.Dir(rel)), "description", "…", "body", "…"))
		}
		return nil
	}
	protected := sandbox.ProtectedPaths(p.root, e.Protect...)
	i := slices.IndexFunc(protected, func(dir string) bool {
		_, ok := foldedBelow(fspath.Real(dir), real)
		return ok
	})
	if i < 0 {
		return refuseSource(p, real)
	}
	shown, _ := filepath.Rel(p.root, protected[i])
	return refuse("%q is protected: nothing in %s may be written here. Choose another path, or tell the user what to write there.", p.shown, filepath.ToSlash(shown))
}

// refuseSource refuses the file that makes a source of the folder it lies in.
func refuseSource(p place, real string) error {
	for _, f := range sandbox.WatchedFolders(p.root) {
		if rel, ok := foldedBelow(fspath.Real(f.Dir), filepath.Dir(filepath.Dir(real))); ok && rel == "." && strings.EqualFold(filepath.Base(real), f.File) {
			return refuse("%q is protected: it would make an app of its folder. Choose another path, or tell the user what to write there.", p.shown)
		}
	}
	return nil
}

// inSkill tells whether path lies below the folder of a skill of the workspace,
// there or to come, and where in the folder of skills.
func (e *Env) inSkill(root, path string) (rel string, ok bool) {
	for _, dir := range []string{filepath.Join(root, workspace.SkillDir), e.SkillsDir} {
		if dir == "" {
			continue
		}
		rel, ok := foldedBelow(fspath.Real(dir), path)
		if ok && strings.ContainsRune(rel, filepath.Separator) {
			return rel, true
		}
	}
	return "", false
}

// foldedBelow tells whether path is dir or below it. Case does not count, since
// on some file systems .GIT is .git.
func foldedBelow(dir, path string) (rel string, ok bool) {
	if len(path) >= len(dir) && strings.EqualFold(path[:len(dir)], dir) {
		path = dir + path[len(dir):]
	}
	rel, err := filepath.Rel(dir, path)
	return rel, err == nil && filepath.IsLocal(rel)
}

// write puts the file in place whole: readers see the old one or the new one.
func (w target) write(content string) error {
	root, err := os.OpenRoot(w.root)
	if err != nil {
		return err
	}
	defer root.Close()
	dir := filepath.Dir(w.rel)
	if err := root.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	temp := filepath.Join(dir, ".agentctl-"+rand.Text())
	if err = writeNew(root, temp, content, w.mode); err == nil {
		err = root.Rename(temp, w.rel)
	}
	if err != nil {
		_ = root.Remove(temp)
	}
	return err
}

func writeNew(root *os.Root, name, content string, mode fs.FileMode) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if _, err = f.WriteString(content); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
