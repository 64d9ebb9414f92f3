// Package openai speaks chat completions, the format that OpenAI, Ollama,
// llama.cpp, vLLM, LM Studio, LiteLLM, OpenRouter and many others share, and
// copes with the ways in which they differ.
//
// One Stream is one HTTP request, plus the retries that it announces. The
// answer may be a stream of events or one JSON value.
package openai

import (
	"context"
	"iter"
	"net/http"
	"strings"
	"time"

	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/model/internal/wire"
)

// Compat holds the differences between servers; see [model.Compat].
type Compat = model.Compat

// Config says where a model is and how to talk to it.
type Config struct {
	// Provider is the server's name for messages; "" means the host of BaseURL.
	Provider string
	// BaseURL is the address of the API, usually ending in /v1.
	BaseURL string
	// APIKey is sent as a bearer token; "" sends none. It appears in no error.
	APIKey string
	// KeyEnv is the variable that the key came from, for messages.
	KeyEnv string
	// Model is the id that the server knows.
	Model string
	// Headers are added to the request, and replace those of the same name.
	Headers map[string]string
	Compat  Compat
	// HTTPClient is used for requests; nil means one with Go's defaults.
	// Redirects are never followed.
	HTTPClient *http.Client
	// Data has the texts by which errors are told apart; nil means the builtin.
	Data *model.Data
	// Wait pauses before a retry; nil means a real timer.
	Wait func(context.Context, time.Duration) error
}

type client struct {
	wire   wire.Client
	id     string
	compat Compat
}

// New returns the model that c describes. It makes no request; what is wrong
// with c shows in the first Stream, as a [*model.ServerError].
func New(c Config) model.Model {
	return &client{
		id:     c.Model,
		compat: c.Compat,
		wire: wire.Client{
			Provider: provider(c), URL: endpoint(c.BaseURL), KeyEnv: c.KeyEnv,
			Header: header(c), Secrets: wire.Secrets(c.APIKey, c.Headers),
			HTTP: c.HTTPClient, Data: c.Data, Wait: c.Wait,
		},
	}
}

func provider(c Config) string {
	if c.Provider != "" {
		return c.Provider
	}
	return wire.Host(c.BaseURL)
}

func endpoint(base string) string {
	return strings.TrimSuffix(strings.TrimRight(base, "/"), "/chat/completions") + "/chat/completions"
}

func header(c Config) http.Header {
	h := http.Header{}
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "text/event-stream, application/json")
	h.Set("User-Agent", "agentctl")
	if c.APIKey != "" {
		h.Set("Authorization", "Bearer "+c.APIKey)
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
		return c.decode(a, emit, r)
	})
}
