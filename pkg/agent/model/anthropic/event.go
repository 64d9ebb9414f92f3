package anthropic

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/agentctl/agentctl/pkg/agent/model/internal/wire"
)

// event is one event of the stream, or the whole answer of a server that did not
// stream (type message).
type event struct {
	Type         string          `json:"type"`
	Index        int             `json:"index"`
	Message      *message        `json:"message"`
	ContentBlock *block          `json:"content_block"`
	Delta        *delta          `json:"delta"`
	Usage        *usage          `json:"usage"`
	Error        json.RawMessage `json:"error"`
	Content      []block         `json:"content"`
	StopReason   string          `json:"stop_reason"`
}

type message struct {
	Usage *usage `json:"usage"`
}

type delta struct {
	Type        string `json:"type"`
	Text        string `json:"text"`
	Thinking    string `json:"thinking"`
	Signature   string `json:"signature"`
	PartialJSON string `json:"partial_json"`
	StopReason  string `json:"stop_reason"`
}

type usage struct {
	Input         wire.Tokens `json:"input_tokens"`
	Output        wire.Tokens `json:"output_tokens"`
	CacheRead     wire.Tokens `json:"cache_read_input_tokens"`
	CacheCreation wire.Tokens `json:"cache_creation_input_tokens"`
}

// toolUse is the type of a block that is a call.
const toolUse = "tool_use"

// block is a part of the answer.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"` // of redacted_thinking
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`

	index int
	// What comes in pieces; what the block began with included.
	args, thinking, signature strings.Builder
}

// chatReason is a stop reason in the words of chat completions.
func chatReason(reason string) string {
	switch reason {
	case "end_turn":
		return "stop"
	case "tool_use":
		return "tool_calls"
	case "max_tokens", "model_context_window_exceeded":
		return "length"
	case "refusal":
		return "content_filter"
	}
	return reason
}

// errorStatus is the HTTP status that belongs to an error inside a stream.
func errorStatus(raw json.RawMessage) int {
	var e struct {
		Type string `json:"type"`
	}
	_ = json.Unmarshal(raw, &e) // without a type it is the server's fault
	switch e.Type {
	case "invalid_request_error":
		return http.StatusBadRequest
	case "authentication_error":
		return http.StatusUnauthorized
	case "permission_error":
		return http.StatusForbidden
	case "not_found_error":
		return http.StatusNotFound
	case "request_too_large":
		return http.StatusRequestEntityTooLarge
	case "rate_limit_error":
		return http.StatusTooManyRequests
	}
	return http.StatusInternalServerError
}
