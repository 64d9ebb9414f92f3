package probe

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

const specialMode = unix.S_ISUID | unix.S_ISGID | 0o755

// special tries each way to make a file in a folder that runs with the rights of
// its owner or group; one that works is enough. What counts is the file: a call
// that succeeds and leaves the bits out does no harm.
func special(a []string) (string, error) {
	var said []string
	for _, t := range specialTries {
		path := filepath.Join(a[0], "special-"+t.name)
		err := t.do(path)
		info, statErr := os.Lstat(path)
		_ = os.Remove(path)
		if statErr == nil && isSpecial(info) {
			return t.name + " made one", nil
		}
		if err != nil {
			said = append(said, t.name+": "+err.Error())
		}
	}
	return "", errors.New(strings.Join(said, ", "))
}

// isSpecial leaves out the group's bit of a folder: it is inherited.
func isSpecial(info os.FileInfo) bool {
	return info.Mode()&os.ModeSetuid != 0 || info.Mode()&os.ModeSetgid != 0 && !info.IsDir()
}

var specialTries = []struct {
	name string
	do   func(path string) error
}{
	{"chmod", func(path string) error {
		return withFile(path, func(int) error { return unix.Chmod(path, specialMode) })
	}},
	{"chmod of the group's bit", func(path string) error {
		return withFile(path, func(int) error { return unix.Chmod(path, unix.S_ISGID|0o755) })
	}},
	{"fchmod", func(path string) error {
		return withFile(path, func(fd int) error { return unix.Fchmod(fd, specialMode) })
	}},
	{"fchmodat2", func(path string) error {
		return withFile(path, func(fd int) error { return fchmodat2(fd, "", specialMode, unix.AT_EMPTY_PATH) })
	}},
	{"open", func(path string) error {
		return closed(unix.Open(path, unix.O_CREAT|unix.O_WRONLY, specialMode))
	}},
	{"open without a name", openTmpfile},
	{"openat2", func(path string) error {
		return closed(unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: unix.O_CREAT | unix.O_WRONLY, Mode: specialMode}))
	}},
	{"mknod", func(path string) error { return unix.Mknod(path, unix.S_IFREG|specialMode, 0) }},
	{"mkdir", func(path string) error { return unix.Mkdir(path, specialMode) }},
	{"chmod of a folder", func(path string) error { return errors.Join(unix.Mkdir(path, 0o755), unix.Chmod(path, specialMode)) }},
}

func withFile(path string, do func(fd int) error) error {
	fd, err := unix.Open(path, unix.O_CREAT|unix.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	return errors.Join(do(fd), unix.Close(fd))
}

// openTmpfile makes a file without a name and gives it one.
func openTmpfile(path string) error {
	fd, err := unix.Open(filepath.Dir(path), unix.O_TMPFILE|unix.O_WRONLY, specialMode)
	if err != nil {
		return err
	}
	return errors.Join(unix.Linkat(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(fd), unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW), unix.Close(fd))
}

func closed(fd int, err error) error {
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

func fchmodat2(dir int, path string, mode uint32, flags int) error {
	p, err := unix.BytePtrFromString(path)
	if err != nil {
		return err
	}
	_, _, e := unix.Syscall6(unix.SYS_FCHMODAT2, uintptr(dir), uintptr(unsafe.Pointer(p)), uintptr(mode), uintptr(flags), 0, 0)
	if e != 0 {
		return e
	}
	return nil
}
