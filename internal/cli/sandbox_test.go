package cli

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/iostreams"
	"github.com/agentctl/agentctl/internal/workspace"
	"github.com/agentctl/agentctl/pkg/sandbox"
)

func TestSandboxDoctorExits(t *testing.T) {
	t.Parallel()
	report := func(name string, state sandbox.State) sandbox.Report {
		return sandbox.Report{Backend: name, State: state, Reason: "because", Cure: "do this", Protections: []sandbox.Protection{
			{Feature: sandbox.Network, State: sandbox.Enforced, How: "a\x1b[2J", Proof: "tried"},
		}}
	}
	for _, tt := range []struct {
		name    string
		asked   string
		reports []sandbox.Report
		chosen  string
		want    error
		out     string
	}{
		{"ok", "", []sandbox.Report{report("bwrap", sandbox.OK)}, "bwrap", nil, "network\tenforced\ta<U+001B>[2J\ttried\t\n"},
		{"degraded", "auto", []sandbox.Report{report("bwrap", sandbox.Partial)}, "bwrap", exitError(exitCheck), "enforced"},
		{"none at all", "", []sandbox.Report{report("bwrap", sandbox.Unavailable)}, "", exitError(exitSandbox), ""},
		{"the named one is missing", "container", []sandbox.Report{report("bwrap", sandbox.OK), report("container", sandbox.Unavailable)}, "bwrap", exitError(exitSandbox), ""},
		{"the named one counts", "native", []sandbox.Report{report("bwrap", sandbox.OK), report("native", sandbox.Partial)}, "bwrap", exitError(exitCheck), "enforced"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			streams, _, out, errOut := iostreams.Test()
			o := &sandboxDoctorOptions{
				outputOptions: outputOptions{IO: streams},
				Options:       func(string) (sandbox.Options, error) { return sandbox.Options{Name: tt.asked}, nil },
				Doctor: func(context.Context, sandbox.Options) ([]sandbox.Report, string) {
					return tt.reports, tt.chosen
				},
			}
			if err := runSandboxDoctor(t.Context(), o); !errors.Is(err, tt.want) {
				t.Errorf("got error %v, want %v", err, tt.want)
			}
			if !strings.Contains(out.String(), tt.out) || tt.out == "" && out.Len() > 0 {
				t.Errorf("stdout is %q, want %q", out, tt.out)
			}
			if tt.out != "" && !strings.HasSuffix(errOut.String(), ": 1 enforced, 0 partial, 0 missing\n") {
				t.Errorf("the last line of stderr is no verdict: %q", errOut)
			}
			if !strings.Contains(errOut.String(), "reason: because") || !strings.Contains(errOut.String(), "cure: do this") {
				t.Errorf("stderr is %q", errOut)
			}
		})
	}
}

// What was asked for and cannot be had is not called chosen, and other backends
// that can be used are not called broken.
func TestSandboxDoctorNamedAndUnavailable(t *testing.T) {
	t.Parallel()
	for _, json := range []bool{false, true} {
		streams, _, out, errOut := iostreams.Test()
		o := &sandboxDoctorOptions{
			outputOptions: outputOptions{IO: streams, JSON: json},
			Options:       func(string) (sandbox.Options, error) { return sandbox.Options{Name: sandbox.NameBwrap}, nil },
			Doctor: func(context.Context, sandbox.Options) ([]sandbox.Report, string) {
				return []sandbox.Report{{Backend: "bwrap", State: sandbox.Unavailable}, {Backend: "native", State: sandbox.OK}}, "native"
			},
		}
		if err := runSandboxDoctor(t.Context(), o); !errors.Is(err, exitError(exitSandbox)) {
			t.Errorf("got error %v", err)
		}
		if json && !strings.Contains(out.String(), `"chosen": ""`) {
			t.Errorf("stdout is %s", out)
		}
		if !json && (strings.Contains(errOut.String(), "(chosen)") || !strings.Contains(errOut.String(), "backend native can")) {
			t.Errorf("stderr is %s", errOut)
		}
	}
}

func TestSandboxDoctorOnTerminal(t *testing.T) {
	t.Parallel()
	streams, _, out, _ := iostreams.Test()
	streams.OutTTY = true
	o := &sandboxDoctorOptions{outputOptions: outputOptions{IO: streams}}
	err := o.print([]sandbox.Report{{Backend: "bwrap", State: sandbox.OK, Protections: []sandbox.Protection{
		{Feature: sandbox.CPU, State: sandbox.Missing, How: "rlimit", Proof: "tried\x1b", Cure: "none"},
	}}}, "bwrap")
	const want = "cpu            missing\n  how    rlimit\n  proof  tried<U+001B>\n  cure   none\n"
	if err != nil || out.String() != want {
		t.Errorf("got %q, %v, want %q", out, err, want)
	}
}

