package skill

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
)

// SyncStatus is how the update of one root ended.
type SyncStatus string

// The statuses. Only Updated changed anything.
const (
	SyncUpdated  SyncStatus = "updated"
	SyncCurrent  SyncStatus = "current"
	SyncDirty    SyncStatus = "dirty"    // tracked files were changed here
	SyncDiverged SyncStatus = "diverged" // both sides have commits of their own
	SyncFailed   SyncStatus = "failed"
)

// SyncResult is what happened to one root.
type SyncResult struct {
	Root   string
	Status SyncStatus
	// From and To are commits.
	From, To string
	// Added, Changed and Removed are skills, by name.
	Added, Changed, Removed []string
	// Err says why it failed, or what to do about a dirty or diverged tree.
	Err error
}

// Sync brings a folder of skills in a git checkout up to date: fetch, then fast
// forward, nothing else. A tree with changes of its own is never touched, and no
// hook runs. The error is only that of ctx or a [*NoGitError]; whatever else goes
// wrong is in the result.
func Sync(ctx context.Context, root string) (SyncResult, error) {
	abs, err := filepath.Abs(root)
	if err != nil {
		return SyncResult{}, err
	}
	res := SyncResult{Root: abs, Status: SyncFailed}
	err = res.update(ctx, gitRepo{abs})
	if _, missing := errors.AsType[*NoGitError](err); missing || ctx.Err() != nil {
		return res, errors.Join(ctx.Err(), err)
	}
	res.Err = err
	return res, nil
}

func (r *SyncResult) update(ctx context.Context, git gitRepo) error {
	top, err := git.run(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return fmt.Errorf("%s is no git checkout: %w", r.Root, err)
	}
	git = gitRepo{top}
	if r.From, err = git.run(ctx, "rev-parse", "--verify", "--quiet", "HEAD"); err != nil {
		return fmt.Errorf("%s has no commit yet: %w", top, err)
	}
	r.To = r.From
	dirty, err := git.run(ctx, "status", "--porcelain", "--untracked-files=no", "--ignore-submodules=none")
	if err != nil {
		return err
	}
	if dirty != "" {
		r.Status = SyncDirty
		return git.dirtyError(ctx)
	}
	if _, err := git.run(ctx, "rev-parse", "--abbrev-ref", "@{upstream}"); err != nil {
		return fmt.Errorf("%s is on no branch that follows another one; check one out, or set what it follows with git branch --set-upstream-to", top)
	}
	if _, err := git.run(ctx, "fetch", "--quiet", "--no-recurse-submodules"); err != nil {
		return err
	}
	return r.forward(ctx, git)
}

// forward moves to the fetched commit where that loses nothing.
func (r *SyncResult) forward(ctx context.Context, git gitRepo) error {
	upstream, err := git.run(ctx, "rev-parse", "@{upstream}")
	if err != nil {
		return err
	}
	base, err := git.run(ctx, "merge-base", "HEAD", upstream)
	if err != nil {
		base = "" // no common history
	}
	switch base {
	case upstream: // also when the checkout is ahead
		r.Status = SyncCurrent
		return nil
	case r.From:
	default:
		r.Status = SyncDiverged
		return fmt.Errorf("%s has commits that its upstream lacks; merge or rebase by hand", git.dir)
	}
	before, err := digests(ctx, r.Root)
	if err != nil {
		return err
	}
	if _, err := git.run(ctx, "merge", "--ff-only", "--quiet", upstream); err != nil {
		return err
	}
	r.To, r.Status = upstream, SyncUpdated
	if err := git.updateSubmodules(ctx); err != nil {
		r.Status = SyncFailed
		return fmt.Errorf("%s is up to date, its submodules are not: %w", git.dir, err)
	}
	after, err := digests(ctx, r.Root)
	if err != nil {
		return err
	}
	r.compare(before, after)
	return nil
}

// dirtyError says what keeps a tree from being moved.
func (g gitRepo) dirtyError(ctx context.Context) error {
	own, err := g.run(ctx, "status", "--porcelain", "--untracked-files=no", "--ignore-submodules=all")
	if err == nil && own == "" {
		return fmt.Errorf("submodules of %s are not as it records them; run git submodule update, or commit what was changed in them", g.dir)
	}
	return fmt.Errorf("%s has changes that are not committed; commit or stash them", g.dir)
}

// updateSubmodules moves the submodules that are checked out to the commits that
// the tree now records, or the next run would take the difference for changes of
// the user's.
func (g gitRepo) updateSubmodules(ctx context.Context) error {
	if !exists(filepath.Join(g.dir, ".gitmodules")) {
		return nil
	}
	_, err := g.run(ctx, "submodule", "update", "--quiet", "--checkout", "--recursive")
	return err
}

// digests are the content digests of all skills below a root, by name. Two of
// one name count together.
func digests(ctx context.Context, root string) (map[string]string, error) {
	lib := &Library{Sources: []Source{{Name: SourcePath, Root: root}}}
	sources, err := PathSources(root)
	if err == nil {
		lib.Sources = sources
	}
	l, err := lib.Load(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, it := range l.Items {
		digest, err := Digest(ctx, it)
		if err != nil {
			digest = err.Error() // a link, say: still tells one state from another
		}
		out[it.Name] += digest
	}
	for _, b := range l.Broken {
		out[b.Name] += b.Diagnostics[0].String()
	}
	return out, nil
}

func (r *SyncResult) compare(before, after map[string]string) {
	for name, digest := range after {
		switch old, known := before[name]; {
		case !known:
			r.Added = append(r.Added, name)
		case old != digest:
			r.Changed = append(r.Changed, name)
		}
	}
	for name := range before {
		if _, still := after[name]; !still {
			r.Removed = append(r.Removed, name)
		}
	}
	slices.Sort(r.Added)
	slices.Sort(r.Changed)
	slices.Sort(r.Removed)
}
