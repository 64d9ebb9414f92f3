package toolpkg

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/pkg/sandbox"
)

// echoPackage is the shell package, built once for all tests.
var echoPackage = func() func(t *testing.T) *Package {
	var once sync.Once
	var pkg *Package
	return func(t *testing.T) *Package {
		t.Helper()
		sandboxRun(t)
		once.Do(func() {
			dir, err := os.MkdirTemp("", "toolpkg")
			if err != nil {
				t.Fatal(err)
			}
			build(t, filepath.Join(dir, "prebuilt"), shellSource(t, filepath.Join(dir, "tools")))
			if pkg, err = LoadPackage(filepath.Join(dir, "prebuilt", "echo")); err != nil {
				t.Fatal(err)
			}
			builtDirs = append(builtDirs, dir)
		})
		if pkg == nil {
			t.Fatal("the package did not build")
		}
		return pkg
	}
}()

var builtDirs []string

func TestMain(m *testing.M) {
	code := m.Run()
	for _, dir := range builtDirs {
		_ = os.RemoveAll(dir)
	}
	removeSamples()
	os.Exit(code)
}

func invoker(t *testing.T, workspace string) *Invoker {
	t.Helper()
	return &Invoker{
		Run:       sandboxRun(t),
		Workspace: sandbox.WorkspaceOptions{Dir: workspace},
		Artifacts: filepath.Join(workspace, ".agentctl", "artifacts"),
		LookupEnv: func(name string) (string, bool) {
			v, ok := map[string]string{"API_TOKEN": "tok-123456", "HOST_ONLY": "leak"}[name]
			return v, ok
		},
	}
}

func echoCall(t *testing.T, args string) Call {
	t.Helper()
	p := echoPackage(t)
	return Call{Function: functions(p)[0], Args: []byte(args), Granted: []string{"API_TOKEN"}}
}

func TestInvoke(t *testing.T) {
	t.Parallel()
	ws := tempDir(t)
	v := invoker(t, ws)
	tests := []struct {
		name, args   string
		origin, kind string
		exit         int
		stdout       string
		stderr       string
		field        string
	}{
		{name: "arguments arrive as they are", args: `{"text":"a \"b\" $HOME <c>"}`, origin: "tool", stdout: `{"text":"a \"b\" $HOME <c>"}` + "\n"},
		{name: "coerced", args: `{"text":"a","count":"3"}`, origin: "tool", stdout: `{"count":3,"text":"a"}` + "\n"},
		{name: "the workspace is the current folder", args: `{"text":"x:pwd"}`, origin: "tool", stdout: ws + "\n"},
		{name: "writes", args: `{"text":"x:write"}`, origin: "tool", stdout: "wrote\n"},
		{name: "an argument that the tool refuses", args: `{"text":"x:bad"}`, origin: "tool", kind: "invalid_arguments", exit: 2, stderr: "text: no such thing\n", field: "text"},
		{name: "a 2 without the marker", args: `{"text":"x:two"}`, origin: "tool", kind: "failed", exit: 2, stderr: "usage\n"},
		{name: "configuration", args: `{"text":"x:config"}`, origin: "tool", kind: "configuration", exit: 3, stderr: "no key\n"},
		{name: "transient", args: `{"text":"x:later"}`, origin: "tool", kind: "transient", exit: 4},
		{name: "failed", args: `{"text":"x:fail"}`, origin: "tool", kind: "failed", exit: 1, stderr: "broken\n"},
		{name: "killed", args: `{"text":"x:kill"}`, origin: "tool", kind: "signal", exit: 137},
		{name: "no arguments", args: ``, origin: "host", kind: "invalid_arguments", exit: 2, field: "text"},
		{name: "bad JSON", args: `{"text"`, origin: "host", kind: "invalid_arguments", exit: 2},
		{name: "all problems at once", args: `{"txt":"a","count":"many"}`, origin: "host", kind: "invalid_arguments", exit: 2, field: "text"},
		{name: "64 KiB go by stdin", args: `{"text":"x:size` + strings.Repeat("y", 70_000) + `"}`, origin: "tool", stdout: "70017\n"},
		{name: "a little less goes by argv", args: `{"text":"x:size` + strings.Repeat("y", 60_000) + `"}`, origin: "tool", stdout: "60017\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := v.Invoke(t.Context(), echoCall(t, tt.args))
			if r.Origin != tt.origin || r.Kind != tt.kind || r.ExitCode != tt.exit || r.Stdout != tt.stdout || r.Field != tt.field {
				t.Errorf("got %+v", r)
			}
			if !strings.Contains(r.Stderr, tt.stderr) {
				t.Errorf("stderr %q lacks %q", r.Stderr, tt.stderr)
			}
			if r.Tool != "echo_text" || len(r.Artifacts) != 0 {
				t.Errorf("tool %q, artifacts %v", r.Tool, r.Artifacts)
			}
		})
	}
}

