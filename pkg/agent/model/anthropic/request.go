package anthropic

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"

	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/model/internal/wire"
)

// The fields stand in the order in which they are sent. The same request is
// always the same bytes, so that prompt caches hit.
type wireRequest struct {
	Model      string        `json:"model"`
	MaxTokens  int           `json:"max_tokens"`
	System     []any         `json:"system,omitempty"`
	Tools      []*wireTool   `json:"tools,omitempty"`
	ToolChoice *toolChoice   `json:"tool_choice,omitempty"`
	Messages   []wireMessage `json:"messages"`
	Stream     bool          `json:"stream"`
}

type toolChoice struct {
	Type            string `json:"type"`
	DisableParallel bool   `json:"disable_parallel_tool_use"`
}

type wireMessage struct {
	Role    string `json:"role"`
	Content []any  `json:"content"` // pointers to blocks, or raw thinking blocks
}

type wireTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
	cached
}

// cached marks the end of a prefix that the server may keep.
type cached struct {
	CacheControl *cacheControl `json:"cache_control,omitempty"`
}

type cacheControl struct {
	Type string `json:"type"`
}

func (c *cached) mark() { c.CacheControl = &cacheControl{Type: "ephemeral"} }

type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
	cached
}

type toolUseBlock struct {
	Type  string          `json:"type"`
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
	cached
}

type toolResultBlock struct {
	Type      string `json:"type"`
	ToolUseID string `json:"tool_use_id"`
	Content   string `json:"content,omitempty"`
	cached
}

func (c *client) encode(r model.Request) ([]byte, error) {
	req := wireRequest{Model: c.id, MaxTokens: c.maxOutput, Messages: c.messages(r.Messages), Stream: true}
	if r.MaxOutput > 0 {
		req.MaxTokens = r.MaxOutput
	}
	for _, m := range r.Messages {
		if m.Role == model.System && m.Content != "" {
			req.System = append(req.System, &textBlock{Type: "text", Text: m.Content})
		}
	}
	for _, t := range r.Tools {
		params, err := wire.Parameters(t, schema.Anthropic)
		if err != nil {
			return nil, err
		}
		req.Tools = append(req.Tools, &wireTool{Name: t.Name, Description: t.Description, InputSchema: params})
	}
	if p := c.compat.ParallelToolCalls; p != nil && len(req.Tools) > 0 {
		req.ToolChoice = &toolChoice{Type: "auto", DisableParallel: !*p}
	}
	req.markCache()
	data, err := wire.Marshal(req)
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	return wire.AddFields(data, c.extra(r))
}

// markCache marks the two prefixes that come again: tools with the system
// prompt, and the conversation so far.
func (r *wireRequest) markCache() {
	switch {
	case len(r.System) > 0:
		mark(r.System)
	case len(r.Tools) > 0:
		r.Tools[len(r.Tools)-1].mark()
	}
	if n := len(r.Messages); n > 0 {
		mark(r.Messages[n-1].Content)
	}
}

func mark(blocks []any) {
	if b, ok := blocks[len(blocks)-1].(interface{ mark() }); ok {
		b.mark()
	}
}

// extra are the configured fields. Thinking is left out of a request that goes on
// after calls whose thinking blocks are not known any more, as after a resume:
// the API would refuse it.
func (c *client) extra(r model.Request) map[string]any {
	fields := maps.Clone(c.compat.Body)
	if _, ok := fields["thinking"]; ok && !c.canThink(r.Messages) {
		delete(fields, "thinking")
	}
	return fields
}

func (c *client) canThink(messages []model.Message) bool {
	n := len(messages)
	if n == 0 || messages[n-1].Role != model.Tool {
		return true
	}
	for n--; n >= 0; n-- {
		if messages[n].Role == model.Assistant {
			return len(c.recall(messages[n])) > 0
		}
	}
	return true
}

// messages joins neighbours of one role, since results of tools are the user's.
func (c *client) messages(in []model.Message) []wireMessage {
	out := []wireMessage{}
	for _, m := range in {
		role, blocks := c.blocks(m)
		switch n := len(out); {
		case len(blocks) == 0:
		case n > 0 && out[n-1].Role == role:
			out[n-1].Content = append(out[n-1].Content, blocks...)
		default:
			out = append(out, wireMessage{role, blocks})
		}
	}
	return out
}

// blocks are the contents of a message. The API takes no empty text.
func (c *client) blocks(m model.Message) (role string, blocks []any) {
	switch m.Role {
	case model.System:
		return "", nil
	case model.Tool:
		return "user", []any{&toolResultBlock{Type: "tool_result", ToolUseID: safeID(m.CallID), Content: m.Content}}
	case model.Assistant:
		for _, thought := range c.recall(m) {
			blocks = append(blocks, thought)
		}
	}
	if m.Content != "" {
		blocks = append(blocks, &textBlock{Type: "text", Text: m.Content})
	}
	for _, call := range m.ToolCalls {
		input := json.RawMessage(wire.ValidArgs(call.Args))
		blocks = append(blocks, &toolUseBlock{Type: "tool_use", ID: safeID(call.ID), Name: wire.SafeName(call.Name), Input: input})
	}
	return string(m.Role), blocks
}

var notInID = regexp.MustCompile(`[^a-zA-Z0-9_-]`)

// safeID is an id that the API takes; other servers' may hold anything.
func safeID(id string) string { return notInID.ReplaceAllString(id, "_") }
