package scripted

import (
	"encoding/json"
	"fmt"

	"github.com/agentctl/agentctl/pkg/agent/model"
)

// chat is the wire format of chat completions.
var chat = dialect{parse: parseChat, render: renderChat}

func parseChat(body []byte) (model.Request, error) {
	var w struct {
		Messages []struct {
			Role       string          `json:"role"`
			Content    json.RawMessage `json:"content"`
			Reasoning  string          `json:"reasoning_content"`
			ToolCallID string          `json:"tool_call_id"`
			Name       string          `json:"name"`
			ToolCalls  []struct {
				ID       string `json:"id"`
				Function struct {
					Name      string `json:"name"`
					Arguments string `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"messages"`
		Tools []struct {
			Function struct {
				Name        string          `json:"name"`
				Description string          `json:"description"`
				Parameters  json.RawMessage `json:"parameters"`
			} `json:"function"`
		} `json:"tools"`
		MaxTokens           int `json:"max_tokens"`
		MaxCompletionTokens int `json:"max_completion_tokens"`
	}
	if err := json.Unmarshal(body, &w); err != nil {
		return model.Request{}, fmt.Errorf("the request is no chat completion: %w", err)
	}
	r := model.Request{MaxOutput: max(w.MaxTokens, w.MaxCompletionTokens)}
	names := map[string]string{}
	for _, in := range w.Messages {
		m := model.Message{Role: model.Role(in.Role), Content: plainText(in.Content), Reasoning: in.Reasoning, CallID: in.ToolCallID, Name: in.Name}
		if in.Role == "developer" {
			m.Role = model.System
		}
		for _, c := range in.ToolCalls {
			names[c.ID] = c.Function.Name
			m.ToolCalls = append(m.ToolCalls, model.ToolCall{ID: c.ID, Name: c.Function.Name, Args: c.Function.Arguments})
		}
		if m.Role == model.Tool && m.Name == "" {
			m.Name = names[m.CallID]
		}
		r.Messages = append(r.Messages, m)
	}
	for _, t := range w.Tools {
		r.Tools = append(r.Tools, model.ToolSpec{Name: t.Function.Name, Description: t.Function.Description, Schema: t.Function.Parameters})
	}
	return r, nil
}

// plainText reads a content that is a string, null or a list of text parts.
func plainText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(raw, &parts) // what is no text is not matched
	for _, p := range parts {
		s += p.Text
	}
	return s
}

type object = map[string]any

func renderChat(r rendered) []string {
	delta := func(d object) string {
		return sse("", object{"choices": []object{{"index": 0, "delta": d}}})
	}
	out := []string{delta(object{"role": "assistant"})}
	for _, p := range pieces(r.thinking, r.chunk) {
		out = append(out, delta(object{"reasoning_content": p}))
	}
	for _, p := range pieces(r.text, r.chunk) {
		out = append(out, delta(object{"content": p}))
	}
	for i, c := range r.calls {
		first := object{"index": i, "type": "function", "function": object{"name": c.Name, "arguments": ""}}
		if c.ID != "" {
			first["id"] = c.ID
		}
		out = append(out, delta(object{"tool_calls": []object{first}}))
		for _, p := range pieces(c.Args, r.chunk) {
			out = append(out, delta(object{"tool_calls": []object{{"index": i, "function": object{"arguments": p}}}}))
		}
	}
	out = append(out, sse("", object{"choices": []object{{"index": 0, "delta": object{}, "finish_reason": r.reason("stop", "tool_calls")}}}))
	if u := r.usage; u != nil {
		out = append(out, sse("", object{"choices": []object{}, "usage": object{
			"prompt_tokens": u.In, "completion_tokens": u.Out, "total_tokens": u.In + u.Out,
			"prompt_tokens_details": object{"cached_tokens": u.Cached},
		}}))
	}
	return append(out, "data: [DONE]\n\n")
}

// reason is the finish reason of the script, else the usual one.
func (r rendered) reason(stop, calls string) string {
	switch {
	case r.finish != "":
		return r.finish
	case len(r.calls) > 0:
		return calls
	}
	return stop
}
