package toolpkg

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// goLauncher is the smallest Go launcher, standard library only.
const goLauncher = `package main

import (
	"fmt"
	"os"
)

func main() {
	switch len(os.Args) {
	case 1:
		fmt.Println("[{\"name\":\"one\",\"description\":\"One.\"}]")
	case 2:
		fmt.Println("{\"params_json_schema\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"array\",\"description\":\"x\"}}}}")
	}
}
`

func needGo(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		skip(t, "go is not installed")
	}
}

func goSource(t *testing.T, files map[string]string) *Source {
	t.Helper()
	dir := filepath.Join(tempDir(t), "gotool")
	writeTree(t, dir, map[string]string{"go.mod": "module example.com/gotool\n\ngo 1.24\n"})
	writeTree(t, dir, files)
	src, err := ReadSource(dir)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func TestGoBuilder(t *testing.T) {
	t.Parallel()
	needGo(t)
	out := tempDir(t)
	src := goSource(t, map[string]string{"cmd/tool/main.go": goLauncher, "lib/lib.go": "package lib\n"})
	o := build(t, out, src)[0]
	p, err := LoadPackage(filepath.Join(out, "gotool"))
	if err != nil || !p.Runtime.Portable || p.Runtime.Interpreter != "" || p.Platform != Platform() {
		t.Errorf("got %+v, %v", p, err)
	}
	assertNoPathInside(t, p.Dir, src.Dir)
	if len(o.Diagnostics) != 1 || o.Diagnostics[0].Code != "schema.no-items" || o.Diagnostics[0].File != src.Dir {
		t.Errorf("diagnostics: %v", o.Diagnostics)
	}
	if len(p.Lint) != 1 || p.Lint[0] != (Finding{"one", "schema.no-items", p.Lint[0].Message}) {
		t.Errorf("kept: %+v", p.Lint)
	}
}

func TestGoBuilderFails(t *testing.T) {
	t.Parallel()
	needGo(t)
	two := map[string]string{"a/main.go": goLauncher, "b/main.go": goLauncher}
	tests := []struct {
		name  string
		files map[string]string
		path  string
		want  string
	}{
		{"no compile", map[string]string{"main.go": "package main\n\nfunc main() { undefined() }\n"}, "", "undefined: undefined"},
		{"no main", map[string]string{"lib.go": "package lib\n"}, "", "the module has 0 main packages"},
		{"two mains", two, "", "the module has 2 main packages (./a, ./b); name one in entry of TOOL.md"},
		{"outside", map[string]string{"TOOL.md": "---\nentry: ../other\n---\n"}, "", `entry "../other" leaves the package`},
		{"no go", map[string]string{"main.go": goLauncher}, "/nowhere", "go is not installed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := prebuilder(t, tempDir(t))
			if tt.path != "" {
				p.Getenv = func(string) string { return tt.path }
			}
			o, err := p.Prebuild(t.Context(), []*Source{goSource(t, tt.files)})
			if err != nil || !strings.Contains(errText(o[0].Err), tt.want) || !isType[*BuildError](o[0].Err) {
				t.Errorf("got %v, %v, want %s", err, o[0].Err, tt.want)
			}
		})
	}
}

// A checkout that git refuses, as in a container of another user, is no reason
// not to build.
func TestGoBuilderInARepositoryThatGitRefuses(t *testing.T) {
	t.Parallel()
	needGo(t)
	src := goSource(t, map[string]string{"main.go": goLauncher, ".git/HEAD": "nothing"})
	build(t, tempDir(t), src)
}

func TestGoBuilderEntry(t *testing.T) {
	t.Parallel()
	needGo(t)
	files := map[string]string{"a/main.go": goLauncher, "b/main.go": goLauncher, "TOOL.md": "---\nentry: b/main.go\n---\n"}
	build(t, tempDir(t), goSource(t, files))
	root := map[string]string{"main.go": goLauncher, "b/main.go": goLauncher}
	build(t, tempDir(t), goSource(t, root)) // the root's wins
}

func TestGoToolchain(t *testing.T) {
	t.Parallel()
	bin := tempDir(t)
	writeTree(t, bin, map[string]string{"go*": "#!/bin/sh\necho go9.9\n"})
	job := Build{Source: &Source{Dir: bin}, Env: []string{"PATH=" + bin, "CGO_ENABLED=1"}}
	chain, err := GoBuilder{}.Toolchain(t.Context(), job)
	if err != nil || chain["go"] != "go9.9" || chain["cgo"] != "1" {
		t.Errorf("without a VERSION file: %v, %v", chain, err)
	}
	writeTree(t, filepath.Dir(bin), map[string]string{"VERSION": "go8.8\ntime x\n"})
	if chain, err := (GoBuilder{}).Toolchain(t.Context(), job); err != nil || chain["go"] != "go8.8" {
		t.Errorf("with one: %v, %v", chain, err)
	}
}

