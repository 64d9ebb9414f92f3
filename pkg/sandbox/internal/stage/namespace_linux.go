package stage

import (
	"os"
	"syscall"
	"unsafe"
)

// finishNamespaces sets what a fresh set of namespaces lacks.
func finishNamespaces() {
	check("host name", syscall.Sethostname([]byte("sandbox")))
	raiseLoopback()
}

// raiseLoopback lets programs inside talk to themselves. In a network namespace
// of the host, which is up already, it changes nothing.
func raiseLoopback() {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return // a kernel without IPv4: nothing to raise
	}
	defer func() { _ = syscall.Close(fd) }()
	var req struct {
		name  [16]byte
		flags uint16
		_     [22]byte
	}
	copy(req.name[:], "lo")
	req.flags = syscall.IFF_UP | syscall.IFF_RUNNING
	_, _, _ = syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&req)))
}

// closeUserNamespaces forbids more of them: each would hand out every
// capability anew. The limit belongs to this namespace and counts its children.
func closeUserNamespaces() {
	const limit = "/proc/sys/user/max_user_namespaces"
	check("forbid user namespaces", os.WriteFile(limit, []byte("0"), 0))
}
