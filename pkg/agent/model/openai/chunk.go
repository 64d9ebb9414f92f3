package openai

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/agentctl/agentctl/pkg/agent/model/internal/wire"
)

// chunk is one event of the stream, or the whole answer of a server that did
// not stream. Servers differ in the types of single fields, so those are read
// leniently one by one instead of failing the event.
type chunk struct {
	Choices []choice        `json:"choices"`
	Usage   *usage          `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

type choice struct {
	Index        json.RawMessage `json:"index"`
	Delta        *delta          `json:"delta"`
	Message      *delta          `json:"message"`
	FinishReason json.RawMessage `json:"finish_reason"`
}

type delta struct {
	Content          json.RawMessage `json:"content"`
	Refusal          json.RawMessage `json:"refusal"`
	ReasoningContent json.RawMessage `json:"reasoning_content"`
	Reasoning        json.RawMessage `json:"reasoning"`
	Thinking         json.RawMessage `json:"thinking"`
	ToolCalls        json.RawMessage `json:"tool_calls"`
	FunctionCall     json.RawMessage `json:"function_call"`
}

type usage struct {
	PromptTokens     wire.Tokens `json:"prompt_tokens"`
	CompletionTokens wire.Tokens `json:"completion_tokens"`
	Details          struct {
		Cached wire.Tokens `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CacheHit wire.Tokens `json:"prompt_cache_hit_tokens"` // DeepSeek
}

// fragment is a piece of a tool call.
type fragment struct {
	id, name, args string
	index          int // -1 when the server gave none
}

// parts are the visible text and the reasoning of a delta.
func (d *delta) parts() (text, reasoning string) {
	text, reasoning = contentParts(d.Content)
	if text == "" {
		text = asString(d.Refusal)
	}
	// Some servers send the same thought under two names.
	for _, field := range []json.RawMessage{d.ReasoningContent, d.Reasoning, d.Thinking} {
		if reasoning == "" {
			reasoning = asString(field)
		}
	}
	return text, reasoning
}

// contentParts reads a content that is a string, null or a list of parts, in which a
// thought may be such a content again.
func contentParts(raw json.RawMessage) (text, reasoning string) {
	type part struct {
		Text     string          `json:"text"`
		Thinking json.RawMessage `json:"thinking"`
	}
	var said, thought strings.Builder
	var parts []part
	if json.Unmarshal(raw, &parts) != nil {
		return asString(raw), ""
	}
	for _, p := range parts {
		said.WriteString(p.Text)
		var inner []part
		if json.Unmarshal(p.Thinking, &inner) != nil {
			thought.WriteString(asString(p.Thinking))
			continue
		}
		for _, p := range inner {
			thought.WriteString(p.Text)
		}
	}
	return said.String(), thought.String()
}

// fragments reads the pieces of tool calls in a delta.
func (d *delta) fragments() []fragment {
	type function struct {
		Name      json.RawMessage `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	type call struct {
		Index    json.RawMessage `json:"index"`
		ID       json.RawMessage `json:"id"`
		Function function        `json:"function"`
	}
	var calls []call
	if json.Unmarshal(d.ToolCalls, &calls) != nil {
		var one call // one call that is not in a list
		if json.Unmarshal(d.ToolCalls, &one) == nil {
			calls = []call{one}
		}
	}
	var legacy function
	// llama-cpp-python sends every piece in both forms.
	if len(calls) == 0 && json.Unmarshal(d.FunctionCall, &legacy) == nil && (legacy.Name != nil || legacy.Arguments != nil) {
		calls = append(calls, call{Function: legacy})
	}
	var out []fragment
	for _, c := range calls {
		f := fragment{id: asID(c.ID), name: asString(c.Function.Name), args: asArgs(c.Function.Arguments), index: asIndex(c.Index)}
		if f.id != "" || f.name != "" || f.args != "" {
			out = append(out, f)
		}
	}
	return out
}

// asArgs reads arguments that are a piece of text or, against the format, the
// value itself.
func asArgs(raw json.RawMessage) string {
	if text := asString(raw); text != "" || len(raw) == 0 || raw[0] == '"' || string(raw) == "null" {
		return text
	}
	return string(raw)
}

func asString(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// asID takes numbers too; the word null is no id.
func asID(raw json.RawMessage) string {
	id := asString(raw)
	if id == "" {
		id = string(raw)
		if _, err := strconv.Atoi(id); err != nil {
			return ""
		}
	}
	if id == "null" || id == "None" {
		return ""
	}
	return id
}

func asIndex(raw json.RawMessage) int {
	n, err := strconv.Atoi(strings.Trim(string(raw), `"`))
	if err != nil || n < 0 {
		return -1
	}
	return n
}
