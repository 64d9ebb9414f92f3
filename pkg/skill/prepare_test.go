package skill

import (
	"archive/zip"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/uv"
)

// fakeUV is a uv that makes an empty environment and notes how it was called.
func fakeUV(t *testing.T, script string) (env []string, calls func() string) {
	t.Helper()
	dir := t.TempDir()
	log := filepath.Join(dir, "calls")
	writeFiles(t, dir, map[string]string{"bin/uv": "#!/bin/sh\necho \"$(basename \"$PWD\"): $*\" >> " + log + "\n" + script + `
if [ "$1" = venv ]; then
	for last; do :; done
	mkdir -p "$last/bin" && echo "home = /usr/bin" > "$last/pyvenv.cfg" && touch "$last/bin/python"
fi
`})
	return append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":/usr/bin:/bin"), func() string {
		data, err := os.ReadFile(log)
		if err != nil {
			return ""
		}
		return string(data)
	}
}

func needSystemPython(t *testing.T) {
	t.Helper()
	if _, err := uv.FindPython(uv.Want{Preference: "only-system"}, nil, systemPython); err != nil {
		skip(t, err.Error())
	}
}

const withMetadata = "#!/usr/bin/env -S uv run --script\n# /// script\n# requires-python = \">=3.8\"\n# dependencies = [\n#   \"requests\",\n# ]\n# ///\nimport requests\n"

