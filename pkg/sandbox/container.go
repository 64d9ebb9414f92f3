package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// DefaultImage is what the container backend runs unless told otherwise. System
// libraries and interpreters come from it, not from the host.
const DefaultImage = "debian:stable-slim"

// engineTimeout bounds every call of the engine that is not the command itself;
// create may have to copy the image, where the storage driver cannot share it.
const (
	engineTimeout = 20 * time.Second
	createTimeout = 2 * time.Minute
)

// container confines with an OCI engine through its command line.
type container struct {
	host    host
	engine  string // path of docker or podman
	image   string
	runtime string
	missing []Feature
}

// openContainer takes the first engine that answers. The presence of a client
// says nothing: its daemon is asked.
func openContainer(ctx context.Context, o Options) (Backend, error) {
	var reasons []string
	for _, name := range []string{"docker", "podman"} {
		engine, _ := o.findProgram(name)
		if engine == "" {
			continue
		}
		c := &container{host: o.host(), engine: engine, image: o.Image, runtime: o.Runtime}
		if c.image == "" {
			c.image = DefaultImage
		}
		out, err := c.call(ctx, engineTimeout, "info")
		if err == nil {
			return proveContainer(ctx, c, o)
		}
		reasons = append(reasons, name+" does not answer: "+lastLine(out))
	}
	if len(reasons) == 0 {
		reasons = []string{"there is no docker or podman on PATH"}
	}
	return nil, &Fault{Backend: NameContainer, Reason: strings.Join(reasons, "; "), Cure: "start the engine's daemon, or install podman"}
}

// Name is "container".
func (c *container) Name() string { return NameContainer }

func (c *container) call(ctx context.Context, limit time.Duration, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, c.engine, args...)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &errs, waitDelay
	if err := cmd.Run(); err != nil {
		return errs.String(), err
	}
	return strings.TrimSpace(out.String()), nil
}

func (c *container) fault(what, said string, err error) error {
	return &Fault{Backend: NameContainer, Reason: what + ": " + lastLine(said), Cure: "see docs/sandbox.md", Err: err}
}

// Run creates a container, starts it, and reads from the engine how it ended:
// the engine's own failures have the same exit codes as a command's.
func (c *container) Run(ctx context.Context, p Policy, cmd Command) (Result, error) {
	if lacking := missingFrom(p.Require, c.missing); len(lacking) > 0 {
		return Result{}, lacks(NameContainer, lacking)
	}
	if err := checkCommand(cmd); err != nil {
		return Result{}, err
	}
	pl, err := c.host.check(p)
	if err != nil {
		return Result{}, err
	}
	args, env, err := c.createArgs(pl, p.Env, cmd)
	if err != nil {
		return Result{}, err
	}
	id, err := c.create(ctx, args, env)
	if err != nil {
		return Result{}, err
	}
	// The cleaning up must happen also when the caller has given up.
	clean := context.WithoutCancel(ctx)
	defer func() { _, _ = c.call(clean, engineTimeout, "rm", "--force", "--volumes", id) }()
	defer c.watch(id)()
	return c.start(ctx, pl, cmd, id)
}

// watch starts a process that ends the container when this one is killed: it is
// the engine's child, not ours. The function that it returns calls it off.
func (c *container) watch(id string) (stop func()) {
	r, w, err := os.Pipe()
	if err != nil {
		return func() {}
	}
	cmd := c.watchCommand(id, r)
	err = cmd.Start()
	_ = r.Close()
	if err != nil { // a system without sh
		_ = w.Close()
		return func() {}
	}
	return func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = w.Close()
	}
}

// watchCommand waits for the end of its input, which comes with the end of the
// process that holds the other side.
func (c *container) watchCommand(id string, in *os.File) *exec.Cmd {
	const script = `read -r _; "$0" kill "$1"; exec "$0" rm --force --volumes "$1"`
	cmd := exec.Command("sh", "-c", script, c.engine, id)
	cmd.Stdin, cmd.SysProcAttr = in, ownGroup()
	return cmd
}

func (c *container) create(ctx context.Context, args, env []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, createTimeout)
	defer cancel()
	var out, errs bytes.Buffer
	create := exec.CommandContext(ctx, c.engine, args...)
	create.Env = append(create.Environ(), env...)
	create.Stdout, create.Stderr, create.WaitDelay = &out, &errs, waitDelay
	if err := create.Run(); err != nil {
		return "", c.createFault(errs.String(), err)
	}
	return strings.TrimSpace(out.String()), nil
}