func TestInvokeEnvironment(t *testing.T) {
	t.Parallel()
	ws := tempDir(t)
	v := invoker(t, ws)
	r := v.Invoke(t.Context(), echoCall(t, `{"text":"x:env"}`))
	if !strings.Contains(r.Stdout, "contract=1") || !strings.Contains(r.Stdout, "token=[redacted:API_TOKEN]") || !strings.Contains(r.Stdout, "host=\n") {
		t.Errorf("got %q", r.Stdout)
	}
	var streamed strings.Builder
	c := echoCall(t, `{"text":"x:env"}`)
	c.Stdout = &streamed
	if r := v.Invoke(t.Context(), c); streamed.String() == "" || strings.Contains(streamed.String(), "tok-123456") {
		t.Errorf("streamed %q, result %+v", streamed.String(), r)
	}
}

func TestInvokeRefusesBeforeItRuns(t *testing.T) {
	t.Parallel()
	ws := tempDir(t)
	never := func(context.Context, sandbox.Policy, sandbox.Command) (sandbox.Result, error) {
		t.Error("it ran")
		return sandbox.Result{}, nil
	}
	tests := []struct {
		name    string
		change  func(*Invoker, *Call)
		kind    string
		exit    int
		message string
		hint    string
	}{
		{"not granted", func(_ *Invoker, c *Call) { c.Granted = nil }, "configuration", 2, "variable API_TOKEN is required and not granted", "tools: {env: {echo: [API_TOKEN]}}"},
		{"not set", func(v *Invoker, _ *Call) { v.LookupEnv = nil }, "configuration", 2, "variable API_TOKEN is required and not set", "export API_TOKEN=…"},
		{"a wrong argument", func(_ *Invoker, c *Call) { c.Args = []byte(`{"text":1}`) }, "invalid_arguments", 2, "text: expected string, got number", "call again"},
		{"another platform", func(_ *Invoker, c *Call) {
			p := *clonePackage(c.Function.Package)
			p.Platform = "plan9/mips"
			c.Function.Package = &p
		}, "broken", 126, "it was built for plan9/mips", "tool prebuild --force echo"},
		{"no interpreter", func(_ *Invoker, c *Call) {
			p := clonePackage(c.Function.Package)
			p.Runtime = Runtime{Interpreter: "python9"}
			c.Function.Package = p
		}, "broken", 126, "it needs python9, which is not in", ""},
		{"a forbidden variable in a foreign package", func(_ *Invoker, c *Call) {
			p := clonePackage(c.Function.Package)
			p.Env = []EnvVar{{Name: "LD_PRELOAD"}}
			c.Function.Package, c.Granted = p, nil
		}, "broken", 126, "which no package may have", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v, c := invoker(t, ws), echoCall(t, `{"text":"a"}`)
			v.Run = never
			tt.change(v, &c)
			r := v.Invoke(t.Context(), c)
			if r.Origin != "host" || r.Kind != tt.kind || r.ExitCode != tt.exit || !strings.Contains(r.Message, tt.message) || !strings.Contains(r.Hint, tt.hint) {
				t.Errorf("got %+v", r)
			}
		})
	}
	if entries, _ := os.ReadDir(filepath.Join(ws, ".agentctl")); len(entries) > 0 {
		t.Errorf("left behind: %v", entries)
	}
}

func clonePackage(p *Package) *Package {
	return &Package{Meta: p.Meta, Root: p.Root, Dir: p.Dir, Digest: p.Digest, Commands: p.Commands, compiled: map[string]*schema.Schema{}}
}

