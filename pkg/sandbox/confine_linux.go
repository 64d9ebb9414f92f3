package sandbox

import (
	"encoding/binary"
	"slices"
	"sync"
	"time"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"github.com/agentctl/agentctl/pkg/sandbox/internal/stage"
)

// rlimits turns limits into the kernel's. CPU time gets a soft limit that can be
// told apart (SIGXCPU) and a hard one a second later.
func rlimits(l Limits) []stage.Rlimit {
	rs := []stage.Rlimit{{Resource: unix.RLIMIT_CORE}}
	add := func(resource int, n int64) {
		if n >= 0 {
			rs = append(rs, stage.Rlimit{Resource: resource, Soft: uint64(n), Hard: uint64(n)})
		}
	}
	add(unix.RLIMIT_FSIZE, l.FileSize)
	add(unix.RLIMIT_NOFILE, int64(l.Files))
	add(unix.RLIMIT_NPROC, int64(l.Processes))
	if l.CPU >= 0 {
		secs := uint64((l.CPU + time.Second - 1) / time.Second)
		rs = append(rs, stage.Rlimit{Resource: unix.RLIMIT_CPU, Soft: secs, Hard: secs + 1})
	}
	add(unix.RLIMIT_DATA, l.Data)
	return rs
}

// landlockABI asks the kernel; 0 means that there is no Landlock.
var landlockABI = sync.OnceValue(func() int {
	v, _, e := unix.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if e != 0 {
		return 0
	}
	return int(v)
})

const (
	landlockRead = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	landlockV1   = 1<<13 - 1
)

// landlockFS is every right to files that this kernel can withhold.
func landlockFS(abi int) uint64 {
	rights := uint64(landlockV1)
	if abi >= 2 {
		rights |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if abi >= 3 {
		rights |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi >= 5 {
		rights |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	return rights
}

// innerLandlock is the second fence inside a built root: read everything that is
// there, write only where a mount is writable, reach no abstract socket and no
// process outside. nil where the kernel has no Landlock: the mounts hold alone.
func (pl *plan) innerLandlock() *stage.Landlock {
	abi := landlockABI()
	if abi == 0 {
		return nil
	}
	all := landlockFS(abi)
	ll := &stage.Landlock{HandledFS: all, Rules: []stage.Rule{
		{Path: "/", Access: landlockRead}, {Path: "/dev", Access: all}, {Path: guestTmp, Access: all},
	}}
	if abi >= 6 {
		ll.Scoped = landlockScopes
	}
	for _, g := range pl.grants {
		if g.write {
			ll.Rules = append(ll.Rules, stage.Rule{Path: g.guest, Access: all})
		}
	}
	return ll
}

// landlockScopes keeps abstract sockets and signals inside.
const landlockScopes = 1 | 2

// deniedCalls answer "operation not permitted": ways to other processes, to the
// kernel's own tables and to new namespaces that no data tool needs.
var deniedCalls = []string{
	"acct", "add_key", "adjtimex", "bpf", "chroot", "clock_adjtime", "clock_settime", "delete_module",
	"fanotify_init", "finit_module", "fsconfig", "fsmount", "fsopen", "fspick", "init_module",
	"io_uring_enter", "io_uring_register", "io_uring_setup", "ioperm", "iopl", "kcmp", "kexec_file_load",
	"kexec_load", "keyctl", "lookup_dcookie", "mount", "mount_setattr", "move_mount", "move_pages",
	"name_to_handle_at", "nfsservctl", "open_by_handle_at", "open_tree", "perf_event_open", "pidfd_getfd",
	"pivot_root", "process_madvise", "process_vm_readv", "process_vm_writev", "ptrace", "quotactl",
	"quotactl_fd", "reboot", "request_key", "setdomainname", "sethostname", "setns", "settimeofday",
	"swapoff", "swapon", "syslog", "umount2", "unshare", "userfaultfd", "vhangup",
}

// The two seccomp programs: one that leaves the internet to the network
// namespace, one that refuses its sockets. They are the same for every command.
var (
	openFilter   = sync.OnceValues(func() ([]byte, error) { return buildFilter(false) })
	closedFilter = sync.OnceValues(func() ([]byte, error) { return buildFilter(true) })
)

func filterFor(noInternet bool) ([]byte, error) {
	if noInternet {
		return closedFilter()
	}
	return openFilter()
}

func buildFilter(noInternet bool) ([]byte, error) {
	info, err := arch.GetInfo("")
	if err != nil {
		return nil, err
	}
	policy := filterPolicy(info, noInternet)
	program, err := policy.Assemble()
	if err != nil {
		return nil, err
	}
	raw, err := bpf.Assemble(slices.Concat(foreignArch(uint32(info.ID)), specialModes(info), program))
	if err != nil {
		return nil, err
	}
	var packed []byte
	for _, r := range raw {
		packed = binary.NativeEndian.AppendUint16(packed, r.Op)
		packed = append(packed, r.Jt, r.Jf)
		packed = binary.NativeEndian.AppendUint32(packed, r.K)
	}
	return packed, nil
}

// foreignArch refuses every call of another architecture's numbering (32-bit
// programs): the library lets those pass.
func foreignArch(id uint32) []bpf.Instruction {
	const offsetOfArch = 4
	return []bpf.Instruction{
		bpf.LoadAbsolute{Off: offsetOfArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: id, SkipTrue: 1},
		bpf.RetConstant{Val: uint32(seccomp.ActionErrno) | uint32(unix.ENOSYS)},
	}
}

// specialBits make a file run with the rights of its owner or its group. A file
// that keeps one outlives the sandbox: on the host, every user gets those rights.
const specialBits = unix.S_ISUID | unix.S_ISGID

// createFlags are those with which open makes a file: only then it has a mode.
const createFlags = unix.O_CREAT | unix.O_TMPFILE&^unix.O_DIRECTORY

// modeCalls are the calls that give a file its mode, and which argument that is.
// flags is that of open's flags, 0 where the mode always counts. The kernel leaves
// the bits out of a new folder, so mkdir is none of them: cp -r asks for those of
// the folder that it copies.
var modeCalls = []struct {
	name        string
	mode, flags uint32
}{
	{"chmod", 1, 0},
	{"fchmod", 1, 0},
	{"fchmodat", 2, 0},
	{"fchmodat2", 2, 0},
	{"mknod", 1, 0},
	{"mknodat", 2, 0},
	{"creat", 1, 0},
	{"open", 2, 1},
	{"openat", 3, 2},
}

// specialModes refuses a mode with one of the special bits. It is spelled here,
// since the library loses the number of the call once it has looked at an
// argument: what it compares afterwards is that argument. (A file made with mode
// 0666 would be taken for the call 438, which is pidfd_getfd.)
func specialModes(info *arch.Info) []bpf.Instruction {
	const offsetOfNumber = 0
	number := bpf.LoadAbsolute{Off: offsetOfNumber, Size: 4}
	out := []bpf.Instruction{number}
	for _, c := range modeCalls {
		n, ok := info.SyscallNames[c.name]
		if !ok {
			continue
		}
		body := []bpf.Instruction{
			argument(c.mode),
			bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: specialBits, SkipFalse: 1},
			bpf.RetConstant{Val: uint32(seccomp.ActionErrno) | uint32(unix.EPERM)},
			number,
		}
		if c.flags > 0 {
			body = append([]bpf.Instruction{
				argument(c.flags), bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: createFlags, SkipFalse: 3},
			}, body...)
		}
		out = append(out, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: uint32(n), SkipTrue: uint8(len(body))})
		out = append(out, body...)
	}
	return out
}