// fakeBackend records what it is asked to run.
type fakeBackend struct {
	sandbox.Backend
	policy sandbox.Policy
	result sandbox.Result
	err    error
	print  string
}

func (b *fakeBackend) Run(_ context.Context, p sandbox.Policy, c sandbox.Command) (sandbox.Result, error) {
	b.policy = p
	if c.Stdout != nil {
		if _, err := io.WriteString(c.Stdout, b.print); err != nil {
			b.result.OutputErr = err
		}
	}
	return b.result, b.err
}

func fakeRun(b *fakeBackend, streams *iostreams.IOStreams) *sandboxRunOptions {
	return &sandboxRunOptions{
		outputOptions: outputOptions{IO: streams}, Network: "none", Args: []string{"tool"},
		Cwd:       func() (string, error) { return "/ws/sub", nil },
		LookupEnv: func(name string) (string, bool) { return "value of " + name, name != "MISSING" },
		Workspace: func() (sandbox.WorkspaceOptions, error) {
			return sandbox.WorkspaceOptions{Dir: "/ws", Home: "/home/me"}, nil
		},
		Open: func(context.Context, string) (sandbox.Backend, error) { return b, nil },
	}
}

// Whatever makes a folder a workspace is protected in one.
func TestMarkersAreProtected(t *testing.T) {
	t.Parallel()
	protected := sandbox.ProtectedPaths("/ws")
	for _, name := range workspace.Markers() {
		if !slices.Contains(protected, "/ws/"+name) {
			t.Errorf("%s is not in %v", name, protected)
		}
	}
}

func TestSandboxRunPolicy(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(*sandboxRunOptions)
		check  func(p sandbox.Policy) bool
	}{
		{"defaults", func(*sandboxRunOptions) {}, func(p sandbox.Policy) bool {
			return p.Dir == "/ws/sub" && p.ReadWrite[0].Host == "/ws" && p.Network == sandbox.NetworkNone && len(p.Env) == 0 && slices.Contains(p.Protect, "/ws/.git")
		}},
		{"network", func(o *sandboxRunOptions) { o.Network = "full" }, func(p sandbox.Policy) bool { return p.Network == sandbox.NetworkFull }},
		{"env", func(o *sandboxRunOptions) { o.Env = []string{"A"} }, func(p sandbox.Policy) bool { return p.Env["A"] == "value of A" }},
		{"timeout", func(o *sandboxRunOptions) { o.Timeout = 5 }, func(p sandbox.Policy) bool { return p.Limits.Wall == 5 }},
		{"workspace read-only", func(o *sandboxRunOptions) { o.ReadOnly = []string{".."} }, func(p sandbox.Policy) bool {
			return len(p.ReadWrite) == 0 && len(p.ReadOnly) == 1 && p.ReadOnly[0].Host == "/ws"
		}},
		{"named for writing", func(o *sandboxRunOptions) { o.ReadWrite = []string{"../.git", ".."} }, func(p sandbox.Policy) bool {
			return len(p.ReadWrite) == 2 && p.ReadWrite[1].Host == "/ws/.git" && !slices.Contains(p.Protect, "/ws/.git") && slices.Contains(p.Protect, "/ws/.skill")
		}},
		{"another folder is current", func(o *sandboxRunOptions) { o.Cwd = func() (string, error) { return "/elsewhere", nil } }, func(p sandbox.Policy) bool { return p.Dir == "/ws" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			streams, _, _, _ := iostreams.Test()
			b := &fakeBackend{}
			o := fakeRun(b, streams)
			tt.change(o)
			if err := runSandboxRun(t.Context(), o); !errors.Is(err, exitError(0)) {
				t.Fatalf("got error %v", err)
			}
			if !tt.check(b.policy) {
				t.Errorf("got %+v", b.policy)
			}
		})
	}
}

