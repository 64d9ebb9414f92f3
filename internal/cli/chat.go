package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/iostreams"
)

// The values of --output.
const (
	outputText       = "text"
	outputJSON       = "json"
	outputStreamJSON = "stream-json"
)

var chatOutputs = []string{outputText, outputJSON, outputStreamJSON}

type chatOptions struct {
	IO *iostreams.IOStreams
	f  *Factory

	App       string
	Model     string
	Skills    []string // --skill DIR
	System    string
	Prompt    string
	HasPrompt bool
	Stdin     bool // a lone - as argument
	Args      []string
	Given     func(flag string) bool // which flags were typed; nil means none
	FlagErr   error                  // as in outputOptions
	Output    string
	JSON      bool
	Allow     []string
	MaxSteps  int
	Timeout   time.Duration
	Sandbox   string
	Continue  bool
	Session   string
	Fork      string
	NoSession bool
	Check     bool
}

func newChatCmd(f *Factory, run func(context.Context, *chatOptions) error) *cobra.Command {
	opts := &chatOptions{IO: f.IO, f: f}
	if run == nil {
		run = runChat
	}
	cmd := &cobra.Command{
		Use:   "chat [-p TEXT] [-]",
		Short: "Ask an agent, or talk to it",
		Long: `Ask an agent: a model with the skills and tools of an app. Without a prompt, on a
terminal, this is a conversation; /help there lists what can be typed.

  -p TEXT     the prompt; -p - reads it from stdin, and so does a pipe without -p
  -p TEXT -   adds what comes on stdin to the prompt, as a marked block

The answer goes to stdout, everything else to stderr. --output stream-json prints
one event a line and always ends with one result line.

A model is named by --model, AGENTCTL_MODEL, the app or the configuration:
SERVER/ID (ollama/qwen3:14b), a name from the configuration, scripted:FILE or
scripted:demo, which needs no model at all.`,
		Example: `  agentctl chat --model scripted:demo -p "What is in this folder?"
  git diff | agentctl chat -p "Review this change." -
  agentctl chat --model ollama/qwen3:14b --allow write_file -p "Summarise notes.md into summary.md"`,
		Args:        cobra.ArbitraryArgs, // checked later, so that the output ends in its shape
		Annotations: map[string]string{freeArgs: "yes", exitCodes: chatExitCodes},
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Args = args
			opts.Stdin = len(args) == 1 && args[0] == "-"
			opts.Given, opts.FlagErr = cmd.Flags().Changed, emptyFlags(cmd)
			opts.HasPrompt = opts.given("prompt")
			return run(cmd.Context(), opts)
		},
	}
	opts.addFlags(cmd)
	return cmd
}

func (o *chatOptions) addFlags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVarP(&o.Prompt, "prompt", "p", "", "the prompt; - reads it from stdin")
	fl.StringVar(&o.App, "app", "", "use this `APP[/PROFILE]` (default: configuration, else \"default\")")
	fl.StringVar(&o.Model, "model", "", "use this `MODEL`")
	fl.StringArrayVar(&o.Skills, "skill", nil, "offer the skill in this folder `DIR` too (repeatable)")
	fl.StringVar(&o.System, "system", "", "`TEXT` to append to the app's system prompt")
	fl.StringVar(&o.Output, "output", outputText, "text, json or stream-json")
	fl.BoolVar(&o.JSON, "json", false, "the same as --output json")
	fl.StringArrayVar(&o.Allow, "allow", nil, "run without asking: a built-in tool, exec:PROGRAM, PKG, PKG:CMD, network, all (`NAMES` with commas, repeatable)")
	fl.BoolVar(&o.f.TrustFlag, "trust-workspace", false, "trust the workspace for this run")
	fl.IntVar(&o.MaxSteps, "max-steps", 0, "stop after `N` answers of the model (default 25)")
	fl.DurationVar(&o.Timeout, "timeout", 0, "stop after this time, e.g. 90s (default: never)")
	fl.StringVar(&o.Sandbox, "sandbox", "", "`BACKEND` that confines programs: auto, bwrap, native, container, none")
	fl.BoolVar(&o.Continue, "continue", false, "go on with the last session of this workspace")
	fl.StringVar(&o.Session, "session", "", "go on with the session whose `ID` begins so")
	fl.StringVar(&o.Fork, "fork", "", "copy the session whose `ID` begins so and go on with the copy")
	fl.BoolVar(&o.NoSession, "no-session", false, "keep no session")
	fl.BoolVar(&o.Check, "check", false, "ask the model whether it streams, calls tools and how large its window is, and say what to set")
	o.f.completeChatFlags(cmd)
}

const chatExitCodes = `  0    answered
  1    failed; also a rejected or missing API key
  2    wrong arguments, no model, bad configuration, or a named thing does not exist
  3    the app was refused at start: it names something that does not exist;
       --check: the model works, but not as configured
  4    refused by trust or policy, or a call was denied; the answer is printed if there is one
  5    no answer: step limit, loop, empty, or a question to the user (printed on stdout)
  6    the prompt does not fit the model's context
  124  timeout
  125  the sandbox failed
  130  interrupted`
