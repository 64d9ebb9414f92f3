// Package wire is what the providers that speak HTTP have in common: one
// request whose answer is a stream of events, retries before anything was
// shown, and typed errors for what servers say when they refuse.
package wire

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"regexp"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/agentctl/agentctl/pkg/agent/model"
)

const (
	// MaxRetries bounds the attempts after the first.
	MaxRetries = 4
	// firstDelay doubles with every retry: 0.5, 1, 2, 4 s, each ± 20 %.
	firstDelay = 500 * time.Millisecond
	// maxRetryAfter is the longest wait that a server may ask for; a longer one
	// is reported instead of slept through.
	maxRetryAfter = 60 * time.Second
)

// Client sends requests to one URL.
type Client struct {
	// Provider is the server's name for messages.
	Provider string
	URL      string
	// KeyEnv is the variable that the key came from, for messages.
	KeyEnv string
	Header http.Header
	// Secrets are texts that must not appear in any error.
	Secrets []string
	// HTTP is the client to use; nil means one with the default transport.
	HTTP *http.Client
	// Data has the texts by which errors are told apart; nil means the builtin.
	Data *model.Data
	// Wait pauses before a retry; nil means a real timer.
	Wait func(context.Context, time.Duration) error
}

// ErrStopped is returned by emit when nobody listens any more. A decoder hands
// it back unchanged.
var ErrStopped = errors.New("the reader stopped")

// Emit passes an event on.
type Emit func(model.Event) error

// Decode turns an answer into events. It returns nil only after a complete
// answer.
type Decode func(answer *Answer, emit Emit) error

// Stream sends body and yields what decode makes of the answer. One request is
// made for each attempt, and every further attempt is announced.
func (c *Client) Stream(ctx context.Context, body []byte, decode Decode) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		delays := &backoff.ExponentialBackOff{
			InitialInterval: firstDelay, Multiplier: 2, RandomizationFactor: 0.2, MaxInterval: 8 * time.Second,
		}
		shown := false
		emit := func(e model.Event) error {
			shown = shown || visible(e)
			if !yield(e, nil) {
				return ErrStopped
			}
			return nil
		}
		for attempt := 1; ; attempt++ {
			err := c.attempt(ctx, body, decode, emit)
			if err == nil || errors.Is(err, ErrStopped) {
				return
			}
			if ctx.Err() != nil {
				yield(nil, ctx.Err())
				return
			}
			after, again := c.retry(err, delays.NextBackOff())
			if shown || !again || attempt > MaxRetries {
				yield(nil, cause(err))
				return
			}
			announce := model.Retry{Attempt: attempt + 1, After: after, Reason: cause(err).Error()}
			if emit(announce) != nil {
				return
			}
			if err := c.wait(ctx, after); err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// visible tells whether an event is output that a repetition would show twice.
func visible(e model.Event) bool {
	switch e.(type) {
	case model.Retry, model.Usage:
		return false
	}
	return true
}

func (c *Client) attempt(ctx context.Context, body []byte, decode Decode, emit Emit) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	resp, err := c.post(ctx, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := c.open(resp)
	if err != nil {
		return err
	}
	answer.cancel = cancel
	if err := decode(answer, emit); err != nil {
		return err
	}
	answer.drain()
	return nil
}

// post sends the request and turns everything but 200 into a typed error.
func (c *Client) post(ctx context.Context, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, bytes.NewReader(body))
	if err != nil {
		return nil, c.unreachable(err, false)
	}
	req.Header = c.Header.Clone()
	resp, err := c.client().Do(req)
	if err != nil {
		return nil, c.unreachable(err, transient(err))
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		return nil, c.refused(resp)
	}
	return resp, nil
}

// client never follows a redirect: it would send the key and the conversation
// to a host that nobody named.
func (c *Client) client() *http.Client {
	client := http.Client{}
	if c.HTTP != nil {
		client = *c.HTTP
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client
}

func (c *Client) wait(ctx context.Context, d time.Duration) error {
	if c.Wait != nil {
		return c.Wait(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *Client) data() *model.Data {
	if c.Data != nil {
		return c.Data
	}
	return model.Builtin()
}

// Host is the host of a URL, or the URL itself when it has none.
func Host(raw string) string {
	if u, err := url.Parse(raw); err == nil && u.Host != "" {
		return u.Host
	}
	return raw
}

// Secrets are the key and the values of headers that carry one.
func Secrets(key string, headers map[string]string) []string {
	secrets := []string{key}
	for name, value := range headers {
		if secretHeader.MatchString(name) {
			secrets = append(secrets, value)
		}
	}
	return secrets
}

var secretHeader = regexp.MustCompile(`(?i)auth|key|token|secret|cookie|password|credential|session`)
