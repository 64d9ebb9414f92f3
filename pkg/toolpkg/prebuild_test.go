package toolpkg

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/agentctl/agentctl/internal/archive"
	"github.com/agentctl/agentctl/pkg/sandbox"
)

func TestPrebuild(t *testing.T) {
	t.Parallel()
	ws := tempDir(t)
	out := filepath.Join(ws, "prebuilt")
	src := shellSource(t, filepath.Join(ws, "tools"))
	o := build(t, out, src)[0]
	if o.Status != Built || o.Commands != 1 || o.Key == "" {
		t.Fatalf("got %+v", o)
	}
	p, err := LoadPackage(filepath.Join(out, "echo"))
	if err != nil {
		t.Fatal(err)
	}
	if digest, err := archive.Digest(t.Context(), os.DirFS(p.Dir), archive.ScanOptions{Links: true}); digest != o.Digest || p.Digest != o.Digest {
		t.Errorf("digest of the folder is %s, %v; prebuild says %s, current %s", digest, err, o.Digest, p.Digest)
	}
	if p.Version != "1.2.3" || p.Description != "A test package." || p.Commands[0].Name != "echo-text" || p.Commands[0].Tool() != "echo_text" {
		t.Errorf("package: %+v", p)
	}
	assertNoPathInside(t, p.Dir, ws)
	if entries, _ := os.ReadDir(p.Root); len(entries) != 3 { // .lock, current, the digest
		t.Errorf("the package folder holds %v", entries)
	}
	again := build(t, out, src)[0]
	if again.Status != Fresh || again.Digest != o.Digest || again.Commands != 1 {
		t.Errorf("again: %+v", again)
	}
}

// assertNoPathInside finds a build machine's path in a prebuilt folder.
func assertNoPathInside(t *testing.T, dir, path string) {
	t.Helper()
	walkFiles(dir, func(file string, _ os.FileInfo, err error) {
		if err != nil {
			t.Error(err)
		}
		if data, _ := os.ReadFile(file); strings.Contains(string(data), path) {
			t.Errorf("%s holds %s", file, path)
		}
	})
}

func TestStaleness(t *testing.T) {
	t.Parallel()
	ws := tempDir(t)
	out, dir := filepath.Join(ws, "prebuilt"), filepath.Join(ws, "tools", "echo")
	src := shellSource(t, filepath.Join(ws, "tools"))
	build(t, out, src)
	stays := func(name, file, text string) {
		t.Helper()
		writeTree(t, dir, map[string]string{file: text})
		if o := check(t, out, dir); o.Status != Fresh {
			t.Errorf("%s: %v, %v", name, o.Status, o.Reasons)
		}
	}
	writeTree(t, ws, map[string]string{".git/HEAD": "x", ".gitignore": "*.log\n"})
	stays("a file that the checkout ignores", "run.log", "x")
	stays("a cache", "__pycache__/a.pyc", "x")
	stays("an environment", ".venv/lib/a.py", "x")
	future := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "lib.sh"), future, future); err != nil {
		t.Fatal(err)
	}
	if o := check(t, out, dir); o.Status != Fresh {
		t.Errorf("another time: %v, %v", o.Status, o.Reasons)
	}
	writeTree(t, dir, map[string]string{"lib.sh": shellLib + "# x\n", "new.txt": "x", ".gitignore": "scratch/\n", "scratch/a": "x"})
	if err := os.Remove(filepath.Join(dir, ManifestName)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "lib.sh"), 0o644); err != nil {
		t.Fatal(err)
	}
	o := check(t, out, dir)
	if want := "added .gitignore|removed TOOL.md|changed lib.sh|added new.txt"; o.Status != Stale || strings.Join(o.Reasons, "|") != want {
		t.Errorf("got %v, %q, want %q", o.Status, strings.Join(o.Reasons, "|"), want)
	}
	if err := os.RemoveAll(out); err != nil {
		t.Fatal(err)
	}
	if o := check(t, out, dir); o.Status != Missing {
		t.Errorf("without a build: %v", o.Status)
	}
}

func check(t *testing.T, out, dir string) Outcome {
	t.Helper()
	src, err := ReadSource(dir)
	if err != nil {
		t.Fatal(err)
	}
	p := &Prebuilder{Out: out, Getenv: os.Getenv, Sandbox: func(context.Context) (sandbox.RunFunc, error) {
		t.Error("a check opened the sandbox")
		return nil, errNoSandbox
	}}
	outcomes, err := p.Check(t.Context(), []*Source{src})
	if err != nil || outcomes[0].Err != nil {
		t.Fatal(err, outcomes[0].Err)
	}
	return outcomes[0]
}

