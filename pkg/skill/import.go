package skill

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agentctl/agentctl/internal/archive"
	"github.com/agentctl/agentctl/internal/registry"
)

// ImportRequest is an archive or folder to take over.
type ImportRequest struct {
	// Source is a zip file or a folder; with Data it is only the name of it.
	Source string
	// Data is the archive itself, nil to open Source.
	Data io.Reader
	// Dir is the folder of skills to write to.
	Dir string
	// Name is another name for the skill; "" keeps its own.
	Name string
	// Force replaces a skill that exists.
	Force bool
	// DryRun checks everything and writes nothing.
	DryRun bool
	Lint   LintOptions
}

// ImportResult says what was, or would be, taken over.
type ImportResult struct {
	Name, Dir, Digest string
	Files             int
	// Diagnostics are repairs and lint findings.
	Diagnostics []Diagnostic
}

// Import takes over a skill from a zip archive or a folder, with or without a
// folder around it. Everything is checked before anything is written, and the
// skill appears whole or not at all.
//
// The error is an *archive.FormatError, *archive.LayoutError, *archive.PathError
// or *archive.LimitError for what is no sound archive, a [*BrokenError] for what
// would not load, an [*ExistsError] for what is in the way, or a [*RefusedError].
func Import(ctx context.Context, req ImportRequest) (ImportResult, error) {
	files, wrapper, closeSource, err := openSource(ctx, req)
	if err != nil {
		return ImportResult{}, err
	}
	defer closeSource()
	root, cleanup, err := req.stageRoot(ctx)
	if err != nil {
		return ImportResult{}, err
	}
	defer cleanup()
	stage, err := os.MkdirTemp(root, registry.StagingPrefix+"*")
	if err != nil {
		return ImportResult{}, err
	}
	defer func() { _ = os.RemoveAll(stage) }()
	tree := filepath.Join(stage, "skill")
	if err := os.Mkdir(tree, 0o755); err != nil {
		return ImportResult{}, err
	}
	if err := archive.Extract(ctx, files, tree); err != nil {
		return ImportResult{}, fmt.Errorf("%s: %w", req.Source, err)
	}
	it, err := req.parse(tree, wrapper)
	if err != nil {
		return ImportResult{}, err
	}
	return req.finish(ctx, it, wrapper, tree, stage, len(files))
}

// stageRoot is where the skill is put together: on the file system of its place,
// or anywhere for a dry run.
func (r *ImportRequest) stageRoot(ctx context.Context) (dir string, cleanup func(), err error) {
	if r.DryRun {
		return os.TempDir(), func() {}, nil
	}
	if err := os.MkdirAll(r.Dir, 0o755); err != nil {
		return "", nil, fmt.Errorf("make the skills folder: %w", err)
	}
	unlock, err := lockDir(ctx, r.Dir)
	return r.Dir, unlock, err
}

// parse reads the staged skill. Its diagnostics name the source, since the
// staged folder is gone when they are read.
func (r *ImportRequest) parse(tree, wrapper string) (*Item, error) {
	entries, err := os.ReadDir(tree)
	if err != nil {
		return nil, err
	}
	manifest, _ := detect(entries)
	loc := registry.Location{
		Source: &Source{Name: SourcePath, Root: r.Source, FS: os.DirFS(tree)},
		Dir:    filepath.Join(r.Source, wrapper), Manifest: manifest, FS: os.DirFS(tree),
	}
	data, err := readManifest(loc)
	if err != nil {
		return nil, err
	}
	s, ds, err := Parse(loc.File(), cmp.Or(wrapper, r.stem()), data)
	if err != nil {
		return nil, &BrokenError{Kind: "skill", Name: cmp.Or(wrapper, r.stem(), r.Source), File: loc.File(), Diagnostics: ds}
	}
	return &Item{Value: s, Name: s.Name, Aliases: s.Aliases, Given: s.Given, Slug: Slug(s.Name), Location: loc}, nil
}

// finish names, checks and places the staged skill.
func (r *ImportRequest) finish(ctx context.Context, it *Item, wrapper, tree, stage string, files int) (ImportResult, error) {
	slug, err := r.folder(it.Name, cmp.Or(wrapper, r.stem()))
	if err != nil {
		return ImportResult{}, err
	}
	if r.Name != "" {
		it.Value.Doc.Set("name", slug)
		it.Name = slug
		if err := replaceFile(filepath.Join(tree, it.Manifest), it.Value.Doc.Encode(), stage); err != nil {
			return ImportResult{}, err
		}
	}
	res := ImportResult{Name: it.Name, Dir: filepath.Join(r.Dir, slug), Files: files}
	if res.Digest, err = Digest(ctx, it); err != nil {
		return res, err
	}
	var inTheWay error
	if res.Dir, inTheWay = r.destination(ctx, it.Name, res.Dir); inTheWay == nil || r.DryRun {
		res.Diagnostics, err = r.lint(ctx, it, res.Dir)
	}
	if err := cmp.Or(inTheWay, err); err != nil || r.DryRun {
		return res, err
	}
	return res, replaceFolder(tree, res.Dir, filepath.Join(stage, asideName))
}

// lint checks the staged skill as if it lay in its place.
func (r *ImportRequest) lint(ctx context.Context, it *Item, dir string) ([]Diagnostic, error) {
	for _, ds := range [][]Diagnostic{it.Value.Doc.Diagnostics, it.Value.Doc.Findings} {
		for i := range ds {
			ds[i].File = filepath.Join(dir, it.Manifest)
		}
	}
	it.Dir = dir
	return Lint(ctx, it, r.Lint)
}

// folder is the slug under which the skill is kept.
func (r *ImportRequest) folder(name, wrapper string) (string, error) {
	slug := cmp.Or(Slug(name), Slug(wrapper))
	if r.Name != "" {
		slug = Slug(r.Name)
	}
	if fault := slugFault(slug); fault != "" {
		return "", refuse("name", "the name %q %s; pass --name", cmp.Or(r.Name, name), fault)
	}
	return slug, nil
}

// destination is the folder to write to: a skill of that name that exists keeps
// its folder, and is only replaced by force.
func (r *ImportRequest) destination(ctx context.Context, name, dir string) (string, error) {
	old, err := existing(ctx, []string{r.Dir}, name)
	if _, broken := errors.AsType[*RefusedError](err); broken && !r.Force {
		return dir, &ExistsError{Path: dir}
	} else if err != nil && !broken {
		return dir, err
	}
	if old != nil {
		dir = old.item.Dir
	}
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && len(entries) == 0, r.Force:
		return dir, nil
	}
	return dir, &ExistsError{Path: dir}
}

// asideName is where in a stage a folder waits that is being replaced.
const asideName = "old"

// replaceFolder moves a finished folder to its place. Where the system can, the
// two change places in one step; else the old one goes to a side from where it
// comes back if that fails.
func replaceFolder(tree, dir, aside string) error {
	if exchange(tree, dir) == nil {
		return nil // the old one is swept away with the stage
	}
	err := os.Rename(dir, aside)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(tree, dir); err != nil {
		_ = os.Rename(aside, dir)
		return err
	}
	return nil
}
