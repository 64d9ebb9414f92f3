package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agentctl/agentctl/pkg/sandbox/internal/probe"
)

// trial is one act that a protection must refuse.
type trial struct {
	feature Feature
	act     probe.Act
	say     string // for people: what was tried
}

// trialLimits are small, so that reaching them costs nothing.
var trialLimits = Limits{
	Wall: 20 * time.Second, CPU: 10 * time.Second,
	Data: 1 << 30, FileSize: 1 << 20, Tmp: 2 << 20, Processes: 64, Files: 128,
}

// documentedNames are the variables of an environment that nobody added to.
const documentedNames = "PATH,HOME,TMPDIR,LANG,TZ"

// documented adds the names that a backend's own program sets.
func documented(b Backend) string {
	if own, ok := b.(interface{ ownNames() string }); ok {
		return documentedNames + "," + own.ownNames()
	}
	return documentedNames
}

func (b *bench) trials(h host, names string) []trial {
	act := func(name string, args ...string) probe.Act { return probe.Act{Name: name, Args: args} }
	ts := []trial{
		{FileReads, act("read", b.secret), "read a file that was not granted"},
		{FileReads, act("list", b.outside), "list a folder that was not granted"},
		{FileWrites, act("write", filepath.Join(b.outside, "new")), "write outside the granted folder"},
		{FileWrites, act("chmod", b.secret), "change the mode of a file outside"},
		{FileWrites, act("open-write", "/proc/sys/kernel/core_pattern"), "write to /proc/sys"},
		{Network, act("tcp", b.tcp.Addr().String()), "connect to the host by TCP"},
		{Network, act("udp", b.udp.LocalAddr().String()), "send the host a datagram"},
		{Env, act("environ", names), "look for variables of the caller"},
		{Env, act("environs", names), "read the environment of every visible process"},
		{TreeKill, act("linger", b.lock), "leave a process behind, in its own session and deaf to signals"},
		{PrivateTmp, act("stat", b.outside), "see the host's temporary folder"},
		{PrivateTmp, act("fill", "/tmp/fill-1", "921600"), "fill the private tmp"},
		{PrivateTmp, act("fill", "/tmp/fill-2", "921600"), "fill the private tmp"},
		{PrivateTmp, act("fill", "/tmp/fill-3", "921600"), "fill the private tmp"},
		{UnixSockets, act("unix", b.path.Addr().String()), "connect to a socket of the host by path"},
		{UnixSockets, act("unix", b.name.Addr().String()), "connect to an abstract socket of the host"},
		{Privileges, act("privileges"), "look for capabilities and a missing no_new_privs"},
		{Privileges, act("mounts"), "mount, remount, pivot_root"},
		{Privileges, act("special", b.work), "make a setuid or setgid file"},
		{Namespaces, act("userns"), "unshare a user namespace"},
		{Namespaces, act("userns-clone"), "clone into a user namespace"},
		{Namespaces, act("userns-clone3"), "clone3 into a user namespace"},
		{ProcessView, act("pids", "6"), "count the processes in sight"},
		{ProcessView, act("kill", strconv.Itoa(os.Getpid())), "signal the caller"},
		{InheritedFD, act("fd", strconv.Itoa(b.fd)), "use a descriptor that the caller had open"},
		{Memory, act("allocate", strconv.Itoa(2<<30)), "allocate 2 GiB with a limit of 1 GiB"},
		{FileSize, act("fill", filepath.Join(b.work, "big"), strconv.Itoa(2<<20)), "write 2 MiB with a limit of 1 MiB"},
		{OpenFiles, act("open-files", "200"), "open 200 files with a limit of 128"},
	}
	for _, call := range []string{"io_uring_setup", "bpf", "keyctl", "add_key", "userfaultfd", "perf_event_open", "ptrace", "process_vm_readv"} {
		ts = append(ts, trial{Syscalls, act("syscall", call), call})
	}
	for name, args := range map[string][3]string{
		"netlink": {"16", "3", "0"}, "packet": {"17", "3", "0"}, "vsock": {"40", "1", "0"}, "raw": {"2", "3", "1"},
	} {
		ts = append(ts, trial{Syscalls, act("socket", args[0], args[1], args[2]), "a socket of kind " + name})
	}
	if h.home != "" {
		ts = append(ts, trial{FileReads, act("list", h.home, probe.Identity(h.home)), "list the home folder"})
	}
	// Last, since it may cost the probe its life.
	return append(ts, trial{Processes, act("forks", "100"), "start 100 processes with a limit of 64"})
}