func TestStampExplainsComponents(t *testing.T) {
	t.Parallel()
	old := Stamp{
		Version: 1, Builder: "go", Platform: "linux/amd64", Toolchain: map[string]string{"go": "go1.25"},
		Env: map[string]string{"CC": "1"}, Files: map[string]string{"a": "0644 x", "b": "0644 y"},
	}
	now := Stamp{
		Version: 2, Builder: "exec", Platform: "linux/arm64", Toolchain: map[string]string{"go": "go1.26", "flags": "-x"},
		Env: map[string]string{"CC": "2"}, Files: map[string]string{"a": "0755 x", "b": "0644 z"},
	}
	want := `stamp version: "1" is now "2"|builder: "go" is now "exec"|platform: "linux/amd64" is now "linux/arm64"|flags: "" is now "-x"|go: "go1.25" is now "go1.26"|variable CC changed|changed mode of a|changed b`
	if got := strings.Join(old.Explain(now), "|"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if old.Key() == now.Key() || len(old.Explain(old)) > 0 {
		t.Error("keys and explanations disagree")
	}
}

func TestAFailureLeavesTheOldBuild(t *testing.T) {
	t.Parallel()
	ws := tempDir(t)
	out, dir := filepath.Join(ws, "prebuilt"), filepath.Join(ws, "tools", "echo")
	src := shellSource(t, filepath.Join(ws, "tools"))
	good := build(t, out, src)[0]
	tests := []struct{ name, launch, want string }{
		{"no JSON", "#!/bin/sh\necho hello\n", "does not print a JSON array"},
		{"an exit code", "#!/bin/sh\necho oh >&2; exit 3\n", "launch: exits with 3; stderr: oh"},
		{"nothing", "#!/bin/sh\necho '[]'\n", "lists no command"},
		{"a name", "#!/bin/sh\n[ $# = 0 ] && echo '[{\"name\":\"Bad Name\"}]'\n", `command "Bad Name" cannot be a function name`},
		{"too much", "#!/bin/sh\nhead -c 2000000 /dev/zero | tr '\\0' ' '\n", "prints more than 1048576 bytes"},
		{"two of a name", "#!/bin/sh\n[ $# = 0 ] && echo '[{\"name\":\"a-b\"},{\"name\":\"a.b\"}]'\n", "have the same function name a_b"},
		{"no schema", "#!/bin/sh\ncase $1 in '') echo '[{\"name\":\"a\"}]';; a) echo '{}';; *) exit 2;; esac\n", "launch a: has no params_json_schema"},
		{"a schema that no provider takes", "#!/bin/sh\ncase $1 in '') echo '[{\"name\":\"a\"}]';; a) echo '{\"params_json_schema\":{\"type\":\"string\"}}';; *) exit 2;; esac\n", "a schema does not pass"},
		{"another name", "#!/bin/sh\ncase $1 in '') echo '[{\"name\":\"a\"}]';; a) echo '{\"name\":\"b\",\"params_json_schema\":{}}';; *) exit 2;; esac\n", `launch a: describes "b"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			writeTree(t, dir, map[string]string{"launch*": tt.launch})
			outcomes, err := prebuilder(t, out).Prebuild(t.Context(), []*Source{src})
			if err != nil || outcomes[0].Status != Failed || !strings.Contains(errText(outcomes[0].Err), tt.want) {
				t.Errorf("got %v, %+v, want %q", err, outcomes[0], tt.want)
			}
			if p, err := LoadPackage(filepath.Join(out, "echo")); err != nil || p.Digest != good.Digest {
				t.Errorf("in use: %v, %v", p, err)
			}
			if left, _ := filepath.Glob(filepath.Join(out, "echo", ".tmp-*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestOneFailureDoesNotStopTheOthers(t *testing.T) {
	t.Parallel()
	ws := tempDir(t)
	writeTree(t, filepath.Join(ws, "tools"), map[string]string{"bad/launch*": "#!/bin/sh\nexit 1\n"})
	bad, err := ReadSource(filepath.Join(ws, "tools", "bad"))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var started, done int
	p := prebuilder(t, filepath.Join(ws, "prebuilt"))
	p.Started = func(string) { mu.Lock(); started++; mu.Unlock() }
	p.Done = func(Outcome) { mu.Lock(); done++; mu.Unlock() }
	outcomes, err := p.Prebuild(t.Context(), []*Source{bad, shellSource(t, filepath.Join(ws, "tools"))})
	if err != nil || outcomes[0].Status != Failed || outcomes[1].Status != Built || started != 2 || done != 2 {
		t.Errorf("got %v, %+v; %d started, %d done", err, outcomes, started, done)
	}
}

func TestPrebuildWithoutASandbox(t *testing.T) {
	t.Parallel()
	ws := tempDir(t)
	p := &Prebuilder{Out: filepath.Join(ws, "prebuilt"), Sandbox: func(context.Context) (sandbox.RunFunc, error) { return nil, errNoSandbox }}
	outcomes, err := p.Prebuild(t.Context(), []*Source{shellSource(t, ws)})
	if err != nil || !errors.Is(outcomes[0].Err, errNoSandbox) {
		t.Errorf("got %v, %v", err, outcomes[0].Err)
	}
}

func TestAnUnknownBuilder(t *testing.T) {
	t.Parallel()
	src := shellSource(t, tempDir(t))
	src.Builder = "cobol"
	outcomes, err := prebuilder(t, tempDir(t)).Prebuild(t.Context(), []*Source{src})
	if err != nil || !strings.Contains(errText(outcomes[0].Err), "builder cobol: this agentctl has no such builder") {
		t.Errorf("got %v, %v", err, outcomes[0].Err)
	}
}

func TestCurrentAndOneOlderStay(t *testing.T) {
	t.Parallel()
	ws := tempDir(t)
	out, dir := filepath.Join(ws, "prebuilt"), filepath.Join(ws, "tools", "echo")
	src := shellSource(t, filepath.Join(ws, "tools"))
	var digests []string
	next := func(text string) {
		t.Helper()
		writeTree(t, dir, map[string]string{"note.txt": text})
		digests = append(digests, strings.TrimPrefix(build(t, out, src)[0].Digest, "sha256:"))
	}
	exists := func(digest string) bool {
		_, err := os.Stat(filepath.Join(out, "echo", digest))
		return err == nil
	}
	next("1")
	first, err := LoadPackage(filepath.Join(out, "echo"))
	if err != nil {
		t.Fatal(err)
	}
	release := first.Hold()
	next("2")
	next("3")
	if !exists(digests[0]) || !exists(digests[1]) || !exists(digests[2]) {
		t.Error("a build that a session holds was removed")
	}
	release()
	next("4")
	if exists(digests[0]) || exists(digests[1]) || !exists(digests[2]) || !exists(digests[3]) {
		t.Error("want the one in use and the one before it, no more")
	}
	next("3") // back to an earlier content: the folder that is there is used again
	if digests[4] != digests[2] {
		t.Errorf("the same content has the digests %s and %s", digests[2], digests[4])
	}
}

func TestForceCuresADamagedBuild(t *testing.T) {
	t.Parallel()
	ws := tempDir(t)
	out := filepath.Join(ws, "prebuilt")
	src := shellSource(t, filepath.Join(ws, "tools"))
	good := build(t, out, src)[0]
	p, err := LoadPackage(filepath.Join(out, "echo"))
	if err != nil {
		t.Fatal(err)
	}
	writeTree(t, p.Dir, map[string]string{"runtime/lib.sh": "damaged"})
	again := prebuilder(t, out)
	again.Force = true
	outcomes, err := again.Prebuild(t.Context(), []*Source{src})
	if err != nil || outcomes[0].Status != Built || outcomes[0].Digest != good.Digest {
		t.Fatalf("got %v, %+v", err, outcomes[0])
	}
	if data, _ := os.ReadFile(filepath.Join(p.Dir, "runtime", "lib.sh")); string(data) != shellLib {
		t.Error("the damage is still there")
	}
}

// What is held back is not fresh, and made anew whatever its stamp says.
func TestHeldBuildIsStale(t *testing.T) {
	t.Parallel()
	ws := tempDir(t)
	out := filepath.Join(ws, "prebuilt")
	src := shellSource(t, filepath.Join(ws, "tools"))
	p := prebuilder(t, out)
	p.Held = "a program made it"
	if o, err := p.Check(t.Context(), []*Source{src}); err != nil || o[0].Status != Missing {
		t.Errorf("before there is a build: got %v, %+v", err, o)
	}
	build(t, out, src)
	if o, err := p.Check(t.Context(), []*Source{src}); err != nil || o[0].Status != Stale || !slices.Equal(o[0].Reasons, []string{p.Held}) || o[0].Digest != "" || o[0].Key == "" {
		t.Errorf("got %v, %+v", err, o)
	}
	if o, err := p.Prebuild(t.Context(), []*Source{src}); err != nil || o[0].Status != Built || o[0].Reasons != nil {
		t.Errorf("got %v, %+v", err, o)
	}
}

func TestADamagedEarlierBuildIsNotUsedAgain(t *testing.T) {
	t.Parallel()
	ws := tempDir(t)
	out := filepath.Join(ws, "prebuilt")
	src := shellSource(t, filepath.Join(ws, "tools"))
	build(t, out, src)
	p, err := LoadPackage(filepath.Join(out, "echo"))
	if err != nil {
		t.Fatal(err)
	}
	writeTree(t, src.Dir, map[string]string{"note.txt": "x"})
	build(t, out, src)
	writeTree(t, p.Dir, map[string]string{"runtime/lib.sh": "damaged"})
	if err := os.Remove(filepath.Join(src.Dir, "note.txt")); err != nil {
		t.Fatal(err)
	}
	if o := build(t, out, src)[0]; o.Digest != p.Digest {
		t.Fatalf("got %+v, want the first digest", o)
	}
	if data, _ := os.ReadFile(filepath.Join(p.Dir, "runtime", "lib.sh")); string(data) != shellLib {
		t.Error("the damage is still there")
	}
}

// The same content again keeps the build before it.
func TestForceKeepsTheOlderBuild(t *testing.T) {
	t.Parallel()
	ws := tempDir(t)
	out := filepath.Join(ws, "prebuilt")
	src := shellSource(t, filepath.Join(ws, "tools"))
	build(t, out, src)
	writeTree(t, src.Dir, map[string]string{"note.txt": "x"})
	build(t, out, src)
	again := prebuilder(t, out)
	again.Force = true
	if o, err := again.Prebuild(t.Context(), []*Source{src}); err != nil || o[0].Err != nil {
		t.Fatal(err, o)
	}
	if found, _ := filepath.Glob(filepath.Join(out, "echo", "*", launchName)); len(found) != 2 {
		t.Errorf("builds: %v, want two", found)
	}
}

func TestPlainModes(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	writeTree(t, dir, map[string]string{"a/file": "", "a/program*": ""})
	for name, mode := range map[string]os.FileMode{"a/file": 0o600, "a/program": 0o4711, "a": 0o700} {
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("file", filepath.Join(dir, "a", "link")); err != nil {
		t.Fatal(err)
	}
	if err := plainModes(dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{"a/file": 0o644, "a/program": 0o755, "a": 0o755 | os.ModeDir} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v, want %v", name, info.Mode(), err, want)
		}
	}
}

// What came with a checkout cannot lead a build out of the workspace.
func TestPrebuildPassesNoLink(t *testing.T) {
	t.Parallel()
	for _, link := range []string{".agentctl", ".agentctl/prebuilt", ".agentctl/prebuilt/echo", ".agentctl/prebuilt/echo/.lock"} {
		ws, outside := tempDir(t), tempDir(t)
		src := shellSource(t, filepath.Join(ws, "tools"))
		if err := os.MkdirAll(filepath.Join(ws, filepath.Dir(link)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(outside, "new"), filepath.Join(ws, link)); err != nil {
			t.Fatal(err)
		}
		p := prebuilder(t, filepath.Join(ws, ".agentctl", "prebuilt"))
		p.Workspace = ws
		o, err := p.Prebuild(t.Context(), []*Source{src})
		if err != nil || !strings.Contains(errText(o[0].Err), link+`" is a symbolic link`) {
			t.Errorf("%s: got %v, %v", link, err, o[0].Err)
		}
		if left, _ := os.ReadDir(outside); len(left) > 0 {
			t.Errorf("%s: %v was written outside", link, left)
		}
	}
}

// A lock of a session is never made through a link.
func TestHoldPassesNoLink(t *testing.T) {
	t.Parallel()
	ws, outside := tempDir(t), tempDir(t)
	out := filepath.Join(ws, "prebuilt")
	build(t, out, shellSource(t, filepath.Join(ws, "tools")))
	p, err := LoadPackage(filepath.Join(out, "echo"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outside, "new"), filepath.Join(p.Root, holdName(p.Digest))); err != nil {
		t.Fatal(err)
	}
	p.Hold()()
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("%v was made outside", left)
	}
}

