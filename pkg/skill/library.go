package skill

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/agentctl/agentctl/internal/registry"
	"github.com/agentctl/agentctl/internal/workspace"
)

// Library finds the skills of its sources. It implements [Resolver]. The fields
// must not change after the first Load.
type Library struct {
	// Sources are the roots in order of precedence, see [Sources].
	Sources []Source
	// Disabled tells whether a name is switched off; nil means none is.
	Disabled func(name string) bool
	// HeldBack returns absolute paths whose skills no model sees now, like those of
	// an untrusted source. It is asked at each Load; nil means none.
	HeldBack func() ([]string, error)
	// CacheDir is where embedded skills get a real folder; "" means that they
	// have none.
	CacheDir string

	mu    sync.Mutex
	cache map[string]cached
}

// cached is a parsed file that did not change since.
type cached struct {
	size   int64
	mtime  time.Time
	parsed registry.Parsed[*Skill]
	diags  []Diagnostic
	err    error
}

// Load scans the sources. Skills of a workspace are read anew each time, so that
// an edit shows in the next turn; others are read again once their file changed.
func (l *Library) Load(ctx context.Context) (*Listing, error) {
	sources, err := l.sources()
	if err != nil {
		return nil, err
	}
	return kind(l.parse).Load(ctx, sources, registry.Options{Disabled: l.Disabled})
}

// sources are those of the library, the ones that are held back marked.
func (l *Library) sources() ([]Source, error) {
	if l.HeldBack == nil {
		return l.Sources, nil
	}
	held, err := l.HeldBack()
	if err != nil || len(held) == 0 {
		return l.Sources, err
	}
	out := slices.Clone(l.Sources)
	for i := range out {
		src := &out[i]
		if src.FS == nil && src.Name != SourcePath { // a folder that the user named is consent
			src.Untrusted = src.Untrusted || slices.ContainsFunc(held, func(dir string) bool { return workspace.Overlap(dir, src.Root) })
		}
	}
	return out, nil
}

// Dir returns the real folder of a skill; see [Dir].
func (l *Library) Dir(ctx context.Context, it *Item) (string, error) { return Dir(ctx, it) }

func (l *Library) parse(ctx context.Context, loc registry.Location) (registry.Parsed[*Skill], []Diagnostic, error) {
	if loc.Source.Name == SourceWorkspace {
		return l.fresh(ctx, loc)
	}
	info, err := fs.Lstat(loc.FS, loc.Manifest) // fs.Stat would open the file, and wait for the writer of a pipe
	if err != nil || !info.Mode().IsRegular() {
		return l.fresh(ctx, loc)
	}
	key := loc.File()
	l.mu.Lock()
	c, ok := l.cache[key]
	l.mu.Unlock()
	if ok && c.size == info.Size() && c.mtime.Equal(info.ModTime()) {
		return c.parsed, c.diags, c.err
	}
	c = cached{size: info.Size(), mtime: info.ModTime()}
	c.parsed, c.diags, c.err = l.fresh(ctx, loc)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cache == nil {
		l.cache = map[string]cached{}
	}
	l.cache[key] = c
	return c.parsed, c.diags, c.err
}

func (l *Library) fresh(ctx context.Context, loc registry.Location) (registry.Parsed[*Skill], []Diagnostic, error) {
	p, ds, err := parseLocation(ctx, loc)
	if p.Value != nil {
		p.Value.cacheDir = l.CacheDir
	}
	return p, ds, err
}

// NotSkillError reports a folder that holds no skill.
type NotSkillError struct {
	Dir string
	// Missing: there is no such folder.
	Missing bool
}

func (e *NotSkillError) Error() string {
	if e.Missing {
		return fmt.Sprintf("%q does not exist", e.Dir)
	}
	return fmt.Sprintf("%q holds no %s", e.Dir, ManifestName)
}

// Open reads the skill of one folder that was named as such, or whose SKILL.md was,
// with its diagnostics. The error is a [*NotSkillError] or a [*BrokenError].
func Open(ctx context.Context, dir string) (*Item, []Diagnostic, error) {
	abs, err := filepath.Abs(registry.PackageFolder(dir, ManifestName))
	if err != nil {
		return nil, nil, err
	}
	lib := &Library{Sources: []Source{{Name: SourcePath, Root: abs, Single: true}}}
	l, err := lib.Load(ctx)
	switch {
	case err != nil:
		return nil, nil, err
	case len(l.Items) == 1:
		return l.Items[0], l.Diagnostics, nil
	case len(l.Broken) == 1:
		b := l.Broken[0]
		return nil, l.Diagnostics, &BrokenError{Kind: l.Kind, Name: b.Name, File: b.File(), Diagnostics: b.Diagnostics}
	}
	_, err = os.Stat(abs)
	return nil, nil, &NotSkillError{Dir: dir, Missing: errors.Is(err, fs.ErrNotExist)}
}

// PathSources are the sources of a folder that the user named instead of all
// others: a folder of skills, or one skill.
func PathSources(dir string) ([]Source, error) {
	abs, err := filepath.Abs(registry.PackageFolder(dir, ManifestName))
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, refuse("path", "folder %q does not exist", dir)
	case err == nil && !info.IsDir():
		return nil, refuse("path", "%q is a file; give a folder of skills, or one skill", dir)
	}
	entries, err := os.ReadDir(abs)
	if err != nil {
		return nil, err
	}
	_, single := detect(entries)
	return []Source{{Name: SourcePath, Rank: rankPath, Root: abs, Single: single}}, nil
}
