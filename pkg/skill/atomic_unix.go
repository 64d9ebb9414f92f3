//go:build !windows

package skill

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"

	"github.com/agentctl/agentctl/internal/registry"
)

// lockWait is how long a save waits for another one; a save takes milliseconds.
const lockWait = 10 * time.Second

// lockDir lets one run at a time write to a folder of skills. The lock is on the
// folder itself, so that no file is left behind. Where the file system has no
// such locks (some network ones), it goes on without: a save is atomic anyway.
func lockDir(ctx context.Context, dir string) (unlock func(), err error) {
	lock := flock.New(dir, flock.SetFlag(os.O_RDONLY))
	wait, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	_, err = lock.TryLockContext(wait, 5*time.Millisecond)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case wait.Err() != nil:
		return nil, fmt.Errorf("folder %s is locked by another run", dir)
	case err != nil:
		return func() {}, nil
	}
	sweep(dir)
	return func() { _ = lock.Unlock() }, nil
}

// sweep removes what a killed run left behind; the lock is held, so nobody
// else's file is among it. A stage that holds the folder that was to be replaced
// stays: it may be the only copy.
func sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case isLeftover(e.Name()):
			_ = os.Remove(path)
		case isStage(e.Name()) && !exists(filepath.Join(path, asideName)):
			_ = os.RemoveAll(path)
		}
	}
}

// isStage tells whether a name is that of a folder in the making.
func isStage(name string) bool {
	number, ok := strings.CutPrefix(name, registry.StagingPrefix)
	return ok && number != "" && strings.Trim(number, "0123456789") == ""
}

// isLeftover tells whether a name is that of a file in the making: a dot, the
// manifest's name and a number.
func isLeftover(name string) bool {
	n := len(ManifestName) + 1
	return len(name) > n && name[0] == '.' && isManifest(name[1:n]) && strings.Trim(name[n:], "0123456789") == ""
}

// replaceFile writes a file so that it is the old one or the new one at every
// moment. The new bytes wait in tmp, a folder of the same file system, where a
// kill leaves nothing inside a skill.
func replaceFile(path string, data []byte, tmp string) error {
	return renameio.WriteFile(path, data, 0o644, renameio.WithTempDir(tmp), renameio.WithExistingPermissions())
}