// createFault explains what most often is in the way: the image.
func (c *container) createFault(said string, err error) error {
	if said == "" {
		said = err.Error() // killed for being too slow, or by a signal
	}
	f := &Fault{Backend: NameContainer, Reason: "cannot create a container: " + lastLine(said), Cure: "see docs/sandbox.md", Err: err}
	if missing := strings.ToLower(said); strings.Contains(missing, "no such image") || strings.Contains(missing, "image not known") {
		f.Reason = fmt.Sprintf("the image %q is not on this machine", c.image)
		f.Cure = fmt.Sprintf("fetch it: %s pull %s", filepath.Base(c.engine), c.image)
	}
	return f
}

func (c *container) start(ctx context.Context, pl *plan, cmd Command, id string) (Result, error) {
	res := Result{Backend: NameContainer, Missing: c.missing}
	if ctx.Err() != nil {
		res.Canceled, res.Exit = true, exitInterrupted
		return res, nil
	}
	args := []string{"start", "--attach", id}
	if cmd.Stdin != nil {
		args = []string{"start", "--attach", "--interactive", id}
	}
	clean := context.WithoutCancel(ctx)
	p := newProcess(exec.Command(c.engine, args...), cmd, pl.limits)
	p.cmd.SysProcAttr = ownGroup() // a Ctrl-C is for us to handle
	p.ask = func() { _, _ = c.call(clean, Grace, "kill", "--signal", "TERM", id) }
	p.end = func() { _, _ = c.call(clean, engineTimeout, "kill", id) }
	began := time.Now()
	if err := p.start(cmd.Stdin); err != nil {
		return Result{}, c.fault("cannot start the engine", err.Error(), err)
	}
	ended := p.wait(ctx, pl.limits.Wall)
	res.TimedOut, res.Canceled, res.Duration = ended.TimedOut, ended.Canceled, time.Since(began)
	p.output(&res)
	if err := c.inspect(clean, id, cmd, &res); err != nil {
		return Result{}, err
	}
	res.Appeared, res.Hints = Appeared(pl.watch), pl.hints(res)
	return res, nil
}

// containerState is what the engine knows about a container that has ended.
type containerState struct {
	ExitCode  int
	OOMKilled bool
	Error     string
	StartedAt string
}

func (c *container) inspect(ctx context.Context, id string, cmd Command, res *Result) error {
	out, err := c.call(ctx, engineTimeout, "inspect", "--format", "{{json .State}}", id)
	if err != nil {
		return c.fault("cannot ask how the container ended", out, err)
	}
	var st containerState
	if err := json.Unmarshal([]byte(out), &st); err != nil {
		return c.fault("the engine answered with something else", out, err)
	}
	if st.Error != "" {
		return startError(cmd.Args[0], st.Error)
	}
	if strings.HasPrefix(st.StartedAt, "0001-") && !res.TimedOut && !res.Canceled {
		return c.fault("the container did not start", string(res.Stderr.Head), nil)
	}
	if err := initError(cmd.Args[0], st.ExitCode, *res); err != nil {
		return err
	}
	res.Exit, res.OOM = st.ExitCode, st.OOMKilled
	res.Signal = signalOfExit(st.ExitCode)
	res.CPULimit, res.FileLimit = res.Signal == "SIGXCPU", res.Signal == "SIGXFSZ"
	return nil
}

// startError reads the one sentence that engines give for a program that cannot
// be executed.
func startError(program, text string) error {
	switch {
	case strings.Contains(text, "executable file not found"), strings.Contains(text, "no such file or directory"):
		return &NotFoundError{Program: program}
	case strings.Contains(text, "permission denied"), strings.Contains(text, "exec format error"):
		return &NotExecutableError{Program: program, Reason: lastLine(text)}
	}
	return &Fault{Backend: NameContainer, Reason: lastLine(text)}
}

// initFailed is all that the engines' small process 1 (catatonit, tini) says when
// it cannot execute the command. A command that says the same, and nothing else,
// only speaks about itself.
var initFailed = regexp.MustCompile(`^(?:ERROR \(catatonit:\d+\): failed to exec pid1|\[FATAL tini \(\d+\)\] exec .* failed): (.+)\n$`)

func initError(program string, code int, res Result) error {
	m := initFailed.FindSubmatch(res.Stderr.Head)
	if m == nil || code == 0 || len(res.Stdout.Head) > 0 || len(res.Stderr.Tail) > 0 {
		return nil
	}
	return startError(program, strings.ToLower(string(m[1])))
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return last
	}
	return "it said nothing"
}
