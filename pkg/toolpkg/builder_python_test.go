package toolpkg

import (
	"archive/zip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/uv"
)

// noUV is a PATH without uv.
const noUV = "/usr/bin:/bin"

// needPython skips on machines without an interpreter that a sandbox can run.
func needPython(t *testing.T) uv.Python {
	t.Helper()
	py, err := uv.FindPython(uv.Want{Requires: ">=3.10", Preference: "only-system"}, nil, systemPath)
	if err != nil {
		skip(t, err.Error())
	}
	return py
}

// needUV returns the PATH on which uv is.
func needUV(t *testing.T) string {
	t.Helper()
	needPython(t)
	if _, err := uv.Find(t.Context(), os.Environ()); err != nil {
		skip(t, err.Error())
	}
	return os.Getenv("PATH")
}

// pythonEnv is what the python builder sees: this PATH, and no interpreter but
// those of the system and of more.
func pythonEnv(path string, more map[string]string) func(string) string {
	return func(name string) string {
		switch v, ok := more[name]; {
		case ok:
			return v
		case name == "PATH":
			return path
		case name == "UV_PYTHON_INSTALL_DIR":
			return "/nonexistent"
		}
		return os.Getenv(name)
	}
}

// pythonPackage builds the package in dir and loads it.
func pythonPackage(t *testing.T, out, dir string, getenv func(string) string) (*Package, Outcome) {
	t.Helper()
	src, err := ReadSource(dir)
	if err != nil {
		t.Fatal(err)
	}
	p := prebuilder(t, out)
	p.Getenv = getenv
	outcomes, err := p.Prebuild(t.Context(), []*Source{src})
	if err != nil || outcomes[0].Err != nil {
		t.Fatal(err, outcomes[0].Err)
	}
	pkg, err := LoadPackage(filepath.Join(out, src.Name))
	if err != nil {
		t.Fatal(err)
	}
	return pkg, outcomes[0]
}

// pyTool is a module whose one command prints what an expression says.
func pyTool(imports, expression string) string {
	return fmt.Sprintf(`import json, sys
def main():
    if len(sys.argv) == 1: print('[{"name":"show","description":"Show."}]')
    elif len(sys.argv) == 2: print('{"params_json_schema":{"type":"object","properties":{}}}')
    else:
        %s
        print(json.dumps(%s))
`, imports, expression)
}

func invokeOnly(t *testing.T, ws string, p *Package) string {
	t.Helper()
	r := invoker(t, ws).Invoke(t.Context(), Call{Function: functions(p)[0]})
	if r.ExitCode != 0 {
		t.Fatalf("exit %d: %s%s", r.ExitCode, r.Stderr, r.Message)
	}
	return strings.TrimSpace(r.Stdout)
}

func TestNewPythonPackage(t *testing.T) {
	t.Parallel()
	py := needPython(t)
	ws := tempDir(t)
	res, err := New(NewRequest{Name: "row-tool", Dir: filepath.Join(ws, "tools"), Lang: "python"})
	if err != nil {
		t.Fatal(err)
	}
	if want := "TOOL.md agentctl_tool.py commands.py pyproject.toml test_commands.py"; strings.Join(res.Files, " ") != want {
		t.Errorf("files: %v", res.Files)
	}
	env := pythonEnv(noUV, nil) // without dependencies uv is not needed
	p, first := pythonPackage(t, filepath.Join(ws, "prebuilt"), res.Dir, env)
	if p.Runtime.Portable || p.Runtime.Interpreter == "" || p.Usable() != nil {
		t.Errorf("runtime: %+v, %v", p.Runtime, p.Usable())
	}
	assertNoPathInside(t, p.Dir, ws)
	found, err := CheckLauncher(t.Context(), SandboxLauncher(sandboxRun(t), p.Dir))
	if err != nil || len(found) > 0 {
		t.Errorf("lint: %v, %v", found, err)
	}
	v := invoker(t, ws)
	f := functions(p)[0]
	r := v.Invoke(t.Context(), Call{Function: f, Args: []byte(`{"text":"äb","times":"2"}`)})
	if r.ExitCode != 0 || r.Stdout != `{"text": "äbäb"}`+"\n" {
		t.Errorf("got %+v", r)
	}
	if r := v.Invoke(t.Context(), Call{Function: f, Args: []byte(`{"text":" "}`)}); r.Kind != KindInvalidArguments || r.Field != "text" {
		t.Errorf("got %+v", r)
	}
	if _, second := pythonPackage(t, filepath.Join(ws, "other"), res.Dir, env); second.Digest != first.Digest {
		t.Errorf("two builds have the digests %s and %s", first.Digest, second.Digest)
	}
	if left, _ := filepath.Glob(filepath.Join(p.Dir, "runtime", "app", "__pycache__", "*.pyc")); len(left) != 3 {
		t.Errorf("bytecode: %v", left)
	}
	runUnitTests(t, py, res.Dir)
}

// runUnitTests runs the tests that a package brings with it.
func runUnitTests(t *testing.T, py uv.Python, dir string) {
	t.Helper()
	job := Build{Env: []string{"PYTHONDONTWRITEBYTECODE=1"}}
	if _, err := runProgram(t.Context(), job, "python", dir, job.Env, py.Program, "-m", "unittest"); err != nil {
		t.Error(err)
	}
}

// TestPythonIsBundled gives the builder a managed interpreter that is a copy of
// the system's, which finds its library by its own place.
func TestPythonIsBundled(t *testing.T) {
	t.Parallel()
	py := needPython(t)
	ws := tempDir(t)
	home := filepath.Join(ws, "pythons", "cpython-"+py.Version+".99-linux-x86_64-gnu")
	lib := filepath.Join("lib", py.Name)
	if _, err := os.Stat(filepath.Join("/usr", lib, "os.py")); err != nil {
		skip(t, "the system's Python cannot be copied: "+err.Error())
	}
	copyTree(t, filepath.Join("/usr", lib), filepath.Join(home, lib))
	writeTree(t, home, map[string]string{
		"bin/.keep": "", filepath.Join(lib, "_sysconfigdata_x.py"): "prefix = '" + home + "'\n", filepath.Join(lib, "test", "x.py"): "",
		filepath.Join(lib, "site-packages", "pip.py"): "", "include/x.h": "",
	})
	program, err := os.ReadFile(py.Program)
	if err != nil {
		t.Fatal(err)
	}
	writeTree(t, home, map[string]string{"bin/" + py.Name + "*": string(program)})
	dir := filepath.Join(ws, "tools", "which")
	writeTree(t, dir, map[string]string{
		"pyproject.toml": "[project]\nname = \"which\"\nrequires-python = \">=" + py.Version + "\"\n", "TOOL.md": "---\nentry: which:Tool.main\n---\n",
		"which.py": pyTool("import csv", "[sys.executable, csv.__file__, sys.argv[0]]") + "class Tool:\n    main = staticmethod(main)\n",
	})
	env := pythonEnv(noUV, map[string]string{"UV_PYTHON_INSTALL_DIR": filepath.Join(ws, "pythons")})
	p, _ := pythonPackage(t, filepath.Join(ws, "prebuilt"), dir, env)
	if !p.Runtime.Portable || p.Runtime.Interpreter != "" {
		t.Errorf("runtime: %+v", p.Runtime)
	}
	assertNoPathInside(t, p.Dir, ws)
	if got := invokeOnly(t, ws, p); strings.Count(got, p.Dir) != 3 {
		t.Errorf("runs with %s", got)
	}
	for _, gone := range []string{"include", filepath.Join(lib, "test"), filepath.Join(lib, "site-packages")} {
		if _, err := os.Stat(filepath.Join(p.Dir, "runtime", "python", gone)); err == nil {
			t.Errorf("%s was copied", gone)
		}
	}
	// A second package shares the interpreter's files.
	other := filepath.Join(ws, "tools", "other")
	writeTree(t, other, map[string]string{"pyproject.toml": "[project.scripts]\nx = \"other:main\"\n", "other.py": pyTool("pass", "1")})
	q, _ := pythonPackage(t, filepath.Join(ws, "prebuilt"), other, env)
	if !sameFile(t, p, q, filepath.Join("runtime", "python", "bin", py.Name)) {
		t.Error("each package has an interpreter of its own on disk")
	}
}