// argument loads the lower half of an argument, which is all that the kernel reads
// of a mode or of flags. Every architecture that the library knows has it first.
func argument(i uint32) bpf.Instruction {
	const offsetOfArguments = 16
	return bpf.LoadAbsolute{Off: offsetOfArguments + 8*i, Size: 4}
}

func filterPolicy(info *arch.Info, noInternet bool) seccomp.Policy {
	known := make([]string, 0, len(deniedCalls))
	for _, name := range deniedCalls {
		if _, ok := info.SyscallNames[name]; ok {
			known = append(known, name)
		}
	}
	errno := func(e unix.Errno) seccomp.Action { return seccomp.ActionErrno | seccomp.Action(e) }
	first := func(op seccomp.Operation, v uint64) seccomp.Condition { // argument
		return seccomp.Condition{Argument: 0, Operation: op, Value: v}
	}
	// The kernel reads the family as a 32-bit number, so each comparison is made
	// on values whose upper half cannot matter: only exact small values pass.
	otherFamily := seccomp.ArgumentConditions{first(seccomp.NotEqual, unix.AF_UNIX)}
	if !noInternet {
		otherFamily = append(otherFamily, first(seccomp.NotEqual, unix.AF_INET), first(seccomp.NotEqual, unix.AF_INET6))
	}
	return seccomp.Policy{
		DefaultAction: seccomp.ActionAllow,
		Syscalls: []seccomp.SyscallGroup{
			// The flags of clone3 and the mode of openat2 lie in memory, where a filter
			// cannot look; a missing call makes libraries fall back to clone and openat.
			{Action: errno(unix.ENOSYS), Names: []string{"clone3", "openat2"}},
			{Action: errno(unix.EPERM), Names: known, NamesWithCondtions: []seccomp.NameWithConditions{
				{Name: "socket", Conditions: otherFamily},
				{Name: "clone", Conditions: seccomp.ArgumentConditions{first(seccomp.BitsSet, newNamespaces)}},
			}},
		},
	}
}

// newNamespaces are the flags of clone that make any namespace.
const newNamespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
	unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP
