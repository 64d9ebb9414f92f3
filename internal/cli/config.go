package cli

import "github.com/spf13/cobra"

func newConfigCmd(f *Factory) *cobra.Command {
	return group(&cobra.Command{
		Use: "config", Short: "Show the configuration and where it comes from",
	}, newConfigShowCmd(f, nil), newConfigPathCmd(f, nil))
}
