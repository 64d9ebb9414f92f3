// Package sandbox runs one untrusted command under a policy and tells what it
// did and what could not be enforced.
//
// Use [Open] to get a backend that has proven itself on this machine, then
// [Backend.Run]. A command that ran and failed is a [Result]; an error means
// that it could not be run as the policy asks: a [*Fault] of the sandbox, a
// [*NotFoundError] for a program that does not exist, or a [*PolicyError].
//
// The package is a leaf: it imports nothing else of agentctl, so other programs
// can use it and other backends can be tested with sandboxtest.
package sandbox

import (
	"context"
	"io"
	"time"
)

// Backend confines commands in one way. Name is what users type and what every
// result carries: "bwrap", "native", "container" or "none".
type Backend interface {
	Name() string
	// Probe tries each protection and reports what holds on this machine. It
	// never trusts a version or the presence of a file.
	Probe(ctx context.Context) Report
	// Run starts the command and waits until its whole process tree is gone.
	Run(ctx context.Context, p Policy, c Command) (Result, error)
}

// RunFunc is the seam for everything that runs a command: [Backend.Run] is one,
// a test fake is three lines.
type RunFunc func(ctx context.Context, p Policy, c Command) (Result, error)

// Feature names one protection. The doctor's table, [Policy.Require] and
// [Result.Missing] use the same names.
type Feature string

// The protections that a backend may enforce.
const (
	FileReads   Feature = "file-reads"   // only granted paths can be read
	FileWrites  Feature = "file-writes"  // only granted paths can be written
	Network     Feature = "network"      // no address outside can be reached
	Env         Feature = "env"          // no variable of the caller is visible
	TreeKill    Feature = "tree-kill"    // no process survives the call
	PrivateTmp  Feature = "private-tmp"  // own /tmp and home, limited in size
	UnixSockets Feature = "unix-sockets" // no socket of the host can be reached
	Privileges  Feature = "privileges"   // no new privileges, no capabilities
	Syscalls    Feature = "syscalls"     // the dangerous system calls are denied
	Namespaces  Feature = "namespaces"   // no new user namespace
	ProcessView Feature = "process-view" // only the own tree is visible
	InheritedFD Feature = "inherited-fds"
	Memory      Feature = "memory"
	CPU         Feature = "cpu"
	FileSize    Feature = "file-size"
	Processes   Feature = "processes"
	OpenFiles   Feature = "open-files"
)

// Required are the protections without which no backend is chosen by itself.
var Required = []Feature{FileReads, FileWrites, Network, Env, TreeKill}

// NetworkMode says what a command may reach.
type NetworkMode string

// The network modes. The zero value is none.
const (
	NetworkNone NetworkMode = ""
	NetworkFull NetworkMode = "full"
)

// Mount makes a host path visible inside.
type Mount struct {
	Host     string // absolute
	Guest    string // where it appears; "" means at its own path
	Optional bool   // a missing host path is left out instead of refused
}

// Policy is what one command may do. The zero value denies everything but the
// system's libraries and a private tmp and home.
type Policy struct {
	ReadOnly  []Mount
	ReadWrite []Mount
	// Protect are absolute paths below a ReadWrite mount that stay read-only,
	// also against renaming a parent. A path that does not exist is watched:
	// when it appears during the run, [Result.Appeared] names it.
	Protect []string
	// Watch are folders below a ReadWrite mount of which Result.Appeared names the
	// files that make them worth protecting.
	Watch []FolderWatch
	// Dir is the working directory; "" means the private tmp.
	Dir     string
	Network NetworkMode
	// Env is added to the environment, which is built from nothing: PATH, HOME,
	// TMPDIR, LANG and TZ only. Secrets come this way, never in argv.
	Env    map[string]string
	Limits Limits
	// Require lists protections without which Run refuses; nil means [Required].
	Require []Feature
}

// Limits bound one run. A zero field means the default of [DefaultLimits]; a
// negative one means no limit.
type Limits struct {
	Wall, CPU        time.Duration
	Data, FileSize   int64 // bytes
	Tmp              int64 // bytes in the private tmp
	Processes, Files int
	// Head and Tail are the bytes kept of each output stream.
	Head, Tail int
}

// DefaultLimits are generous for a data tool and small for an accident.
var DefaultLimits = Limits{
	Wall: time.Minute, CPU: time.Minute,
	Data: 2 << 30, FileSize: 256 << 20, Tmp: 1 << 30,
	Processes: 256, Files: 256,
	Head: 64 << 10, Tail: 64 << 10,
}

// Command is what to run.
type Command struct {
	// Args is the program and its arguments. The program is an absolute path, a
	// path relative to Policy.Dir, or a name that is looked for on the fixed PATH
	// inside.
	Args []string
	// Stdin is passed on; nil means end of file at once.
	Stdin io.Reader
	// Stdout and Stderr receive every byte while the command runs, besides the
	// bounded capture in the result; nil means capture only. A writer that fails
	// ends the run, and its error is in [Result.OutputErr].
	Stdout, Stderr io.Writer
}

// Capture is the bounded memory of one output stream.
type Capture struct {
	Head, Tail []byte
	// Dropped counts the bytes between Head and Tail that were not kept.
	Dropped int64
}

// Result says how a command ended and what was not enforced.
type Result struct {
	// Exit is the exit code; 128+n when signal n ended it.
	Exit int
	// Signal is the name of that signal, e.g. "SIGKILL"; "" for none.
	Signal string
	// TimedOut, Canceled: the run was ended by its wall limit, by the context.
	TimedOut, Canceled bool
	// OOM, CPULimit, FileLimit: ended by that limit, as observed, not guessed.
	OOM, CPULimit, FileLimit bool
	// OrphanPipe: the command ended, but something it started still held its
	// output; what came until then is kept.
	OrphanPipe     bool
	OutputErr      error
	Stdout, Stderr Capture
	Duration       time.Duration
	// Backend is the name of the backend; Missing what it could not enforce.
	Backend string
	Missing []Feature
	// Appeared are the paths of Policy.Protect that came into being, or that changed
	// where the backend cannot hold them.
	Appeared []string
	// Hints explain a failure that the sandbox caused, e.g. a path not granted.
	Hints []string
	// Warnings are for the person alone, not for whoever reads the output.
	Warnings []string
}

// Report is what a backend's probe found.
type Report struct {
	Backend string
	// State is ok, partial or unavailable.
	State  State
	Reason string // why it is not ok
	Cure   string // the command or setting that helps
	// Protections has one entry a feature, in a fixed order.
	Protections []Protection
}

// State of a whole backend.
type State string

// The states of a backend.
const (
	OK          State = "ok"
	Partial     State = "partial"
	Unavailable State = "unavailable"
)

// Protection is one row of the doctor's table.
type Protection struct {
	Feature Feature
	// State is enforced, partial or missing.
	State ProtectionState
	// How names the mechanism, e.g. "bwrap 0.8.0, mount namespace".
	How string
	// Proof is the forbidden act that was tried, and what came of it.
	Proof string
	Cure  string
}

// ProtectionState of one feature.
type ProtectionState string

// The states of a protection.
const (
	Enforced  ProtectionState = "enforced"
	Partially ProtectionState = "partial"
	Missing   ProtectionState = "missing"
)
