package sandboxtest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agentctl/agentctl/pkg/sandbox"
)

func processCases() []Case {
	self := strconv.Itoa(os.Getpid())
	return []Case{
		{28, "signalling, tracing, reading the caller", "", func(ctx context.Context, e *Env) error {
			return e.denied(ctx, act("kill", self), act("ptrace", self), act("memory-of", self))
		}},
		{29, "reading every visible environment", "", func(ctx context.Context, e *Env) error {
			return e.denied(ctx, act("environs", e.documented()))
		}},
		{30, "counting processes", sandbox.ProcessView, func(ctx context.Context, e *Env) error { return e.denied(ctx, act("pids", "6")) }},
		{31, "a new user namespace", sandbox.Namespaces, func(ctx context.Context, e *Env) error {
			return e.denied(ctx, act("userns"), act("userns-clone"), act("userns-clone3"))
		}},
		{32, "mounting", "", func(ctx context.Context, e *Env) error { return e.denied(ctx, act("mounts")) }},
		{33, "the kernel's own files", "", func(ctx context.Context, e *Env) error {
			return e.denied(ctx,
				act("open-write", "/proc/sys/kernel/core_pattern"), act("open-write", "/proc/sysrq-trigger"),
				act("open-write", "/proc/sys/user/max_user_namespaces"), act("mkdir", "/sys/fs/cgroup/sandboxtest"),
				act("mkdir", "/sys/fs/cgroup/pids/sandboxtest"), act("open-write", "/proc/1/mem"))
		}},
		{34, "getting privileges", sandbox.Privileges, func(ctx context.Context, e *Env) error {
			return e.denied(ctx, act("privileges"), act("setuid", "4242"))
		}},
		{35, "dangerous system calls", sandbox.Syscalls, func(ctx context.Context, e *Env) error {
			return e.denied(ctx, act("syscall", "io_uring_setup"), act("syscall", "bpf"), act("syscall", "keyctl"), act("syscall", "add_key"),
				act("syscall", "userfaultfd"), act("syscall", "perf_event_open"), act("syscall", "ptrace"), act("syscall", "process_vm_readv"),
				act("syscall", "name_to_handle_at"), act("syscall", "setns"), act("syscall", "kcmp"))
		}},
		{61, "leaving a file that runs with the caller's rights", sandbox.Privileges, specialFiles},
		{36, "pushing characters into a terminal", "", terminalCase},
		{37, "using what the caller has open", sandbox.InheritedFD, inheritedFiles},
	}
}

// specialFiles lets nothing setuid or setgid be left in the work folder: such a
// file hands the caller's account to every user of the host. Ordinary modes, the
// sticky bit and folders that inherit their group stay possible.
func specialFiles(ctx context.Context, e *Env) error {
	shared := filepath.Join(e.Work, "shared")
	if err := os.Mkdir(shared, 0o755); err != nil {
		return err
	}
	if err := os.Chmod(shared, os.ModeSetgid|0o775); err != nil {
		return err
	}
	const ordinary = `set -e
umask 0; echo x >open-666; chmod 600 open-666; mkdir sticky; chmod 1777 sticky
mkdir -p shared/a/b; echo x >shared/a/b/file; cp -r shared copy; cp -p shared/a/b/file file; chmod 755 file`
	if _, err := e.Output(ctx, e.Policy(), ordinary); err != nil {
		return fmt.Errorf("ordinary modes are refused: %w", err)
	}
	if err := e.denied(ctx, act("special", e.Work)); err != nil {
		return err
	}
	if _, err := e.Sh(ctx, e.Policy(), "cp /bin/sh own; chmod 4755 own; chmod 2755 own; chmod u+s,g+s own"); err != nil {
		return err
	}
	return filepath.WalkDir(e.Work, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode()&(os.ModeSetuid|os.ModeSetgid) != 0 {
			err = fmt.Errorf("%q is on the host with mode %s", path, info.Mode())
		}
		return err
	})
}

// inheritedFiles holds a file open that every child inherits.
func inheritedFiles(ctx context.Context, e *Env) error {
	fd, release, err := leak(e.Secret)
	if err != nil {
		return err
	}
	defer release()
	return e.denied(ctx, act("fd", strconv.Itoa(fd)), act("fds"))
}

func limitCases() []Case {
	return []Case{
		{38, "starting many processes", sandbox.Processes, manyProcesses},
		{39, "allocating more memory than granted", sandbox.Memory, func(ctx context.Context, e *Env) error {
			p := e.Policy()
			p.Limits.Data = 1 << 30
			return e.deniedUnder(ctx, p, act("allocate", strconv.Itoa(3<<29)))
		}},
		{40, "opening 1000 files", sandbox.OpenFiles, func(ctx context.Context, e *Env) error { return e.denied(ctx, act("open-files", "1000")) }},
		{41, "endless computing", sandbox.CPU, func(ctx context.Context, e *Env) error {
			p := e.Policy()
			p.Limits.CPU = 1e9
			res, err := e.Sh(ctx, p, "while :; do :; done")
			if err == nil && (!res.CPULimit || res.TimedOut) {
				err = fmt.Errorf("exit %d, signal %q, CPU limit %v, timed out %v", res.Exit, res.Signal, res.CPULimit, res.TimedOut)
			}
			return err
		}},
	}
}

// manyProcesses accepts a backend that says that it cannot limit them.
func manyProcesses(ctx context.Context, e *Env) error {
	p := e.Policy()
	p.Limits.Processes = 64
	out, res, err := e.try(ctx, p, act("forks", "100"))
	if err != nil {
		if strings.Contains(err.Error(), "failed to create new OS thread") {
			return nil // the limit met the probe itself
		}
		return err
	}
	if out[0].Denied || reports(res.Missing, sandbox.Processes) {
		return nil
	}
	return fmt.Errorf("%s, and %q is not reported as missing", out[0].Got, sandbox.Processes)
}

func reports(missing []sandbox.Feature, f sandbox.Feature) bool {
	return slices.Contains(missing, f)
}

func processGone(lock string) error {
	free, err := lockFree(lock)
	if err == nil && !free {
		err = errors.New("a process survived: it still holds " + filepath.Base(lock))
	}
	return err
}
