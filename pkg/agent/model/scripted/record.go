package scripted

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

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

// record appends the request to the record file.
func (s *Script) record(r model.Request) error {
	if s.spec.Record == "" {
		return nil
	}
	s.asked++
	line, err := json.Marshal(newRecord(s.asked, r))
	if err != nil {
		return err
	}
	path := s.spec.Record
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(s.file), path)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	if _, err := f.Write(append(line, '\n')); err != nil {
		f.Close()
		return fmt.Errorf("record: %w", err)
	}
	return f.Close()
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
