package cli

import "github.com/spf13/cobra"

func newToolCmd(f *Factory) *cobra.Command {
	return group(&cobra.Command{
		Use: "tool", Short: "Build, describe, check and call tool packages",
		Long: `A tool package is a folder that builds into one launcher with several commands.
It describes itself; prebuild freezes that description; each command becomes a
function that a model can call.`,
		Example: `  agentctl tool prebuild
  agentctl tool list
  agentctl tool invoke data-fetch --arg name=bike-rides --arg output=rides.csv`,
	},
		newToolDescribeCmd(f, nil), newToolInvokeCmd(f, nil), newToolLintCmd(f, nil),
		newToolListCmd(f, nil), newToolNewCmd(f, nil), newToolPrebuildCmd(f, nil),
	)
}