// A failure names the files that its reader has.
func TestFailuresSpeakOfTheSource(t *testing.T) {
	t.Parallel()
	ws := tempDir(t)
	src := shellSource(t, filepath.Join(ws, "tools"))
	writeTree(t, src.Dir, map[string]string{"launch*": "#!/bin/sh\n. \"$(dirname \"$0\")/lib.sh\"\n. \"$(dirname \"$0\")/none.sh\"\n"})
	o, err := prebuilder(t, filepath.Join(ws, "prebuilt")).Prebuild(t.Context(), []*Source{src})
	text := errText(o[0].Err)
	if err != nil || !strings.Contains(text, src.Dir+"/launch: 3:") || !strings.Contains(text, "runtime/none.sh") || strings.Contains(text, tmpPrefix) {
		t.Errorf("got %v, %s", err, text)
	}
}

func TestTwoPrebuildsAtOnce(t *testing.T) {
	t.Parallel()
	ws := tempDir(t)
	out := filepath.Join(ws, "prebuilt")
	src := shellSource(t, filepath.Join(ws, "tools"))
	var wg sync.WaitGroup
	statuses := make([]Status, 3)
	for i := range statuses {
		wg.Go(func() {
			o, err := prebuilder(t, out).Prebuild(t.Context(), []*Source{src})
			if err == nil {
				statuses[i] = o[0].Status
			}
		})
	}
	wg.Wait()
	var built int
	for _, s := range statuses {
		if s == Built {
			built++
		} else if s != Fresh {
			t.Errorf("one ended as %q", s)
		}
	}
	if built != 1 {
		t.Errorf("built %d times, want once", built)
	}
}

