package toolpkg

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// nodeMain is a script whose one command prints what an expression says.
func nodeMain(imports, expression string) string {
	return imports + `
const [command, args] = process.argv.slice(2);
if (command === undefined) console.log('[{"name":"show","description":"Show."}]');
else if (args === undefined) console.log('{"params_json_schema":{"type":"object","properties":{}}}');
else console.log(JSON.stringify(` + expression + `));
`
}

func nodePackage(t *testing.T, ws, dir string) (*Package, Outcome) {
	t.Helper()
	needNode(t)
	return pythonPackage(t, filepath.Join(ws, "prebuilt"), dir, func(name string) string {
		if name == "HOME" {
			return ws // npm keeps its cache there
		}
		return os.Getenv(name)
	})
}

func TestNewNodePackage(t *testing.T) {
	t.Parallel()
	node := needNode(t)
	ws := tempDir(t)
	res, err := New(NewRequest{Name: "row-tool", Dir: filepath.Join(ws, "tools"), Lang: "node"})
	if err != nil {
		t.Fatal(err)
	}
	if want := "TOOL.md agentctl-tool.mjs main.mjs package.json run.mjs run.test.mjs"; strings.Join(res.Files, " ") != want {
		t.Errorf("files: %v", res.Files)
	}
	p, _ := nodePackage(t, ws, res.Dir)
	if p.Runtime.Portable || p.Runtime.Interpreter != "node" || p.Usable() != nil {
		t.Errorf("runtime: %+v, %v", p.Runtime, p.Usable())
	}
	found, err := CheckLauncher(t.Context(), SandboxLauncher(sandboxRun(t), p.Dir))
	if err != nil || len(found) > 0 {
		t.Errorf("lint: %v, %v", found, err)
	}
	v := invoker(t, ws)
	f := functions(p)[0]
	if r := v.Invoke(t.Context(), Call{Function: f, Args: []byte(`{"text":"äb","times":"2"}`)}); r.ExitCode != 0 || r.Stdout != `{"text":"äbäb"}`+"\n" {
		t.Errorf("got %+v", r)
	}
	if r := v.Invoke(t.Context(), Call{Function: f, Args: []byte(`{"text":" "}`)}); r.Kind != KindInvalidArguments || r.Field != "text" {
		t.Errorf("got %+v", r)
	}
	runUnit(t, res.Dir, []string{"PATH=" + os.Getenv("PATH")}, node, "--test")
}

// TestNodeDependenciesAndBuild has a dependency in a folder, which no link may
// lead to, one for the build alone, and a build script.
func TestNodeDependenciesAndBuild(t *testing.T) {
	t.Parallel()
	ws := tempDir(t)
	dir := filepath.Join(ws, "tools", "built")
	writeTree(t, dir, map[string]string{
		".gitignore": "dist/\n",
		"package.json": `{"name":"built","version":"1.0.0","bin":{"one":"dist/it's main.mjs","two":"x.mjs"},
"scripts":{"build":"node make.mjs"},"dependencies":{"dep":"file:./dep"},"devDependencies":{"maker":"file:./maker"}}`,
		"TOOL.md":            "---\nentry: one\n---\n",
		"dep/package.json":   `{"name":"dep","version":"1.0.0","exports":"./i.js"}`,
		"dep/i.js":           "module.exports = 'from dep';\n",
		"maker/package.json": `{"name":"maker","version":"1.0.0","exports":"./i.js"}`,
		"maker/i.js":         "module.exports = (text) => text;\n",
		"make.mjs":           "import fs from 'node:fs'; import make from 'maker';\nfs.mkdirSync('dist'); fs.writeFileSync(\"dist/it's main.mjs\", make(fs.readFileSync('source.txt', 'utf8')));\n",
		"source.txt":         nodeMain("import dep from 'dep';", "[dep, process.argv.length]"),
	})
	p, first := nodePackage(t, ws, dir)
	if got := invokeOnly(t, ws, p); got != `["from dep",4]` {
		t.Errorf("got %s", got)
	}
	assertNoPathInside(t, p.Dir, ws)
	modules := filepath.Join(p.Dir, "runtime", "app", "node_modules")
	if real, err := filepath.EvalSymlinks(filepath.Join(modules, "dep")); err != nil || !strings.HasPrefix(real, p.Dir) {
		t.Errorf("the dependency lies in %s, %v", real, err)
	}
	for _, gone := range []string{"maker", ".package-lock.json"} {
		if _, err := os.Lstat(filepath.Join(modules, gone)); err == nil {
			t.Errorf("%s is left", gone)
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, "node_modules")); err == nil {
		t.Error("the build wrote into the source")
	}
	src, err := ReadSource(dir)
	if err != nil {
		t.Fatal(err)
	}
	again := prebuilder(t, filepath.Join(ws, "prebuilt"))
	again.Force = true
	if o, err := again.Prebuild(t.Context(), []*Source{src}); err != nil || o[0].Digest != first.Digest {
		t.Errorf("a forced build: %v, %+v, want the digest %s", err, o, first.Digest)
	}
}

