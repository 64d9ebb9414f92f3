package stage

import (
	"os"
	"path"
	"strconv"
	"syscall"
	"unsafe"
)

// More numbers that package syscall does not have.
const (
	sysOpenTree     = 428
	sysMoveMount    = 429
	sysMountSetattr = 442

	atFDCWD      = ^uintptr(99) // -100
	atEmptyPath  = 0x1000
	atRecursive  = 0x8000
	treeClone    = 1
	treeCloexec  = syscall.O_CLOEXEC
	moveFromFD   = 4 // MOVE_MOUNT_F_EMPTY_PATH
	attrReadOnly = 1
	attrNoSuid   = 2
	attrNoDev    = 4
)

// base is where the new root is built before it becomes the root.
const base = "/tmp"

// buildRoot makes the mounts and throws the host's tree away. All sources are
// taken before the root changes, and all targets are resolved after it, so a
// symbolic link in one tree can never lead into the other.
func buildRoot(mounts []Mount) {
	check("keep mounts private", syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""))
	trees := make([]int, len(mounts))
	for i, m := range mounts {
		trees[i] = takeTree(m)
	}
	devices := takeDevices(mounts)
	check("new root", syscall.Mount("tmpfs", base, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, "mode=0755"))
	check("enter the new root", syscall.Chdir(base))
	check("old root", os.Mkdir("old", 0o700))
	check("pivot", syscall.PivotRoot(".", "old"))
	check("enter the new root", syscall.Chdir("/"))
	// A fresh procfs is only allowed while the host's is still in sight.
	check("proc", os.Mkdir("/proc", 0o755))
	check("proc", syscall.Mount("proc", "/proc", "proc", syscall.MS_NOSUID|syscall.MS_NODEV|syscall.MS_NOEXEC, ""))
	closeUserNamespaces()
	check("leave the old root", syscall.Unmount("/old", syscall.MNT_DETACH))
	check("leave the old root", os.Remove("/old"))
	for i, m := range mounts {
		check("mount "+m.Target, place(m, trees[i], devices))
	}
}

// takeTree clones the mount tree at the source of a bind and sets its flags.
func takeTree(m Mount) int {
	if m.Kind != BindRO && m.Kind != BindRW {
		return -1
	}
	fd, err := cloneTree(m.Source)
	check("open "+m.Source, err)
	flags := uint64(attrNoSuid | attrNoDev)
	if m.Kind == BindRO {
		flags |= attrReadOnly
	}
	check("restrict "+m.Source, setFlags(fd, flags))
	return fd
}

var deviceNames = []string{"null", "zero", "full", "random", "urandom", "tty"}

func takeDevices(mounts []Mount) map[string]int {
	fds := map[string]int{}
	for _, m := range mounts {
		if m.Kind != Dev {
			continue
		}
		for _, name := range deviceNames {
			fd, err := cloneTree("/dev/" + name)
			check("open /dev/"+name, err)
			fds[name] = fd
		}
	}
	return fds
}

func place(m Mount, tree int, devices map[string]int) error {
	if err := os.MkdirAll(path.Dir(m.Target), 0o755); err != nil {
		return err
	}
	switch m.Kind {
	case BindRO, BindRW:
		return placeTree(tree, m.Target)
	case Tmpfs:
		return mountTmpfs(m)
	case Proc:
		return nil // made with the root
	case Dev:
		return placeDev(m.Target, devices)
	case Symlink:
		return os.Symlink(m.Source, m.Target)
	case File:
		return os.WriteFile(m.Target, m.Data, os.FileMode(m.Mode))
	case Dir:
		return os.MkdirAll(m.Target, os.FileMode(m.Mode))
	case RemountRO:
		return remountReadOnly(m.Target)
	}
	return syscall.EINVAL
}

// placeTree puts a cloned tree on its target, which it makes where it is
// missing: a directory for a directory, an empty file for anything else.
func placeTree(tree int, target string) error {
	var st syscall.Stat_t
	if err := syscall.Fstat(tree, &st); err != nil {
		return err
	}
	if _, err := os.Lstat(target); err != nil {
		if err := makeTarget(st.Mode, target); err != nil {
			return err
		}
	}
	return moveTree(tree, target)
}

func makeTarget(mode uint32, target string) error {
	if mode&syscall.S_IFMT == syscall.S_IFDIR {
		return os.Mkdir(target, 0o755)
	}
	return os.WriteFile(target, nil, 0o644)
}

func mountTmpfs(m Mount) error {
	if err := os.MkdirAll(m.Target, 0o755); err != nil {
		return err
	}
	opts := "mode=0" + strconv.FormatUint(uint64(m.Mode), 8)
	if m.Size > 0 {
		opts += ",size=" + strconv.FormatInt(m.Size, 10)
	}
	return syscall.Mount("tmpfs", m.Target, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, opts)
}

// placeDev makes a /dev with the harmless devices and own terminals.
func placeDev(dir string, devices map[string]int) error {
	if err := mountTmpfs(Mount{Target: dir, Mode: 0o755, Size: 64 << 10}); err != nil {
		return err
	}
	for name, fd := range devices {
		if err := placeTree(fd, path.Join(dir, name)); err != nil {
			return err
		}
	}
	links := [][2]string{
		{"/proc/self/fd", "fd"},
		{"/proc/self/fd/0", "stdin"},
		{"/proc/self/fd/1", "stdout"},
		{"/proc/self/fd/2", "stderr"},
		{"pts/ptmx", "ptmx"},
	}
	for _, l := range links {
		if err := os.Symlink(l[0], path.Join(dir, l[1])); err != nil {
			return err
		}
	}
	for _, d := range []string{"shm", "pts"} {
		if err := os.Mkdir(path.Join(dir, d), 0o755); err != nil {
			return err
		}
	}
	return syscall.Mount("devpts", path.Join(dir, "pts"), "devpts", syscall.MS_NOSUID|syscall.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620")
}

func cloneTree(source string) (int, error) {
	p, err := syscall.BytePtrFromString(source)
	if err != nil {
		return -1, err
	}
	fd, _, e := syscall.Syscall(sysOpenTree, atFDCWD, uintptr(unsafe.Pointer(p)), treeClone|treeCloexec|atRecursive)
	if e != 0 {
		return -1, e
	}
	return int(fd), nil
}

func moveTree(tree int, target string) error {
	empty := [1]byte{}
	p, err := syscall.BytePtrFromString(target)
	if err != nil {
		return err
	}
	_, _, e := syscall.Syscall6(sysMoveMount, uintptr(tree), uintptr(unsafe.Pointer(&empty)), atFDCWD, uintptr(unsafe.Pointer(p)), moveFromFD, 0)
	if e != 0 {
		return e
	}
	return nil
}

func setFlags(tree int, flags uint64) error {
	empty := [1]byte{}
	attr := struct{ set, clear, propagation, userns uint64 }{set: flags}
	_, _, e := syscall.Syscall6(sysMountSetattr, uintptr(tree), uintptr(unsafe.Pointer(&empty)), atEmptyPath|atRecursive, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if e != 0 {
		return e
	}
	return nil
}

// remountReadOnly changes this one mount, not those below it.
func remountReadOnly(target string) error {
	p, err := syscall.BytePtrFromString(target)
	if err != nil {
		return err
	}
	attr := struct{ set, clear, propagation, userns uint64 }{set: attrReadOnly}
	_, _, e := syscall.Syscall6(sysMountSetattr, atFDCWD, uintptr(unsafe.Pointer(p)), 0, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if e != 0 {
		return e
	}
	return nil
}
