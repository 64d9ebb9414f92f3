//go:build !windows

package skill

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// makePipe makes a named pipe: whoever opens it to read waits for a writer.
func makePipe(t *testing.T, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Fatal(err)
	}
}

// An archive can come through a pipe that has a name, as of <(curl …).
func TestImportFromANamedPipe(t *testing.T) {
	t.Parallel()
	data, want := export(t, makeSkill(t, "s", nil), false)
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	makePipe(t, pipe)
	done := make(chan error, 1)
	go func() { done <- os.WriteFile(pipe, []byte(data), 0o600) }()
	got, err := Import(t.Context(), ImportRequest{Source: pipe, Dir: filepath.Join(dir, "in")})
	if err != nil || got.Digest != want.Digest {
		t.Errorf("got %+v, %v", got, err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
