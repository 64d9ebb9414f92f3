package probe

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

func kill(a []string) (string, error) {
	pid, _ := strconv.Atoi(a[0])
	return "may signal it", unix.Kill(pid, 0)
}

func ptrace(a []string) (string, error) {
	pid, _ := strconv.Atoi(a[0])
	if err := unix.PtraceAttach(pid); err != nil {
		return "", err
	}
	return "attached", unix.PtraceDetach(pid)
}

func memoryOf(a []string) (string, error) {
	f, err := os.OpenFile("/proc/"+a[0]+"/mem", os.O_RDWR, 0)
	if err != nil {
		return "", err
	}
	return "opened its memory", f.Close()
}

func userns([]string) (string, error) {
	runtime.LockOSThread()
	return "made a user namespace", unix.Unshare(unix.CLONE_NEWUSER)
}

// usernsClone forks; the child does nothing but exit.
func usernsClone([]string) (string, error) {
	pid, _, e := unix.RawSyscall6(unix.SYS_CLONE, unix.CLONE_NEWUSER|uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	return afterFork(pid, e)
}

func usernsClone3([]string) (string, error) {
	args := struct {
		flags, pidfd, childTID, parentTID, exitSignal, stack, stackSize, tls uint64
	}{flags: unix.CLONE_NEWUSER, exitSignal: uint64(unix.SIGCHLD)}
	pid, _, e := unix.RawSyscall(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&args)), unsafe.Sizeof(args), 0)
	return afterFork(pid, e)
}

func afterFork(pid uintptr, e unix.Errno) (string, error) {
	if e != 0 {
		return "", e
	}
	if pid == 0 {
		_, _, _ = unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
	}
	_, _ = unix.Wait4(int(pid), nil, 0, nil)
	return "made a user namespace", nil
}

// mounts tries each way to change what is mounted; one that works is enough.
func mounts([]string) (string, error) {
	tries := []struct {
		name string
		err  error
	}{
		{"tmpfs", unix.Mount("tmpfs", "/tmp", "tmpfs", 0, "")},
		{"remount / writable", unix.Mount("", "/", "", unix.MS_REMOUNT|unix.MS_BIND, "")},
		{"bind", unix.Mount("/usr", "/tmp", "", unix.MS_BIND, "")},
		{"pivot_root", unix.PivotRoot("/tmp", "/tmp")},
		{"unmount", unix.Unmount("/tmp", unix.MNT_DETACH)},
	}
	_, err := unix.OpenTree(unix.AT_FDCWD, "/", unix.OPEN_TREE_CLONE)
	tries = append(tries, struct {
		name string
		err  error
	}{"open_tree", err})
	var said []string
	for _, t := range tries {
		if t.err == nil {
			return t.name + " worked", nil
		}
		said = append(said, t.name+": "+t.err.Error())
	}
	return "", errors.New(strings.Join(said, ", "))
}

// trySyscall makes one call by name with harmless arguments. Refused means
// "operation not permitted" or "not implemented": any other error comes from the
// kernel having looked at the arguments.
func trySyscall(a []string) (string, error) {
	e := callByName(a[0])
	if e == unix.EPERM || e == unix.ENOSYS {
		return "", e
	}
	return "the kernel took the call (" + e.Error() + ")", nil
}

func callByName(name string) unix.Errno {
	var buf [256]byte
	p := uintptr(unsafe.Pointer(&buf))
	call := func(n uintptr, args ...uintptr) unix.Errno {
		args = append(args, 0, 0, 0, 0, 0, 0)
		_, _, e := unix.Syscall6(n, args[0], args[1], args[2], args[3], args[4], args[5])
		return e
	}
	switch name {
	case "io_uring_setup":
		return call(unix.SYS_IO_URING_SETUP, 1, p)
	case "bpf":
		return call(unix.SYS_BPF, 0, p, 16)
	case "keyctl":
		return call(unix.SYS_KEYCTL, 0, ^uintptr(2), 0)
	case "add_key":
		return call(unix.SYS_ADD_KEY, 0, 0, 0, 0, ^uintptr(2))
	case "userfaultfd":
		return call(unix.SYS_USERFAULTFD, 1) // user mode only: needs no privilege
	case "perf_event_open":
		return call(unix.SYS_PERF_EVENT_OPEN, p, 0, ^uintptr(0), ^uintptr(0))
	case "process_vm_readv":
		return call(unix.SYS_PROCESS_VM_READV, uintptr(os.Getpid()), 0, 0, 0, 0, 0)
	case "ptrace":
		return call(unix.SYS_PTRACE, unix.PTRACE_PEEKDATA, uintptr(os.Getpid()), 0, p)
	case "name_to_handle_at":
		return call(unix.SYS_NAME_TO_HANDLE_AT, ^uintptr(99), 0, p, p)
	case "setns":
		return call(unix.SYS_SETNS, 0, 0)
	case "kcmp":
		return call(unix.SYS_KCMP, uintptr(os.Getpid()), uintptr(os.Getpid()), 0, 0, 0)
	}
	return unix.EINVAL
}

// privileges reports anything that a process without privileges does not have.
func privileges([]string) (string, error) {
	data, err := os.ReadFile("/proc/thread-self/status")
	if err != nil {
		return "", fmt.Errorf("nothing to see: %w", err)
	}
	var wrong []string
	for line := range strings.SplitSeq(string(data), "\n") {
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		bad := false
		switch key {
		case "CapInh", "CapPrm", "CapEff", "CapAmb", "CapBnd":
			bad = strings.Trim(value, "0") != ""
		case "NoNewPrivs":
			bad = value != "1"
		default:
			continue
		}
		if bad {
			wrong = append(wrong, key+" "+value)
		}
	}
	if len(wrong) == 0 {
		return "", errors.New("no capability in any set, no_new_privs is on")
	}
	return "has " + strings.Join(wrong, ", "), nil
}

func setuid(a []string) (string, error) {
	n, _ := strconv.Atoi(a[0])
	runtime.LockOSThread()
	_, _, e := unix.RawSyscall(unix.SYS_SETUID, uintptr(n), 0, 0)
	if e != 0 {
		return "", e
	}
	return "became user " + a[0], nil
}

// terminal pushes a character into the controlling terminal, also with bits
// above the 32 that the kernel looks at.
func terminal([]string) (string, error) {
	fd, err := unix.Open("/dev/tty", unix.O_RDWR, 0)
	if err != nil {
		return "", err
	}
	c := byte('x')
	for _, request := range []uintptr{unix.TIOCSTI, unix.TIOCSTI | 1<<32} {
		if _, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(unsafe.Pointer(&c))); e == 0 {
			return "pushed a character", nil
		}
	}
	return "", errors.New("the terminal took nothing")
}