func TestPrebuildWaitsForTheLockNoLongerThanItsContext(t *testing.T) {
	t.Parallel()
	ws := tempDir(t)
	out := filepath.Join(ws, "prebuilt")
	src := shellSource(t, filepath.Join(ws, "tools"))
	if err := os.MkdirAll(filepath.Join(out, "echo"), 0o755); err != nil {
		t.Fatal(err)
	}
	lock := flock.New(filepath.Join(out, "echo", ".lock"))
	if err := lock.Lock(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Unlock() }()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := prebuilder(t, out).Prebuild(ctx, []*Source{src}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestExecBuilderRefuses(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(tempDir(t), "tool")
	writeTree(t, dir, map[string]string{"launch*": "#!/bin/sh\n", "other": "#!/bin/sh\n", ".gitignore": "*.log\n", "a.log*": "#!/bin/sh\n", "bin/x": "x"})
	for entry, want := range map[string]string{
		"none.sh": `"none.sh" does not exist`, "./other": `"other" cannot be executed`, "bin": `"bin" is no file`,
		"../tool/launch": `"../tool/launch" leaves the package`, "a.log": `"a.log" is there and no part of the package: .gitignore leaves it out`,
	} {
		src := &Source{Name: "tool", Dir: dir, Manifest: defaultManifest(), Builder: "exec"}
		src.Manifest.Entry = entry
		o, err := prebuilder(t, tempDir(t)).Prebuild(t.Context(), []*Source{src})
		if err != nil || !strings.Contains(errText(o[0].Err), want) {
			t.Errorf("%s: %v, %v", entry, err, o[0].Err)
		}
	}
}

func TestScriptRuntime(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	tests := []struct {
		name, text string
		want       Runtime
	}{
		{"sh", "#!/bin/sh\n", Runtime{Portable: true}},
		{"env", "#!/usr/bin/env python3\n", Runtime{Interpreter: "python3"}},
		{"env -S", "#!/usr/bin/env -S node --x\n", Runtime{Interpreter: "node"}},
		{"path", "#! /usr/bin/perl -w\n", Runtime{Interpreter: "perl"}},
		{"binary", "\x7fELF", Runtime{Portable: true}},
		{"bare", "#!\n", Runtime{Portable: true}},
	}
	for _, tt := range tests {
		writeTree(t, dir, map[string]string{tt.name: tt.text})
		if got, err := scriptRuntime(filepath.Join(dir, tt.name)); err != nil || got != tt.want {
			t.Errorf("%s: got %+v, %v, want %+v", tt.name, got, err, tt.want)
		}
	}
}

func TestBuildersSeeDeclaredVariablesOnly(t *testing.T) {
	t.Parallel()
	host := map[string]string{"PATH": "/bin", "SECRET": "s", "CC": "cc", "HOME": "/home/x"}
	got := strings.Join(buildEnv(func(n string) string { return host[n] }, []string{"CC"}), " ")
	if want := "LANG=C.UTF-8 PATH=/bin HOME=/home/x CC=cc"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
