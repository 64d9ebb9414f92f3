package state

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/agentctl/agentctl/internal/fspath"
	"github.com/agentctl/agentctl/pkg/sandbox"
)

type trustFile struct {
	Trusted []sandbox.PathText `json:"trusted"`
}

func (s Store) trustPath() string { return filepath.Join(s.Dir, "trust.json") }

// Trusted tells whether the user trusts a workspace. Trust holds for exactly
// that folder, not for those below it.
func (s Store) Trusted(workspace string) (bool, error) {
	var f trustFile
	if err := s.read(s.trustPath(), &f); err != nil {
		return false, err
	}
	return slices.Contains(f.Trusted, sandbox.PathText(canonical(workspace))), nil
}

// TrustedIn returns the trusted workspaces that are a folder or lie in it.
func (s Store) TrustedIn(folder string) ([]string, error) {
	var f trustFile
	err := s.read(s.trustPath(), &f)
	outer := canonical(folder)
	var inside []string
	for _, dir := range f.Trusted {
		if fspath.Within(outer, string(dir)) {
			inside = append(inside, string(dir))
		}
	}
	return inside, err
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
	dir := sandbox.PathText(canonical(workspace))
	err = s.update(ctx, s.trustPath(), &f, func() bool {
		if slices.Contains(f.Trusted, dir) == trusted {
			return false
		}
		changed = true
		if !trusted {
			f.Trusted = slices.DeleteFunc(f.Trusted, func(d sandbox.PathText) bool { return d == dir })
			return true
		}
		f.Trusted = append(f.Trusted, dir)
		slices.Sort(f.Trusted)
		return true
	})
	return changed && err == nil, err
}
