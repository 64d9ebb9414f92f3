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
	"slices"
	"strings"
	"time"
)

// NotInstalledError reports that there is no uv, neither as a program nor as a
// module of python3.
type NotInstalledError struct{}

func (e *NotInstalledError) Error() string { return "uv is not installed or not on PATH" }

// Cure is what gets it.
func (e *NotInstalledError) Cure() string {
	return "install uv (https://docs.astral.sh/uv/), for example with: pip install uv, or pipx install uv"
}

// RunError reports a run of uv that failed.
type RunError struct {
	Args []string
	// Stderr is what uv said, without colours.
	Stderr string
	Err    error
}

func (e *RunError) Error() string {
	text := strings.TrimSpace(e.Stderr)
	if text == "" {
		text = e.Err.Error()
	}
	return fmt.Sprintf("uv %s failed: %s", strings.Join(e.Args, " "), text)
}

func (e *RunError) Unwrap() error { return e.Err }

// UV is a uv that can be run.
type UV struct {
	// Argv starts it: the program, or a Python with -m uv.
	Argv []string
	// Env is its whole environment.
	Env []string
	// Log receives what it says while it runs; nil discards it.
	Log io.Writer
}

// Find looks for uv on the PATH of env, the whole environment of what is run,
// then for python3 -m uv. The error is a [*NotInstalledError] or that of ctx.
func Find(ctx context.Context, env []string) (*UV, error) {
	if program, err := lookPath("uv", env); err == nil {
		return &UV{Argv: []string{program}, Env: env}, nil
	}
	python, err := lookPath("python3", env)
	if err != nil {
		return nil, &NotInstalledError{}
	}
	u := &UV{Argv: []string{python, "-m", "uv"}, Env: env}
	if _, err := u.Version(ctx); err != nil {
		return nil, orElse(ctx.Err(), &NotInstalledError{})
	}
	return u, nil
}

func orElse(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// Run runs uv in a folder and returns what it printed, without progress bars. The
// error is a [*RunError] or that of ctx.
func (u *UV) Run(ctx context.Context, dir string, args ...string) (string, error) {
	argv := slices.Concat(u.Argv, args)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = dir
	cmd.Env = append(slices.Clone(u.Env), "UV_NO_PROGRESS=1", "NO_COLOR=1")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if u.Log != nil {
		cmd.Stderr = io.MultiWriter(&errOut, u.Log)
	}
	if err := cmd.Run(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return "", orElse(ctx.Err(), &RunError{Args: args, Stderr: errOut.String(), Err: err})
	}
	return out.String(), nil
}

// Version is uv's own version, such as "0.13.9".
func (u *UV) Version(ctx context.Context) (string, error) {
	if version, ok := u.installed(); ok {
		return version, nil
	}
	out, err := u.Run(ctx, "", "--version")
	if err != nil {
		return "", err
	}
	fields := strings.Fields(out)
	if len(fields) < 2 {
		return "", errors.New("uv --version printed no version")
	}
	return fields[1], nil
}

// installed reads the version from the metadata that pip and pipx leave beside
// the program: asking uv itself costs more than a check of freshness may.
func (u *UV) installed() (string, bool) {
	program, err := filepath.EvalSymlinks(u.Argv[0])
	if err != nil || len(u.Argv) > 1 {
		return "", false
	}
	prefix := filepath.Dir(filepath.Dir(program))
	found, err := filepath.Glob(filepath.Join(prefix, "lib", "python*", "*-packages", "uv-*.dist-info"))
	if err != nil || len(found) != 1 {
		return "", false
	}
	return strings.TrimPrefix(strings.TrimSuffix(filepath.Base(found[0]), ".dist-info"), "uv-"), true
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

// lookup reads a variable of env; as for a program, the last one counts.
func lookup(env []string, name string) string {
	value := ""
	for _, kv := range env {
		k, v, _ := strings.Cut(kv, "=")
		if k == name || runtime.GOOS == "windows" && strings.EqualFold(k, name) {
			value = v
		}
	}
	return value
}
