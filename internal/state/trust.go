package state

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/agentctl/agentctl/internal/fspath"
)

type trustFile struct {
	Trusted []string `json:"trusted"`
}

func (s Store) trustPath() string { return filepath.Join(s.Dir, "trust.json") }

// Trusted tells whether the user trusts a workspace. Trust holds for exactly
// that folder, not for those below it.
func (s Store) Trusted(workspace string) (bool, error) {
	var f trustFile
	if err := s.read(s.trustPath(), &f); err != nil {
		return false, err
	}
	return slices.Contains(f.Trusted, canonical(workspace)), nil
}

// TrustedIn returns the trusted workspaces that are a folder or lie in it.
func (s Store) TrustedIn(folder string) ([]string, error) {
	var f trustFile
	err := s.read(s.trustPath(), &f)
	outer := canonical(folder)
	return slices.DeleteFunc(f.Trusted, func(dir string) bool {
		return !fspath.Within(outer, dir)
	}), err
}

// Trust records that the user trusts a workspace, with everything that appeared
// in it until now (see [Store.Appeared]) except by programs that still run;
// trusted=false takes the trust back. It returns whether that changed the trust.
func (s Store) Trust(ctx context.Context, workspace string, trusted bool) (changed bool, err error) {
	if trusted {
		if err := s.agree(ctx, workspace); err != nil {
			return false, err
		}
	}
	var f trustFile
	dir := canonical(workspace)
	err = s.update(ctx, s.trustPath(), &f, func() bool {
		if slices.Contains(f.Trusted, dir) == trusted {
			return false
		}
		changed = true
		if !trusted {
			f.Trusted = slices.DeleteFunc(f.Trusted, func(d string) bool { return d == dir })
			return true
		}
		f.Trusted = append(f.Trusted, dir)
		slices.Sort(f.Trusted)
		return true
	})
	return changed && err == nil, err
}
