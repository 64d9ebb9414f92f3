// Package textmode lets a model call tools that has no function calls of its
// own: the tools and the form of a call go into the system prompt, earlier calls
// and results are told as text, and the calls in an answer are found by package
// repair, as they are for every model.
//
// [Request] is the only thing that changes; a loop need not know about it.
package textmode

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/prompt"
)

// format is how a call is written. It shows a call of a tool that is there before
// it explains: small models copy better than they read. It does not name the tag
// of a result: models that read it begin their answer with it.
const format = `# How to call a tool
Write the call as JSON between these tags, then stop. For example:

%s

- Several calls may follow one another, each between its own tags.
- The next message then tells the results. Never write a result yourself.
- A message without a call is your answer to the user.`

// System is a system prompt with the inventory of the tools and the form of a
// call at its end. What is there already is not added again.
func System(system string, tools []model.ToolSpec) string {
	if len(tools) == 0 {
		return system
	}
	for _, part := range []string{strings.TrimSpace(prompt.Inventory(tools)), fmt.Sprintf(format, example(tools[0]))} {
		if !strings.Contains(system, part) {
			system = strings.TrimRight(system, "\n") + "\n\n" + part + "\n"
		}
	}
	return strings.TrimLeft(system, "\n")
}

// Request is r for a model without function calls: no tools, and no message that
// only belongs to tools. Requests that begin alike still do so afterwards.
func Request(r model.Request) model.Request {
	out := model.Request{MaxOutput: r.MaxOutput}
	system := ""
	for _, m := range r.Messages {
		switch m.Role {
		case model.System:
			system = join(system, m.Content)
		case model.Assistant:
			out.Messages = append(out.Messages, model.Message{Role: model.Assistant, Content: said(m), Reasoning: m.Reasoning})
		case model.Tool:
			out.Messages = user(out.Messages, result(m))
		case model.User:
			out.Messages = user(out.Messages, m.Content)
		}
	}
	if system = System(system, r.Tools); system != "" {
		out.Messages = append([]model.Message{{Role: model.System, Content: system}}, out.Messages...)
	}
	return out
}

// said is an assistant's message with its calls, in the form that is asked for.
func said(m model.Message) string {
	text := strings.TrimSpace(m.Content)
	for _, c := range m.ToolCalls {
		text = join(text, call(c))
	}
	return text
}

// example is a call that the tool would take.
func example(t model.ToolSpec) string {
	args, err := schema.Example(t.Schema)
	if err != nil {
		args = json.RawMessage("{}")
	}
	return call(model.ToolCall{Name: t.Name, Args: string(args)})
}

func call(c model.ToolCall) string {
	name, _ := json.Marshal(c.Name) // a string always encodes
	return fmt.Sprintf("<tool_call>\n{\"name\": %s, \"arguments\": %s}\n</tool_call>", name, c.Args)
}

var inResult = prompt.Inside("tool_result")

func result(m model.Message) string {
	return fmt.Sprintf("<tool_result name=%q>\n%s\n</tool_result>", m.Name, inResult(strings.TrimRight(m.Content, "\n")))
}

// user adds to the last message of the user: roles have to alternate.
func user(messages []model.Message, text string) []model.Message {
	if last := len(messages) - 1; last >= 0 && messages[last].Role == model.User {
		messages[last].Content = join(messages[last].Content, text)
		return messages
	}
	return append(messages, model.Message{Role: model.User, Content: text})
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// Results finds the place where a model goes on with results that it makes up
// itself, as small ones do after their call. The zero value is ready.
type Results struct{ held string }

const resultTag = "<tool_result"

// Before takes the next piece of an answer and returns what of it precedes an
// invented result; ends tells that there is one. It holds back what may be the
// beginning of the tag.
func (r *Results) Before(text string) (before string, ends bool) {
	text = r.held + text
	if i := strings.Index(text, resultTag); i >= 0 {
		r.held = ""
		return text[:i], true
	}
	n := overlap(text, resultTag)
	r.held = text[len(text)-n:]
	return text[:len(text)-n], false
}

// Rest is what was held back when the answer is over.
func (r *Results) Rest() string {
	held := r.held
	r.held = ""
	return held
}

// overlap is the length of the longest end of text that begins tag.
func overlap(text, tag string) int {
	for n := min(len(text), len(tag)-1); n > 0; n-- {
		if strings.HasSuffix(text, tag[:n]) {
			return n
		}
	}
	return 0
}
