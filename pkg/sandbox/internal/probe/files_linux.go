package probe

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func read(a []string) (string, error) {
	data, err := os.ReadFile(a[0])
	return "read " + strconv.Itoa(len(data)) + " bytes: " + clip(string(data)), err
}

// list reads a folder. Given the host's identity of it, another folder at that
// path, such as one of an image, counts as a refusal.
func list(a []string) (string, error) {
	entries, err := os.ReadDir(a[0])
	if err == nil && a[1] != "" && a[1] != Identity(a[0]) {
		return "", errors.New("another folder is there")
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return "listed " + clip(strings.Join(names, " ")), err
}

// Identity names a file on this machine: two paths of one file have the same.
func Identity(path string) string {
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil {
		return ""
	}
	return fmt.Sprintf("%d:%d", st.Dev, st.Ino)
}

func write(a []string) (string, error) {
	return "wrote it", os.WriteFile(a[0], []byte("written by a probe\n"), 0o644)
}

// openWrite opens for writing and writes nothing, so that a try that succeeds
// does no harm.
func openWrite(a []string) (string, error) {
	f, err := os.OpenFile(a[0], os.O_WRONLY, 0)
	if err != nil {
		return "", err
	}
	return "opened it for writing", f.Close()
}

func chmod(a []string) (string, error) { return "changed its mode", os.Chmod(a[0], 0o777) }

func utime(a []string) (string, error) {
	return "changed its time", os.Chtimes(a[0], time.Unix(1, 0), time.Unix(1, 0))
}

func stat(a []string) (string, error) {
	_, err := os.Lstat(a[0])
	return "it is visible", err
}

// symlinkWrite makes a link at the first path to the second, and writes through.
func symlinkWrite(a []string) (string, error) {
	if err := os.Symlink(a[1], a[0]); err != nil {
		return "", err
	}
	f, err := os.OpenFile(a[0], os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	_, err = f.WriteString("written by a probe\n")
	return "wrote through the link", err
}

func hardlink(a []string) (string, error) { return "made the link", os.Link(a[0], a[1]) }

func mknod(a []string) (string, error) {
	return "made a device", unix.Mknod(a[0], unix.S_IFBLK|0o600, int(unix.Mkdev(8, 0)))
}

func rename(a []string) (string, error) { return "renamed it", os.Rename(a[0], a[1]) }

func mkdir(a []string) (string, error) { return "made it", os.MkdirAll(a[0], 0o755) }

func remove(a []string) (string, error) { return "removed it", os.RemoveAll(a[0]) }

// fill writes up to that many bytes to a file.
func fill(a []string) (string, error) {
	signal.Ignore(unix.SIGXFSZ)
	limit, _ := strconv.ParseInt(a[1], 10, 64)
	f, err := os.Create(a[0])
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	block := make([]byte, 64<<10)
	for n := int64(0); n < limit; n += int64(len(block)) {
		if _, err := f.Write(block); err != nil {
			return "", err
		}
	}
	return "wrote " + a[1] + " bytes", nil
}

// environs looks through every process that it can see for variables beyond
// those that may be there.
func environs(a []string) (string, error) {
	allowed := "," + a[0] + ","
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		for kv := range strings.SplitSeq(string(data), "\x00") {
			name, _, ok := strings.Cut(kv, "=")
			if ok && !strings.Contains(allowed, ","+name+",") {
				return f + " holds " + name, nil
			}
		}
	}
	return "", errors.New("no other variable in any process that is visible")
}

// environ reports the own names that are not allowed.
func environ(a []string) (string, error) {
	allowed := "," + a[0] + ","
	var more []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if !strings.Contains(allowed, ","+name+",") {
			more = append(more, name)
		}
	}
	if len(more) == 0 {
		return "", errors.New("only " + strings.ReplaceAll(a[0], ",", " "))
	}
	return "sees " + strings.Join(more, " "), nil
}

// pids reports when more processes are visible than may be.
func pids(a []string) (string, error) {
	limit, _ := strconv.Atoi(a[0])
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	if len(dirs) <= limit {
		return "", errors.New(strconv.Itoa(len(dirs)) + " processes visible")
	}
	return "sees " + strconv.Itoa(len(dirs)) + " processes", nil
}

func openFD(a []string) (string, error) {
	fd, _ := strconv.Atoi(a[0])
	_, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	return "descriptor " + a[0] + " is open", err
}

// fds lists what is open that this program has not opened itself.
func fds([]string) (string, error) {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return "", err
	}
	var extra []string
	for _, e := range entries {
		target, _ := os.Readlink("/proc/self/fd/" + e.Name())
		if n, _ := strconv.Atoi(e.Name()); n > 2 && target != "" && inherited(n) {
			extra = append(extra, e.Name()+"="+target)
		}
	}
	if len(extra) == 0 {
		return "", errors.New("only 0, 1 and 2")
	}
	return "open: " + strings.Join(extra, " "), nil
}

// inherited tells whether a descriptor came with the start of this program: what
// the runtime opened by itself would not survive another one.
func inherited(fd int) bool {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	return err == nil && flags&unix.FD_CLOEXEC == 0
}

func umask([]string) (string, error) {
	m := syscall.Umask(0)
	return strconv.FormatInt(int64(m), 8), nil
}

func cwd([]string) (string, error) { return os.Getwd() }

func clip(s string) string {
	if len(s) > 200 {
		return s[:200]
	}
	return s
}
