//go:build !unix

package toolpkg

import "os/exec"

// ownGroup: the program alone is ended on cancellation.
func ownGroup(cmd *exec.Cmd) { cmd.Cancel = func() error { return cmd.Process.Kill() } }

func endGroup(*exec.Cmd) {}
