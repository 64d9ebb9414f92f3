// Package stage is the part of the sandbox that runs inside it: a re-exec of
// the running program that finishes the confinement and starts the command.
//
// It has two roles. "init" is process 1 of the new PID namespace: it mounts
// (native only), starts the second role, reaps, passes on a termination asked
// for by the host, and reports how the command ended. "tool" limits itself and
// becomes the command.
//
// House rules: this package imports only light parts of the standard library.
// Go initialises packages in import-path order once their imports are ready, so
// a stage that needs nothing else runs in its own init before any heavy package
// of the program does, and never pays for them. That is also why the kernel is
// called through package syscall here and not through x/sys or go-landlock.
package stage

// Marker is the first argument that turns a start of the program into a stage.
// The inherited files below must be there too, so typing it does nothing.
const Marker = "\x01agentctl-sandbox-stage"

// The roles, given as the second argument.
const (
	RoleInit = "init"
	RoleTool = "tool"
)

// The inherited files of a stage.
const (
	ConfigFD  = 3 // the Config as JSON, read from offset 0
	StatusFD  = 4 // lines for the host, see Status*
	ControlFD = 5 // a byte asks for SIGTERM; end of file means: end now
	ExeFD     = 6 // the program itself, for a backend that executes it by number
)

// The words that start a line on the status channel.
const (
	StatusFault = "fault" // TEXT: the sandbox could not be made
	StatusDir   = "dir"   // TEXT: the working directory cannot be entered
	StatusReady = "ready" // everything holds; the command is executed next
	StatusExec  = "exec"  // ERRNO TEXT: the command could not be executed
	StatusExit  = "exit"  // CODE SIGNAL CPU-MICROSECONDS ORPHANS(0|1)
)

// Config tells both roles what to do. The host writes it.
type Config struct {
	Args []string
	Env  []string // the whole environment, K=V
	Dir  string
	// Mounts are made in this order below a new root; none for a backend that
	// has made its own.
	Mounts []Mount `json:",omitempty"`
	// Namespaces says that the init role owns fresh namespaces to finish:
	// loopback, host name, no further user namespace.
	Namespaces bool
	// Cgroup are inherited descriptors of cgroup.procs files to join.
	Cgroup   []int `json:",omitempty"`
	Rlimits  []Rlimit
	Landlock *Landlock `json:",omitempty"`
	// Filter is the seccomp program: packed struct sock_filter, 8 bytes each, in
	// this machine's byte order.
	Filter []byte
}

// The kinds of mount.
const (
	BindRO    = "ro"      // Source at Target, read-only, recursive
	BindRW    = "rw"      // Source at Target, recursive
	Device    = "device"  // Source at Target, usable as a device
	Tmpfs     = "tmpfs"   // Size and Mode
	Proc      = "proc"    // a fresh procfs
	Dev       = "dev"     // a minimal /dev
	Symlink   = "symlink" // Source is what the link says
	File      = "file"    // Data and Mode
	Dir       = "dir"     // Mode
	RemountRO = "remount" // Target becomes read-only, not what is mounted below
)

// Mount is one step of building the root that the command sees.
type Mount struct {
	Kind           string
	Source, Target string
	Size           int64
	Mode           uint32
	Data           []byte
}

// Rlimit is one resource limit of the command.
type Rlimit struct {
	Resource   int
	Soft, Hard uint64
}

// Landlock is a ruleset: what is handled is denied outside the rules.
type Landlock struct {
	HandledFS, HandledNet, Scoped uint64
	Rules                         []Rule
}

// Rule allows Access below Path. A path that does not exist is left out.
type Rule struct {
	Path   string
	Access uint64
}
