package scripted

import (
	"encoding/json"

	"github.com/agentctl/agentctl/pkg/agent/model"
)

// record is the line that a request leaves in the record file.
type record struct {
	Request   int             `json:"request"` // 1-based
	Messages  []recordMessage `json:"messages"`
	Tools     []recordTool    `json:"tools"`
	MaxOutput int             `json:"max_output,omitempty"`
}

type recordMessage struct {
	Role      model.Role   `json:"role"`
	Content   string       `json:"content"`
	Reasoning string       `json:"reasoning,omitempty"`
	ToolCalls []recordCall `json:"tool_calls,omitempty"`
	CallID    string       `json:"call_id,omitempty"`
	Name      string       `json:"name,omitempty"`
}

type recordCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Args string `json:"args"`
}

type recordTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
}

func newRecord(n int, r model.Request) record {
	out := record{Request: n, Messages: []recordMessage{}, Tools: []recordTool{}, MaxOutput: r.MaxOutput}
	for _, m := range r.Messages {
		line := recordMessage{Role: m.Role, Content: m.Content, Reasoning: m.Reasoning, CallID: m.CallID, Name: m.Name}
		for _, c := range m.ToolCalls {
			line.ToolCalls = append(line.ToolCalls, recordCall(c))
		}
		out.Messages = append(out.Messages, line)
	}
	for _, t := range r.Tools {
		out.Tools = append(out.Tools, recordTool(t))
	}
	return out
}
