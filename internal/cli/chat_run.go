package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/internal/tui"
	"github.com/agentctl/agentctl/pkg/agent/builtin"
	"github.com/agentctl/agentctl/pkg/agent/chat"
	"github.com/agentctl/agentctl/pkg/agent/session"
	"github.com/agentctl/agentctl/pkg/skill"
)

// chatJSON is what `chat --output json` prints.
type chatJSON struct {
	Session *string `json:"session"`
	session.Result
}

// runChat answers one prompt, or lets a person chat. Whatever happens after the
// flags are parsed, the output of one prompt ends in the shape that was asked for.
func runChat(ctx context.Context, o *chatOptions) error {
	err := o.check(ctx)
	if o.JSON {
		o.Output = outputJSON
	}
	if err != nil && (o.Check || o.interactive()) {
		return err
	}
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Timeout)
		defer cancel()
	}
	if o.Check {
		return o.checkModel(ctx)
	}
	if o.interactive() {
		return o.runInteractive(ctx, nil)
	}
	streams := *o.IO
	streams.Out = unblocked(ctx, o.IO.Out)
	o.IO = &streams
	out := &chatOutput{o: o}
	if o.Output == outputText && !o.plain() {
		render := screenMarkdown(o.IO.Color)
		out.screen = &tui.Blocks{Out: o.IO.Out, Render: func(text string) string { return render(text, o.IO.Width()) }}
	}
	var res session.Result
	if err == nil {
		res, err = out.run(ctx)
	}
	return out.end(ctx, res, err)
}

// chatOutput is the one-shot form of a chat on three kinds of output.
type chatOutput struct {
	o       *chatOptions
	session *string
	chat    *chat.Chat
	close   func()
	written error       // the first line of a stream that could not be written
	screen  *tui.Blocks // where text appears while it comes; nil when no terminal shows it
}

func (c *chatOutput) run(ctx context.Context) (session.Result, error) {
	config, err := c.o.setup(ctx)
	if err != nil {
		return session.Result{}, err
	}
	text, nothingPiped, err := c.o.readPrompt(ctx)
	if err != nil {
		return session.Result{}, err
	}
	opened, err := c.o.start(ctx, config, c.watch)
	if opened.id != "" {
		c.session = &opened.id
	}
	c.close = opened.close
	if err != nil {
		return session.Result{}, err
	}
	c.chat = opened.chat
	if nothingPiped {
		if err := c.chat.Warn(emptyStdin); err != nil {
			return session.Result{}, err
		}
	}
	res, err := c.chat.Turn(ctx, text)
	if err == nil && opened.done != nil {
		err = opened.done() // a script that was not followed to its end
		if err != nil {
			res.Stop = session.StopError
		}
	}
	return res, err
}

// end completes the result, records it and prints it.
func (c *chatOutput) end(ctx context.Context, res session.Result, err error) error {
	if c.close != nil {
		defer c.close()
	}
	res = complete(ctx, res, err)
	recordErr := c.finish(res)
	if err == nil {
		err = cmp.Or(recordErr, c.written)
		if err != nil {
			return err
		}
	}
	return c.print(res)
}

// complete fills exit code, error and the empty lists of a result.
func complete(ctx context.Context, res session.Result, err error) session.Result {
	res.ToolCalls, res.SkillsRead = list(res.ToolCalls), list(res.SkillsRead)
	if err == nil {
		res.Exit = exitOfStop(res.Stop)
		return res
	}
	f := classify(chatError(ctx, err))
	res.Error = &session.Error{Origin: f.Origin, Kind: f.Kind, Message: f.Message, Hint: f.Hint, Exit: f.Exit}
	res.Exit = f.Exit
	res.Stop = stopOfExit(f.Exit)
	return res
}

// finish gives the result its place in the session, or prints the one result
// line of a chat that never began.
func (c *chatOutput) finish(res session.Result) error {
	if c.chat != nil {
		return c.chat.Finish(res)
	}
	if c.o.Output != outputStreamJSON {
		return nil
	}
	rec, err := (&session.Ephemeral{Now: c.o.f.Now}).Append(0, res)
	if err != nil {
		return err
	}
	return writeRecord(c.o.IO.Out, rec)
}