func TestSandboxRunEnds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		result   sandbox.Result
		err      error
		want     int
		errorOut string
	}{
		{"its own code", sandbox.Result{Exit: 3}, nil, 3, ""},
		{"timeout", sandbox.Result{Exit: 143, TimedOut: true}, nil, exitTimeout, "after its time limit"},
		{"canceled", sandbox.Result{Exit: 143, Canceled: true}, nil, exitInterrupted, ""},
		{"not enforced", sandbox.Result{Backend: "native", Missing: []sandbox.Feature{sandbox.TreeKill, sandbox.CPU}}, nil, 0, "sandbox native did not enforce: tree-kill, cpu\n"},
		{"appeared and hints", sandbox.Result{Appeared: []string{"/ws/.skill"}, Hints: []string{"grant it"}}, nil, 0, "/ws/.skill appeared"},
		{"fault", sandbox.Result{}, &sandbox.Fault{Backend: "bwrap", Reason: "no", Cure: "yes"}, exitSandbox, "hint: yes"},
		{"policy", sandbox.Result{}, &sandbox.PolicyError{Path: "/x", Reason: "is bad"}, exitUsage, "is bad"},
		{"not executable", sandbox.Result{}, &sandbox.NotExecutableError{Program: "x", Reason: "no"}, exitBroken, "cannot be run"},
		{"an unknown failure", sandbox.Result{}, errors.New("odd"), exitSandbox, "odd"},
		{"output fails", sandbox.Result{OutputErr: errors.New("disk full")}, nil, exitSandbox, "disk full"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			streams, _, _, errOut := iostreams.Test()
			o := fakeRun(&fakeBackend{result: tt.result, err: tt.err}, streams)
			if err := runSandboxRun(t.Context(), o); !errors.Is(err, exitError(tt.want)) {
				t.Errorf("got error %v, want exit code %d", err, tt.want)
			}
			if !strings.Contains(errOut.String(), tt.errorOut) || tt.errorOut == "" && errOut.Len() > 0 {
				t.Errorf("stderr is %q, want %q", errOut, tt.errorOut)
			}
		})
	}
}

// Nobody who reads the program's stderr slowly puts the end of a run off that was
// given up.
func TestSandboxRunEndsWithABlockedReader(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe() // nobody reads
	defer func() { _ = r.Close() }()
	streams, _, _, _ := iostreams.Test()
	streams.Err = w
	o := fakeRun(&fakeBackend{result: sandbox.Result{Exit: 143, TimedOut: true, Hints: []string{"a", "b"}}}, streams)
	began := time.Now()
	if err := runSandboxRun(t.Context(), o); !errors.Is(err, exitError(exitTimeout)) || time.Since(began) > 10*time.Second {
		t.Errorf("got error %v after %s", err, time.Since(began))
	}
}

// The time limit of a run is one for the sandbox too, but for a moment that it
// needs to prove itself at all.
func TestSandboxRunOpensInTime(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ timeout, want time.Duration }{{0, 0}, {time.Minute, time.Minute}, {time.Millisecond, leastToOpen}} {
		streams, _, _, _ := iostreams.Test()
		o := fakeRun(&fakeBackend{}, streams)
		o.Timeout = tt.timeout
		began := time.Now()
		o.Open = func(ctx context.Context, _ string) (sandbox.Backend, error) {
			end, limited := ctx.Deadline()
			first, last := began.Add(tt.want), time.Now().Add(tt.want)
			if limited != (tt.want > 0) || limited && (end.Before(first) || end.After(last)) {
				t.Errorf("with --timeout %s: opening ends %s after the call, %v", tt.timeout, end.Sub(began), limited)
			}
			return nil, context.DeadlineExceeded
		}
		if err := runSandboxRun(t.Context(), o); !errors.Is(err, exitError(exitTimeout)) {
			t.Errorf("got error %v", err)
		}
	}
}

func TestSandboxRunOutputOnTerminal(t *testing.T) {
	t.Parallel()
	for _, tty := range []bool{false, true} {
		streams, _, out, _ := iostreams.Test()
		streams.OutTTY = tty
		if err := runSandboxRun(t.Context(), fakeRun(&fakeBackend{print: "\x1b[31mred"}, streams)); !errors.Is(err, exitError(0)) {
			t.Fatal(err)
		}
		want := "\x1b[31mred"
		if tty {
			want = "<U+001B>[31mred"
		}
		if out.String() != want {
			t.Errorf("terminal %v: got %q, want %q", tty, out, want)
		}
	}
}

func TestRunJSONKinds(t *testing.T) {
	t.Parallel()
	r := newRunJSON("x")
	r.ran(sandbox.Result{Exit: 130, Canceled: true, Appeared: []string{"/ws/.skill"}, Hints: []string{"a", "b"}})
	if r.Origin != "host" || r.Kind != "interrupted" || r.ExitCode != exitInterrupted || r.Hint != "a\nb" {
		t.Errorf("got %+v", r)
	}
	if len(r.Diags) != 1 || r.Diags[0].Code != "sandbox.appeared" || r.Diags[0].File != "/ws/.skill" {
		t.Errorf("got %+v", r.Diags)
	}
}
