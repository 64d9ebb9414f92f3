package cli

import "github.com/spf13/cobra"

func newSandboxCmd(f *Factory) *cobra.Command {
	return group(&cobra.Command{
		Use: "sandbox", Short: "Run a program confined, and check what confines it",
	}, newSandboxDoctorCmd(f, nil), newSandboxRunCmd(f, nil))
}
