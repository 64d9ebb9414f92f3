package stage

import (
	"encoding/binary"
	"syscall"
	"unsafe"
)

// restrict applies a Landlock ruleset to this thread, which is the one that
// executes the command.
func restrict(l *Landlock) error {
	if l == nil {
		return nil
	}
	attr := [3]uint64{l.HandledFS, l.HandledNet, l.Scoped}
	fd, _, e := syscall.RawSyscall(sysLandlockCreate, uintptr(unsafe.Pointer(&attr)), l.attrSize(), 0)
	if e != 0 {
		return e
	}
	for _, r := range l.Rules {
		if err := addRule(fd, r); err != nil {
			return err
		}
	}
	if _, _, e := syscall.RawSyscall(sysLandlockRestrict, fd, 0, 0); e != 0 {
		return e
	}
	return nil
}

// attrSize is the size of the attribute structure that the kernel knows: older
// ones refuse fields that they do not have.
func (l *Landlock) attrSize() uintptr {
	switch {
	case l.Scoped != 0:
		return 24
	case l.HandledNet != 0:
		return 16
	}
	return 8
}

// The rights that make sense for something that is no directory.
const landlockFileRights = 1<<0 | 1<<1 | 1<<2 | 1<<14 | 1<<15

func addRule(ruleset uintptr, r Rule) error {
	fd, err := syscall.Open(r.Path, openPath|syscall.O_CLOEXEC, 0)
	if err == syscall.ENOENT {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = syscall.Close(fd) }()
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return err
	}
	access := r.Access
	if st.Mode&syscall.S_IFMT != syscall.S_IFDIR {
		access &= landlockFileRights
	}
	if access == 0 {
		return nil
	}
	// struct landlock_path_beneath_attr is packed: 8 bytes, then 4.
	var attr [12]byte
	binary.NativeEndian.PutUint64(attr[:8], access)
	binary.NativeEndian.PutUint32(attr[8:], uint32(fd))
	_, _, e := syscall.RawSyscall6(sysLandlockAddRule, ruleset, landlockPathBeneath, uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if e != 0 {
		return e
	}
	return nil
}
