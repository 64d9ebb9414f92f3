package registry

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/diag"
)

// Load scans the sources anew and returns everything in them. The error is
// only that of ctx: what is wrong with a source or a package is a diagnostic.
func (k Kind[T]) Load(ctx context.Context, sources []Source, opts Options) (*Listing[T], error) {
	l := &Listing[T]{Kind: k.Name, slug: k.Slug}
	seen := map[string]bool{} // canonical folders: a package reached twice counts once
	for i := range sources {
		src := &sources[i]
		l.Looked = append(l.Looked, src.Root)
		s := &scanner{src: src, depth: k.Depth, detect: k.Detect}
		if err := s.run(ctx); err != nil {
			return nil, err
		}
		l.Diagnostics = append(l.Diagnostics, s.diags...)
		if src.Single && len(s.found) == 0 {
			l.Diagnostics = append(l.Diagnostics, diag.Diagnostic{
				File: src.Root, Severity: diag.Error, Code: "scan.no-package",
				Message: fmt.Sprintf("is not a %s folder", k.Name),
			})
		}
		for _, f := range s.found {
			if f.real != "" {
				if seen[f.real] {
					continue
				}
				seen[f.real] = true
			}
			if err := k.add(ctx, l, s, f, i); err != nil {
				return nil, err
			}
		}
	}
	l.settle(opts)
	return l, nil
}

func (k Kind[T]) add(ctx context.Context, l *Listing[T], s *scanner, f found, order int) error {
	loc := Location{Source: s.src, Rel: f.rel, Dir: s.path(f.rel), Manifest: f.manifest}
	sub, err := fs.Sub(s.fsys, f.rel)
	if err != nil {
		return fmt.Errorf("open %s: %w", loc.Dir, err)
	}
	loc.FS = sub
	p, ds, err := k.Parse(ctx, loc)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	l.Diagnostics = append(l.Diagnostics, ds...)
	if err != nil {
		if !diag.HasErrors(ds) {
			ds = append(ds, diag.Diagnostic{File: loc.File(), Severity: diag.Error, Code: "package.broken", Message: err.Error()})
			l.Diagnostics = append(l.Diagnostics, ds[len(ds)-1])
		}
	}
	name := cmp.Or(p.Name, base(loc.Dir))
	if err != nil {
		l.Broken = append(l.Broken, &Broken{Name: name, Location: loc, Diagnostics: errorsFirst(ds), order: order})
		return nil
	}
	l.Items = append(l.Items, &Item[T]{
		Value: p.Value, Name: name, Aliases: p.Aliases, Given: p.Given, Slug: p.Slug, Location: loc, order: order,
	})
	return nil
}

// errorsFirst puts the reason of a failure before the warnings about it.
func errorsFirst(ds []diag.Diagnostic) []diag.Diagnostic {
	out := slices.Clone(ds)
	slices.SortStableFunc(out, func(a, b diag.Diagnostic) int {
		return cmp.Compare(btoi(a.Severity != diag.Error), btoi(b.Severity != diag.Error))
	})
	return out
}

// settle sorts the items and gives each its state.
func (l *Listing[T]) settle(opts Options) {
	index := l.index()
	for _, it := range l.Items {
		winner := index.best(it.Name)
		disabled := opts.Disabled != nil && opts.Disabled(it.Name)
		switch {
		case it.Source.Untrusted && !disabled:
			it.State = Untrusted
		case winner != it && !it.Source.Untrusted:
			it.State, it.ShadowedBy = Shadowed, winner.File()
		case disabled:
			it.State = Disabled
		default:
			it.State = Active
		}
	}
	l.reportBrokenWinners(index)
	slices.SortStableFunc(l.Items, func(a, b *Item[T]) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), compare(a, b))
	})
	diag.Sort(l.Diagnostics)
}

// reportBrokenWinners says which good package loads in place of a broken one
// that would have won: its author has just edited the broken one.
func (l *Listing[T]) reportBrokenWinners(index nameIndex[T]) {
	for _, b := range l.Broken {
		it := index.best(b.Name)
		if it == nil || b.Source.Untrusted && !it.Source.Untrusted || it.order < b.order || it.Source.Rank < b.Source.Rank {
			continue
		}
		l.Diagnostics = append(l.Diagnostics, diag.Diagnostic{
			File: b.File(), Severity: diag.Error, Code: "package.broken-winner",
			Message: fmt.Sprintf("%s does not load, so %s is used instead", b.File(), it.File()),
		})
	}
}

// compare orders two items that match a name equally well: trust, rank, root
// order, path.
func compare[T any](a, b *Item[T]) int {
	return cmp.Or(
		cmp.Compare(btoi(a.Source.Untrusted), btoi(b.Source.Untrusted)),
		cmp.Compare(a.Source.Rank, b.Source.Rank),
		cmp.Compare(a.order, b.order),
		strings.Compare(a.Dir, b.Dir),
	)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
