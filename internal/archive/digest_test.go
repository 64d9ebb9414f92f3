package archive

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// The golden vectors. They are the definition of the digest: a change here
// breaks every digest that users have written down.
func TestDigestGolden(t *testing.T) {
	t.Parallel()
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text), Mode: 0o644} }
	tests := []struct {
		name string
		fsys fstest.MapFS
		opts ScanOptions
		want string
	}{
		{"nothing", fstest.MapFS{}, ScanOptions{}, "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"one file", fstest.MapFS{"SKILL.md": file("hello\n")}, ScanOptions{}, "sha256:444e98d872e65695a95ae11be351aad729b720a42500635a9e869c827d4457e3"},
		{"an executable", fstest.MapFS{"SKILL.md": file("hello\n"), "scripts/a.sh": {Data: []byte("#!/bin/sh\n"), Mode: 0o700}}, ScanOptions{}, "sha256:d36f9b261b74eced8eed586b8cf45100f2e044f1158f82549addb81b813c1c45"},
		{"order is that of bytes", fstest.MapFS{"a/b": file("1"), "a-b": file("2"), "é": file("3"), "Z": file("4")}, ScanOptions{}, "sha256:312ab6638b4acf7b6dcd14eed69f8bc661d84ffc8b49e8f4ac91ac03755c8c7c"},
		{"only the exported set", fstest.MapFS{"SKILL.md": file("hello\n"), ".git/HEAD": file("x"), "evals/a.json": file("{}"), "x/__pycache__/a.pyc": file("x"), ".DS_Store": file("x")}, ScanOptions{Keep: Exported}, "sha256:444e98d872e65695a95ae11be351aad729b720a42500635a9e869c827d4457e3"},
		{"a link", fstest.MapFS{"bin/python": {Data: []byte("python3.11"), Mode: fs.ModeSymlink | 0o777}, "bin/python3.11": {Data: []byte("x"), Mode: 0o755}}, ScanOptions{Links: true}, "sha256:6c082489d9b12c22b4e5d2d277e95e633ba76c300cad25b3dd0bc514024109b3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := Digest(t.Context(), tt.fsys, tt.opts)
			if err != nil || got != tt.want {
				t.Errorf("got %s, %v\nwant %s", got, err, tt.want)
			}
		})
	}
}

func TestDigestOnDiskIsTheSame(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fsys := fstest.MapFS{
		"SKILL.md":     {Data: []byte("hello\n"), Mode: 0o644},
		"scripts/a.sh": {Data: []byte(strings.Repeat("x", wholeFile+1)), Mode: 0o755},
	}
	for name, f := range fsys {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, f.Data, f.Mode); err != nil {
			t.Fatal(err)
		}
	}
	want, err := Digest(t.Context(), fsys, ScanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Digest(t.Context(), os.DirFS(dir), ScanOptions{})
	if err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func TestDigestRefuses(t *testing.T) {
	t.Parallel()
	link := func(target string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink | 0o777}
	}
	tests := []struct {
		name string
		fsys fstest.MapFS
		opts ScanOptions
		want string
	}{
		{"a link", fstest.MapFS{"a": link("b"), "b": {}}, ScanOptions{}, `"a" is a symbolic link`},
		{"an absolute link", fstest.MapFS{"a": link("/etc/passwd")}, ScanOptions{Links: true}, `"a" is a link out of the folder, to "/etc/passwd"`},
		{"a link upwards", fstest.MapFS{"x/a": link("../../b")}, ScanOptions{Links: true}, `"x/a" is a link out of the folder`},
		{"a device", fstest.MapFS{"a": {Mode: fs.ModeDevice}}, ScanOptions{}, `"a" is neither a file nor a folder`},
		{"a line feed", fstest.MapFS{"a\nb": {}}, ScanOptions{}, `"a\nb" holds a control character`},
		{"no UTF-8", fstest.MapFS{"a\xff": {}}, ScanOptions{}, `is not UTF-8`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := Digest(t.Context(), tt.fsys, tt.opts)
			if _, ok := errors.AsType[*PathError](err); !ok || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestExported(t *testing.T) {
	t.Parallel()
	for p, want := range map[string]bool{
		"SKILL.md": true, "scripts/venv.py": true, "a/evals": true, "evals-data": true, "x.pyc": false,
		"evals": false, "a/node_modules": false, "._SKILL.md": false, "a/.DS_Store": false, ".venv": false,
	} {
		if got := Exported(p, looksLikeFolder(p)); got != want {
			t.Errorf("%s: got %v, want %v", p, got, want)
		}
	}
}

func looksLikeFolder(p string) bool { return filepath.Ext(p) == "" }
