package session

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/repair"
)

// History turns records into the messages of a request, without the system
// message. It is always valid: every call has exactly one result, in order, and
// every result has its call. A call that never got one is answered as interrupted.
func History(records []Record) []model.Message {
	b := &builder{}
	for _, r := range records {
		b.add(r)
	}
	b.flush()
	if b.context != "" {
		b.user("")
	}
	return b.messages
}

// Interrupted is the result of a call that was cut off.
const Interrupted = "interrupted: this call did not finish; its effects are unknown"

// builder collects one assistant message and its results at a time.
type builder struct {
	messages []model.Message
	context  string
	open     model.Message
	said     strings.Builder // the content of open, which comes in many pieces
	thought  strings.Builder // its reasoning
	step     int
	calls    []call
	used     map[string]int // ids in messages, and where the search for a free one goes on
	waiting  string         // the user's last words, "" once something answered them
}

// call is one call of the open message.
type call struct {
	id       string // as recorded; the message may have another one
	answered bool
	result   string
}

func (b *builder) add(r Record) {
	switch body := r.Body.(type) {
	case Init:
		b.flush()
	case Context:
		b.flush()
		b.context = WithContext(b.context, body.Text)
	case User:
		b.flush()
		b.forgetThoughts()
		b.says(body.Text)
	case TextDelta:
		b.assistant(r.Step)
		b.said.WriteString(body.Text)
	case ReasoningDelta:
		b.assistant(r.Step)
		b.thought.WriteString(body.Text)
	case ToolCall:
		m := b.assistant(r.Step)
		m.ToolCalls = append(m.ToolCalls, model.ToolCall{ID: b.unique(body.ID), Name: sendable(body.Name), Args: object(body.Args)})
		b.calls = append(b.calls, call{id: body.ID})
	case ToolResult:
		b.result(body)
	case Repair:
		if body.Thought {
			b.assistant(r.Step)
			b.thought.WriteString(b.said.String())
			b.said.Reset()
		}
		if len(body.Dropped) > 0 {
			b.flush()
			b.drop(body.Dropped)
		}
	case Compaction:
		b.flush()
		b.messages = []model.Message{{Role: model.User, Content: body.Summary}}
		b.waiting = "" // a summary only tells of them
	}
}

// forgetThoughts drops what the model thought in earlier turns. Within a turn
// some models need it back; later it only fills the window.
func (b *builder) forgetThoughts() {
	for i := range b.messages {
		b.messages[i].Reasoning = ""
	}
}

// drop tells the message with these calls as text: a server that cannot read one
// of them refuses every request that has it.
func (b *builder) drop(ids []string) {
	at := slices.IndexFunc(b.messages, func(m model.Message) bool {
		return slices.ContainsFunc(m.ToolCalls, func(c model.ToolCall) bool { return slices.Contains(ids, c.ID) })
	})
	if at < 0 {
		return
	}
	m := b.messages[at]
	n := 1 + len(m.ToolCalls)
	rest := slices.Clone(b.messages[at+n:])
	text := []string{"(The server could not read these calls of tools, so they are told here.)"}
	for i, c := range m.ToolCalls {
		text = append(text, fmt.Sprintf("%s %s gave:\n%s", c.Name, c.Args, b.messages[at+1+i].Content))
	}
	b.messages = b.messages[:at]
	if m.ToolCalls = nil; strings.TrimSpace(m.Content) != "" {
		b.messages = append(b.messages, m)
	}
	b.user(strings.Join(text, "\n\n"))
	for _, m := range rest {
		if m.Role == model.User {
			b.user(m.Content)
		} else {
			b.messages = append(b.messages, m)
		}
	}
}

// says adds what the user says. Who repeats words that got no answer tries again:
// they wait in the last message already, and stay where they are in it, so that
// requests only grow.
func (b *builder) says(text string) {
	if text == b.waiting {
		text = ""
	} else {
		b.waiting = text
	}
	b.user(text)
}

// user adds a message of the user with what was attached to it. After a turn
// that got no answer it goes on with the message before: the templates of many
// local models refuse two messages of one role in a row.
func (b *builder) user(text string) {
	text = WithContext(b.context, text)
	b.context = ""
	if last := len(b.messages) - 1; last >= 0 && b.messages[last].Role == model.User {
		b.messages[last].Content = WithContext(b.messages[last].Content, text)
		return
	}
	b.messages = append(b.messages, model.Message{Role: model.User, Content: text})
}

// assistant returns the open message of a step.
func (b *builder) assistant(step int) *model.Message {
	if b.step != step {
		b.flush()
		b.step = step
	}
	if b.context != "" { // a note of the host in the middle of a turn
		b.user("")
	}
	b.open.Role = model.Assistant
	return &b.open
}

// unique returns id, or one like it when it is taken: servers number the calls
// of each answer anew, and some requests with two calls of one id are refused.
func (b *builder) unique(id string) string {
	if b.used == nil {
		b.used = map[string]int{}
	}
	if id == "" {
		id = "call"
	}
	free := id
	for b.used[free] > 0 {
		b.used[id]++
		free = fmt.Sprintf("%s_%d", id, b.used[id])
	}
	b.used[free] = 1
	return free
}

// result answers the first open call of that id.
func (b *builder) result(r ToolResult) {
	for i := range b.calls {
		if c := &b.calls[i]; c.id == r.ID && !c.answered {
			c.answered, c.result = true, r.Content
			return
		}
	}
}

// flush ends the open message: its calls are answered in their order.
func (b *builder) flush() {
	m, calls := b.open, b.calls
	m.Content, m.Reasoning = repair.WithoutRepetition(b.said.String()), b.thought.String()
	b.step, b.open, b.calls = 0, model.Message{}, nil
	b.said.Reset()
	b.thought.Reset()
	if strings.TrimSpace(m.Content) == "" && len(m.ToolCalls) == 0 {
		return
	}
	b.messages = append(b.messages, m)
	b.waiting = ""
	for i, c := range m.ToolCalls {
		text := Interrupted
		if calls[i].answered {
			text = calls[i].result
		}
		b.messages = append(b.messages, model.Message{Role: model.Tool, CallID: c.ID, Name: c.Name, Content: text})
	}
}

// maxName is the longest name of a function that servers take.
const maxName = 64

// sendable is a name that a model made up, in the form that servers take: a
// wrong one would fail every later request.
func sendable(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
	if name == "" {
		return "unknown"
	}
	return name[:min(len(name), maxName)]
}

// object returns arguments that are a JSON object, as servers want them.
func object(args json.RawMessage) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(args, &fields) != nil || fields == nil {
		return "{}"
	}
	return string(args)
}

// WithContext puts what was attached to a turn before the user's own words.
func WithContext(context, text string) string {
	if context == "" || text == "" {
		return context + text
	}
	return context + "\n\n" + text
}
