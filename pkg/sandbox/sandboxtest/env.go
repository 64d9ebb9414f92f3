package sandboxtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/pkg/sandbox"
	"github.com/agentctl/agentctl/pkg/sandbox/internal/probe"
)

// Env is what one case works with: a granted folder, things of the host that are
// not granted, and the backend.
type Env struct {
	T       testing.TB
	Backend sandbox.Backend
	Home    string
	Work    string        // granted for writing, and the working directory
	Outside string        // not granted
	Secret  string        // a file in Outside
	Lock    string        // a file in Work for what is left behind
	slow    time.Duration // how much longer a run may take
	exe     string
	added   []string // names that the backend adds to an environment
	// found are the cases that ran before this one and what came of them.
	found map[int]error
}

// NewEnv makes the folders of one case. They go away with the test.
func NewEnv(t testing.TB, cfg Config) *Env {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	e := &Env{T: t, Backend: cfg.Backend, Home: cfg.Home, slow: slow, exe: exe, added: cfg.Names, Work: tempDir(t), Outside: tempDir(t)}
	e.Secret, e.Lock = filepath.Join(e.Outside, "secret"), filepath.Join(e.Work, "lock")
	for _, f := range []string{e.Secret, e.Lock} {
		if err := os.WriteFile(f, []byte(secretText), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

const secretText = "a secret of the host\n"

// tempDir lies directly below the temporary folder, so that no two of a test
// share a parent that becomes visible inside.
func tempDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "sandboxtest-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Policy grants Work, and the probe's own program.
func (e *Env) Policy() sandbox.Policy {
	return sandbox.Policy{
		ReadOnly: []sandbox.Mount{{Host: e.exe}}, ReadWrite: []sandbox.Mount{{Host: e.Work}},
		Dir: e.Work, Require: []sandbox.Feature{},
		Limits: sandbox.Limits{Wall: 30 * time.Second, Tmp: 4 << 20},
	}
}

// documented lists the names of an environment that nobody added to.
func (e *Env) documented() string {
	return strings.Join(append([]string{"PATH", "HOME", "TMPDIR", "LANG", "TZ"}, e.added...), ",")
}

// Sh runs a line of shell.
func (e *Env) Sh(ctx context.Context, p sandbox.Policy, line string) (sandbox.Result, error) {
	return e.Backend.Run(ctx, p, sandbox.Command{Args: []string{"sh", "-c", line}})
}

// Output is a line of shell that must succeed; its stdout comes back.
func (e *Env) Output(ctx context.Context, p sandbox.Policy, line string) (string, error) {
	res, err := e.Sh(ctx, p, line)
	if err != nil {
		return "", err
	}
	if res.Exit != 0 {
		return "", fmt.Errorf("%q ended with %d: %s", line, res.Exit, res.Stderr.Head)
	}
	return string(res.Stdout.Head), nil
}

func act(name string, args ...string) probe.Act { return probe.Act{Name: name, Args: args} }

// try performs acts in one run.
func (e *Env) try(ctx context.Context, p sandbox.Policy, acts ...probe.Act) ([]probe.Outcome, sandbox.Result, error) {
	args, err := probe.Args(e.exe, acts...)
	if err != nil {
		return nil, sandbox.Result{}, err
	}
	res, err := e.Backend.Run(ctx, p, sandbox.Command{Args: args})
	if err != nil {
		return nil, res, err
	}
	out, err := probe.Parse(res.Stdout.Head)
	if err == nil && len(out) == 0 && !res.TimedOut && !res.Canceled {
		err = fmt.Errorf("the probe ended with %d and said nothing: %s", res.Exit, res.Stderr.Head)
	}
	return out, res, err
}

// denied wants every act refused, under the usual policy.
func (e *Env) denied(ctx context.Context, acts ...probe.Act) error {
	return e.deniedUnder(ctx, e.Policy(), acts...)
}

func (e *Env) deniedUnder(ctx context.Context, p sandbox.Policy, acts ...probe.Act) error {
	out, res, err := e.try(ctx, p, acts...)
	if err != nil {
		return err
	}
	if len(out) != len(acts) {
		return fmt.Errorf("the probe made %d of %d tries: %s", len(out), len(acts), res.Stderr.Head)
	}
	var errs []error
	for _, o := range out {
		if !o.Denied {
			errs = append(errs, fmt.Errorf("%s %s was not refused: %s", o.Act.Name, strings.Join(o.Act.Args, " "), o.Got))
		}
	}
	return errors.Join(errs...)
}

// allowed wants every act to work.
func (e *Env) allowed(ctx context.Context, p sandbox.Policy, acts ...probe.Act) ([]string, error) {
	out, res, err := e.try(ctx, p, acts...)
	if err != nil {
		return nil, err
	}
	var got []string
	for _, o := range out {
		if o.Denied {
			return nil, fmt.Errorf("%s %s was refused: %s", o.Act.Name, strings.Join(o.Act.Args, " "), o.Got)
		}
		got = append(got, o.Got)
	}
	if len(out) != len(acts) {
		return got, fmt.Errorf("the probe made %d of %d tries: %s", len(out), len(acts), res.Stderr.Head)
	}
	return got, nil
}

// unchanged wants the host's secret as it was.
func (e *Env) unchanged() error {
	data, err := os.ReadFile(e.Secret)
	if err != nil {
		return err
	}
	if string(data) != secretText {
		return fmt.Errorf("a file outside was changed to %q", data)
	}
	return nil
}

func absent(paths ...string) error {
	for _, p := range paths {
		if _, err := os.Lstat(p); err == nil {
			return fmt.Errorf("%q is on the host", p)
		}
	}
	return nil
}

func (c Case) label() string { return fmt.Sprintf("%02d %s", c.Number, c.Name) }
