package registry

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadManifest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "secret")
	for path, text := range map[string]string{
		outside: "secret", filepath.Join(dir, "plain"): "1234567", filepath.Join(dir, "sub", "file"): "deep",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"inside": "plain", "out": outside, "away": filepath.Dir(outside), "gone": "nothing", "round": "round"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skipf("this system makes no links: %v", err)
		}
	}
	loc := Location{Source: &Source{Root: dir}, Dir: dir, FS: Folder(dir)}
	for name, want := range map[string]string{
		"plain": "12345", "inside": "12345", "sub/file": "deep",
		"out": "error: is a link out of its folder", "away/secret": "error: is a link out of its folder",
		"gone": "error: is a link to a file that does not exist", "round": "error: ", "sub": "error: is not a regular file",
		"none": "error: ",
	} {
		data, err := ReadManifest(loc, name, 4)
		got := string(data)
		if err != nil {
			got = "error: " + err.Error()
		}
		if !strings.HasPrefix(got, want) || strings.Contains(got, "secret") && err == nil {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestPackageFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"APP.md", "other.md"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		dir: dir, filepath.Join(dir, "APP.md"): dir, filepath.Join(dir, "other.md"): filepath.Join(dir, "other.md"),
		filepath.Join(dir, "no", "APP.md"): filepath.Join(dir, "no", "APP.md"),
	} {
		if got := PackageFolder(path, "APP.md"); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}
