// Package anthropic speaks the messages format: native tool calls, prompt
// caching, thinking.
//
// Stop reasons come out as those of chat completions, so that readers know one
// vocabulary: end_turn is stop, tool_use is tool_calls, max_tokens is length, refusal is content_filter;
// others stay as they are.
package anthropic

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/model/internal/wire"
)

const (
	// Version of the API that this package was written for.
	Version = "2023-06-01"
	// The API wants an output limit in every request. minOutput is what the smallest
	// models take; maxOutput leaves room for the prompt in the smallest windows.
	minOutput, maxOutput = 8192, 32000
)

// Config says where a model is and how to talk to it.
type Config struct {
	// Provider is the server's name for messages; "" means the host of BaseURL.
	Provider string
	// BaseURL is the address of the API, ending in /v1.
	BaseURL string
	// APIKey is sent as x-api-key; "" sends none. It appears in no error.
	APIKey string
	// KeyEnv is the variable that the key came from, for messages.
	KeyEnv string
	// Model is the id that the server knows.
	Model string
	// Headers are added to the request, and replace those of the same name.
	Headers map[string]string
	// Compat: ParallelToolCalls and Body are used here, e.g. a body with
	// thinking: {type: enabled, budget_tokens: 4000}.
	Compat model.Compat
	// HTTPClient is used for requests; nil means one with Go's defaults.
	// Redirects are never followed.
	HTTPClient *http.Client
	// Data has the texts by which errors are told apart and what is known about
	// models; nil means the builtin.
	Data *model.Data
	// Wait pauses before a retry; nil means a real timer.
	Wait func(context.Context, time.Duration) error
}

type client struct {
	wire      wire.Client
	id        string
	compat    model.Compat
	maxOutput int

	mu sync.Mutex
	// thoughts are the signed thinking blocks of recent answers, by the id of the
	// answer's first call. The API wants them back while the turn goes on.
	thoughts map[string][]json.RawMessage
}

// New returns the model that c describes. It makes no request; what is wrong
// with c shows in the first Stream, as a [*model.ServerError].
func New(c Config) model.Model {
	if c.Provider == "" {
		c.Provider = wire.Host(c.BaseURL)
	}
	data := c.Data
	if data == nil {
		data = model.Builtin()
	}
	limit := min(data.Known(c.Model).MaxOutput, maxOutput)
	if limit == 0 {
		limit = minOutput
	}
	return &client{
		id: c.Model, compat: c.Compat, maxOutput: limit, thoughts: map[string][]json.RawMessage{},
		wire: wire.Client{
			Provider: c.Provider, URL: strings.TrimSuffix(strings.TrimRight(c.BaseURL, "/"), "/messages") + "/messages",
			KeyEnv: c.KeyEnv, Header: header(c), Secrets: wire.Secrets(c.APIKey, c.Headers),
			HTTP: c.HTTPClient, Data: data, Wait: c.Wait,
		},
	}
}

func header(c Config) http.Header {
	h := http.Header{}
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "text/event-stream, application/json")
	h.Set("User-Agent", "agentctl")
	h.Set("Anthropic-Version", Version)
	if c.APIKey != "" {
		h.Set("X-Api-Key", c.APIKey)
	}
	for name, value := range c.Headers {
		h.Set(name, value)
	}
	return h
}

// Stream implements [model.Model].
func (c *client) Stream(ctx context.Context, r model.Request) iter.Seq2[model.Event, error] {
	body, err := c.encode(r)
	if err != nil {
		return func(yield func(model.Event, error) bool) { yield(nil, err) }
	}
	return c.wire.Stream(ctx, body, func(a *wire.Answer, emit wire.Emit) error {
		return c.decode(a, emit, r.Messages)
	})
}

// remember keeps the thinking blocks of an answer that goes on with calls.
func (c *client) remember(calls []model.ToolCall, thinking []json.RawMessage) {
	if len(calls) == 0 || len(thinking) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.thoughts[calls[0].ID] = thinking
}

// recall returns the thinking blocks that belong to a message.
func (c *client) recall(m model.Message) []json.RawMessage {
	if len(m.ToolCalls) == 0 {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.thoughts[m.ToolCalls[0].ID]
}
