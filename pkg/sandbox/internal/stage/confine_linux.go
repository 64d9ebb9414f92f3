package stage

import (
	"encoding/binary"
	"os"
	"strconv"
	"syscall"
	"unsafe"
)

// Numbers that package syscall does not have; they are the same on every
// architecture that Go's Linux port knows, MIPS aside.
const (
	sysCloseRange        = 436
	sysLandlockCreate    = 444
	sysLandlockAddRule   = 445
	sysLandlockRestrict  = 446
	closeRangeCloexec    = 4
	landlockPathBeneath  = 1
	openPath             = 0x200000
	prSetNoNewPrivs      = 38
	prSetChildSubreaper  = 36
	prCapBSetRead        = 23
	prCapBSetDrop        = 24
	prCapAmbient         = 47
	prCapAmbientClearAll = 4
	seccompModeFilter    = 2
	capabilityVersion3   = 0x20080522
	lastCapability       = 63
)

func prctl(op, arg uintptr) error {
	if _, _, e := syscall.RawSyscall6(syscall.SYS_PRCTL, op, arg, 0, 0, 0, 0); e != 0 {
		return e
	}
	return nil
}

// sealInherited makes everything but stdin, stdout and stderr vanish at the
// next exec, also what the caller's own parent had left open.
func sealInherited() {
	if _, _, e := syscall.RawSyscall(sysCloseRange, 3, ^uintptr(0)>>1, closeRangeCloexec); e == 0 {
		return
	}
	dir, err := os.ReadDir("/proc/self/fd")
	check("list open files", err)
	for _, entry := range dir {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}

// setLimits sets all limits but RLIMIT_DATA, which it returns.
func setLimits(limits []Rlimit) *Rlimit {
	var data *Rlimit
	for i, l := range limits {
		if l.Resource == syscall.RLIMIT_DATA {
			data = &limits[i]
			continue
		}
		check("limit "+strconv.Itoa(l.Resource), setrlimit(l))
	}
	return data
}

// setrlimit never asks for more than the hard limit that is already there.
func setrlimit(l Rlimit) error {
	// The plain call: syscall.Setrlimit has bookkeeping for RLIMIT_NOFILE that
	// would undo the value at the next exec.
	var old [2]uint64
	if _, _, e := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, 0, uintptr(l.Resource), 0, uintptr(unsafe.Pointer(&old)), 0, 0); e != 0 {
		return e
	}
	lim := [2]uint64{min(l.Soft, old[1]), min(l.Hard, old[1])}
	if _, _, e := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, 0, uintptr(l.Resource), uintptr(unsafe.Pointer(&lim)), 0, 0, 0); e != 0 {
		return e
	}
	return nil
}

// dropCapabilities empties every set. The bounding set comes first: user 0
// would get all of it back at the next exec. Without the right to drop, the set
// must be harmless already.
func dropCapabilities() error {
	for c := uintptr(0); c <= lastCapability; c++ {
		if !inBoundingSet(c) {
			continue
		}
		if err := prctl(prCapBSetDrop, c); err != nil && os.Geteuid() == 0 {
			return err
		}
	}
	_ = prctl(prCapAmbient, prCapAmbientClearAll)
	head := struct {
		version uint32
		pid     int32
	}{capabilityVersion3, 0}
	var sets [2]struct{ effective, permitted, inheritable uint32 }
	if _, _, e := syscall.RawSyscall(syscall.SYS_CAPSET, uintptr(unsafe.Pointer(&head)), uintptr(unsafe.Pointer(&sets)), 0); e != 0 {
		return e
	}
	return nil
}

func inBoundingSet(c uintptr) bool {
	set, _, e := syscall.RawSyscall6(syscall.SYS_PRCTL, prCapBSetRead, c, 0, 0, 0, 0)
	return e == 0 && set == 1
}

func loadFilter(filter []byte) error {
	const size = int(unsafe.Sizeof(syscall.SockFilter{}))
	if len(filter) == 0 || len(filter)%size != 0 {
		return syscall.EINVAL
	}
	// SockFprog wants an aligned program; a fresh slice of the real type is.
	prog := make([]syscall.SockFilter, len(filter)/size)
	for i := range prog {
		in := filter[i*size:]
		prog[i] = syscall.SockFilter{Code: binary.NativeEndian.Uint16(in), Jt: in[2], Jf: in[3], K: binary.NativeEndian.Uint32(in[4:])}
	}
	fprog := syscall.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]}
	_, _, e := syscall.RawSyscall6(syscall.SYS_PRCTL, syscall.PR_SET_SECCOMP, seccompModeFilter, uintptr(unsafe.Pointer(&fprog)), 0, 0, 0)
	if e != 0 {
		return e
	}
	return nil
}
