package toolpkg

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestNewShellPackage(t *testing.T) {
	t.Parallel()
	ws := tempDir(t)
	res, err := New(NewRequest{Name: "row-tool", Dir: filepath.Join(ws, "tools"), Lang: "sh", Description: `It's "quoted".`})
	if err != nil {
		t.Fatal(err)
	}
	if want := "TOOL.md commands/list.json commands/row-tool.json json.sh launch"; strings.Join(res.Files, " ") != want {
		t.Errorf("files: %v", res.Files)
	}
	src, err := ReadSource(res.Dir)
	if err != nil || src.Manifest.Description != `It's "quoted".` {
		t.Fatalf("got %+v, %v", src, err)
	}
	build(t, filepath.Join(ws, "prebuilt"), src)
	p, err := LoadPackage(filepath.Join(ws, "prebuilt", "row-tool"))
	if err != nil {
		t.Fatal(err)
	}
	found, err := CheckLauncher(t.Context(), SandboxLauncher(sandboxRun(t), p.Dir))
	if err != nil || len(found) > 0 {
		t.Errorf("lint: %v, %v", found, err)
	}
}

func TestNewGoPackageIsComplete(t *testing.T) {
	t.Parallel()
	res, err := New(NewRequest{Name: "row-tool", Dir: tempDir(t), Lang: "go"})
	if err != nil {
		t.Fatal(err)
	}
	if want := "TOOL.md go.mod go.sum internal/dispatch/dispatch.go main.go main_test.go"; strings.Join(res.Files, " ") != want {
		t.Errorf("files: %v", res.Files)
	}
	sum, err := os.ReadFile(filepath.Join(res.Dir, "go.sum"))
	sample, err2 := os.ReadFile("../../tools/data-fetch/go.sum")
	if err != nil || err2 != nil || !bytes.Equal(sum, sample) {
		t.Errorf("copy tools/data-fetch/go.sum to scaffold/go/go.sum.tmpl (%v, %v)", err, err2)
	}
}

func TestNewFromScripts(t *testing.T) {
	t.Parallel()
	ws := tempDir(t)
	set := &ScriptSet{
		Skill: "labels",
		FS: fstest.MapFS{
			"scripts/it's here.sh": {Data: []byte("cat \"$(dirname \"$0\")/data.txt\"; echo \"$1\"\n")}, "scripts/data.txt": {Data: []byte("data ")},
			"top.sh": {Data: []byte("line=$(cat); echo \"$1 $line\"\n")}, "SKILL.md": {Data: []byte("x")},
			"tools.yaml": {Data: []byte("x")},
		},
		Files: []string{"scripts/data.txt", "scripts/it's here.sh", "tools.yaml", "top.sh"},
		Scripts: []Script{
			{Name: "extract", Description: "Extract.", Path: "scripts/it's here.sh", Interpreter: []string{"sh"}, Schema: []byte(`{"type":"object","properties":{"a":{"type":"string","description":"x"}}}`)},
			{Name: "top", Description: "Top.", Path: "top.sh", Interpreter: []string{"sh", "-e"}, Schema: []byte(`{"type":"object"}`)},
		},
	}
	res, err := New(NewRequest{Name: "labels", Dir: filepath.Join(ws, "tools"), Scripts: set})
	if err != nil {
		t.Fatal(err)
	}
	if want := "TOOL.md commands/extract.json commands/list.json commands/top.json json.sh launch scripts/data.txt scripts/it's here.sh top.sh"; strings.Join(res.Files, " ") != want {
		t.Errorf("files: %v", res.Files)
	}
	src, err := ReadSource(res.Dir)
	if err != nil {
		t.Fatal(err)
	}
	build(t, filepath.Join(ws, "prebuilt"), src)
	p, err := LoadPackage(filepath.Join(ws, "prebuilt", "labels"))
	if err != nil {
		t.Fatal(err)
	}
	launch := SandboxLauncher(sandboxRun(t), p.Dir)
	if found, err := CheckLauncher(t.Context(), launch); err != nil || len(found) > 0 {
		t.Errorf("lint: %v, %v", found, err)
	}
	for want, args := range map[string][]string{`data {"a":"b"}`: {"extract", `{"a":"b"}`}, `- {"a":1}`: {"top", "-"}} {
		r, err := launch(t.Context(), `{"a":1}`, args...)
		if err != nil || r.Exit != 0 || strings.TrimSpace(string(r.Stdout.Head)) != want {
			t.Errorf("%v: %+v, %v, want %s", args, r, err, want)
		}
	}
}

