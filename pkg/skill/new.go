package skill

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/agentctl/agentctl/internal/registry"
)

// scaffold holds the files of a new skill: body.md, and one folder for each part
// that New can add.
//
//go:embed all:scaffold
var scaffold embed.FS

// NewRequest is a skill to begin.
type NewRequest struct {
	// Dir is the folder of skills to write to.
	Dir string
	// Workspace is that of [SaveRequest]: a skill in one of its other folders is in the
	// way too.
	Workspace string
	// Name becomes a folder in kebab-case ASCII.
	Name, Description string
	// With are parts to add, see [Parts].
	With []string
}

// NewResult says what was made.
type NewResult struct{ Name, Dir, File string }

// Parts are the names that NewRequest.With takes.
func Parts() []string { return []string{"scripts", "references", "evals"} }

// New begins a skill: the seven questions that a good skill answers, as headings.
// The folder appears whole or not at all. One that is there already, other than
// an empty one, is an [*ExistsError].
func New(ctx context.Context, req NewRequest) (NewResult, error) {
	save := SaveRequest{Dir: req.Dir, Workspace: req.Workspace, Name: req.Name, Description: req.Description}
	if err := save.normalize(); err != nil {
		return NewResult{}, err
	}
	for _, part := range req.With {
		if !slices.Contains(Parts(), part) {
			return NewResult{}, refuse("with", "there is no part %q; use %s", part, strings.Join(Parts(), ", "))
		}
	}
	slug := Slug(save.Name)
	res := NewResult{Name: slug, Dir: filepath.Join(req.Dir, slug)}
	res.File = filepath.Join(res.Dir, ManifestName)
	if err := os.MkdirAll(req.Dir, 0o755); err != nil {
		return res, fmt.Errorf("make the skills folder: %w", err)
	}
	unlock, err := lockDir(ctx, req.Dir)
	if err != nil {
		return res, err
	}
	defer unlock()
	switch old, err := existing(ctx, save.roots(), save.Name); {
	case err != nil:
		return res, err
	case old != nil && old.other:
		return res, old.soundsLike(save.Name)
	case old != nil:
		return res, &ExistsError{Path: old.item.Dir}
	}
	return res, staged(req.Dir, res.Dir, func(tree string) error {
		return writeScaffold(tree, save.Name, save.Description, req.With)
	})
}

// staged fills a folder beside its place and then moves it there in one step.
func staged(root, dir string, fill func(tree string) error) error {
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) > 0 || errors.Is(err, syscall.ENOTDIR) {
		return &ExistsError{Path: dir}
	}
	if err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("look into the skill's folder: %w", err)
	}
	stage, err := os.MkdirTemp(root, registry.StagingPrefix+"*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(stage) }()
	tree := filepath.Join(stage, filepath.Base(dir))
	if err := os.Mkdir(tree, 0o755); err != nil {
		return err
	}
	if err := fill(tree); err != nil {
		return err
	}
	_ = os.Remove(dir) // an empty folder; Windows renames onto nothing
	return os.Rename(tree, dir)
}

func writeScaffold(tree, name, description string, with []string) error {
	body, err := scaffold.ReadFile("scaffold/body.md")
	if err != nil {
		return err
	}
	doc, err := newDocument(name, description)
	if err != nil {
		return err
	}
	doc.SetBody("\n" + strings.ReplaceAll(string(body), "TITLE", title(name)))
	if err := os.WriteFile(filepath.Join(tree, ManifestName), doc.Encode(), 0o644); err != nil {
		return err
	}
	for _, part := range with {
		if err := copyPart(tree, path.Join("scaffold", part)); err != nil {
			return err
		}
	}
	return nil
}

// copyPart copies the files of one part into the skill's folder.
func copyPart(tree, part string) error {
	sub, err := fs.Sub(scaffold, part)
	if err != nil {
		return err
	}
	return fs.WalkDir(sub, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(tree, filepath.FromSlash(p))
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		data, err := fs.ReadFile(sub, p)
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if strings.HasPrefix(string(data), "#!") {
			mode = 0o755
		}
		return os.WriteFile(to, data, mode)
	})
}

// title is a name as a heading: in another script as it was given.
func title(name string) string {
	if registry.Foreign(name) {
		return name
	}
	text := strings.ReplaceAll(Slug(name), "-", " ")
	return strings.ToUpper(text[:1]) + text[1:]
}
