package state

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// appearedFile lists the protected places of a workspace that a program made
// while it ran, relative to the workspace, until the user agrees to them.
type appearedFile struct {
	Workspace string   `json:"workspace"`
	Appeared  []string `json:"appeared"`
}

func (s Store) appearedPath(workspace string) string {
	return filepath.Join(s.WorkspaceDir(workspace), "appeared.json")
}

// Appeared returns the places of a workspace, relative to it and sorted, that
// came into being while a program ran, that the user did not agree to and that
// are still there. [Store.Trust] is the user's agreement.
func (s Store) Appeared(workspace string) ([]string, error) {
	var f appearedFile
	err := s.read(s.appearedPath(workspace), &f)
	return existing(workspace, f.Appeared), err
}

// AddAppeared records places of a workspace, and forgets those that are gone.
// The paths are absolute, as the sandbox names them.
func (s Store) AddAppeared(ctx context.Context, workspace string, paths []string) error {
	var f appearedFile
	return s.update(ctx, s.appearedPath(workspace), &f, func() bool {
		old := f.Appeared
		f.Workspace, f.Appeared = canonical(workspace), existing(workspace, old)
		for _, path := range paths {
			rel, err := filepath.Rel(workspace, path)
			if err == nil && filepath.IsLocal(rel) {
				f.Appeared = append(f.Appeared, filepath.ToSlash(rel))
			}
		}
		slices.Sort(f.Appeared)
		f.Appeared = slices.Compact(f.Appeared)
		return !slices.Equal(old, f.Appeared)
	})
}

// agree forgets what appeared: the user has it from now on.
func (s Store) agree(workspace string) error {
	err := os.Remove(s.appearedPath(workspace))
	if err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("write state: %w", err)
	}
	return nil
}

// existing drops what was removed since.
func existing(workspace string, places []string) []string {
	return slices.DeleteFunc(slices.Clone(places), func(place string) bool {
		_, err := os.Lstat(filepath.Join(workspace, filepath.FromSlash(place)))
		return os.IsNotExist(err)
	})
}
