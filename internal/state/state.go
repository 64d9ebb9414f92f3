// Package state keeps what a user decided: which workspaces are trusted and
// which skills are switched off in them. Each fact is one small JSON file under
// the user's state folder, changed under a lock and replaced by rename, so that
// two runs at once or a kill in the middle lose nothing.
package state

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2/maybe"
)

// Store is the state below one folder.
type Store struct {
	// Dir is the state folder; it is made at the first write.
	Dir string
}

// lockWait is how long a change waits for another run; a change takes milliseconds.
const lockWait = 10 * time.Second

// WorkspaceDir is the folder of everything that belongs to one workspace.
func (s Store) WorkspaceDir(workspace string) string {
	sum := sha256.Sum256([]byte(canonical(workspace)))
	return filepath.Join(s.Dir, "workspaces", hex.EncodeToString(sum[:8]))
}

// canonical is the identity of a workspace: its path with links followed.
func canonical(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return filepath.Clean(dir)
}

// read fills v from a file; a file that is not there leaves v as it is.
func (s Store) read(path string, v any) error {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read state: %w", err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("state file %s is damaged (%w); move it away to start anew", path, err)
	}
	return nil
}

// update changes a file under its lock: read into v, change, replace.
func (s Store) update(ctx context.Context, path string, v any, change func() bool) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make state folder: %w", err)
	}
	lock := flock.New(path + ".lock")
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	if ok, err := lock.TryLockContext(ctx, 10*time.Millisecond); err != nil || !ok {
		return fmt.Errorf("state file %s is locked by another run: %w", path, err)
	}
	defer func() { _ = lock.Unlock() }()
	if err := s.read(path, v); err != nil {
		return err
	}
	if !change() {
		return nil
	}
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	if err := maybe.WriteFile(path, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("write state: %w", err)
	}
	return nil
}
