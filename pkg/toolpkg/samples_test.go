package toolpkg

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// samplesDir is where the sample packages are built, once a run. An ordinary user
// runs them there, too.
var samplesDir = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "agentctl-samples-")
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o755)
})

// removeSamples is for TestMain.
func removeSamples() {
	if dir, err := samplesDir(); err == nil {
		removeTree(dir)
	}
}

// sample is one of the packages in tools/, with calls that work.
type sample struct {
	name  string
	needs func(t *testing.T)
	calls []sampleCall
	// unit are the package's own tests, run in its source folder; $SITE stands for
	// the built dependencies.
	unit func(t *testing.T, src *Source, p *Package)

	once sync.Once
	pkg  *Package
	err  error
}

// sampleCall is a call in a folder that holds rides.csv.
type sampleCall struct {
	command, args string
	want          string // is in the output
	writes        string // a file, relative to the folder
}

var samples = []*sample{
	{
		name:  "csv-column-summary",
		needs: func(t *testing.T) { needUV(t) },
		calls: []sampleCall{
			{"summarise", `{"csv":"rides.csv"}`, `"kind": "number"`, ""},
			{"plot", `{"csv":"rides.csv","column":"duration_min","output":"minutes.png"}`, `"histogram"`, "minutes.png"},
		},
		unit: func(t *testing.T, src *Source, p *Package) {
			env := []string{"PYTHONDONTWRITEBYTECODE=1", "PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "PYTHONPATH=" + filepath.Join(p.Dir, "runtime", "site-packages")}
			runUnit(t, src.Dir, env, needPython(t).Program, "-m", "unittest")
		},
	},
	{
		name:  "text-stats",
		needs: func(t *testing.T) { needNode(t) },
		calls: []sampleCall{{"count", `{"text":"Two words. And more."}`, `"words":4`, ""}},
		unit: func(t *testing.T, src *Source, p *Package) {
			// The tests look for their dependencies beside themselves.
			runUnit(t, filepath.Join(p.Dir, "runtime", "app"), []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, needNode(t), "--test")
		},
	},
	{
		name:  "tree-size",
		needs: func(*testing.T) {},
		calls: []sampleCall{{"measure", `{"path":"."}`, `"path":"rides.csv"`, ""}},
		unit: func(t *testing.T, src *Source, _ *Package) {
			runUnit(t, src.Dir, []string{"PATH=" + os.Getenv("PATH")}, "/bin/sh", "./test.sh")
		},
	},
	{
		name:  "data-fetch",
		needs: func(*testing.T) {},
		calls: []sampleCall{{"data-fetch", `{"name":"bike-rides","output":"out/rides.csv"}`, `"rows":60`, "out/rides.csv"}},
		unit:  func(*testing.T, *Source, *Package) {}, // go test of its own module
	},
}

func needNode(t *testing.T) string {
	t.Helper()
	node, err := systemProgram(nodeProgram, os.Getenv("HOME"))
	if err == nil {
		_, err = lookProgram("npm", []string{"PATH=" + os.Getenv("PATH")})
	}
	if err != nil {
		skip(t, "node and npm: "+err.Error())
	}
	return node
}

func runUnit(t *testing.T, dir string, env []string, argv ...string) {
	t.Helper()
	if _, err := runProgram(t.Context(), Build{}, "unit", dir, env, argv...); err != nil {
		t.Error(err)
	}
}

// built builds the sample once for all tests.
func (s *sample) built(t *testing.T) *Package {
	t.Helper()
	s.needs(t)
	sandboxRun(t)
	s.once.Do(func() {
		dir, err := samplesDir()
		if s.err = err; err != nil {
			return
		}
		src, err := ReadSource(s.source(t))
		if s.err = err; err != nil {
			return
		}
		p := prebuilder(t, dir)
		p.Getenv = pythonEnv(os.Getenv("PATH"), nil)
		o, err := p.Prebuild(context.Background(), []*Source{src}) // not this test's alone
		if s.err = err; err == nil {
			s.err = o[0].Err
		}
		if s.err == nil {
			s.pkg, s.err = LoadPackage(filepath.Join(dir, s.name))
		}
	})
	if s.err != nil {
		t.Fatal(s.err)
	}
	return s.pkg
}

func (s *sample) source(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "..", "tools", s.name))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// workFolder holds a table, and everybody may write into it.
func workFolder(t *testing.T) string {
	t.Helper()
	table, err := os.ReadFile("../../tools/data-fetch/samples/bike-rides.csv")
	if err != nil {
		t.Fatal(err)
	}
	dir := tempDir(t)
	writeTree(t, dir, map[string]string{"rides.csv": string(table)})
	return dir
}

