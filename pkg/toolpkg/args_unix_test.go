//go:build unix

package toolpkg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestArgumentsFromPipes(t *testing.T) {
	t.Parallel()
	named := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(named, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadArgsFile(t.Context(), named); !strings.HasSuffix(errText(err), "is a pipe or a socket, not a file; pass what comes through it to stdin, and - for the arguments") {
		t.Errorf("a named pipe: got %v", err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := w.WriteString("{}"); err != nil {
		t.Fatal(err)
	}
	var fd uintptr // File.Fd would make the pipe a blocking one
	raw, err := r.SyscallConn()
	if err == nil {
		err = raw.Control(func(n uintptr) { fd = n })
	}
	if err != nil {
		t.Fatal(err)
	}
	path := fmt.Sprintf("/dev/fd/%d", fd)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := ReadArgsFile(ctx, path); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a writer that goes on: got %v", err)
	}
	if _, err := w.WriteString("{}"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if data, err := ReadArgsFile(t.Context(), path); string(data) != "{}" || err != nil {
		t.Errorf("got %q, %v", data, err)
	}
}
