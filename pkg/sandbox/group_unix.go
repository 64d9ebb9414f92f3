//go:build unix

package sandbox

import (
	"io/fs"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func askGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

func endGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// killWhole kills a process, and its group where it leads one.
func killWhole(cmd *exec.Cmd) {
	if attr := cmd.SysProcAttr; attr != nil && (attr.Setpgid || attr.Setsid) {
		endGroup(cmd)
		return
	}
	_ = cmd.Process.Kill()
}

// exitStatus is the exit code, 128+n and the name for signal n.
func exitStatus(state *os.ProcessState) (code int, signal string) {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal()), unix.SignalName(ws.Signal())
	}
	return state.ExitCode(), ""
}

// signalOfExit reads a signal out of an exit code above 128, which is all that
// some engines tell.
func signalOfExit(code int) string {
	if code <= 128 {
		return ""
	}
	return unix.SignalName(syscall.Signal(code - 128))
}

// foreignOwner tells whether root is about to lose its right to write somebody
// else's folder.
func foreignOwner(path string) bool {
	info, err := os.Stat(path)
	return err == nil && ofAnother(info)
}

// ofAnother tells whether root calls and a file belongs to somebody else.
func ofAnother(info fs.FileInfo) bool {
	if os.Geteuid() != 0 {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Uid != 0
}