// watch shows records while they happen.
func (c *chatOutput) watch(r session.Record) {
	switch c.o.Output {
	case outputStreamJSON:
		if err := writeRecord(c.o.IO.Out, r); c.written == nil {
			c.written = err
		}
	case outputJSON:
		if b, ok := r.Body.(session.Warning); ok {
			c.warn(b)
		}
	case outputText:
		c.progress(r)
	}
}

func writeRecord(w io.Writer, r session.Record) error {
	line, err := r.Line()
	if err != nil {
		return err
	}
	_, err = w.Write(line)
	return err
}

// progress tells people what the agent does: on stderr, and what it says on a
// terminal's screen.
func (c *chatOutput) progress(r session.Record) {
	if c.screen != nil && r.Type != session.TypeTextDelta {
		_, c.written = c.screen.Close()
	}
	switch b := r.Body.(type) {
	case session.TextDelta:
		if c.screen != nil {
			c.screen.Add(b.Text)
		}
	case session.ToolCall:
		c.say("%s %s", b.Name, b.Args)
	case session.ToolResult:
		if origin := skill.Origin(b.Content); b.Name == builtin.ReadSkill && origin != "" {
			c.say("%s: %s", b.Name, origin)
		}
		if b.Status != "ok" {
			first, _, _ := strings.Cut(b.Content, "\n")
			c.say("%s: %s: %s", b.Name, b.Status, strings.TrimPrefix(first, b.Status+": "))
		}
	case session.Warning:
		c.warn(b)
	case session.Retry:
		c.say("retry %d in %d ms: %s", b.Attempt, b.AfterMS, b.Reason)
	case session.Repair:
		c.say("repaired %s: %s", b.Name, strings.Join(b.What, "; "))
	}
}

func (c *chatOutput) warn(w session.Warning) {
	warn(c.o.IO, "warning: %s", termtext.Line(w.Text)) // whole: it ends with the cure
}

func (c *chatOutput) say(format string, args ...any) {
	line := []rune(termtext.Line(fmt.Sprintf(format, args...)))
	if len(line) > maxProgress {
		line = append(line[:maxProgress], '…')
	}
	fmt.Fprintf(c.o.IO.Err, "agentctl: %s\n", string(line))
}

// maxProgress keeps a line of progress short: arguments can be a whole file.
const maxProgress = 160

// print ends the run: the answer or the shape on stdout, the reason on stderr.
func (c *chatOutput) print(res session.Result) error {
	if c.o.Output == outputJSON {
		if err := writeJSON(c.o.IO.Out, chatJSON{Session: c.session, Result: res}); err != nil {
			return err
		}
	}
	if c.o.Output == outputText {
		if perr := c.printText(res); perr != nil {
			return perr
		}
	}
	switch {
	case res.Error != nil:
		tell(c.o.IO, failureOf(res.Error))
	case res.Exit != exitOK:
		tell(c.o.IO, stopFailure(res))
	}
	if res.Exit == exitOK {
		return nil
	}
	return exitError(res.Exit)
}

// printText prints the answer, or the question that the model asked. A screen
// has the answer already.
func (c *chatOutput) printText(res session.Result) error {
	text := res.Answer
	if res.Question != nil {
		text = questionText(*res.Question)
	}
	if c.screen != nil {
		if res.Question != nil {
			c.screen.Add("\n\n" + text)
		}
		_, err := c.screen.Close()
		return err
	}
	if strings.TrimSpace(text) == "" {
		return nil
	}
	if c.o.IO.OutTTY {
		text = termtext.Block(text)
	}
	_, err := fmt.Fprintln(c.o.IO.Out, strings.TrimRight(text, "\n"))
	return err
}

func questionText(q session.Question) string {
	var text strings.Builder
	text.WriteString(q.Text)
	for _, choice := range q.Choices {
		text.WriteString("\n- " + choice)
	}
	return text.String()
}
