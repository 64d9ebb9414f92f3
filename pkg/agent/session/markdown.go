package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/termtext"
)

// Markdown writes a session for people: what was said, which tools ran and what
// came of them. What was attached to turns, the texts of skills that were called, and
// the system prompt are left out.
// Control characters of models and files are shown as their code points.
func Markdown(w io.Writer, records []Record) error {
	d := &document{w: w}
	sum := Summarise(records)
	d.printf("# %s\n", orUntitled(sum.Title))
	if sum.Model != "" {
		turns := "turns"
		if sum.Turns == 1 {
			turns = "turn"
		}
		d.printf("\nApp %s, model %s, %d %s, %s.\n", sum.App, sum.Model, sum.Turns, turns, days(records))
	}
	for _, r := range records {
		d.record(r)
	}
	d.flush()
	return d.err
}

// days is when it was, from the first day to the last.
func days(records []Record) string {
	first, last := records[0].Time.Format(time.DateOnly), records[len(records)-1].Time.Format(time.DateOnly)
	if first == last {
		return first
	}
	return first + " to " + last
}

func orUntitled(title string) string {
	if title == "" {
		return "Session"
	}
	return title
}

// document collects the pieces of an answer until something else comes.
type document struct {
	w    io.Writer
	err  error
	text strings.Builder
}

func (d *document) printf(format string, args ...any) {
	if d.err == nil {
		text := strings.ReplaceAll(fmt.Sprintf(format, args...), "\r\n", "\n")
		_, d.err = io.WriteString(d.w, termtext.Block(text))
	}
}

func (d *document) flush() {
	if text := strings.TrimSpace(d.text.String()); text != "" {
		d.printf("\n## Agent\n\n%s\n", text)
	}
	d.text.Reset()
}

func (d *document) record(r Record) {
	if b, ok := r.Body.(TextDelta); ok {
		d.text.WriteString(b.Text)
		return
	}
	switch b := r.Body.(type) {
	case Repair:
		if b.Thought {
			d.text.Reset()
		}
	case User:
		d.flush()
		d.user(b)
	case ToolCall:
		d.flush()
		d.printf("\n### Call %s\n", b.Name)
		if args := indented(b.Args); args != "{}" {
			d.printf("\n%s", fenced(args))
		}
	case ToolResult:
		d.flush()
		d.printf("\n### Result of %s: %s\n\n%s", b.Name, b.Status, fenced(b.Content))
	case Compaction:
		d.flush()
		d.printf("\n## Summary of what came before\n\n%s\n", strings.TrimSpace(b.Summary))
	case Result:
		d.flush()
		d.result(b)
	}
}

// user writes what was said; of a skill only the call, as with all that was
// attached.
func (d *document) user(u User) {
	text := strings.TrimSpace(u.Text)
	if u.Skill != "" {
		call, _, _ := strings.Cut(text, "\n")
		text = fmt.Sprintf("%s\n\n(the text of the skill %s)", call, u.Skill)
	}
	d.printf("\n## User\n\n%s\n", text)
}

func (d *document) result(r Result) {
	if r.Question != nil {
		d.printf("\n## Agent asks\n\n%s\n", r.Question.Text)
		for _, c := range r.Question.Choices {
			d.printf("- %s\n", c)
		}
	}
	switch r.Stop {
	case StopAnswer, StopDenied, StopNeedsInput:
	default:
		if r.Error != nil {
			d.printf("\n(%s: %s)\n", r.Stop, r.Error.Message)
			return
		}
		d.printf("\n(no answer: %s)\n", r.Stop)
	}
}

func indented(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

// fenced puts text into a fence that is longer than any in it.
func fenced(text string) string {
	longest, run := 0, 0
	for i := range len(text) {
		if run++; text[i] != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", max(3, longest+1))
	return fence + "\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n"
}
