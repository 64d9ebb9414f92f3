//go:build unix

package toolpkg

import (
	"os/exec"
	"syscall"
)

// ownGroup starts a program in a process group of its own, so that what it
// started can be ended with it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
}

// endGroup kills what is left of the group.
func endGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // mostly nothing is left
	}
}
