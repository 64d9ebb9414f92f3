package cli

import "github.com/spf13/cobra"

func newAppCmd(f *Factory) *cobra.Command {
	return group(&cobra.Command{
		Use: "app", Short: "List, show and check apps: model, prompt, skills and tools of a chat",
	}, newAppLintCmd(f, nil), newAppListCmd(f, nil), newAppPromptCmd(f, nil), newAppShowCmd(f, nil))
}