func TestNewFromScriptsWithPackages(t *testing.T) {
	t.Parallel()
	set := &ScriptSet{
		Skill: "labels", Dependencies: []string{"six==1.17.0", `b; python_version < "4"`}, RequiresPython: ">=3.11",
		FS:      fstest.MapFS{"scripts/a.py": {Data: []byte("x")}},
		Scripts: []Script{{Name: "a", Description: "A.", Path: "./scripts/a.py", Interpreter: []string{"python3"}, Schema: []byte(`{"type":"object"}`)}},
	}
	res, err := New(NewRequest{Name: "labels", Dir: tempDir(t), Scripts: set})
	if err != nil {
		t.Fatal(err)
	}
	if want := "TOOL.md commands/a.json commands/list.json pyproject.toml run_scripts.py scripts/a.py"; strings.Join(res.Files, " ") != want {
		t.Errorf("files: %v", res.Files)
	}
	p, err := readPyproject(os.DirFS(res.Dir))
	if err != nil || !slices.Equal(p.Project.Dependencies, set.Dependencies) || p.Project.RequiresPython != ">=3.11" || p.Project.Scripts["labels"] != "run_scripts:main" {
		t.Errorf("got %+v, %v", p, err)
	}
}

func TestNewFromScriptsRefusesFilesInTheWay(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	set := &ScriptSet{
		Skill: "labels", FS: fstest.MapFS{"Launch": {Data: []byte("x")}, "a.sh": {Data: []byte("x")}}, Files: []string{"Launch"},
		Scripts: []Script{{Name: "a", Description: "A.", Path: "a.sh", Interpreter: []string{"sh"}, Schema: []byte(`{"type":"object"}`)}},
	}
	_, err := New(NewRequest{Name: "labels", Dir: dir, Scripts: set})
	if err == nil || !strings.Contains(err.Error(), `file "Launch" of skill "labels" would be in the way`) {
		t.Errorf("got %v", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) > 0 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	if _, err := New(NewRequest{Name: "Row", Dir: dir, Lang: "sh"}); !isType[*NameError](err) || !strings.Contains(err.Error(), `"Row" is no name of a tool package`) {
		t.Errorf("a name: %v", err)
	}
	if _, err := New(NewRequest{Name: "row", Dir: dir, Lang: "cobol"}); err == nil || !strings.Contains(err.Error(), `unknown language "cobol"`) {
		t.Errorf("a language: %v", err)
	}
	if _, err := New(NewRequest{Name: "row", Dir: dir, Scripts: &ScriptSet{Skill: "s"}}); err == nil || !strings.Contains(err.Error(), `skill "s" describes no script`) {
		t.Errorf("no scripts: %v", err)
	}
	if _, err := New(NewRequest{Name: "row", Dir: dir, Lang: "sh"}); err != nil {
		t.Fatal(err)
	}
	if _, err := New(NewRequest{Name: "row", Dir: dir, Lang: "sh"}); !isType[*ExistsError](err) || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("twice: %v", err)
	}
}

func isType[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}

func TestReadingArgumentsInAShell(t *testing.T) {
	t.Parallel()
	run := sandboxRun(t)
	dir := filepath.Join(tempDir(t), "pkg")
	reader, err := scaffoldFS.ReadFile("scaffold/sh/json.sh")
	if err != nil {
		t.Fatal(err)
	}
	writeTree(t, dir, map[string]string{
		"json.sh": string(reader),
		"launch*": "#!/bin/sh\n. \"$(dirname \"$0\")/json.sh\"\nargs=$2\njson_check\nprintf '%s' \"[$(json_get \"$1\")]\"\n",
	})
	launch := SandboxLauncher(run, dir)
	tests := []struct {
		key, args, want string
		exit            int
	}{
		{"a", `{"a":"x"}`, "[x]", 0},
		{"a", ` { "b" : 1 , "a" : "two words" } `, "[two words]", 0},
		{"a", `{"a":"q\"b\\s\/t\tn"}`, "[q\"b\\s/t\tn]", 0},
		{"a", `{"b":{"a":"inner"},"a":"outer"}`, "[outer]", 0},
		{"a", `{"b":[{"a":"}"}],"a":-1.5e3}`, "[-1.5e3]", 0},
		{"a", `{"a":[1,"b",{"c":null}]}`, `[[1,"b",{"c":null}]]`, 0},
		{"a", `{"a":true}`, "[true]", 0},
		{"a", `{}`, "[]", 0},
		{"b", `{"a":"x"}`, "[]", 0},
		{"a", `{"a":"`, "", 2},
		{"a", `{"a":}`, "", 2},
		{"a", `{"a":1,}`, "", 2},
		{"a", `{"a":1}}`, "", 2},
		{"a", `[1]`, "", 2},
		{"a", ``, "", 2},
		{"a", `"x"`, "", 2},
	}
	for _, tt := range tests {
		r, err := launch(t.Context(), "", tt.key, tt.args)
		if err != nil || r.Exit != tt.exit || string(r.Stdout.Head) != tt.want {
			t.Errorf("%s of %s: exit %d, %q, %v, want %d, %q", tt.key, tt.args, r.Exit, r.Stdout.Head, err, tt.exit, tt.want)
		}
	}
}
