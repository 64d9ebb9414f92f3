package stage

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// runInit is process 1 of the sandbox. When it ends, the kernel ends every
// other process of the PID namespace, whatever it did to hide.
func runInit(cfg *Config) {
	// The command has the same user id: without this it could open this
	// process's memory and descriptors through /proc.
	check("hide process 1", prctl(syscall.PR_SET_DUMPABLE, 0))
	for _, fd := range cfg.Cgroup {
		_, err := syscall.Write(fd, []byte("0"))
		check("join the control group", err)
	}
	if cfg.Namespaces {
		finishNamespaces()
		buildRoot(cfg.Mounts)
	}
	group := &tree{loose: os.Getpid() != 1}
	if group.loose {
		// No PID namespace: orphans come here instead of to the host's process 1.
		check("adopt orphans", prctl(prSetChildSubreaper, 1))
	} else {
		defaultSignals()
	}
	group.tool.Store(int64(startTool()))
	go group.obeyHost()
	group.reap()
}

// defaultSignals takes the Go runtime's handlers away: some would end this
// process when the command sends it a signal, while the kernel drops signals from
// inside that process 1 has no handler for. (signal.Notify would do as well, but
// takes 5 ms; ignoring would be inherited by the command.)
func defaultSignals() {
	var dfl [32]byte // a struct sigaction of zeros means the default
	for sig := syscall.Signal(1); sig < 32; sig++ {
		if sig == syscall.SIGURG || sig == syscall.SIGPROF { // the scheduler's own
			continue
		}
		_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&dfl)), 0, 8, 0, 0)
	}
}

// tree is everything that the command started.
type tree struct {
	tool  atomic.Int64
	loose bool // without a PID namespace: kill(-1) would reach the whole user
}

// obeyHost passes on what the host asks for. End of file means that the host is
// gone or wants the end at once.
func (t *tree) obeyHost() {
	buf := make([]byte, 1)
	for {
		n, err := syscall.Read(ControlFD, buf)
		if err == syscall.EINTR {
			continue
		}
		if n > 0 {
			t.signal(syscall.SIGTERM)
			continue
		}
		if !t.loose {
			syscall.Exit(exitSetup)
		}
		// Only reap waits for children; it ends the stage when the command is gone.
		for {
			killChildren()
			time.Sleep(time.Millisecond)
		}
	}
}

func (t *tree) signal(sig syscall.Signal) {
	if t.loose {
		_ = syscall.Kill(-int(t.tool.Load()), sig) // the tool leads a session, so a group
		return
	}
	_ = syscall.Kill(-1, sig)
}

// end ends the stage and with it the tree: by the kernel where this is process 1,
// one descendant after the other where it is not. The children of a killed one
// become children of the stage.
func (t *tree) end(code int) {
	for t.loose && killChildren() {
		_, _ = syscall.Wait4(-1, nil, 0, nil)
	}
	syscall.Exit(code)
}

// killChildren kills the direct children and reports whether there were any.
func killChildren() bool {
	found := false
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, list := range lists {
		data, _ := os.ReadFile(list)
		for field := range strings.FieldsSeq(string(data)) {
			if pid, err := strconv.Atoi(field); err == nil {
				found = true
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}
	return found
}

func startTool() int {
	attr := &syscall.ProcAttr{Files: []uintptr{0, 1, 2, ConfigFD, StatusFD}}
	pid, err := syscall.ForkExec("/proc/self/exe", []string{"sandbox", Marker, RoleTool}, attr)
	check("start the second stage", err)
	return pid
}

// reap waits for every child, the orphans of the command too, until the command
// itself ends, and reports how.
func (t *tree) reap() {
	for {
		var ws syscall.WaitStatus
		var use syscall.Rusage
		pid, err := syscall.Wait4(-1, &ws, 0, &use)
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			fail(StatusFault, "wait: "+err.Error())
		case int64(pid) != t.tool.Load():
			continue
		}
		t.end(t.report(ws, use))
	}
}

func (t *tree) report(ws syscall.WaitStatus, use syscall.Rusage) int {
	code, sig := ws.ExitStatus(), 0
	if ws.Signaled() {
		sig = int(ws.Signal())
		code = 128 + sig
	}
	orphans := "0"
	if !t.loose && syscall.Kill(-1, 0) == nil {
		orphans = "1"
	}
	cpu := use.Utime.Nano()/1000 + use.Stime.Nano()/1000
	tell(StatusExit, strconv.Itoa(code), strconv.Itoa(sig), strconv.FormatInt(cpu, 10), orphans)
	return code
}
