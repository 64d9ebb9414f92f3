package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
)

// maxStdin bounds what is read from a pipe. More would not fit any model.
const maxStdin = 4 << 20

// readPrompt decides what the user said. stdin is read only when it was asked
// for, or when it is a pipe and nothing else was given: a silent pipe never
// blocks a run that has its prompt.
func (o *chatOptions) readPrompt(ctx context.Context) (string, error) {
	switch {
	case o.HasPrompt && o.Prompt == "-":
		return o.stdinPrompt(ctx)
	case o.HasPrompt && o.Stdin:
		data, err := o.readStdin(ctx)
		if err != nil {
			return "", err
		}
		return withBlock(o.Prompt, data)
	case o.HasPrompt:
		o.hintUnread()
		if strings.TrimSpace(o.Prompt) == "" {
			return "", usageError{message: "the prompt is empty", hint: "agentctl chat -p TEXT"}
		}
		return text([]byte(o.Prompt)), nil
	case o.Stdin || !o.IO.InTTY:
		return o.stdinPrompt(ctx)
	}
	return "", usageError{message: "there is no prompt", hint: "agentctl chat -p TEXT, or pipe the prompt into agentctl chat"}
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
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := io.ReadAll(io.LimitReader(o.IO.In, maxStdin+1))
		done <- result{data, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case r := <-done:
		if len(r.data) > maxStdin {
			return nil, usageError{message: fmt.Sprintf("stdin has more than %d MiB", maxStdin>>20), hint: "save it in the workspace and name the file in the prompt"}
		}
		return r.data, r.err
	}
}

// withBlock adds piped data below the prompt, marked as what it is.
func withBlock(prompt string, data []byte) (string, error) {
	if strings.TrimSpace(prompt) == "" {
		return text(data), nil
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return prompt, nil
	}
	return text([]byte(prompt)) + "\n\n<stdin>\n" + strings.TrimRight(text(data), "\n") + "\n</stdin>", nil
}

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
