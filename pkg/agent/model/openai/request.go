package openai

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/model/internal/wire"
)

// The fields stand in the order in which they are sent. The same request is
// always the same bytes, so that prompt caches hit.
type wireRequest struct {
	Model         string         `json:"model"`
	Messages      []wireMessage  `json:"messages"`
	Tools         []wireTool     `json:"tools,omitempty"`
	Parallel      *bool          `json:"parallel_tool_calls,omitempty"`
	Stream        bool           `json:"stream"`
	StreamOptions *streamOptions `json:"stream_options,omitempty"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type wireMessage struct {
	Role string `json:"role"`
	// Content is null in a message that only calls tools: an empty text is
	// refused by some servers, a missing one by others.
	Content    *string    `json:"content"`
	ToolCalls  []wireCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
	Name       string     `json:"name,omitempty"`
	reasoning  string
	field      string
}

type wireCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function wireFunction `json:"function"`
}

type wireFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type wireTool struct {
	Type     string   `json:"type"`
	Function wireSpec `json:"function"`
}

type wireSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

// MarshalJSON adds the reasoning under the name that the server asks for.
func (m wireMessage) MarshalJSON() ([]byte, error) {
	type plain wireMessage
	data, err := wire.Marshal(plain(m))
	if err != nil || m.reasoning == "" || m.field == "" {
		return data, err
	}
	return wire.AddFields(data, map[string]any{m.field: m.reasoning})
}

func (c *client) encode(r model.Request) ([]byte, error) {
	req := wireRequest{Model: c.id, Messages: []wireMessage{}, Stream: true}
	if !c.compat.NoStreamUsage {
		req.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	for _, m := range r.Messages {
		req.Messages = append(req.Messages, c.message(m))
	}
	for _, t := range r.Tools {
		params, err := wire.Parameters(t, schema.OpenAI)
		if err != nil {
			return nil, err
		}
		req.Tools = append(req.Tools, wireTool{Type: "function", Function: wireSpec{t.Name, t.Description, params}})
	}
	if len(req.Tools) > 0 {
		req.Parallel = c.compat.ParallelToolCalls
	}
	data, err := wire.Marshal(req)
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	return wire.AddFields(data, c.extra(r))
}

// extra are the fields whose names depend on the server.
func (c *client) extra(r model.Request) map[string]any {
	fields := map[string]any{}
	maps.Copy(fields, c.compat.Body)
	if r.MaxOutput > 0 {
		name := c.compat.MaxTokensField
		if name == "" {
			name = "max_tokens"
		}
		fields[name] = r.MaxOutput
	}
	return fields
}

func (c *client) message(m model.Message) wireMessage {
	out := wireMessage{Role: string(m.Role), Content: &m.Content}
	switch m.Role {
	case model.System:
		if c.compat.SystemRole != "" {
			out.Role = c.compat.SystemRole
		}
	case model.Assistant:
		out.reasoning, out.field = m.Reasoning, c.compat.ReasoningField
		for _, call := range m.ToolCalls {
			f := wireFunction{wire.SafeName(call.Name), wire.ValidArgs(call.Args)}
			out.ToolCalls = append(out.ToolCalls, wireCall{ID: call.ID, Type: "function", Function: f})
		}
		if m.Content == "" && len(m.ToolCalls) > 0 && !c.compat.EmptyContent {
			out.Content = nil
		}
	case model.Tool:
		out.ToolCallID = m.CallID
		if c.compat.ToolResultName {
			out.Name = wire.SafeName(m.Name)
		}
	}
	return out
}
