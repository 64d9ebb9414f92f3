package sandboxtest

import (
	"context"
	"errors"
	"fmt"
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
		{36, "pushing characters into a terminal", "", terminalCase},
		{37, "using what the caller has open", sandbox.InheritedFD, inheritedFiles},
	}
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
