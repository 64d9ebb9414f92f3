package fspath

import (
	"os"
	"path/filepath"
	"testing"
)

func TestReal(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("folder", filepath.Join(dir, "link")); err != nil {
		t.Skipf("this system makes no links: %v", err)
	}
	for path, want := range map[string]string{
		"folder":       "folder",
		"link":         "folder",
		"link/new/one": "folder/new/one",
		"new":          "new",
		"link/..":      ".",
	} {
		if got := Real(filepath.Join(dir, path)); got != filepath.Join(dir, want) {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}

func TestBelow(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		dir, path, rel string
		ok             bool
	}{
		{"/a", "/a", ".", true},
		{"/a", "/a/b/c", "b/c", true},
		{"/a/", "/a/b", "b", true},
		{"/", "/a", "a", true},
		{"/a", "/ab", "", false},
		{"/a", "/", "", false},
		{"/a", "/a/../b", "", false},
		{"/a", "/a/..b", "..b", true},
		{"a", "/a", "", false},
		{"", "a", "", false},
	} {
		rel, ok := Below(filepath.FromSlash(tt.dir), filepath.FromSlash(tt.path))
		if filepath.ToSlash(rel) != tt.rel || ok != tt.ok || Within(filepath.FromSlash(tt.dir), filepath.FromSlash(tt.path)) != ok {
			t.Errorf("%s in %s is %q, %t; want %q, %t", tt.path, tt.dir, rel, ok, tt.rel, tt.ok)
		}
	}
}
