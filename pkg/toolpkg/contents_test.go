package toolpkg

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/pkg/sandbox"
)

// published is a finished build with one file of each kind, without building.
func published(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(tempDir(t), "build")
	writeTree(t, dir, map[string]string{
		"launch*": "#!/bin/sh\n", "runtime/app.py": "print(1)\n", "runtime/lib/a": "a", "runtime/__pycache__/app.pyc": "x", "runtime/lib/b/c": "c", "runtime/zz": "z",
	})
	if err := os.Symlink("app.py", filepath.Join(dir, "runtime", "link")); err != nil {
		t.Fatal(err)
	}
	digest, err := writeContents(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	named := filepath.Join(filepath.Dir(dir), strings.TrimPrefix(digest, "sha256:"))
	if err := os.Rename(dir, named); err != nil {
		t.Fatal(err)
	}
	return named
}

func TestDamage(t *testing.T) {
	t.Parallel()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(file, text string) { must(os.WriteFile(file, []byte(text), 0o644)) }
	tests := []struct {
		name string
		do   func(dir string)
		want string
	}{
		{"nothing", func(string) {}, ""},
		{"read-only, other modes", func(dir string) { must(os.Chmod(dir+"/launch", 0o500)); must(os.Chmod(dir+"/runtime/zz", 0o400)) }, ""},
		{"bytecode is gone", func(dir string) { must(os.RemoveAll(dir + "/runtime/__pycache__")) }, ""},
		{"bytecode was changed", func(dir string) { write(dir+"/runtime/__pycache__/app.pyc", "y") }, "runtime/__pycache__/app.pyc was changed"},
		{"a file that a system left", func(dir string) { write(dir+"/runtime/.DS_Store", "x") }, ""},
		{"a file is gone", func(dir string) { must(os.Remove(dir + "/launch")) }, "launch is missing"},
		{"folders are gone", func(dir string) { must(os.RemoveAll(dir + "/runtime/lib")) }, "runtime/lib is missing"},
		{"all is gone", func(dir string) { must(os.Rename(dir+"/runtime", dir+"/away")) }, "runtime is missing"},
		{"a byte more", func(dir string) { write(dir+"/runtime/zz", "zz") }, "runtime/zz was changed"},
		{"another byte", func(dir string) { write(dir+"/runtime/zz", "y") }, "runtime/zz was changed"},
		{"no x bit", func(dir string) { must(os.Chmod(dir+"/launch", 0o644)) }, "launch was changed"},
		{"another link", func(dir string) {
			must(os.Remove(dir + "/runtime/link"))
			must(os.Symlink("zz", dir+"/runtime/link"))
		}, "runtime/link was changed"},
		{"a file for a link", func(dir string) { must(os.Remove(dir + "/runtime/link")); write(dir+"/runtime/link", "print(1)\n") }, "runtime/link was changed"},
		{"a folder for a file", func(dir string) { must(os.Remove(dir + "/runtime/zz")); must(os.Mkdir(dir+"/runtime/zz", 0o755)) }, "runtime/zz was changed"},
		{"no list", func(dir string) { must(os.Remove(dir + "/contents")) }, "contents is missing"},
		{"another list", func(dir string) { write(dir+"/contents", "") }, "contents was changed"},
		{"no list at all", func(dir string) { write(dir+"/contents", "0644 x y z\nfour\n") }, "contents was changed"},
		{"several", func(dir string) { must(os.Remove(dir + "/launch")); write(dir+"/runtime/zz", "y") }, "launch is missing|runtime/zz was changed"},
	}
	for _, tt := range tests {
		dir := published(t)
		tt.do(dir)
		if got := strings.Join(damage(dir), "|"); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// What is read of content is bounded, and the small files come first.
func TestAffordable(t *testing.T) {
	t.Parallel()
	files := []content{{size: readContents}, {size: 10}, {size: readContents - 10 - 2*fileCost}, {size: 1}}
	if got := affordable(files); !slices.Equal(got, []bool{false, true, false, true}) {
		t.Errorf("got %v", got)
	}
	files[2].size--
	if got := affordable(files); !slices.Equal(got, []bool{false, true, false, true}) {
		t.Errorf("got %v", got)
	}
	if got := affordable(files[1:3]); !slices.Equal(got, []bool{true, true}) {
		t.Errorf("got %v", got)
	}
}

func TestDamagedBuildIsStaleAndBroken(t *testing.T) {
	t.Parallel()
	ws := tempDir(t)
	out, dir := filepath.Join(ws, "prebuilt"), filepath.Join(ws, "tools", "echo")
	src := shellSource(t, filepath.Join(ws, "tools"))
	first := build(t, out, src)[0]
	p, err := LoadPackage(filepath.Join(out, "echo"))
	if err != nil {
		t.Fatal(err)
	}
	call := func(text string) InvokeResult {
		v := &Invoker{Run: sandboxRun(t), Workspace: sandbox.WorkspaceOptions{Dir: ws}, LookupEnv: func(string) (string, bool) { return "token", true }}
		return v.Invoke(t.Context(), Call{
			Function: Function{"echo_text", p, p.Commands[0]}, Granted: []string{"API_TOKEN"}, Args: fmt.Appendf(nil, `{"text":%q}`, text),
		})
	}
	lib := filepath.Join(p.Dir, "runtime", "lib.sh")
	if err := os.Rename(lib, lib+".away"); err != nil {
		t.Fatal(err)
	}
	if o := check(t, out, dir); o.Status != Stale || strings.Join(o.Reasons, "|") != "the build is damaged: runtime/lib.sh is missing" {
		t.Errorf("got %v, %q", o.Status, o.Reasons)
	}
	r := call("x")
	// The tool ran, so its failure stays its own.
	if r.Origin != OriginTool || r.Kind != KindFailed || r.ExitCode != 2 || r.Message != "" || r.Stderr == "" || len(r.Findings) != 1 {
		t.Fatalf("got %+v", r)
	}
	cure := "agentctl tool prebuild --force echo"
	if d := r.Findings[0]; d.Code != "tool.damaged" || !strings.HasSuffix(d.Message, "runtime/lib.sh is missing") || d.Fix != cure {
		t.Errorf("got %+v", d)
	}
	if text := r.ForModel(); !strings.HasPrefix(text, "exit_code: 2\n") || !strings.Contains(text, "damaged: runtime/lib.sh is missing; a person can renew it with "+cure) {
		t.Errorf("a model gets %s", text)
	}
	// What did not start at all is broken.
	launch := filepath.Join(p.Dir, "runtime", launchName)
	if err := os.Rename(launch, launch+".away"); err != nil {
		t.Fatal(err)
	}
	r = call("x")
	if r.Origin != OriginHost || r.Kind != KindBroken || r.ExitCode != ExitBroken || !strings.Contains(r.Message, "runtime/launch is missing, runtime/lib.sh is missing") ||
		r.Hint != "run "+cure || r.Stderr == "" || len(r.Findings) != 0 {
		t.Errorf("got %+v", r)
	}
	if o := build(t, out, src)[0]; o.Status != Built || o.Digest != first.Digest {
		t.Errorf("again: %+v", o)
	}
	if r := call("x"); r.ExitCode != 0 {
		t.Errorf("after the build: %+v", r)
	}
	if r := call(":fail:"); r.Origin != OriginTool || r.ExitCode != 1 {
		t.Errorf("a failure of a whole package: %+v", r)
	}
	if err := os.Remove(filepath.Join(p.Dir, contentsName)); err != nil {
		t.Fatal(err)
	}
	if r := call(":fail:"); r.Origin != OriginTool || r.ExitCode != 1 {
		t.Errorf("a build without a list: %+v", r)
	}
}

func TestBuildErrorPosition(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	writeTree(t, dir, map[string]string{"main.go": "x", "src/a.py": "x"})
	for output, want := range map[string]string{
		"# example.com/x\n./main.go:35:12: undefined: y": dir + "/main.go:35:12",
		"  File \"" + dir + "/src/a.py\", line 7\n":      dir + "/src/a.py:7:0",
		"none.go:1:2: x\nsrc/a.py:3: x":                  dir + "/src/a.py:3:0",
		"/etc/passwd:1:2: x":                             ":0:0",
		"src:1":                                          ":0:0",
		"":                                               ":0:0",
	} {
		file, line, column := (&BuildError{Output: output}).Position(dir)
		if got := fmt.Sprintf("%s:%d:%d", file, line, column); got != want {
			t.Errorf("%q: got %s, want %s", output, got, want)
		}
	}
}
