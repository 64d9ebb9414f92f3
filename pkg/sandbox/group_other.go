//go:build !unix

package sandbox

import (
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

func ownGroup() *syscall.SysProcAttr { return nil }

// askGroup does nothing: there is no gentle signal here.
func askGroup(*exec.Cmd) {}

func endGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func exitStatus(state *os.ProcessState) (code int, signal string) { return state.ExitCode(), "" }

func signalOfExit(int) string { return "" }

func foreignOwner(string) bool { return false }

func ofAnother(fs.FileInfo) bool { return false }

func killWhole(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
