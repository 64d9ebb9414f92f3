package scripted

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agentctl/agentctl/pkg/agent/model"
)

// rendered is a reply with its templates filled in.
type rendered struct {
	text, thinking string
	calls          []model.ToolCall
	finish         string
	usage          *usage
	chunk          int
}

func (s *Script) render(r *reply, req model.Request) (rendered, error) {
	look := &lookup{messages: req.Messages, ids: s.ids}
	out := rendered{finish: r.Finish, usage: r.Usage, chunk: r.Chunk}
	var err error
	if out.text, err = look.render(r.Text); err != nil {
		return out, err
	}
	if out.thinking, err = look.render(r.Thinking); err != nil {
		return out, err
	}
	for _, c := range r.ToolCalls {
		args, err := c.arguments(look)
		if err != nil {
			return out, fmt.Errorf("tool call %q: %w", c.Name, err)
		}
		out.calls = append(out.calls, model.ToolCall{ID: s.id(*c.ID, req), Name: c.Name, Args: args})
	}
	if t := s.spec.Model.Tools; t == "text" || t == "none" {
		out = out.asText()
	}
	return out, nil
}

func (c toolCall) arguments(look *lookup) (string, error) {
	if c.RawArgs != nil {
		return look.render(*c.RawArgs)
	}
	if c.Args == nil {
		return "{}", nil
	}
	args, err := look.deep(c.Args)
	if err != nil {
		return "", err
	}
	out, err := json.Marshal(args)
	return string(out), err
}

// id is the id to send for one of the script. The history of a loop, or of an
// earlier run, may have it already; then it gets a number.
func (s *Script) id(id string, r model.Request) string {
	if id == "" {
		return ""
	}
	taken := map[string]bool{}
	for _, m := range r.Messages {
		for _, c := range m.ToolCalls {
			taken[c.ID] = true
		}
	}
	sent := id
	for n := 2; taken[sent]; n++ {
		sent = fmt.Sprintf("%s_%d", id, n)
	}
	s.ids[id] = sent
	return sent
}

// asText writes the calls into the text, as models without native calls do.
func (r rendered) asText() rendered {
	for _, c := range r.calls {
		if r.text != "" {
			r.text += "\n"
		}
		name, _ := json.Marshal(c.Name) // a string always encodes
		r.text += fmt.Sprintf("<tool_call>\n{\"name\": %s, \"arguments\": %s}\n</tool_call>", name, c.Args)
	}
	r.calls = nil
	return r
}

// pieces cuts text into parts of n bytes, longer ones where a character would
// be cut. n = 0 leaves it whole.
func pieces(text string, n int) []string {
	var out []string
	for len(text) > 0 {
		cut := len(text)
		if n > 0 {
			cut = min(n, cut)
		}
		for cut < len(text) && !utf8.RuneStart(text[cut]) {
			cut++
		}
		out = append(out, text[:cut])
		text = text[cut:]
	}
	return out
}

// sse writes an event; name may be "".
func sse(name string, v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // maps of strings and numbers
	}
	var b strings.Builder
	if name != "" {
		b.WriteString("event: " + name + "\n")
	}
	b.WriteString("data: " + string(data) + "\n\n")
	return b.String()
}
