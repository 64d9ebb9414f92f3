package toolpkg

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// However often a program changes its mind, while the host looks and writes. What
// lies in the workspace may be protected as well.
func TestArtifactsPassNoLinkThatToggles(t *testing.T) {
	t.Parallel()
	outside := tempDir(t)
	for at, to := range map[string]string{".agentctl": ".git", ".agentctl/artifacts": outside} {
		ws := tempDir(t)
		mustDo(t, os.Mkdir(filepath.Join(ws, ".git"), 0o755))
		dir := filepath.Join(ws, ".agentctl", "artifacts")
		mustDo(t, os.MkdirAll(dir, 0o755))
		stop := toggle(t, filepath.Join(ws, at), to)
		for end := time.Now().Add(time.Second / 2); time.Now().Before(end); {
			files := openHostFiles(ws, dir, time.Now())
			if f, err := files.file("-stdout.txt").create(); err == nil {
				mustDo(t, f.Close())
			}
			files.close()
			_ = makeBelow(ws, filepath.Join(dir, "x"))
		}
		stop()
		for _, place := range []string{outside, filepath.Join(ws, ".git")} {
			if left, err := os.ReadDir(place); err != nil || len(left) > 0 {
				t.Errorf("a link to %s: %d files are there, %v", to, len(left), err)
			}
		}
	}
}

// toggle makes dir a folder and a link in turns.
func toggle(t *testing.T, dir, to string) (stop func()) {
	t.Helper()
	link := dir + "-link"
	mustDo(t, os.Symlink(to, link))
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-done:
				return
			default:
				_ = unix.Renameat2(unix.AT_FDCWD, dir, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE)
			}
		}
	}()
	return func() { close(done); <-stopped }
}

// Who may not write into the workspace gets a temporary folder for artifacts; one
// that was named is not replaced.
func TestArtifactsOfAReadOnlyWorkspace(t *testing.T) {
	t.Parallel()
	readOnly := "/sys/agentctl-artifacts" // also for root
	v := &Invoker{Artifacts: readOnly}
	dir, err := v.outputDir(Call{})
	mustDo(t, err)
	if !dir.root.temporary || filepath.Dir(dir.path) != dir.root.path {
		t.Errorf("got %s in %s", dir.path, dir.root.path)
	}
	mustDo(t, os.WriteFile(filepath.Join(dir.path, "plot.txt"), []byte("x"), 0o600))
	artifacts, _ := dir.collect()
	dir.close()
	if len(artifacts) != 1 {
		t.Errorf("got %v", artifacts)
	}
	mustDo(t, os.RemoveAll(dir.root.path))

	r := FailedCall("x", func() error { _, err := v.outputDir(Call{OutputDir: readOnly}); return err }())
	if r.Kind != KindFailed || r.ExitCode != ExitSandbox || r.Hint != "name a folder that you may write to with --output-dir" {
		t.Errorf("got %+v", r)
	}
}
