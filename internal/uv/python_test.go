package uv

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

const binary = "\x7fELF"

// publicDir is a temporary folder that other users can enter, as those of the
// system are.
func publicDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "uv-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// pythons writes interpreters: managed ones of these versions and system ones.
func pythons(t *testing.T, managed, system []string) (env, systemPath []string) {
	t.Helper()
	dir := publicDir(t)
	install, bin := filepath.Join(dir, "uv"), filepath.Join(dir, "bin")
	for _, version := range managed {
		home := filepath.Join(install, "cpython-"+version+"-"+platformOS()+"-"+platformArch()+"-gnu")
		program(t, filepath.Join(home, "bin", "python"+version[:strings.LastIndex(version, ".")]), binary)
	}
	folder(t, install)
	folder(t, bin)
	for _, version := range system {
		program(t, filepath.Join(bin, "python"+version), binary)
	}
	return []string{"UV_PYTHON_INSTALL_DIR=" + install, "PATH=" + bin}, []string{bin}
}

func TestFindPython(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name            string
		managed, system []string
		want            Want
		id              string // of what is chosen, "" for an error
		reason          string
	}{
		{name: "the newest of the system", system: []string{"3.9", "3.11", "3.10"}, id: "python3.11 of the system"},
		{name: "a managed one first", managed: []string{"3.10.4", "3.10.12"}, system: []string{"3.12"}, id: "cpython-3.10.12-"},
		{name: "the system when it is preferred", managed: []string{"3.10.4"}, system: []string{"3.9"}, want: Want{Preference: "system"}, id: "python3.9 of"},
		{name: "only managed", system: []string{"3.9"}, want: Want{Preference: "only-managed"}, reason: "no Python 3 that"},
		{name: "only system", managed: []string{"3.9.1"}, want: Want{Preference: "only-system"}, reason: "no Python 3 that"},
		{name: "what is required", managed: []string{"3.12.1"}, system: []string{"3.11", "3.13"}, want: Want{Requires: ">=3.11,<3.12"}, id: "python3.11 of"},
		{name: "a patch release that the system's name does not tell", system: []string{"3.11"}, want: Want{Requires: ">=3.11.4"}, id: "python3.11 of"},
		{name: "a pin of a minor", system: []string{"3.11", "3.12"}, want: Want{Pin: "3.11"}, id: "python3.11 of"},
		{name: "a pin is no prefix of text", system: []string{"3.12"}, want: Want{Pin: "3.1"}, reason: "found"},
		{name: "an exact pin", managed: []string{"3.12.1", "3.12.2"}, want: Want{Pin: "3.12.1"}, id: "cpython-3.12.1-"},
		{name: "an exact pin with the system's", managed: []string{"3.12.1"}, system: []string{"3.12"}, want: Want{Pin: "3.12.9"}, id: "python3.12 of"},
		{name: "nothing fits", system: []string{"3.8"}, want: Want{Requires: ">=3.11"}, reason: "no Python >=3.11 that a sandbox and other users can run; found "},
		{name: "a wrong specifier", want: Want{Requires: "three"}, reason: `requires-python "three"`},
		{name: "a wrong pin", want: Want{Pin: "pypy"}, reason: `.python-version says "pypy"`},
		{name: "a wrong preference", want: Want{Preference: "mine"}, reason: `python-preference "mine" is not known`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			env, path := pythons(t, tt.managed, tt.system)
			got, err := FindPython(tt.want, env, path)
			if tt.id == "" {
				if err == nil || !strings.Contains(err.Error(), tt.reason) {
					t.Errorf("got %+v, %v, want an error with %q", got, err, tt.reason)
				}
				return
			}
			if err != nil || !strings.HasPrefix(got.ID(), tt.id) {
				t.Errorf("got %q, %v, want %q", got.ID(), err, tt.id)
			}
		})
	}
}

func TestAShimIsNoInterpreter(t *testing.T) {
	t.Parallel()
	dir := publicDir(t)
	bin, home := filepath.Join(dir, "bin"), filepath.Join(dir, "home")
	program(t, filepath.Join(bin, "python3.11"), "#!/bin/sh\nexec pyenv\n")
	private := program(t, filepath.Join(home, "bin", "python3.12"), binary)
	if err := os.Symlink(private, filepath.Join(bin, "python3.12")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("python3.12", filepath.Join(bin, "python3")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(home, 0o700); err != nil {
		t.Fatal(err)
	}
	got, err := FindPython(Want{}, []string{"HOME=" + dir, "PATH=" + bin}, []string{bin})
	missing, ok := errors.AsType[*NoPythonError](err)
	if !ok {
		t.Fatalf("got %+v, %v", got, err)
	}
	for _, want := range []string{"python3.11 (a shim, not an interpreter)", "below the private folder " + home} {
		if !strings.Contains(missing.Error(), want) {
			t.Errorf("%v: want %q", missing, want)
		}
	}
	if missing.Cure() != "uv python install 3, or install python3 with the system's packages (apt-get install python3)" {
		t.Errorf("cure: %s", missing.Cure())
	}
}

func TestCureNamesTheVersion(t *testing.T) {
	t.Parallel()
	for want, version := range map[Want]string{{Requires: ">=3.12,<4"}: "3.12", {Requires: ">=3.11", Pin: "3.13"}: "3.13"} {
		if cure := (&NoPythonError{Want: want}).Cure(); !strings.HasPrefix(cure, "uv python install "+version+",") {
			t.Errorf("%v: %s", want, cure)
		}
	}
}

func TestReadPin(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"3.12\n": "3.12", "# why\n\n 3.11.4 \n3.12\n": "3.11.4", "": ""} {
		got, err := ReadPin(fstest.MapFS{".python-version": {Data: []byte(text)}})
		if err != nil || got != want {
			t.Errorf("%q: got %q, %v, want %q", text, got, err, want)
		}
	}
	if got, err := ReadPin(fstest.MapFS{}); got != "" || err != nil {
		t.Errorf("no file: got %q, %v", got, err)
	}
}