func TestRunProgram(t *testing.T) {
	t.Parallel()
	job := Build{Env: []string{"PATH=relative:/bin:/usr/bin"}}
	var log bytes.Buffer
	job.Log = &log
	out, err := runProgram(t.Context(), job, "b", "", job.Env, "sh", "-c", "echo out; echo err >&2")
	if err != nil || string(out) != "out\n" || !strings.Contains(log.String(), "err") {
		t.Errorf("got %q, %v, log %q", out, err, log.String())
	}
	_, err = runProgram(t.Context(), job, "b", "", job.Env, "sh", "-c", "head -c 5000 /dev/zero | tr '\\0' x; echo END; exit 3")
	bad, ok := errors.AsType[*BuildError](err)
	if !ok || bad.Reason != "sh -c: exit status 3" || !strings.HasPrefix(bad.Output, "…x") || !strings.HasSuffix(bad.Output, "END") {
		t.Errorf("got %v", err)
	}
	if _, err := runProgram(t.Context(), job, "b", "", job.Env, "no-such-program"); !strings.Contains(errText(err), "no-such-program is not installed") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := runProgram(ctx, job, "b", "", job.Env, "sleep", "20"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestACancelledBuildLeavesNoProcess(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	job := Build{Env: []string{"PATH=/bin:/usr/bin"}}
	_, err := runProgram(ctx, job, "b", dir, job.Env, "sh", "-c", "sleep 60 >/dev/null 2>&1 & echo $! > pid; trap '' INT; wait; wait")
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v", err)
	}
	pid, err := os.ReadFile(filepath.Join(dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	for range 50 {
		state, err := os.ReadFile(filepath.Join("/proc", strings.TrimSpace(string(pid)), "stat"))
		if err != nil || strings.Contains(string(state), ") Z ") {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("process %s is still there", pid)
}

func TestBuildLogKeepsTheEnd(t *testing.T) {
	t.Parallel()
	var all bytes.Buffer
	l := &buildLog{pass: &all}
	for range 10_000 {
		if _, err := l.Write([]byte("a line of a log\n")); err != nil {
			t.Fatal(err)
		}
	}
	if len(l.tail) > 2*keptLog || all.Len() != 160_000 || len(l.end()) > keptLog+10 || !strings.HasPrefix(l.end(), "…") {
		t.Errorf("%d bytes kept, %d passed on, %d shown", len(l.tail), all.Len(), len(l.end()))
	}
}

func TestLinksInASource(t *testing.T) {
	t.Parallel()
	ws := tempDir(t)
	src := shellSource(t, filepath.Join(ws, "tools"))
	if err := os.Symlink("lib.sh", filepath.Join(src.Dir, "alias.sh")); err != nil {
		t.Fatal(err)
	}
	build(t, filepath.Join(ws, "prebuilt"), src)
	p, err := LoadPackage(filepath.Join(ws, "prebuilt", "echo"))
	if err != nil {
		t.Fatal(err)
	}
	if target, err := os.Readlink(filepath.Join(p.Dir, "runtime", "alias.sh")); err != nil || target != "lib.sh" {
		t.Errorf("got %q, %v", target, err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(src.Dir, "out")); err != nil {
		t.Fatal(err)
	}
	o, err := prebuilder(t, filepath.Join(ws, "prebuilt")).Prebuild(t.Context(), []*Source{src})
	if err != nil || !strings.Contains(errText(o[0].Err), `"out" is a link out of the folder`) {
		t.Errorf("got %v, %v", err, o[0].Err)
	}
}

func TestAKilledPrebuildIsClearedAway(t *testing.T) {
	t.Parallel()
	ws := tempDir(t)
	out := filepath.Join(ws, "prebuilt")
	left := filepath.Join(out, "echo", ".tmp-123", "read-only")
	writeTree(t, left, map[string]string{"file": "x"})
	if err := os.Chmod(left, 0o500); err != nil {
		t.Fatal(err)
	}
	build(t, out, shellSource(t, filepath.Join(ws, "tools")))
	if found, _ := filepath.Glob(filepath.Join(out, "echo", ".tmp-*")); len(found) > 0 {
		t.Errorf("left behind: %v", found)
	}
}

func TestADamagedBuildIsStale(t *testing.T) {
	t.Parallel()
	ws := tempDir(t)
	out := filepath.Join(ws, "prebuilt")
	src := shellSource(t, filepath.Join(ws, "tools"))
	build(t, out, src)
	p, err := LoadPackage(filepath.Join(out, "echo"))
	if err != nil {
		t.Fatal(err)
	}
	move := func(from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	aside := filepath.Join(ws, "aside")
	for name, want := range map[string]string{stampName: "its stamp cannot be read", commandsName: "its commands.json cannot be read"} {
		file := filepath.Join(p.Dir, name)
		move(file, aside)
		if o := check(t, out, src.Dir); o.Status != Stale || !strings.Contains(strings.Join(o.Reasons, " "), want) {
			t.Errorf("%s: %v, %v", name, o.Status, o.Reasons)
		}
		move(aside, file)
	}
	move(filepath.Join(p.Dir, stampName), aside)
	if o := build(t, out, src)[0]; o.Status != Built || o.Digest != p.Digest {
		t.Errorf("rebuilt: %+v", o)
	}
	if _, err := LoadPackage(filepath.Join(out, "echo")); err != nil {
		t.Error(err)
	}
}

func BenchmarkFreshnessCheck(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "big")
	for i := range 2000 {
		name := filepath.Join(dir, string(rune('a'+i%26)), strings.Repeat("f", i%7+1)+string(rune('a'+i/26%26))+string(rune('a'+i/676))+".txt")
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, bytes.Repeat([]byte("x"), 8000), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("*.log\nbuild/\n*.tmp\n/out\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "launch"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		b.Fatal(err)
	}
	src, err := ReadSource(dir)
	if err != nil {
		b.Fatal(err)
	}
	p := &Prebuilder{Out: filepath.Join(dir, ".out")}
	for b.Loop() {
		if _, err := p.Check(b.Context(), []*Source{src}); err != nil {
			b.Fatal(err)
		}
	}
}