func TestInvokeArtifacts(t *testing.T) {
	t.Parallel()
	ws := tempDir(t)
	v := invoker(t, ws)
	r := v.Invoke(t.Context(), echoCall(t, `{"text":"x:artifact"}`))
	if len(r.Artifacts) != 1 || filepath.Base(r.Artifacts[0].Path) != "plot.txt" || r.Artifacts[0].Bytes != 5 {
		t.Fatalf("got %+v", r)
	}
	if len(r.Findings) != 1 || r.Findings[0].Code != "tool.artifact-dropped" {
		t.Errorf("diagnostics: %v", r.Findings)
	}
	if data, err := os.ReadFile(filepath.Join(ws, ".agentctl", "artifacts", ".gitignore")); err != nil || string(data) != "*\n" {
		t.Errorf(".gitignore: %q, %v", data, err)
	}
	named := filepath.Join(ws, "plots")
	writeTree(t, named, map[string]string{"old.txt": "old"})
	c := echoCall(t, `{"text":"x:artifact"}`)
	c.OutputDir = named
	r = v.Invoke(t.Context(), c)
	if len(r.Artifacts) != 1 || r.Artifacts[0].Path != filepath.Join(named, "plot.txt") {
		t.Errorf("in a named folder: %+v", r)
	}
}

// What cannot be read in the folder for artifacts costs neither the result nor the
// other artifacts.
func TestInvokeArtifactsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(strings.Repeat("d", 200)+"/", 30) // longer than a path may be
	ws := tempDir(t)
	v := invoker(t, ws)
	leave := func(dir string) {
		root, err := os.OpenRoot(dir)
		mustDo(t, err)
		defer root.Close()
		mustDo(t, root.MkdirAll("a/"+deep, 0o755), root.WriteFile("b.txt", []byte("b"), 0o600))
	}
	v.Run = func(_ context.Context, p sandbox.Policy, _ sandbox.Command) (sandbox.Result, error) {
		leave(p.Env["AGENTCTL_OUTPUT_DIR"])
		return sandbox.Result{Exit: 4}, nil
	}
	c := echoCall(t, `{"text":"x"}`)
	for _, old := range []string{"", filepath.Join(ws, "old")} {
		c.OutputDir = old
		r := v.Invoke(t.Context(), c)
		if r.ExitCode != 4 || r.Origin != OriginTool || len(r.Artifacts) != 1 || filepath.Base(r.Artifacts[0].Path) != "b.txt" {
			t.Errorf("in %q: got %+v", old, r)
		}
		if len(r.Findings) != 1 || r.Findings[0].Code != "tool.artifact-dropped" || !strings.HasPrefix(r.Findings[0].Message, "cannot be read (") {
			t.Errorf("in %q: diagnostics %v", old, r.Findings)
		}
	}
	// What could not be read before is no news.
	if r := v.Invoke(t.Context(), c); r.ExitCode != 4 || len(r.Findings) > 0 {
		t.Errorf("once more: got %+v", r)
	}
}

// What came with a checkout cannot lead artifacts out of the workspace.
func TestInvokePassesNoLink(t *testing.T) {
	t.Parallel()
	for _, link := range []string{".agentctl", ".agentctl/artifacts"} {
		ws, outside := tempDir(t), tempDir(t)
		if err := os.MkdirAll(filepath.Join(ws, filepath.Dir(link)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(outside, filepath.Join(ws, link)); err != nil {
			t.Fatal(err)
		}
		r := invoker(t, ws).Invoke(t.Context(), echoCall(t, `{"text":"x:artifact"}`))
		if r.ExitCode != ExitSandbox || !strings.Contains(r.Message, link+`" is a symbolic link`) {
			t.Errorf("%s: got %+v", link, r)
		}
		c := echoCall(t, `{"text":"x:flood"}`)
		c.OutputDir = filepath.Join(ws, "out") // what is too long goes beside the artifacts all the same
		if r := invoker(t, ws).Invoke(t.Context(), c); r.StdoutFile != "" {
			t.Errorf("%s: got %+v", link, r.StdoutFile)
		}
		if left, _ := os.ReadDir(outside); len(left) > 0 {
			t.Errorf("%s: %v was written outside", link, left)
		}
	}
}

func TestInvokeWithoutAPlaceForArtifacts(t *testing.T) {
	echoPackage(t) // it is built in a temporary folder of its own
	tmp := tempDir(t)
	t.Setenv("TMPDIR", tmp)
	v := invoker(t, tempDir(t))
	v.Artifacts = ""
	v.Invoke(t.Context(), echoCall(t, `{"text":"x"}`))
	if left, _ := os.ReadDir(tmp); len(left) > 0 {
		t.Errorf("an empty folder is left: %v", left)
	}
	r := v.Invoke(t.Context(), echoCall(t, `{"text":"x:artifact"}`))
	if len(r.Artifacts) != 1 || !strings.HasPrefix(r.Artifacts[0].Path, tmp) {
		t.Fatalf("got %+v", r)
	}
	if text, err := os.ReadFile(r.Artifacts[0].Path); err != nil || string(text) != "plot\n" {
		t.Errorf("got %q, %v", text, err)
	}
	wantPrivate(t, filepath.Dir(filepath.Dir(r.Artifacts[0].Path)))
}

// wantPrivate checks that nobody but the user sees what is in a folder, which lies
// where everybody's do.
func wantPrivate(t *testing.T, dir string) {
	t.Helper()
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%s: %v, %v", dir, info.Mode(), err)
	}
}

// What the sandbox kept from a tool is said to whoever called it.
func TestInvokeExplainsTheSandbox(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(tempDir(t), "secret")
	writeTree(t, filepath.Dir(secret), map[string]string{"secret": "x"})
	r := invoker(t, tempDir(t)).Invoke(t.Context(), echoCall(t, `{"text":"x:read:`+secret+`:"}`))
	if want := `"` + secret + `" is not visible in this sandbox: if it exists outside, grant it`; r.ExitCode != 1 || !strings.Contains(r.Hint, want) || !strings.Contains(r.ForModel(), "\nhint:\n"+want) {
		t.Errorf("got %+v", r)
	}
}

// A hint quotes what the tool printed, so it hides secrets as the streams do.
func TestHintsAreRedacted(t *testing.T) {
	t.Parallel()
	file := filepath.Join(tempDir(t), "key.pem")
	writeTree(t, filepath.Dir(file), map[string]string{"key.pem": "x"})
	v := invoker(t, tempDir(t))
	v.LookupEnv = func(string) (string, bool) { return file, true }
	r := v.Invoke(t.Context(), echoCall(t, `{"text":"x:read:`+file+`:"}`))
	if r.ExitCode != 1 || !strings.Contains(r.Hint, `"[redacted:API_TOKEN]" is not visible in this sandbox`) || strings.Contains(r.ForModel(), file) {
		t.Errorf("got %+v", r)
	}
}

func TestInvokeTimeout(t *testing.T) {
	t.Parallel()
	c := echoCall(t, `{"text":"x:sleep"}`)
	c.Timeout = 200 * time.Millisecond
	r := invoker(t, tempDir(t)).Invoke(t.Context(), c)
	if r.Origin != "host" || r.Kind != "timeout" || r.ExitCode != 124 || !r.TimedOut || !strings.Contains(r.Message, "its time limit of 200ms") {
		t.Errorf("got %+v", r)
	}
}

func TestInvokeInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	r := invoker(t, tempDir(t)).Invoke(ctx, echoCall(t, `{"text":"x:sleep"}`))
	if r.Kind != "interrupted" || r.ExitCode != 130 {
		t.Errorf("got %+v", r)
	}
}

func TestInvokeLargeOutput(t *testing.T) {
	t.Parallel()
	ws := tempDir(t)
	r := invoker(t, ws).Invoke(t.Context(), echoCall(t, `{"text":"x:flood"}`))
	if !r.Truncated || len(r.Stdout) > KeepHead+KeepTail+300 || !strings.Contains(r.Stdout, "268932 bytes left out; the whole is in "+ws) || !strings.HasSuffix(r.Stdout, "END\n") {
		t.Errorf("%d bytes, truncated %v: …%s", len(r.Stdout), r.Truncated, r.Stdout[max(0, len(r.Stdout)-100):])
	}
	whole, err := os.ReadFile(r.StdoutFile)
	if err != nil || len(whole) != 400_004 {
		t.Errorf("%s holds %d bytes, %v", r.StdoutFile, len(whole), err)
	}
	var seen strings.Builder
	shown := echoCall(t, `{"text":"x:flood"}`)
	shown.Stdout = &seen
	if again := invoker(t, tempDir(t)).Invoke(t.Context(), shown); again.StdoutFile != "" || seen.Len() != 400_004 {
		t.Errorf("somebody who saw %d bytes also gets %q", seen.Len(), again.StdoutFile)
	}
	text := r.ForModel()
	if n := len([]rune(text)); n > ModelLimit+500 || !strings.Contains(text, r.StdoutFile) {
		t.Errorf("a model gets %d characters", n)
	}
	c := echoCall(t, `{"text":"x:long"}`)
	c.ForModel = true
	r = invoker(t, ws).Invoke(t.Context(), c)
	if whole, err := os.ReadFile(r.StdoutFile); r.Truncated || err != nil || len(whole) != 40_004 || !strings.Contains(r.ForModel(), "10004 characters left out; the whole is in "+r.StdoutFile) {
		t.Errorf("%d bytes, %v: %+v", len(whole), err, r.StdoutFile)
	}
}

