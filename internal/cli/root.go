package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

const rootLong = `agentctl is one program for people who write skills and tool packages for LLM
agents, and who run agents with them: in a terminal, in CI, in scripts, in pipes.

A skill is know-how in prose: a folder with SKILL.md. A tool package is know-how
in code: a folder that builds into one launcher with several commands. An app
says which model, prompt, skills and tools a chat gets.

Results go to stdout, everything for people to stderr. Every verb takes --json, behind its name:
agentctl skill list --json.`

func newRootCmd(f *Factory) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "agentctl",
		Short: "Write, check, build, share and run skills and tools for LLM agents",
		Long:  rootLong,
		Example: `  agentctl chat --model scripted:demo -p "What is in this folder?"
  agentctl skill list
  agentctl tool prebuild`,
	})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.Version = buildVersion().String()
	cmd.SetVersionTemplate("{{.Version}}\n")
	cmd.SetIn(f.IO.In)
	cmd.SetOut(f.IO.Out)
	cmd.SetErr(f.IO.Err)
	cmd.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if words := c.Flags().Args(); c.HasSubCommands() && len(words) > 0 {
			return unknownCommand(c, words[0]) // whose flags nobody knows
		}
		return usageError{message: flagMessage(err), hint: "run " + c.CommandPath() + " --help"}
	})
	cmd.PersistentFlags().StringVar(&f.WorkspaceFlag, "workspace", "", "use `DIR` as the workspace")
	cmd.PersistentFlags().BoolVar(&f.IO.NoInput, "no-input", f.IO.NoInput, "never ask a question")
	cmd.AddCommand(
		newAppCmd(f),
		newChatCmd(f, nil),
		newCompletionCmd(f, nil),
		newConfigCmd(f),
		newSessionCmd(f),
		newSkillCmd(f),
		newSandboxCmd(f),
		newToolCmd(f),
		newTrustCmd(f),
		newVersionCmd(f, nil),
	)
	cmd.SetHelpCommand(newHelpCmd())
	cmd.CompletionOptions.DisableDefaultCmd = true
	finish(cmd)
	knowSynonyms(cmd)
	completePaths(cmd)
	return cmd
}

// group makes a command that only holds others: alone it prints its help, with
// an unknown word it says which verbs exist.
func group(cmd *cobra.Command, subs ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(subs...)
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return unknownCommand(cmd, args[0])
	}
	return cmd
}

// finish puts the table of exit codes into the help of every verb.
func finish(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		finish(sub)
	}
	if cmd.HasSubCommands() || cmd.Name() == "help" {
		return
	}
	if cmd.PreRunE == nil {
		cmd.PreRunE = checkFlags
	}
	if cmd.Annotations[freeArgs] == "" {
		cmd.Args = noEmptyArgs(cmd.Args)
	}
	codes := cmd.Annotations[exitCodes]
	if codes == "" {
		codes = defaultExitCodes
	}
	text := cmd.Long
	if text == "" {
		text = cmd.Short + "."
	}
	cmd.Long = strings.TrimRight(text, "\n") + "\n\nExit codes:\n" + codes
}

// checkFlags makes flags that exclude each other a usage error; cobra checks them
// too, but later, without a type, and in words that nobody understands. A name or
// folder that is empty is one too.
func checkFlags(cmd *cobra.Command, _ []string) error {
	if cmd.Annotations[freeArgs] == "" { // the others have shapes of their own
		if err := emptyFlags(cmd); err != nil {
			return err
		}
	}
	if given := exclusiveFlags(cmd); given != nil {
		return usageError{message: strings.Join(given, " and ") + " exclude each other", hint: "give one of them"}
	}
	if err := cmd.ValidateFlagGroups(); err != nil {
		return usageError{message: err.Error(), hint: "run " + cmd.CommandPath() + " --help"}
	}
	return nil
}

// exitCodes is the annotation with a verb's own table.
const exitCodes = "exit-codes"

const defaultExitCodes = `  0    done
  1    failed
  2    wrong arguments, or a named thing does not exist
  130  interrupted`