// copyTree copies regular files, as far as they can be read.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	err := eachFile(from, func(file string, data []byte) error {
		rel, err := filepath.Rel(from, file)
		if err != nil || strings.Contains(rel, "__pycache__") || strings.HasPrefix(rel, "dist-packages") {
			return err
		}
		writeTree(t, to, map[string]string{rel: string(data)})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func sameFile(t *testing.T, p, q *Package, name string) bool {
	t.Helper()
	a, err1 := os.Stat(filepath.Join(p.Dir, name))
	b, err2 := os.Stat(filepath.Join(q.Dir, name))
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	return os.SameFile(a, b)
}

func TestPythonBuilderRefuses(t *testing.T) {
	t.Parallel()
	needPython(t)
	const scripts = "[project.scripts]\na = \"a:b\"\n"
	tests := []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"no file", map[string]string{"TOOL.md": "---\nbuilder: python\n---\n"}, "pyproject.toml cannot be read"},
		{"bad TOML", map[string]string{"pyproject.toml": "x = 1\n[project\n"}, "pyproject.toml:2:9: expected character ]"},
		{"no script", map[string]string{"pyproject.toml": "[project]\n"}, "[project.scripts] has no script; "},
		{"two scripts", map[string]string{"pyproject.toml": "[project.scripts]\na = \"a:b\"\nb = \"a:c\"\n"}, "[project.scripts] has 2 scripts (a, b)"},
		{"a missing file", map[string]string{"pyproject.toml": "", "TOOL.md": "---\nentry: main.py\n---\n"}, `entry "main.py" does not exist`},
		{"a strange entry", map[string]string{"pyproject.toml": "", "TOOL.md": "---\nentry: main\n---\n"}, `entry "main" is neither`},
		{"a future Python", map[string]string{"pyproject.toml": "[project]\nrequires-python = \">=4\"\n" + scripts}, `no Python >=4 that a sandbox`},
		{"a Python that nobody has", map[string]string{"pyproject.toml": "[project]\nrequires-python = \">=3.98\"\n" + scripts}, "uv python install 3.98"},
		{"a patch release that nobody has", map[string]string{"pyproject.toml": "[project]\nrequires-python = \">=3.10.0,!=3.10.*,!=3.11.*,!=3.12.*,!=3.13.*,!=3.14.*\"\n" + scripts}, "no Python >=3.10.0"},
		{"a strange version", map[string]string{"pyproject.toml": "[project]\nrequires-python = \"three\"\n" + scripts}, `requires-python "three"`},
		{"dependencies without uv", map[string]string{"pyproject.toml": "[project]\ndependencies = [\"six\"]\n" + scripts}, "pip install uv"},
		{"code that does not compile", map[string]string{"pyproject.toml": scripts, "a.py": "def b(:\n"}, "SyntaxError"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(tempDir(t), "pkg")
			writeTree(t, dir, tt.files)
			src, err := ReadSource(dir)
			if err != nil {
				t.Fatal(err)
			}
			p := prebuilder(t, tempDir(t))
			p.Getenv = pythonEnv(noUV, nil)
			o, err := p.Prebuild(t.Context(), []*Source{src})
			buildError := &BuildError{}
			if err != nil || !errors.As(o[0].Err, &buildError) || !strings.Contains(buildError.Error(), tt.want) {
				t.Errorf("got %v, %v, want %s", err, o[0].Err, tt.want)
			}
		})
	}
}

func TestPythonEntry(t *testing.T) {
	t.Parallel()
	files := []string{"main.py", "lib/run-it.py", "src/pkg/__init__.py", "src/single.py"}
	tests := []struct {
		name, entry string
		scripts     map[string]string
		want        pyEntry
		folders     string
	}{
		{"the one script", "", map[string]string{"x": "pkg.sub:main"}, pyEntry{Module: "pkg.sub", Function: "main"}, "app/src"},
		{"a script by name", "y", map[string]string{"x": "a:b", "y": "single:run.it"}, pyEntry{Module: "single", Function: "run.it"}, "app/src"},
		{"module and function", "top:main", map[string]string{"x": "a:b"}, pyEntry{Module: "top", Function: "main"}, "app"},
		{"a file", "main.py", nil, pyEntry{File: "main.py"}, "app"},
		{"a file below", "./lib/run-it.py", nil, pyEntry{File: "lib/run-it.py"}, "app/lib"},
	}
	for _, tt := range tests {
		p := &pyproject{}
		p.Project.Scripts = tt.scripts
		got, err := p.entry(tt.entry, "/nowhere", files)
		if err != nil || got != tt.want || strings.Join(got.folders(files), " ") != tt.folders {
			t.Errorf("%s: got %+v in %v, %v", tt.name, got, got.folders(files), err)
		}
	}
}