func TestInvokeReportsTheSandbox(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		res   sandbox.Result
		err   error
		check func(InvokeResult) bool
	}{
		{"fault", sandbox.Result{}, &sandbox.Fault{Backend: "bwrap", Reason: "gone", Cure: "install it"}, func(r InvokeResult) bool {
			return r.ExitCode == 125 && r.Kind == "sandbox" && r.Hint == "install it" && r.Origin == "host"
		}},
		{"policy", sandbox.Result{}, &sandbox.PolicyError{Path: "/", Reason: "is all", Cure: "less"}, func(r InvokeResult) bool { return r.ExitCode == 2 && r.Kind == "sandbox_policy" && r.Hint == "less" }},
		{"no launch", sandbox.Result{}, &sandbox.NotFoundError{Program: "launch"}, func(r InvokeResult) bool { return r.ExitCode == 126 && r.Kind == "broken" }},
		{"no program", sandbox.Result{}, &sandbox.NotExecutableError{Program: "launch"}, func(r InvokeResult) bool { return r.ExitCode == 126 && r.Kind == "broken" }},
		{"canceled before the start", sandbox.Result{}, context.Canceled, func(r InvokeResult) bool { return r.ExitCode == 130 && r.Kind == "interrupted" }},
		{"anything else", sandbox.Result{}, os.ErrClosed, func(r InvokeResult) bool { return r.ExitCode == 125 && r.Kind == "failed" }},
		{"what is missing", sandbox.Result{Backend: "none", Missing: []sandbox.Feature{sandbox.Network}, Hints: []string{"h"}, Appeared: []string{"/w/.skill"}}, nil, func(r InvokeResult) bool {
			return r.Sandbox.Backend == "none" && r.Sandbox.Missing[0] == "network" && r.Hint == "h" && r.Findings[0].Code == "sandbox.appeared" && r.Kind == ""
		}},
		{"memory", sandbox.Result{Exit: 137, OOM: true}, nil, func(r InvokeResult) bool { return r.Kind == "memory_limit" && r.ExitCode == 137 && r.Origin == "tool" }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := invoker(t, tempDir(t))
			v.Run = func(context.Context, sandbox.Policy, sandbox.Command) (sandbox.Result, error) { return tt.res, tt.err }
			if r := v.Invoke(t.Context(), echoCall(t, `{"text":"a"}`)); !tt.check(r) {
				t.Errorf("got %+v", r)
			}
		})
	}
}

func TestInvokePolicy(t *testing.T) {
	t.Parallel()
	ws := tempDir(t)
	var got sandbox.Policy
	v := invoker(t, ws)
	v.Run = func(_ context.Context, p sandbox.Policy, _ sandbox.Command) (sandbox.Result, error) {
		got = p
		return sandbox.Result{}, nil
	}
	c := echoCall(t, `{"text":"a"}`)
	p := clonePackage(c.Function.Package)
	p.Network, p.Workspace, p.Timeout, p.Memory = true, "ro", "5m0s", 1<<20
	c.Function.Package = p
	v.Invoke(t.Context(), c)
	if got.Network != sandbox.NetworkFull || got.Dir != ws || len(got.ReadWrite) != 1 || got.Limits.Wall != 5*time.Minute ||
		got.Limits.CPU != 5*time.Minute || got.Limits.Data != 1<<20 || got.Env["API_TOKEN"] != "tok-123456" {
		t.Errorf("got %+v", got)
	}
	p.Workspace = "none"
	v.Invoke(t.Context(), c)
	if got.Dir != "" || len(got.ReadOnly) != 1 || got.ReadOnly[0].Host != p.Dir {
		t.Errorf("without the workspace: %+v", got)
	}
}

func TestInvokeResultShape(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(FailedCall("nothing", &NotBuiltError{Package: "x"}))
	want := `{"tool":"nothing","origin":"host","kind":"not_built","exit_code":127,"stdout":"","stderr":"","duration_ms":0,"timed_out":false,"artifacts":[],"diagnostics":[],"sandbox":{"backend":"","missing":[]},"coerced":[],"message":"tool package \"x\" is not built","hint":"run agentctl tool prebuild x"}`
	if err != nil || string(text) != want {
		t.Errorf("got %s, %v\nwant %s", text, err, want)
	}
}