// verdict is one trial with what came of it.
type verdict struct {
	trial
	held bool
	got  string
}

// runTrials performs them all in one run, as any command is run.
func runTrials(ctx context.Context, b Backend, h host) ([]verdict, error) {
	bn, err := newBench()
	if err != nil {
		return nil, fmt.Errorf("prepare a probe: %w", err)
	}
	defer bn.close()
	trials := bn.trials(h, documented(b))
	acts := make([]probe.Act, len(trials))
	for i, t := range trials {
		acts[i] = t.act
	}
	outcomes, res, err := runProbe(ctx, b, bn.work, trialLimits, acts...)
	if err != nil {
		return nil, err
	}
	verdicts := make([]verdict, len(trials))
	for i, t := range trials {
		verdicts[i] = verdict{trial: t, got: "the probe ended before it"}
		if i < len(outcomes) {
			verdicts[i].held, verdicts[i].got = outcomes[i].Denied, outcomes[i].Got
		}
	}
	if n := len(outcomes); n < len(verdicts) && verdicts[n].act.Name == "forks" && refusedThread(res) {
		verdicts[n].held, verdicts[n].got = true, "the probe itself was refused a thread"
	}
	bn.judge(verdicts)
	return verdicts, nil
}

// refusedThread tells whether a probe ended because its own runtime could not
// have one more thread: at the limit of processes that is as good as an answer.
func refusedThread(r Result) bool {
	return strings.Contains(string(r.Stderr.Head), "failed to create new OS thread")
}

// judge corrects what only the host can see.
func (b *bench) judge(vs []verdict) {
	arrived, free := b.datagramArrived(), b.lockFree()
	for i, v := range vs {
		switch {
		case v.act.Name == "udp":
			vs[i].held = !arrived
			if !arrived {
				vs[i].got = "nothing arrived"
			}
		case v.act.Name == "linger" && !v.held: // it started; is it gone?
			vs[i].held, vs[i].got = free, "it is gone"
			if !free {
				vs[i].got = "it is still there"
			}
		case v.act.Name == "linger":
			vs[i].held = false // nothing was shown
		}
	}
	judgeFill(vs)
}

// judgeFill wants one of the fills refused: the first ones fit.
func judgeFill(vs []verdict) {
	isFill := func(v verdict) bool { return v.feature == PrivateTmp && v.act.Name == "fill" }
	held := slices.IndexFunc(vs, func(v verdict) bool { return isFill(v) && v.held && strings.Contains(v.got, "no space") })
	for i, v := range vs {
		if isFill(v) {
			vs[i].held = held >= 0
			if held >= 0 {
				vs[i].got = vs[held].got
			}
		}
	}
}

// runProbe starts this program as the command, with the acts to perform.
func runProbe(ctx context.Context, b Backend, work string, l Limits, acts ...probe.Act) ([]probe.Outcome, Result, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, Result{}, err
	}
	args, err := probe.Args(exe, acts...)
	if err != nil {
		return nil, Result{}, err
	}
	p := Policy{
		ReadOnly: []Mount{{Host: exe}}, ReadWrite: []Mount{{Host: work}},
		Dir: work, Limits: l, Require: []Feature{},
	}
	res, err := b.Run(ctx, p, Command{Args: args})
	if err != nil {
		return nil, res, err
	}
	outcomes, err := probe.Parse(res.Stdout.Head)
	if err != nil {
		return nil, res, err
	}
	if len(outcomes) == 0 {
		return nil, res, fmt.Errorf("the probe ended with %d and said nothing: %s", res.Exit, res.Stderr.Head)
	}
	return outcomes, res, nil
}
