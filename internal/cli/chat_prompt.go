package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/agentctl/agentctl/pkg/agent/session"
)

// maxStdin bounds what is read from a pipe. More would not fit any model.
const maxStdin = 4 << 20

// readPrompt decides what the user said. stdin is read only when it was asked
// for, or when it is a pipe and nothing else was given: a silent pipe never
// blocks a run that has its prompt. nothingPiped tells that the prompt should have had
// what comes on stdin, and nothing came.
func (o *chatOptions) readPrompt(ctx context.Context) (prompt string, nothingPiped bool, err error) {
	switch {
	case o.HasPrompt && o.Prompt == "-":
		prompt, err = o.stdinPrompt(ctx)
		return prompt, false, err
	case o.HasPrompt && o.Stdin:
		return o.promptWithBlock(ctx)
	case o.HasPrompt:
		o.hintUnread()
		if strings.TrimSpace(o.Prompt) == "" {
			return "", false, usageError{message: "the prompt is empty", hint: "agentctl chat -p TEXT"}
		}
		return text([]byte(o.Prompt)), false, nil
	case o.Stdin || !o.IO.InTTY:
		prompt, err = o.stdinPrompt(ctx)
		return prompt, false, err
	}
	return "", false, usageError{message: "there is no prompt", hint: "agentctl chat -p TEXT, or pipe the prompt into agentctl chat"}
}

func (o *chatOptions) stdinPrompt(ctx context.Context) (string, error) {
	data, err := o.readStdin(ctx)
	if err != nil {
		return "", err
	}
	prompt := text(data)
	if strings.TrimSpace(prompt) == "" {
		return "", usageError{message: "the prompt on stdin is empty", hint: "agentctl chat -p TEXT"}
	}
	return prompt, nil
}

// readStdin reads everything, but stops waiting when ctx ends.
func (o *chatOptions) readStdin(ctx context.Context) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(interruptible(ctx, o.IO.In), maxStdin+1))
	if len(data) > maxStdin {
		return nil, usageError{message: fmt.Sprintf("stdin has more than %d MiB", maxStdin>>20), hint: "save it in the workspace and name the file in the prompt"}
	}
	return data, err
}

// promptWithBlock is the prompt and, below it, what comes on stdin, marked as what it
// is. A prompt without words is all on stdin.
func (o *chatOptions) promptWithBlock(ctx context.Context) (prompt string, nothingPiped bool, err error) {
	if strings.TrimSpace(o.Prompt) == "" {
		prompt, err = o.stdinPrompt(ctx)
		return prompt, false, err
	}
	data, err := o.readStdin(ctx)
	if err != nil {
		return "", false, err
	}
	prompt = text([]byte(o.Prompt))
	piped := strings.TrimRight(text(data), "\n")
	if strings.TrimSpace(piped) == "" {
		return prompt, true, nil
	}
	return prompt + "\n\n<stdin>\n" + piped + "\n</stdin>", false, nil
}

// emptyStdin is for a person who thinks that the model got something to look at, such
// as the output of a command that found nothing.
var emptyStdin = session.Warning{Code: "stdin.empty", Text: "stdin was empty, so the prompt went out without it"}

// text is what was given, without the mark that some programs put before UTF-8.
func text(data []byte) string {
	return strings.TrimPrefix(strings.ToValidUTF8(string(data), "�"), "\ufeff")
}

// hintUnread tells about piped data that the run does not use. It looks at what
// is known without waiting: a file, or a pipe that has data already.
func (o *chatOptions) hintUnread() {
	f, ok := o.IO.In.(*os.File)
	if !ok || o.IO.InTTY {
		return
	}
	if n := waiting(f); n > 0 {
		warn(o.IO, "hint: stdin has data that was not read; add - to the command to include it")
	}
}
