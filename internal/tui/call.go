package tui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/pkg/agent/builtin"
	"github.com/agentctl/agentctl/pkg/agent/session"
	"github.com/agentctl/agentctl/pkg/skill"
)

// call is one tool call of a turn, for the screen.
type call struct {
	session.ToolCall
	output   string    // what the tool printed until now, at its end
	asked    time.Time // when a person decided; the waiting before is not the tool's
	result   *session.ToolResult
	repaired []string
}

// maxOutput is how much of a running tool's output is kept for its last line.
const maxOutput = 4 << 10

// record takes what happened to the call.
func (c *call) record(r session.Record) {
	switch b := r.Body.(type) {
	case session.ToolOutput:
		c.output += b.Text
		if n := len(c.output) - maxOutput; n > 0 {
			c.output = strings.ToValidUTF8(c.output[n:], "")
		}
	case session.Approval:
		if b.By == "user" {
			c.asked = r.Time
		}
	case session.Repair:
		c.repaired = b.What
	case session.ToolResult:
		if !c.asked.IsZero() {
			b.DurationMS = r.Time.Sub(c.asked).Milliseconds()
		}
		c.result = &b
	}
}

// calls are those of one turn.
type calls []*call

// record gives a record to its call and returns the call, nil for other records.
func (cs *calls) record(r session.Record) *call {
	id := ""
	switch b := r.Body.(type) {
	case session.ToolCall:
		c := &call{ToolCall: b}
		*cs = append(*cs, c)
		return c
	case session.ToolOutput:
		id = b.ID
	case session.Approval:
		id = b.ID
	case session.Repair:
		id = b.ID
	case session.ToolResult:
		id = b.ID
	default:
		return nil
	}
	for _, c := range slices.Backward(*cs) { // ids can come again in a later answer
		if c.ID == id && c.result == nil {
			c.record(r)
			return c
		}
	}
	return nil
}

// running are the calls without a result.
func (cs calls) running() []*call {
	var out []*call
	for _, c := range cs {
		if c.result == nil {
			out = append(out, c)
		}
	}
	return out
}

// interrupted is the result of a call that never got one.
func interrupted(c *call) *session.ToolResult {
	return &session.ToolResult{ID: c.ID, Name: c.Name, Status: "interrupted"}
}

// signs are the states of a finished call.
var signs = map[string]string{"ok": "✓", "error": "✗", "denied": "⊘", "interrupted": "✗"}

// line is the one-line summary of a call: what was called, how it ended.
func (c *call) line(s style, width int) string {
	name, args := termtext.Line(c.Name), arguments(c.Args)
	if c.result == nil {
		return s.mark("• ") + s.cut(name+" "+args, width-2)
	}
	sign, paint := signs[c.result.Status], s.good
	if c.result.Status != "ok" {
		paint = s.bad
	}
	end := c.end()
	room := max(width-2-len(end), 8)
	return paint(sign) + " " + s.cut(strings.TrimSpace(name+" "+args), room) + s.dim(end)
}

// slow is from when on a duration is worth a word.
const slow = 100 * time.Millisecond

// end says how a call ended, as far as it was not just well and at once.
func (c *call) end() string {
	end := ""
	if code := c.result.ExitCode; code != nil && *code != 0 {
		end += fmt.Sprintf(" exit %d", *code)
	}
	if c.result.Status != "ok" {
		end += " " + c.result.Status
	}
	if origin := skill.Origin(c.result.Content); c.Name == builtin.ReadSkill && strings.Contains(origin, ", ahead of ") {
		end += " " + termtext.Line(origin) // which of several of that name
	}
	if c.result.DurationMS >= slow.Milliseconds() {
		end += " " + took(c.result.DurationMS)
	}
	return end
}

// reason is why a call did not end well, one line, "" when it did.
func (c *call) reason() string {
	if c.result == nil || c.result.Status != "error" {
		return ""
	}
	text := c.result.Content
	if c.result.ExitCode == nil {
		first, _, _ := strings.Cut(text, "\n")
		return termtext.Line(first)
	}
	// A program says at its end what went wrong, and on stderr if anywhere.
	if _, after, ok := strings.Cut(text, "stderr:\n"); ok {
		text = after
	}
	text, _, _ = strings.Cut(text, "\nartifacts:")
	return lastOutput(text)
}

func took(ms int64) string {
	switch d := time.Duration(ms) * time.Millisecond; {
	case d < time.Second:
		return fmt.Sprintf("%d ms", ms)
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	default:
		return d.Round(time.Second).String()
	}
}

// arguments shows an object of arguments on one line: key=value. Long values are
// cut and come last, since a name or a path tells more than the text of a file.
func arguments(raw json.RawMessage) string {
	var words, long []string
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return ""
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			break
		}
		var v json.RawMessage
		if dec.Decode(&v) != nil {
			break
		}
		text, cut := value(v)
		word := fmt.Sprintf("%s=%s", termtext.Line(fmt.Sprint(key)), text)
		if cut {
			long = append(long, word)
		} else {
			words = append(words, word)
		}
	}
	return strings.Join(append(words, long...), " ")
}

// maxValue is how many characters of one argument stand on the line of a call.
const maxValue = 60

// value is an argument on one line, and tells whether it is a long one.
func value(raw json.RawMessage) (line string, long bool) {
	text := string(raw)
	var s string
	if json.Unmarshal(raw, &s) == nil {
		text = s
	}
	line = termtext.Line(text)
	if r := []rune(line); len(r) > maxValue {
		return string(r[:maxValue]) + "…", true
	}
	return line, strings.Contains(text, "\n")
}

// full is everything about a call: arguments and what the model was told.
func (c *call) full() string {
	var b strings.Builder
	b.WriteString(c.Name)
	var args bytes.Buffer
	if json.Indent(&args, c.Args, "", "  ") == nil && args.String() != "{}" {
		fmt.Fprintf(&b, " %s", args.String())
	}
	for _, r := range c.repaired {
		fmt.Fprintf(&b, "\n(repaired: %s)", r)
	}
	switch {
	case c.result == nil:
	case c.result.Status == "interrupted": // what it printed until then is all there is
		fmt.Fprintf(&b, "\ninterrupted\n%s", strings.TrimRight(c.output, "\n"))
	default:
		fmt.Fprintf(&b, "\n%s, %s\n%s", c.result.Status, took(c.result.DurationMS), strings.TrimRight(c.result.Content, "\n"))
	}
	return termtext.Block(b.String())
}

// full is everything about all of them.
func (cs calls) full() string {
	parts := make([]string, len(cs))
	for i, c := range cs {
		parts[i] = c.full()
	}
	return strings.Join(parts, "\n\n")
}