func TestPythonFileAsEntry(t *testing.T) {
	t.Parallel()
	needPython(t)
	ws := tempDir(t)
	dir := filepath.Join(ws, "tools", "filed")
	writeTree(t, dir, map[string]string{
		"pyproject.toml": "", "TOOL.md": "---\nentry: lib/run-it.py\n---\n", "lib/helper.py": "value = 'äh'\n",
		"lib/run-it.py": pyTool("import helper", "helper.value") + "if __name__ == '__main__': main()\n",
	})
	p, _ := pythonPackage(t, filepath.Join(ws, "prebuilt"), dir, pythonEnv(noUV, nil))
	if got := invokeOnly(t, ws, p); got != `"\u00e4h"` {
		t.Errorf("got %s", got)
	}
}

// writeWheel makes a wheel with one module and a script in dir.
func writeWheel(t *testing.T, dir, module, version, text string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(dir, module+"-"+version+"-py3-none-any.whl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	info := module + "-" + version + ".dist-info/"
	for _, file := range [][2]string{
		{module + ".py", text},
		{module + "_template.py", "def {{ name }}:\n"},
		{info + "METADATA", "Metadata-Version: 2.1\nName: " + module + "\nVersion: " + version + "\n"},
		{info + "WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n"},
		{info + "entry_points.txt", "[console_scripts]\n" + module + " = " + module + ":main\n"},
		{info + "RECORD", module + ".py,,\n" + module + "_template.py,,\n" + info + "METADATA,,\n" + info + "WHEEL,,\n" + info + "entry_points.txt,,\n" + info + "RECORD,,\n"},
	} {
		w, err := z.Create(file[0])
		if err == nil {
			_, err = w.Write([]byte(file[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
}

// greeter writes a package with a dependency, a build backend of its own and a
// source folder, and returns what its builder sees. No network is needed.
func greeter(t *testing.T, ws string) (dir string, getenv func(string) string) {
	t.Helper()
	wheels := filepath.Join(ws, "wheels")
	writeWheel(t, wheels, "greeting", "1.2", "text = 'hello'\ndef main(): pass\n")
	dir = filepath.Join(ws, "tools", "greeter")
	writeTree(t, dir, map[string]string{
		"pyproject.toml": `[project]
name = "greeter"
version = "1"
dependencies = ["greeting"]
[project.scripts]
greeter = "greeter:main"
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
`,
		"src/greeter/__init__.py": pyTool("import greeting, importlib.metadata", "[greeting.text, importlib.metadata.version('greeter'), len(sys.path), __file__]"),
		"backend.py": `import os, zipfile
def build_wheel(folder, config_settings=None, metadata_directory=None):
    os.makedirs("build"); name = "greeter-1-py3-none-any.whl"; info = "greeter-1.dist-info/"
    with zipfile.ZipFile(os.path.join(folder, name), "w") as z:
        z.write("src/greeter/__init__.py", "greeter/__init__.py")
        z.writestr(info + "METADATA", "Metadata-Version: 2.1\nName: greeter\nVersion: 1\n")
        z.writestr(info + "WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        z.writestr(info + "RECORD", "greeter/__init__.py,,\n" + info + "METADATA,,\n" + info + "WHEEL,,\n" + info + "RECORD,,\n")
    return name
`,
	})
	return dir, pythonEnv(needUV(t), map[string]string{
		"UV_FIND_LINKS": wheels, "UV_OFFLINE": "1", "UV_CACHE_DIR": filepath.Join(ws, "cache"),
	})
}

func TestPythonDependencies(t *testing.T) {
	t.Parallel()
	ws := tempDir(t)
	dir, env := greeter(t, ws)
	out := filepath.Join(ws, "prebuilt")
	p, first := pythonPackage(t, out, dir, env)
	assertNoPathInside(t, p.Dir, ws)
	got := invokeOnly(t, ws, p)
	if !strings.HasPrefix(got, `["hello", "1", `) || !strings.Contains(got, filepath.Join(p.Dir, "runtime", "app", "greeter")) {
		t.Errorf("got %s", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "build")); err == nil {
		t.Error("the build wrote into the source")
	}
	site := filepath.Join(p.Dir, "runtime", "site-packages")
	var names []string
	walkFiles(site, func(file string, _ os.FileInfo, _ error) { names = append(names, strings.TrimPrefix(file, site+"/")) })
	for _, name := range names {
		if strings.HasPrefix(name, "bin/") || strings.Contains(name, "direct_url") || name == ".lock" {
			t.Errorf("%s is left", name)
		}
	}
	if record, err := os.ReadFile(filepath.Join(site, "greeting-1.2.dist-info", "RECORD")); err != nil || strings.Contains(string(record), "bin/") || !strings.Contains(string(record), "greeting.py,") {
		t.Errorf("RECORD: %s, %v", record, err)
	}
	again := prebuilder(t, out)
	again.Getenv, again.Force = env, true
	src, _ := ReadSource(dir)
	if o, err := again.Prebuild(t.Context(), []*Source{src}); err != nil || o[0].Digest != first.Digest {
		t.Errorf("a forced build: %v, %+v, want the digest %s", err, o, first.Digest)
	}
}

// TestPythonLayers: an edit of the project keeps the dependencies on disk.
func TestPythonLayers(t *testing.T) {
	t.Parallel()
	ws := tempDir(t)
	dir, env := greeter(t, ws)
	out := filepath.Join(ws, "prebuilt")
	name := filepath.Join("runtime", "site-packages", "greeting.py")
	first, _ := pythonPackage(t, out, dir, env)
	edit := func(text string) *Package {
		writeTree(t, dir, map[string]string{"note.txt": text, "src/greeter/__init__.py": pyTool("import greeting", "'"+text+"'")})
		p, _ := pythonPackage(t, out, dir, env)
		if got := invokeOnly(t, ws, p); got != `"`+text+`"` {
			t.Errorf("got %s", got)
		}
		return p
	}
	second := edit("second")
	if !sameFile(t, first, second, name) {
		t.Error("the dependencies were installed anew")
	}
	// A damaged build is no source of anything.
	if err := os.Remove(filepath.Join(second.Dir, name)); err != nil {
		t.Fatal(err)
	}
	writeTree(t, second.Dir, map[string]string{name: "text = 'damaged'\n"})
	third := edit("third")
	if text, err := os.ReadFile(filepath.Join(third.Dir, name)); err != nil || !strings.Contains(string(text), "hello") {
		t.Errorf("the damage was taken over: %s, %v", text, err)
	}
	writeWheel(t, filepath.Join(ws, "wheels"), "greeting", "1.3", "text = 'newer'\n")
	fourth := edit("fourth")
	if text, err := os.ReadFile(filepath.Join(fourth.Dir, name)); err != nil || !strings.Contains(string(text), "newer") {
		t.Errorf("another version of a dependency: %s, %v", text, err)
	}
	if entries, err := filepath.Glob(filepath.Join(out, "greeter", "*", "launch")); err != nil || len(entries) != 2 {
		t.Errorf("builds on disk: %v", entries)
	}
}

func TestPythonToolchainIsRead(t *testing.T) {
	t.Parallel()
	ws := tempDir(t)
	dir, env := greeter(t, ws)
	out := filepath.Join(ws, "prebuilt")
	pythonPackage(t, out, dir, env)
	src, err := ReadSource(dir)
	if err != nil {
		t.Fatal(err)
	}
	writeTree(t, dir, map[string]string{".python-version": needPython(t).Version + "\n"})
	p := prebuilder(t, out)
	p.Getenv = env
	o, err := p.Check(t.Context(), []*Source{src})
	if err != nil || o[0].Status != Stale || !slices.Equal(o[0].Reasons, []string{"added .python-version"}) {
		t.Errorf("got %+v, %v", o, err)
	}
}

func TestLocalRequirements(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"six==1.17 \\\n    --hash=sha256:00\n": false, "./lib\n": true, "../lib\n": true, "x @ file:///a/b\n": true, "/a/b.whl\n": true, "": false} {
		if got := localRequirement(text); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

func TestCheckNoPath(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	writeTree(t, dir, map[string]string{"a/ok.txt": "x", "a/bad.txt": "see /build/tmp/x"})
	if err := checkNoPath(dir, "/build/tmp"); err == nil || !strings.Contains(err.Error(), "a/bad.txt names the folder that it was built in") {
		t.Errorf("got %v", err)
	}
	if err := checkNoPath(dir, "/other"); err != nil {
		t.Error(err)
	}
}
