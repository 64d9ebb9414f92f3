package sandbox

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agentctl/agentctl/pkg/sandbox/internal/probe"
)

// mechanisms names what a backend enforces each feature with.
type mechanisms func(Feature) string

// probeReport runs every trial against a backend and makes the table.
func probeReport(ctx context.Context, b Backend, h host, how mechanisms) Report {
	r := Report{Backend: b.Name()}
	cpu := make(chan Protection, 1)
	go func() { cpu <- cpuProtection(ctx, b, how) }() // takes a second by itself
	verdicts, err := runTrials(ctx, b, h)
	if err != nil {
		<-cpu
		return unavailable(b.Name(), err)
	}
	r.Protections = protections(verdicts, how)
	r.setProtection(<-cpu)
	r.summarize()
	return r
}

// protections makes one row a feature, in the table's order. A feature that was
// not tried has no row yet.
func protections(vs []verdict, how mechanisms) []Protection {
	var rows []Protection
	for _, f := range AllFeatures() {
		var held, failed []verdict
		for _, v := range vs {
			switch {
			case v.feature != f:
			case v.held:
				held = append(held, v)
			default:
				failed = append(failed, v)
			}
		}
		if len(held)+len(failed) > 0 {
			rows = append(rows, row(f, held, failed, how))
		}
	}
	return rows
}

func row(f Feature, held, failed []verdict, how mechanisms) Protection {
	p := Protection{Feature: f, State: Enforced, How: how(f)}
	shown := held
	if len(failed) > 0 {
		p.State, p.Cure, shown = Partially, cures[f], failed
		if len(held) == 0 {
			p.State = Missing
		}
	}
	var said []string
	for _, v := range shown {
		if text := v.say + ": " + v.got; !slices.Contains(said, text) {
			said = append(said, text)
		}
	}
	p.Proof = strings.Join(said, "; ")
	return p
}

// cures say what helps where a feature did not hold.
var cures = map[Feature]string{
	Processes:   "run as an ordinary user: the kernel does not count the processes of root; or make a pids control group writable",
	UnixSockets: "use bwrap or native with user namespaces; Landlock alone does not hold back sockets by path",
	TreeKill:    "use bwrap or native with user namespaces",
	PrivateTmp:  "use bwrap or native with user namespaces",
	Privileges:  "use bwrap or native: their filter refuses the setuid bit",
	ProcessView: "use bwrap or native with user namespaces",
	Namespaces:  "use bwrap or native on a kernel with seccomp",
	Syscalls:    "use bwrap or native on a kernel with seccomp",
}

func (r *Report) setProtection(p Protection) {
	for i, f := range AllFeatures() {
		if f == p.Feature {
			at := min(i, len(r.Protections))
			r.Protections = slices.Insert(r.Protections, at, p)
			return
		}
	}
}

func (r *Report) summarize() {
	r.State = OK
	var weak []string
	for _, p := range r.Protections {
		if p.State != Enforced {
			weak = append(weak, string(p.Feature))
		}
	}
	if len(weak) > 0 {
		r.State, r.Reason = Partial, "not fully enforced: "+strings.Join(weak, ", ")
	}
}

// cpuProtection lets a probe use more time than it has.
func cpuProtection(ctx context.Context, b Backend, how mechanisms) Protection {
	p := Protection{Feature: CPU, State: Missing, How: how(CPU)}
	bn, err := newBench()
	if err != nil {
		p.Proof = err.Error()
		return p
	}
	defer bn.close()
	limits := trialLimits
	limits.CPU = time.Second
	_, res, err := runProbe(ctx, b, bn.work, limits, probe.Act{Name: "spin", Args: []string{"4"}})
	switch {
	case res.CPULimit:
		p.State, p.Proof = Enforced, fmt.Sprintf("use 4 seconds of CPU time with a limit of 1: ended by %s", res.Signal)
	case err != nil:
		p.Proof = err.Error()
	default:
		p.Proof = "used 4 seconds of CPU time with a limit of 1"
	}
	return p
}

// stageMechanism names what the stage does for every backend that uses it.
func stageMechanism(f Feature) string {
	switch f {
	case Env:
		return "environment built from nothing, handed over in memory"
	case Privileges:
		return "no_new_privs, all capabilities dropped; seccomp filter for the modes of files"
	case Syscalls:
		return "seccomp filter"
	case Namespaces:
		return "seccomp filter; no user namespaces left"
	case InheritedFD:
		return "close_range"
	case Memory:
		return "RLIMIT_DATA, per process; for root also a control group"
	case CPU:
		return "RLIMIT_CPU, per process"
	case FileSize:
		return "RLIMIT_FSIZE"
	case OpenFiles:
		return "RLIMIT_NOFILE"
	case Processes:
		return "RLIMIT_NPROC in an own user namespace; for root a control group"
	}
	return ""
}

func landlockVersion() string {
	if abi := landlockABI(); abi > 0 {
		return fmt.Sprintf("Landlock ABI %d", abi)
	}
	return "no Landlock in this kernel"
}
