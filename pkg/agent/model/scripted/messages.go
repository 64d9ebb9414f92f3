package scripted

import (
	"encoding/json"
	"fmt"

	"github.com/agentctl/agentctl/pkg/agent/model"
)

// messages is the wire format of Anthropic's messages.
var messages = dialect{parse: parseMessages, render: renderMessages}

type messagesBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
}

func parseMessages(body []byte) (model.Request, error) {
	var w struct {
		System   json.RawMessage `json:"system"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			InputSchema json.RawMessage `json:"input_schema"`
		} `json:"tools"`
		MaxTokens int `json:"max_tokens"`
	}
	if err := json.Unmarshal(body, &w); err != nil {
		return model.Request{}, fmt.Errorf("the request is no messages request: %w", err)
	}
	r := model.Request{MaxOutput: w.MaxTokens}
	if text := plainText(w.System); text != "" {
		r.Messages = append(r.Messages, model.Message{Role: model.System, Content: text})
	}
	names := map[string]string{}
	for _, in := range w.Messages {
		r.Messages = append(r.Messages, unfold(model.Role(in.Role), in.Content, names)...)
	}
	for _, t := range w.Tools {
		r.Tools = append(r.Tools, model.ToolSpec{Name: t.Name, Description: t.Description, Schema: t.InputSchema})
	}
	return r, nil
}

// unfold turns one message into ours: tool results are messages of their own.
func unfold(role model.Role, content json.RawMessage, names map[string]string) []model.Message {
	var blocks []messagesBlock
	if json.Unmarshal(content, &blocks) != nil {
		return []model.Message{{Role: role, Content: plainText(content)}}
	}
	var out []model.Message
	rest := model.Message{Role: role}
	seen := false
	for _, b := range blocks {
		switch b.Type {
		case "tool_result":
			out = append(out, model.Message{Role: model.Tool, Content: plainText(b.Content), CallID: b.ToolUseID, Name: names[b.ToolUseID]})
			continue
		case "text":
			rest.Content += b.Text
		case "thinking":
			rest.Reasoning += b.Thinking
		case "tool_use":
			names[b.ID] = b.Name
			rest.ToolCalls = append(rest.ToolCalls, model.ToolCall{ID: b.ID, Name: b.Name, Args: string(b.Input)})
		}
		seen = true
	}
	if seen {
		out = append(out, rest)
	}
	return out
}

func renderMessages(r rendered) []string {
	var in, cached int
	if r.usage != nil {
		in, cached = r.usage.In, r.usage.Cached
	}
	out := []string{sse("message_start", object{"type": "message_start", "message": object{
		"role": "assistant", "content": []object{},
		"usage": object{"input_tokens": in - cached, "cache_read_input_tokens": cached, "output_tokens": 0},
	}})}
	n := 0
	block := func(start object, deltas []object) {
		out = append(out, sse("content_block_start", object{"type": "content_block_start", "index": n, "content_block": start}))
		for _, d := range deltas {
			out = append(out, sse("content_block_delta", object{"type": "content_block_delta", "index": n, "delta": d}))
		}
		out = append(out, sse("content_block_stop", object{"type": "content_block_stop", "index": n}))
		n++
	}
	if r.thinking != "" {
		block(object{"type": "thinking", "thinking": ""}, deltas(r.thinking, r.chunk, "thinking_delta", "thinking"))
	}
	if r.text != "" {
		block(object{"type": "text", "text": ""}, deltas(r.text, r.chunk, "text_delta", "text"))
	}
	for _, c := range r.calls {
		start := object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": object{}}
		block(start, deltas(c.Args, r.chunk, "input_json_delta", "partial_json"))
	}
	end := object{"type": "message_delta", "delta": object{"stop_reason": r.reason("end_turn", "tool_use")}}
	if r.usage != nil {
		end["usage"] = object{"output_tokens": r.usage.Out}
	}
	return append(out, sse("message_delta", end), sse("message_stop", object{"type": "message_stop"}))
}

func deltas(text string, chunk int, kind, field string) []object {
	var out []object
	for _, p := range pieces(text, chunk) {
		out = append(out, object{"type": kind, field: p})
	}
	return out
}
