package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/agentctl/agentctl/internal/iostreams"
	"github.com/agentctl/agentctl/internal/tui"
)

// interactive tells whether a person is to chat: no prompt was given, and stdin
// is a terminal that may be asked.
func (o *chatOptions) interactive() bool {
	return !o.HasPrompt && !o.Stdin && o.Output == outputText && o.IO.InTTY && !o.IO.NoInput
}

// runInteractive lets a person chat until they leave. author is not nil to begin
// with the interview about a new skill.
func (o *chatOptions) runInteractive(ctx context.Context, author *string) error {
	if err := o.askTrust(ctx); err != nil {
		return err
	}
	h := &chatHost{o: o}
	host, err := h.host()
	if err != nil {
		return err
	}
	ended, err := tui.Run(ctx, tui.Options{
		Host: host, In: o.IO.In, Out: o.IO.Out, Err: o.plainErr(),
		Plain: o.plain(), Color: o.IO.Color, Author: author,
		Start: tui.Start{Session: o.Session, Fork: o.Fork, Last: o.Continue},
	})
	if ended.Session != "" && ended.Turns > 0 {
		fmt.Fprintf(o.IO.Err, "to go on: %s\n", o.resume(ended.Session))
	}
	if err == nil && h.done != nil {
		err = h.done() // a script that was not followed to its end
	}
	if err == nil {
		return nil
	}
	return chatError(ctx, err)
}

// resume is the command that goes on with a session, from the same folder: what
// was said by a flag is no part of the session.
func (o *chatOptions) resume(id string) string {
	words := []string{"agentctl chat --session", id}
	for _, flag := range []struct{ name, value string }{
		{"workspace", o.f.WorkspaceFlag}, {"app", o.App}, {"model", o.Model},
	} {
		if flag.value != "" {
			words = append(words, "--"+flag.name, shellWord(flag.value))
		}
	}
	return strings.Join(words, " ")
}

// shellWord is a text as one word of a shell.
func shellWord(text string) string {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_@%+=:,./-", r)
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// plain tells whether the terminal cannot be drawn on.
func (o *chatOptions) plain() bool { return !o.IO.OutTTY || o.f.Getenv("TERM") == "dumb" }

// plainErr is where a plain chat says what is no answer: beside the answers on a
// terminal, apart from them when these go to a file.
func (o *chatOptions) plainErr() io.Writer {
	if o.IO.OutTTY {
		return o.IO.Out
	}
	return o.IO.Err
}

// quiet are the options of another session of the same chat: what setting it up
// warns about was said at the start.
func (o *chatOptions) quiet(s tui.Start) *chatOptions {
	q := *o
	q.IO = &iostreams.IOStreams{In: o.IO.In, Out: io.Discard, Err: io.Discard}
	q.Continue, q.Session, q.Fork = s.Last, s.Session, s.Fork
	return &q
}

// explain says what an error is and what to do next, as the command line would.
func explain(err error) (message, hint string) {
	f := classify(err)
	return f.Message, f.Hint
}
