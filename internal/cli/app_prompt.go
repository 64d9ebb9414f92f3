package cli

import (
	"context"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

type appPromptOptions struct {
	outputOptions
	Ref, Model string
	// Compose returns the system prompt of a chat with an app and a model.
	Compose func(ctx context.Context, ref, model string) (string, error)
}

type appPromptJSON struct {
	Text  string `json:"text"`
	Chars int    `json:"chars"`
}

func newAppPromptCmd(f *Factory, run func(context.Context, *appPromptOptions) error) *cobra.Command {
	opts := &appPromptOptions{outputOptions: outputOptions{IO: f.IO}, Compose: f.composePrompt}
	if run == nil {
		run = runAppPrompt
	}
	cmd := &cobra.Command{
		Use: "prompt [APP[/PROFILE]]", Short: "Print the system prompt that an app comes to",
		Long: `Print the system prompt of a chat with an app (default: the configured one), byte
for byte: body, rules, skill index and, where the model needs it, the list of
tools. What goes with each turn, such as the skills of the workspace, is not part
of it: see agentctl skill index. No model is asked.`,
		Example: "  agentctl app prompt rca/methodology --model ollama/qwen3:14b",
		Args:    rangeArgs(0, 1, "at most one app"),
		Annotations: map[string]string{exitCodes: `  0    done
  1    failed
  2    wrong arguments, or the app or model does not exist
  3    the app names something that does not exist
  130  interrupted`},
		ValidArgsFunction: firstArg(orFolder(f.complete(f.appNames))),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				opts.Ref = args[0]
			}
			return run(cmd.Context(), opts)
		},
	}
	opts.addFlags(cmd)
	cmd.Flags().StringVar(&opts.Model, "model", "", "make the prompt for this `MODEL`")
	completeFlag(cmd, "model", f.complete(f.modelNames))
	return cmd
}

func runAppPrompt(ctx context.Context, o *appPromptOptions) error {
	text, err := o.Compose(ctx, o.Ref, o.Model)
	if err != nil {
		return err
	}
	if o.JSON {
		return writeJSON(o.IO.Out, appPromptJSON{Text: text, Chars: utf8.RuneCountInString(text)})
	}
	return writeText(o.IO, text)
}
