package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentctl/agentctl/internal/registry"
	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/pkg/sandbox"
	"github.com/agentctl/agentctl/pkg/skill"
)

// check refuses flags that cannot be meant, before anything starts.
func (o *chatOptions) check(ctx context.Context) error {
	if o.FlagErr != nil {
		return o.FlagErr
	}
	if len(o.Args) > 0 && !o.Stdin {
		return usageError{message: fmt.Sprintf("chat takes no argument but - for stdin, got %q", strings.Join(o.Args, " ")), hint: o.promptHint()}
	}
	if err := o.oneSession(); err != nil {
		return err
	}
	if err := oneOf("output", o.Output, chatOutputs...); err != nil {
		return err
	}
	if o.JSON && o.given("output") && o.Output != outputJSON {
		return usageError{message: "--json and --output " + o.Output + " exclude each other", hint: "give one of them"}
	}
	if o.MaxSteps < 0 || o.MaxSteps == 0 && o.given("max-steps") {
		return usageError{message: fmt.Sprintf("--max-steps %d lets the model answer nothing", o.MaxSteps), hint: "give a number of answers, such as 25"}
	}
	if o.Timeout < 0 {
		return usageError{message: fmt.Sprintf("--timeout %s is negative", o.Timeout), hint: "give a time such as 90s"}
	}
	if o.Sandbox != "" {
		if err := oneOf("sandbox", o.Sandbox, sandbox.Names()...); err != nil {
			return err
		}
	}
	return o.checkSkills(ctx)
}

// promptHint says how the words of a command line are one prompt.
func (o *chatOptions) promptHint() string {
	words, stdin := o.Args, ""
	if words[len(words)-1] == "-" {
		words, stdin = words[:len(words)-1], " -"
	}
	if o.HasPrompt {
		words = append([]string{o.Prompt}, words...)
	}
	prompt := strings.Join(words, " ")
	if utf8.RuneCountInString(prompt) > maxPromptHint || prompt != termtext.Line(prompt) {
		prompt = "…"
	}
	quoted := `"` + prompt + `"`
	if strings.ContainsAny(prompt, "\"\\$`!") { // what a shell reads in such quotes
		quoted = shellWord(prompt)
	}
	if o.HasPrompt {
		return "quote the whole prompt: -p " + quoted + stdin
	}
	return "put the prompt behind -p, in quotes: -p " + quoted + stdin
}

// maxPromptHint is how many characters of a prompt are said back.
const maxPromptHint = 100

// checkSkills makes the folders of --skill absolute. A folder that was named and
// does not load is an error: the user would wonder why the model does not know it.
func (o *chatOptions) checkSkills(ctx context.Context) error {
	cwd, err := o.f.Cwd()
	if err != nil {
		return err
	}
	for i, dir := range absolutePaths(cwd, slices.Clone(o.Skills)) {
		if _, _, err := skill.Open(ctx, dir); err != nil {
			return hintedError{err: fmt.Errorf("--skill %s: %w", o.Skills[i], err), exit: exitUsage}
		}
		o.Skills[i] = registry.PackageFolder(dir, skill.ManifestName)
	}
	return nil
}

// oneSession refuses two ways of choosing a session.
func (o *chatOptions) oneSession() error {
	var given []string
	for _, flag := range []string{"continue", "session", "fork", "no-session"} {
		if o.given(flag) {
			given = append(given, "--"+flag)
		}
	}
	if len(given) > 1 {
		return usageError{message: strings.Join(given, " and ") + " exclude each other", hint: "give one of them"}
	}
	if len(given) == 1 && (o.given("session") && o.Session == "" || o.given("fork") && o.Fork == "") {
		return usageError{message: given[0] + " wants the beginning of a session's id", hint: "agentctl session list shows them"}
	}
	return nil
}

func (o *chatOptions) given(flag string) bool { return o.Given != nil && o.Given(flag) }
