package sandbox

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Exit codes for runs that have none of their own.
const (
	exitInterrupted = 130
	exitKilled      = 128 + 9
)

// AllFeatures lists every protection in the order of the doctor's table.
func AllFeatures() []Feature {
	return []Feature{
		FileReads, FileWrites, Network, Env, TreeKill, PrivateTmp, UnixSockets, Privileges, Syscalls, Namespaces,
		ProcessView, InheritedFD, Memory, CPU, FileSize, Processes, OpenFiles,
	}
}

// none runs commands without any confinement. The environment is still built
// from nothing, the time and the captured output are still limited, and the
// process group is ended; none of that stops a command that wants out.
type none struct{ host host }

func newNone(o Options) Backend { return &none{host: o.host()} }

// Name is "none".
func (n *none) Name() string { return NameNone }

func (n *none) mountless() {}

// Probe reports every protection as missing.
func (n *none) Probe(context.Context) Report {
	r := Report{Backend: NameNone, State: Partial, Reason: "nothing is confined"}
	for _, f := range AllFeatures() {
		r.Protections = append(r.Protections, Protection{Feature: f, State: Missing, How: "none"})
	}
	return r
}

// Run runs one command. A policy that requires protections by name is refused.
func (n *none) Run(ctx context.Context, p Policy, c Command) (Result, error) {
	if len(p.Require) > 0 {
		return Result{}, lacks(NameNone, p.Require)
	}
	if err := checkCommand(c); err != nil {
		return Result{}, err
	}
	pl, err := n.host.check(p)
	if err != nil {
		return Result{}, err
	}
	private, err := os.MkdirTemp("", "agentctl-none-")
	if err != nil {
		return Result{}, &Fault{Backend: NameNone, Reason: "no private folder: " + err.Error(), Err: err}
	}
	defer func() { _ = os.RemoveAll(private) }()
	if err := pl.withoutMounts(private); err != nil {
		return Result{}, err
	}
	return runPlain(ctx, pl, c)
}

// withoutMounts moves the private places to a folder of the host, and refuses a
// mount that shows something at another place.
func (pl *plan) withoutMounts(private string) error {
	for _, g := range pl.grants {
		if real, err := filepath.EvalSymlinks(g.guest); err != nil || real != g.host {
			return &PolicyError{Path: g.guest, Reason: "cannot be shown there without a sandbox", Cure: "choose a backend that mounts, such as bwrap"}
		}
	}
	for i, kv := range pl.env {
		switch kv {
		case "HOME=" + guestHome:
			pl.env[i] = "HOME=" + private
		case "TMPDIR=" + guestTmp:
			pl.env[i] = "TMPDIR=" + private
		}
	}
	if pl.dir == guestTmp {
		pl.dir = private
	}
	pl.watchHeld()
	return nil
}

func runPlain(ctx context.Context, pl *plan, c Command) (Result, error) {
	res := Result{Backend: NameNone, Missing: AllFeatures()}
	if ctx.Err() != nil {
		res.Canceled, res.Exit = true, exitInterrupted
		return res, nil
	}
	if !isDir(pl.dir) {
		return Result{}, &PolicyError{Path: pl.dir, Reason: "cannot be the working directory: it is no folder", Cure: "create it"}
	}
	program, err := lookPath(c.Args[0], pl)
	if err != nil {
		return Result{}, err
	}
	cmd := &exec.Cmd{Path: program, Args: c.Args, Env: pl.env, Dir: pl.dir, SysProcAttr: ownGroup()}
	p := newProcess(cmd, c, pl.limits)
	p.ask, p.end = func() { askGroup(cmd) }, func() { endGroup(cmd) }
	began := time.Now()
	if err := p.start(c.Stdin); err != nil {
		return Result{}, plainStartError(c.Args[0], program, err)
	}
	ended := p.wait(ctx, pl.limits.Wall)
	res.TimedOut, res.Canceled, res.OrphanPipe = ended.TimedOut, ended.Canceled, ended.OrphanPipe
	p.end() // what is left of the group
	res.Duration = time.Since(began)
	p.output(&res)
	res.Exit, res.Signal = exitStatus(cmd.ProcessState)
	res.Appeared = Appeared(pl.watch)
	return res, nil
}

// lookPath finds a bare name on the PATH of the command, not on the caller's.
func lookPath(name string, pl *plan) (string, error) {
	if strings.ContainsRune(name, filepath.Separator) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(pl.dir, name)
		}
		return name, nil
	}
	i := slices.IndexFunc(pl.env, func(kv string) bool { return strings.HasPrefix(kv, "PATH=") })
	for _, dir := range filepath.SplitList(strings.TrimPrefix(pl.env[i], "PATH=")) {
		if file, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return file, nil
		}
	}
	return "", &NotFoundError{Program: name}
}

// plainStartError tells a missing program from a missing interpreter, for which
// the system has the same error.
func plainStartError(name, program string, err error) error {
	_, statErr := os.Stat(program)
	switch {
	case errors.Is(statErr, fs.ErrNotExist):
		return &NotFoundError{Program: name}
	case errors.Is(err, fs.ErrNotExist):
		return &NotExecutableError{Program: name, Reason: "its interpreter does not exist"}
	}
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		err = pe.Err
	}
	return &NotExecutableError{Program: name, Reason: err.Error()}
}

// lacks is the refusal of a policy that requires what a backend cannot give.
func lacks(backend string, features []Feature) error {
	names := make([]string, len(features))
	for i, f := range features {
		names[i] = string(f)
	}
	return &Fault{
		Backend: backend, Reason: "cannot enforce " + strings.Join(names, ", "),
		Cure: "see agentctl sandbox doctor",
	}
}
