package state

import (
	"context"
	"path/filepath"
	"slices"
)

// approvalsFile holds what the user allows for ever, by key: a built-in tool,
// pkg:cmd, or exec:PROGRAM. It holds in all workspaces.
type approvalsFile struct {
	Allowed []string `json:"allowed"`
}

func (s Store) approvalsPath() string { return filepath.Join(s.Dir, "approvals.json") }

// Approvals returns the keys that the user allowed for ever, sorted.
func (s Store) Approvals() ([]string, error) {
	var f approvalsFile
	err := s.read(s.approvalsPath(), &f)
	return f.Allowed, err
}

// Approve records that the user allows a key for ever; allowed=false takes it
// back. It returns whether that changed anything.
func (s Store) Approve(ctx context.Context, key string, allowed bool) (changed bool, err error) {
	var f approvalsFile
	err = s.update(ctx, s.approvalsPath(), &f, func() bool {
		if slices.Contains(f.Allowed, key) == allowed {
			return false
		}
		changed = true
		if !allowed {
			f.Allowed = slices.DeleteFunc(f.Allowed, func(k string) bool { return k == key })
			return true
		}
		f.Allowed = append(f.Allowed, key)
		slices.Sort(f.Allowed)
		return true
	})
	return changed && err == nil, err
}
