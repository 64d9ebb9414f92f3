// Package model is the interface between the agent loop and a language model,
// and the vocabulary that both share. Providers live below it: openai (chat
// completions), anthropic (messages), scripted (a YAML file).
package model

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"time"
)

// Model answers a request as a stream of events.
//
// The sequence ends after a [Finish] event or after one error; an error is
// always the last element. Retries happen inside, before the first visible
// output only, and are announced by [Retry] events. Stopping the iteration or
// cancelling ctx closes the connection.
type Model interface {
	Stream(ctx context.Context, r Request) iter.Seq2[Event, error]
}

// Role of a message.
type Role string

// The roles.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// Message is one entry of the history.
type Message struct {
	Role    Role
	Content string
	// Reasoning is what an assistant thought; sent back only where the provider
	// asks for it.
	Reasoning string
	// ToolCalls are the calls of an assistant message.
	ToolCalls []ToolCall
	// CallID and Name tie a tool message to its call.
	CallID, Name string
}

// MaxCalls is how many calls one answer may have. Nobody means more, and each of
// them would run.
const MaxCalls = 128

// ErrTooManyCalls is the cause of a [CutStreamError] when an answer has more than
// [MaxCalls].
var ErrTooManyCalls = fmt.Errorf("it has more than %d tool calls, so none of them ran", MaxCalls)

// ToolCall is a call as the model made it.
type ToolCall struct {
	ID   string
	Name string
	// Args is the text of the arguments as it came: usually a JSON object, not
	// guaranteed to be valid.
	Args string
}

// ToolSpec describes a function tool. Schema is a JSON Schema object as
// authored; a provider projects it to what it accepts.
type ToolSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
}

// Request is everything that one answer depends on.
type Request struct {
	Messages []Message
	Tools    []ToolSpec
	// MaxOutput is the limit of output tokens; 0 leaves it to the server.
	MaxOutput int
}

// Event is one of [TextDelta], [ReasoningDelta], [Call], [Usage], [Retry], [Finish].
type Event interface{ event() }

// TextDelta is a piece of the visible answer.
type TextDelta struct{ Text string }

// ReasoningDelta is a piece of what the model thought.
type ReasoningDelta struct{ Text string }

// Call is one complete tool call. Calls come in the order in which they began.
type Call struct{ ToolCall }

// Usage counts tokens; 0 means that the server did not say.
type Usage struct {
	Input  int `json:"input"`
	Output int `json:"output"`
	Cached int `json:"cached"`
}

// Retry announces another attempt.
type Retry struct {
	Attempt int
	After   time.Duration
	Reason  string
}

// Finish ends an answer. Reason is a word of chat completions ("stop", "tool_calls",
// "length", …); what counts is the content that came before.
type Finish struct{ Reason string }

func (TextDelta) event()      {}
func (ReasoningDelta) event() {}
func (Call) event()           {}
func (Usage) event()          {}
func (Retry) event()          {}
func (Finish) event()         {}
