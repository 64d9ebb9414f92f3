package probe

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// allocate asks for that many bytes at once.
func allocate(a []string) (string, error) {
	n, _ := strconv.Atoi(a[0])
	m, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return "", err
	}
	return "got " + a[0] + " bytes", unix.Munmap(m)
}

// openFiles opens that many.
func openFiles(a []string) (string, error) {
	n, _ := strconv.Atoi(a[0])
	var open []*os.File
	defer func() {
		for _, f := range open {
			_ = f.Close()
		}
	}()
	for range n {
		f, err := os.Open("/dev/null")
		if err != nil {
			return "", fmt.Errorf("after %d: %w", len(open), err)
		}
		open = append(open, f)
	}
	return "opened " + a[0], nil
}

// forks makes that many children, which only wait, and ends them again. They are
// bare copies: starting a program for each would need threads of this one.
func forks(a []string) (string, error) {
	n, _ := strconv.Atoi(a[0])
	children := make([]int, 0, n)
	var refused error
	for range n {
		pid, _, e := unix.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
		if e != 0 {
			refused = fmt.Errorf("after %d: %w", len(children), e)
			break
		}
		if pid == 0 {
			for {
				_, _, _ = unix.RawSyscall6(unix.SYS_PPOLL, 0, 0, 0, 0, 0, 0)
			}
		}
		children = append(children, int(pid))
	}
	for _, pid := range children {
		_ = unix.Kill(pid, unix.SIGKILL)
		_, _ = unix.Wait4(pid, nil, 0, nil)
	}
	return "made " + a[0], refused
}

// spin uses that many seconds of processor time. The Go runtime would ignore the
// signal of the soft limit.
func spin(a []string) (string, error) {
	secs, _ := strconv.Atoi(a[0])
	var dfl [32]byte // a struct sigaction of zeros means the default
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(unix.SIGXCPU), uintptr(unsafe.Pointer(&dfl)), 0, 8, 0, 0)
	var use unix.Rusage
	for use.Utime.Sec+use.Stime.Sec < int64(secs) {
		if err := unix.Getrusage(unix.RUSAGE_SELF, &use); err != nil {
			return "", err
		}
	}
	return "used " + a[0] + " seconds", nil
}

// sleep waits for a time as time.ParseDuration reads it.
func sleep(a []string) (string, error) {
	d, err := time.ParseDuration(a[0])
	if err != nil {
		return "", err
	}
	time.Sleep(d)
	return "slept", nil
}

// linger leaves a process behind: in a session of its own, deaf to what it can
// be deaf to, holding a lock on the file for as long as it lives.
func linger(a []string) (string, error) {
	args, err := Args(os.Args[0], Act{Name: "hold", Args: a[:1]})
	if err != nil {
		return "", err
	}
	cmd := &exec.Cmd{Path: args[0], Args: args, SysProcAttr: &syscall.SysProcAttr{Setsid: true}}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	if _, err := io.ReadFull(out, make([]byte, len(holdReady))); err != nil {
		return "", errors.New("the process to leave behind did not start")
	}
	return "left process " + strconv.Itoa(cmd.Process.Pid) + " behind", nil
}

const holdReady = "locked"

func hold(a []string) (string, error) {
	signal.Ignore(unix.SIGTERM, unix.SIGHUP, unix.SIGINT)
	f, err := os.OpenFile(a[0], os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return "", err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		return "", err
	}
	if _, err := os.Stdout.WriteString(holdReady); err != nil {
		return "", err
	}
	time.Sleep(2 * time.Minute)
	return "held it", f.Close()
}

// printBytes writes that many bytes to stdout, the rest of the line aside.
func printBytes(a []string) (string, error) {
	n, _ := strconv.ParseInt(a[0], 10, 64)
	block := make([]byte, 64<<10)
	for i := range block {
		block[i] = 'y'
	}
	for n > 0 {
		m, err := os.Stdout.Write(block[:min(n, int64(len(block)))])
		if err != nil {
			return "", err
		}
		n -= int64(m)
	}
	return "printed " + a[0] + " bytes", nil
}

func exit(a []string) (string, error) {
	n, _ := strconv.Atoi(a[0])
	syscall.Exit(n)
	return "", nil
}

func stdin([]string) (string, error) {
	data, err := io.ReadAll(os.Stdin)
	return strconv.Itoa(len(data)) + " bytes: " + clip(string(data)), err
}