func TestSamplesKeepTheContract(t *testing.T) {
	t.Parallel()
	for _, s := range samples {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			p := s.built(t)
			found, err := CheckLauncher(t.Context(), SandboxLauncher(sandboxRun(t), p.Dir))
			if err != nil || len(found) > 0 {
				t.Errorf("contract: %v, %v", found, err)
			}
			if err := checkNoPath(p.Dir, filepath.Dir(p.Root), s.source(t)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestSamplesTestThemselves(t *testing.T) {
	t.Parallel()
	for _, s := range samples {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			p := s.built(t)
			src, err := ReadSource(s.source(t))
			if err != nil {
				t.Fatal(err)
			}
			s.unit(t, src, p)
		})
	}
}

func TestSamplesAnswer(t *testing.T) {
	t.Parallel()
	for _, s := range samples {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			p := s.built(t)
			for _, c := range s.calls {
				ws := workFolder(t)
				f := Function{Name: c.command, Package: p}
				f.Command, _ = p.Command(c.command) // the call fails without it
				r := invoker(t, ws).Invoke(t.Context(), Call{Function: f, Args: []byte(c.args)})
				if r.ExitCode != 0 || !strings.Contains(r.Stdout, c.want) {
					t.Errorf("%s: %+v", c.command, r)
				}
			}
		})
	}
}

// TestPlotIsAnArtifact: without output the picture is one of the call's artifacts.
func TestPlotIsAnArtifact(t *testing.T) {
	t.Parallel()
	p := samples[0].built(t)
	plot, err := p.Command("plot")
	if err != nil {
		t.Fatal(err)
	}
	ws := workFolder(t)
	call := Call{Function: Function{Name: "plot", Package: p, Command: plot}, Args: []byte(`{"csv":"rides.csv","column":"duration_min"}`)}
	r := invoker(t, ws).Invoke(t.Context(), call)
	if r.ExitCode != 0 || len(r.Artifacts) != 1 || filepath.Base(r.Artifacts[0].Path) != "duration_min.png" || r.Artifacts[0].Bytes < 1000 {
		t.Errorf("got %+v", r)
	}
	call.Args = []byte(`{"csv":"rides.csv","column":"minuets"}`)
	if r := invoker(t, ws).Invoke(t.Context(), call); r.Kind != KindInvalidArguments || r.Field != "column" {
		t.Errorf("got %+v", r)
	}
}

// TestLibrariesAreCopies: a sample carries its library unchanged.
func TestLibrariesAreCopies(t *testing.T) {
	t.Parallel()
	for copied, original := range map[string]string{
		"csv-column-summary/agentctl_tool.py":      "authorlib/python/agentctl_tool.py",
		"text-stats/agentctl-tool.mjs":             "authorlib/node/agentctl-tool.mjs",
		"tree-size/json.sh":                        "scaffold/sh/json.sh",
		"data-fetch/internal/dispatch/dispatch.go": "dispatch/dispatch.go",
	} {
		got, err1 := os.ReadFile(filepath.Join("..", "..", "tools", filepath.FromSlash(copied)))
		want, err2 := os.ReadFile(original)
		if err1 != nil || err2 != nil || !bytes.Equal(got, want) {
			t.Errorf("copy pkg/toolpkg/%s to tools/%s (%v, %v)", original, copied, err1, err2)
		}
	}
}
