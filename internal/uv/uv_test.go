package uv

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// program writes an executable and returns its path.
func program(t *testing.T, path, text string) string {
	t.Helper()
	folder(t, filepath.Dir(path))
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func folder(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	alone := program(t, filepath.Join(dir, "alone", "bin", "uv"), "#!/bin/sh\necho uv 1.2.3\n")
	piped := program(t, filepath.Join(dir, "venv", "bin", "uv"), "#!/bin/sh\nexit 1\n")
	folder(t, filepath.Join(dir, "venv", "lib", "python3.11", "site-packages", "uv-4.5.6.dist-info"))
	folder(t, filepath.Join(dir, "links"))
	if err := os.Symlink(piped, filepath.Join(dir, "links", "uv")); err != nil {
		t.Fatal(err)
	}
	python := program(t, filepath.Join(dir, "module", "bin", "python3"), "#!/bin/sh\n[ \"$1 $2\" = '-m uv' ] || exit 1\necho uv 7.8.9 '(x)'\n")
	program(t, filepath.Join(dir, "bare", "bin", "python3"), "#!/bin/sh\necho No module named uv >&2\nexit 1\n")
	tests := []struct {
		name, path string
		argv       []string // nil: not found
		version    string
	}{
		{"a program is asked", "alone/bin", []string{alone}, "1.2.3"},
		{"what pip installed is read", "venv/bin", []string{piped}, "4.5.6"},
		{"a link of pipx is followed", "links", []string{filepath.Join(dir, "links", "uv")}, "4.5.6"},
		{"a module of python3", "module/bin", []string{python, "-m", "uv"}, "7.8.9"},
		{"python3 without the module", "bare/bin", nil, ""},
		{"nothing", "none", nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := Find(t.Context(), []string{"PATH=relative:" + filepath.Join(dir, tt.path)})
			if tt.argv == nil {
				missing, ok := errors.AsType[*NotInstalledError](err)
				if !ok || !strings.Contains(missing.Cure(), "pip install uv") || missing.Error() == "" {
					t.Fatalf("got %v, %v", got, err)
				}
				return
			}
			if err != nil || strings.Join(got.Argv, " ") != strings.Join(tt.argv, " ") {
				t.Fatalf("got %+v, %v, want %v", got, err, tt.argv)
			}
			if version, err := got.Version(t.Context()); err != nil || version != tt.version {
				t.Errorf("version %q, %v, want %q", version, err, tt.version)
			}
		})
	}
}

func fake(t *testing.T, script string, env ...string) *UV {
	t.Helper()
	return &UV{Argv: []string{program(t, filepath.Join(t.TempDir(), "uv"), "#!/bin/sh\n"+script)}, Env: env}
}

func TestRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	u := fake(t, `echo "$NO_COLOR $HOME"; echo "$EXTRA $(pwd)" >&2; test "$1" != fail || { echo "bad thing" >&2; exit 2; }`, "EXTRA=more")
	var log strings.Builder
	u.Log = &log
	if out, err := u.Run(t.Context(), dir, "x"); err != nil || out != "1 \n" || log.String() != "more "+dir+"\n" {
		t.Errorf("got %q, %v, log %q", out, err, log.String())
	}
	_, err := u.Run(t.Context(), dir, "fail", "x")
	e, ok := errors.AsType[*RunError](err)
	if !ok || !strings.Contains(e.Stderr, "more "+dir) || !strings.HasPrefix(e.Error(), "uv fail x failed: ") || !strings.Contains(e.Error(), "bad thing") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := u.Run(ctx, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want canceled", err)
	}
}

func TestSilentFailures(t *testing.T) {
	t.Parallel()
	u := fake(t, `exit 3`)
	if _, err := u.Run(t.Context(), "", "x"); err == nil || err.Error() != "uv x failed: exit status 3" {
		t.Errorf("got %v", err)
	}
	if _, err := u.Version(t.Context()); err == nil {
		t.Error("a version came from nowhere")
	}
	if _, err := fake(t, `echo uv`).Version(t.Context()); err == nil {
		t.Error("half a line gave a version")
	}
}