func TestPrepare(t *testing.T) {
	t.Parallel()
	needSystemPython(t)
	it := makeSkill(t, "s", map[string]string{
		"requirements.txt": "six\n", "scripts/a.py": withMetadata, "scripts/plain.py": "x = '# /// script'\n", "assets/requirements.txt": "no\n",
	})
	cache := t.TempDir()
	env, calls := fakeUV(t, "")
	req := PrepareRequest{Item: it, CacheDir: cache, Env: env}
	if _, ok, err := FindEnvironment(t.Context(), it, cache); ok || err != nil {
		t.Errorf("found before it was made: %v, %v", ok, err)
	}
	got, created, err := Prepare(t.Context(), req)
	if err != nil || !created {
		t.Fatalf("got %+v, %v, %v", got, created, err)
	}
	if filepath.Dir(got.Dir) != filepath.Join(cache, "environments") || !exists(got.Python) || strings.Join(got.ReadOnly, " ") != got.Dir+" /usr" {
		t.Errorf("got %+v", got)
	}
	lines := strings.Split(strings.TrimSpace(calls()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], "s: venv --quiet --relocatable --python /") ||
		!strings.HasSuffix(lines[1], " --no-build --requirements requirements.txt --requirements scripts/a.py") {
		t.Errorf("calls %q", lines)
	}
	found, ok, err := FindEnvironment(t.Context(), it, cache)
	if err != nil || !ok || found.Dir != got.Dir {
		t.Errorf("got %+v, %v, %v", found, ok, err)
	}
	if again, created, err := Prepare(t.Context(), req); err != nil || created || again.Digest != got.Digest {
		t.Errorf("again: %+v, %v, %v", again, created, err)
	}
	// What does not count leaves the key alone; what counts changes it.
	writeFiles(t, it.Dir, map[string]string{"scripts/a.py": withMetadata + "print()\n", "scripts/new.py": "x\n"})
	if _, created, err := Prepare(t.Context(), req); err != nil || created {
		t.Errorf("an edit of the code made a new environment: %v", err)
	}
	writeFiles(t, it.Dir, map[string]string{"requirements.txt": "six==1\n"})
	if other, created, err := Prepare(t.Context(), req); err != nil || !created || other.Dir == got.Dir {
		t.Errorf("an edit of the requirements did not: %+v, %v", other, err)
	}
	entries, err := os.ReadDir(filepath.Join(cache, "environments"))
	if err != nil || len(entries) != 2 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestPrepareRepairsOneWithoutInterpreter(t *testing.T) {
	t.Parallel()
	needSystemPython(t)
	it := makeSkill(t, "s", map[string]string{"requirements.txt": "six\n"})
	cache := t.TempDir()
	env, _ := fakeUV(t, "")
	req := PrepareRequest{Item: it, CacheDir: cache, Env: env, AllowBuilds: true}
	got, _, err := Prepare(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(got.Python); err != nil {
		t.Fatal(err)
	}
	if _, created, err := Prepare(t.Context(), req); err != nil || !created {
		t.Errorf("got %v, %v", created, err)
	}
	if err := os.Remove(filepath.Join(got.Dir, "pyvenv.cfg")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := FindEnvironment(t.Context(), it, cache); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("got %v", err)
	}
}

func TestPrepareFails(t *testing.T) {
	t.Parallel()
	needSystemPython(t)
	plain := makeSkill(t, "s", map[string]string{"scripts/a.py": "x"})
	if _, _, err := Prepare(t.Context(), PrepareRequest{Item: plain, CacheDir: t.TempDir()}); !isType[*NoRequirementsError](err) {
		t.Errorf("got %v, want nothing to do", err)
	}
	it := makeSkill(t, "s", map[string]string{"requirements.txt": "six\n"})
	cache := t.TempDir()
	if _, _, err := Prepare(t.Context(), PrepareRequest{Item: it, CacheDir: cache, Env: []string{"PATH=" + t.TempDir()}}); !isType[*uv.NotInstalledError](err) {
		t.Errorf("got %v, want uv not installed", err)
	}
	env, _ := fakeUV(t, `if [ "$1" = pip ]; then echo "no such package" >&2; exit 1; fi`)
	_, _, err := Prepare(t.Context(), PrepareRequest{Item: it, CacheDir: cache, Env: env})
	if !isType[*uv.RunError](err) || !strings.Contains(err.Error(), "no such package") {
		t.Errorf("got %v", err)
	}
	future := makeSkill(t, "s", map[string]string{"scripts/a.py": strings.Replace(withMetadata, ">=3.8", ">=9", 1)})
	if _, _, err := Prepare(t.Context(), PrepareRequest{Item: future, CacheDir: cache, Env: env}); !isType[*uv.NoPythonError](err) {
		t.Errorf("got %v, want no Python", err)
	}
	entries, err := os.ReadDir(filepath.Join(cache, "environments"))
	if err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// With a real uv, a wheel of our own and no network: the script imports it.
func TestPrepareForReal(t *testing.T) {
	t.Parallel()
	needSystemPython(t)
	env := append(os.Environ(), "UV_OFFLINE=1", "UV_NO_INDEX=1", "UV_CACHE_DIR="+t.TempDir())
	if _, err := uv.Find(t.Context(), env); err != nil {
		skip(t, err.Error())
	}
	wheels := t.TempDir()
	writeWheel(t, filepath.Join(wheels, "greet-1.0-py3-none-any.whl"))
	it := makeSkill(t, "s", map[string]string{
		"scripts/a.py": "# /// script\n# dependencies = [\"greet\"]\n# ///\nimport greet\nprint(greet.WORD)\n",
	})
	got, created, err := Prepare(t.Context(), PrepareRequest{Item: it, CacheDir: t.TempDir(), Env: append(env, "UV_FIND_LINKS="+wheels)})
	if err != nil || !created {
		t.Fatalf("got %v, %v", created, err)
	}
	out, err := exec.CommandContext(t.Context(), got.Python, filepath.Join(it.Dir, "scripts", "a.py")).CombinedOutput()
	if err != nil || string(out) != "hello\n" {
		t.Errorf("got %q, %v", out, err)
	}
}

// writeWheel writes the smallest wheel that can be installed.
func writeWheel(t *testing.T, file string) {
	t.Helper()
	var b bytes.Buffer
	zw := zip.NewWriter(&b)
	const info = "greet-1.0.dist-info/"
	for _, f := range [][2]string{
		{"greet.py", "WORD = 'hello'\n"},
		{info + "METADATA", "Metadata-Version: 2.1\nName: greet\nVersion: 1.0\n"},
		{info + "WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"},
		{info + "RECORD", "greet.py,,\n" + info + "METADATA,,\n" + info + "WHEEL,,\n" + info + "RECORD,,\n"},
	} {
		w, err := zw.Create(f[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(f[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
