package uv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Tool is a uv that can be run.
type Tool struct {
	// Argv starts it: the program, or a Python with -m uv.
	Argv []string
	// Version is such as "0.13.9".
	Version string
}

// NotFoundError reports that there is no uv, neither as a program nor as a
// module of python3.
type NotFoundError struct{}

func (*NotFoundError) Error() string { return "uv is not installed" }

// Cure is the command that gets it.
func (*NotFoundError) Cure() string { return "pip install uv (or: pipx install uv)" }

// RunError reports a run of uv that failed.
type RunError struct {
	Command string // the verb, such as "pip install"
	Output  string // the end of what it said
	Err     error
}

func (e *RunError) Error() string { return fmt.Sprintf("uv %s: %v", e.Command, e.Err) }
func (e *RunError) Unwrap() error { return e.Err }

// Find looks for uv on the PATH of env, then for python3 -m uv. env is the whole
// environment of what is run. The error is a [*NotFoundError] or that of ctx.
func Find(ctx context.Context, env []string) (*Tool, error) {
	if program, err := lookPath("uv", env); err == nil {
		if version, ok := installedVersion(program); ok {
			return &Tool{Argv: []string{program}, Version: version}, nil
		}
		return ask(ctx, env, program)
	}
	python, err := lookPath("python3", env)
	if err != nil {
		return nil, &NotFoundError{}
	}
	return ask(ctx, env, python, "-m", "uv")
}

// ask runs uv to get its version.
func ask(ctx context.Context, env []string, argv ...string) (*Tool, error) {
	t := &Tool{Argv: argv}
	out, err := t.Run(ctx, Options{Env: env}, "--version")
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	words := strings.Fields(string(out))
	if err != nil || len(words) < 2 {
		return nil, &NotFoundError{}
	}
	t.Version = words[1]
	return t, nil
}

// installedVersion reads the version from the metadata that pip and pipx leave
// beside the program: asking uv itself costs more than a check of freshness may.
func installedVersion(program string) (string, bool) {
	if real, err := filepath.EvalSymlinks(program); err == nil {
		program = real
	}
	prefix := filepath.Dir(filepath.Dir(program))
	found, err := filepath.Glob(filepath.Join(prefix, "lib", "python*", "*-packages", "uv-*.dist-info"))
	if err != nil || len(found) != 1 {
		return "", false
	}
	name := strings.TrimSuffix(filepath.Base(found[0]), ".dist-info")
	return strings.TrimPrefix(name, "uv-"), true
}

// Options say how to run uv.
type Options struct {
	Dir string // "" is the current folder
	// Env is the whole environment.
	Env []string
	// Log receives what uv prints; nil discards it.
	Log io.Writer
}

// quiet keeps uv from asking, from decorating and from fetching interpreters
// that nobody asked for.
var quiet = []string{"UV_NO_PROGRESS=1", "UV_PYTHON_DOWNLOADS=never", "NO_COLOR=1"}

// Run runs uv and returns its stdout. It is interrupted when ctx ends, and
// killed after a grace period. The error is a [*RunError] or that of ctx.
func (t *Tool) Run(ctx context.Context, o Options, args ...string) ([]byte, error) {
	argv := append(append([]string{}, t.Argv...), args...)
	var stdout, both bytes.Buffer
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = o.Dir, append(append([]string{}, o.Env...), quiet...)
	log := o.Log
	if log == nil {
		log = io.Discard
	}
	cmd.Stdout = io.MultiWriter(&stdout, &both)
	cmd.Stderr = io.MultiWriter(&both, log)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 2 * time.Second
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return nil, &RunError{Command: verb(args), Output: tail(both.String()), Err: err}
	}
	return stdout.Bytes(), nil
}

// verb is the words of a call before its first option.
func verb(args []string) string {
	for i, a := range args {
		if strings.HasPrefix(a, "-") && i > 0 {
			return strings.Join(args[:i], " ")
		}
	}
	return strings.Join(args, " ")
}

// tail is the end of a log, which is where the reason is.
func tail(text string) string {
	const room = 4000
	text = strings.TrimSpace(text)
	if len(text) > room {
		text = "…" + text[len(text)-room:]
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// lookPath finds a program on the PATH of env. Relative folders do not count:
// the current folder must not decide what runs.
func lookPath(name string, env []string) (string, error) {
	for _, dir := range filepath.SplitList(lookup(env, "PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path, nil
		}
	}
	return "", exec.ErrNotFound
}

func lookup(env []string, name string) string {
	value := ""
	for _, kv := range env {
		k, v, _ := strings.Cut(kv, "=")
		if k == name || runtime.GOOS == "windows" && strings.EqualFold(k, name) {
			value = v // as for a program, the last one counts
		}
	}
	return value
}
