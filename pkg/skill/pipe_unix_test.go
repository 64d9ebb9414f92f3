//go:build !windows

package skill

import (
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