func TestForModel(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		in   InvokeResult
		want string
	}{
		{"empty blocks are left out", InvokeResult{}, "exit_code: 0\n"},
		{"all blocks", InvokeResult{ExitCode: 1, Stdout: "a\n", Stderr: "b", Artifacts: []Artifact{{"/w/p.png", 7}}}, "exit_code: 1\nstdout:\na\nstderr:\nb\nartifacts:\n/w/p.png (7 bytes)\n"},
		{"the host's reason", InvokeResult{Origin: OriginHost, ExitCode: 2, Message: "limit: expected integer", Hint: "call again"}, "exit_code: 2\nstderr:\nlimit: expected integer\nhint:\ncall again\n"},
		{"a tool's stderr is unchanged", InvokeResult{Origin: OriginTool, ExitCode: 2, Stderr: "x\nagentctl-error: {}\n"}, "exit_code: 2\nstderr:\nx\nagentctl-error: {}\n"},
		{"also with a hint", InvokeResult{Origin: OriginTool, ExitCode: 2, Stderr: "x\n", Artifacts: []Artifact{{"/w/p.png", 7}}, Hint: "no network"}, "exit_code: 2\nstderr:\nx\nartifacts:\n/w/p.png (7 bytes)\nhint:\nno network\n"},
		{"what the sandbox kept from it", InvokeResult{Origin: OriginTool, ExitCode: 1, Stderr: "x\n", Hint: "no network\nno /secret"}, "exit_code: 1\nstderr:\nx\nhint:\nno network\nno /secret\n"},
		{"a silent tool", InvokeResult{Origin: OriginTool, ExitCode: 1, Hint: "no network"}, "exit_code: 1\nhint:\nno network\n"},
	}
	for _, tt := range tests {
		if got := tt.in.ForModel(); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	both := InvokeResult{Stdout: strings.Repeat("o", 50_000), Stderr: strings.Repeat("ü", 50_000)}
	if n := len([]rune(both.ForModel())); n < ModelLimit || n > ModelLimit+200 {
		t.Errorf("both streams cut: %d characters", n)
	}
	small := InvokeResult{Stdout: strings.Repeat("o", 50_000), Stderr: "short"}
	if text := small.ForModel(); !strings.Contains(text, "stderr:\nshort\n") || !strings.Contains(text, "[… 20005 characters left out …]") {
		t.Errorf("one stream cut: …%s", text[len(text)-60:])
	}
}

func TestForModelListsFewArtifacts(t *testing.T) {
	t.Parallel()
	var r InvokeResult
	for i := range 5000 {
		r.Artifacts = append(r.Artifacts, Artifact{fmt.Sprintf("/w/out/%d/%05d.txt", i%2, i), 1})
	}
	text := r.ForModel()
	if lines := strings.Count(text, "\n"); lines != 53 || !strings.Contains(text, "/w/out/1/00049.txt (1 byte)\n[… 4950 more in /w/out …]\n") {
		t.Errorf("%d lines: %s", lines, text)
	}
	for i := range r.Artifacts {
		r.Artifacts[i].Path = fmt.Sprintf("/w/out/%s/%d", strings.Repeat("d", 3000), i)
	}
	if n := len(r.ForModel()); n > 10_000 {
		t.Errorf("%d bytes of long paths", n)
	}
}

func TestCheckGrants(t *testing.T) {
	t.Parallel()
	p := &Package{Meta: Meta{Name: "pkg", Env: []EnvVar{{Name: "A"}, {Name: "B"}}}}
	if err := p.CheckGrants([]string{"A", "B"}); err != nil {
		t.Error(err)
	}
	err := p.CheckGrants([]string{"C"})
	if _, _, hint, ok := ErrorKind(err); !ok || hint != "it declares A, B" || errText(err) != `tool package "pkg": variable C is not declared by the package` {
		t.Errorf("got %v, %q", err, hint)
	}
	if _, _, hint, _ := ErrorKind((&Package{}).CheckGrants([]string{"C"})); hint != "it declares none" {
		t.Errorf("got %q", hint)
	}
}

func TestErrorKinds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		err  error
		kind string
		exit int
	}{
		{&ArgError{}, "invalid_arguments", 2},
		{&AmbiguousError{}, "not_found", 2},
		{&NotFoundError{}, "not_found", 2},
		{&NotBuiltError{}, "not_built", 127},
	}
	for _, tt := range tests {
		if kind, exit, _ := hostKind(tt.err); kind != tt.kind || exit != tt.exit {
			t.Errorf("%T: got %s, %d", tt.err, kind, exit)
		}
	}
}
