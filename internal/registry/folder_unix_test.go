//go:build !windows

package registry

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/fstest"
)

// A named pipe in somebody's folder must not be waited for, however it is asked for.
func TestFolderOpensNoPipes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"a.txt": "a", "sub/b.txt": "b"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := fstest.TestFS(Folder(dir), "a.txt", "sub/b.txt"); err != nil {
		t.Error(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "sub", "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("pipe", filepath.Join(dir, "sub", "link")); err != nil {
		t.Fatal(err)
	}
	sub, err := fs.Sub(Folder(dir), "sub")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pipe", "link"} {
		if _, err := sub.Open(name); err == nil {
			t.Errorf("%s was opened", name)
		}
		if _, err := fs.ReadFile(sub, name); err == nil {
			t.Errorf("%s was read", name)
		}
		_, _ = fs.Stat(sub, name) // opens what has no Stat
		if info, err := fs.Lstat(sub, name); err != nil || info.Mode().IsRegular() {
			t.Errorf("%s: got %v, %v", name, info, err)
		}
	}
	if target, err := fs.ReadLink(sub, "link"); err != nil || target != "pipe" {
		t.Errorf("got %q, %v", target, err)
	}
	if _, err := Folder(dir).Open("../x"); err == nil {
		t.Error("a path that leaves the folder was opened")
	}
}