func TestNodeBuilderRefuses(t *testing.T) {
	t.Parallel()
	needNode(t)
	tests := []struct {
		name  string
		files map[string]string
		path  string
		want  string
	}{
		{"no file", map[string]string{"TOOL.md": "---\nbuilder: node\n---\n"}, "", "package.json cannot be read"},
		{"bad JSON", map[string]string{"package.json": "{"}, "", "package.json: "},
		{"a bad bin", map[string]string{"package.json": `{"bin":[1]}`}, "", "bin is neither a file nor files by name"},
		{"no bin", map[string]string{"package.json": "{}"}, "", "bin of package.json has 0 files"},
		{"two bins", map[string]string{"package.json": `{"bin":{"a":"a.js","b":"b.js"}}`}, "", "has 2 files (a, b)"},
		{"a bin that is not there", map[string]string{"package.json": `{"bin":"a.js"}`}, "", `entry "a.js" does not exist`},
		{"a bin outside", map[string]string{"package.json": `{"bin":"../a.js"}`}, "", `entry "../a.js" leaves the package`},
		{"no npm", map[string]string{"package.json": `{"bin":"a.js","dependencies":{"x":"1"}}`, "a.js": ""}, "/nonexistent", "npm is not installed; "},
		{"a build that fails", map[string]string{"package.json": `{"bin":"a.js","scripts":{"build":"echo oh no; exit 3"}}`, "a.js": ""}, "", "oh no"},
		{"a lock of something else", map[string]string{"package.json": `{"bin":"a.js","dependencies":{"x":"1"}}`, "package-lock.json": `{"lockfileVersion":3,"packages":{}}`, "a.js": ""}, "", "npm ci --omit=dev: exit status"},
		{"a folder in a file", map[string]string{"package.json": `{"bin":"a.js","scripts":{"build":"pwd > here.txt"}}`, "a.js": ""}, "", "here.txt names the folder that it was built in"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ws := tempDir(t)
			dir := filepath.Join(ws, "pkg")
			writeTree(t, dir, tt.files)
			src, err := ReadSource(dir)
			if err != nil {
				t.Fatal(err)
			}
			p := prebuilder(t, tempDir(t))
			p.Getenv = func(name string) string {
				switch {
				case name == "PATH" && tt.path != "":
					return tt.path
				case name == "HOME":
					return ws
				}
				return os.Getenv(name)
			}
			o, err := p.Prebuild(t.Context(), []*Source{src})
			buildError := &BuildError{}
			if err != nil || !errors.As(o[0].Err, &buildError) || !strings.Contains(buildError.Error(), tt.want) {
				t.Errorf("got %v, %v, want %s", err, o[0].Err, tt.want)
			}
		})
	}
}

func TestSystemProgram(t *testing.T) {
	t.Parallel()
	if _, err := systemProgram("no-such-program", "/home/x"); err == nil || !strings.Contains(err.Error(), "there is no no-such-program in ") {
		t.Errorf("got %v", err)
	}
	if _, err := systemProgram("sh", "/usr"); err == nil || !strings.Contains(err.Error(), "lies in the home folder") {
		t.Errorf("got %v", err)
	}
	if got, err := systemProgram("sh", "/nonexistent"); err != nil || filepath.Base(got) != "sh" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestNodeGypLeavesItsResult(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	writeTree(t, dir, map[string]string{
		"addon/build/config.gypi": "x", "addon/build/Makefile": "x", "addon/build/Release/addon.node": "x", "addon/build/Release/obj/a.o": "x",
		"other/build/Makefile": "kept", "config.gypi": "kept",
	})
	if err := removeGyp(dir); err != nil {
		t.Fatal(err)
	}
	var left []string
	walkFiles(dir, func(file string, _ os.FileInfo, _ error) { left = append(left, strings.TrimPrefix(file, dir+"/")) })
	if want := "addon/build/Release/addon.node config.gypi other/build/Makefile"; strings.Join(left, " ") != want {
		t.Errorf("left: %v", left)
	}
	if err := removeGyp(filepath.Join(dir, "none")); err != nil {
		t.Error(err)
	}
}
