package openai_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/pkg/agent/agenttest"
	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/model/openai"
)

// What servers say, and what becomes of it. "retries" are those that were made
// before it was given up.
func TestErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		status  int
		header  string
		body    string
		want    error
		retries int
		text    string
	}{
		{"bad key", 401, "", `{"error":{"message":"Incorrect API key provided: sk-secret"}}`, &model.AuthError{}, 0, "fake refused the API key in FAKE_KEY: Incorrect API key provided: [redacted]"},
		{"forbidden", 403, "", `no`, &model.AuthError{}, 0, "no"},
		{"rate", 429, "", `{"error":"slow down"}`, &model.RateError{}, 4, "fake is limiting requests: slow down"},
		{"rate for too long", 429, "3600", `{"error":"slow down"}`, &model.RateError{}, 0, "is limiting requests, and says to wait 1h0m0s: slow down"},
		{"a web page of a proxy", 502, "", "<html>\n<head><title>502 Bad &amp; Gateway</title></head><body><h1>x</h1></body></html>", &model.ServerError{}, 4, "answered 502: a web page instead of an answer: 502 Bad & Gateway"},
		{"a web page without a title", 404, "", "\n<h1>x</h1>", &model.ServerError{}, 0, "answered 404: a web page instead of an answer"},
		{"a list around the error", 400, "", `[{"error":{"code":400,"message":"bad value"}}]`, &model.ServerError{}, 0, "answered 400: bad value"},
		{"no money", 429, "", `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`, &model.RateError{}, 0, "You exceeded"},
		{"too many tokens at once", 429, "", `{"error":{"message":"Please reduce the length of the messages"}}`, &model.OverflowError{}, 0, ""},
		{"too large without a word", 413, "", ``, &model.OverflowError{}, 0, "Request Entity Too Large"},
		{"ollama has no tools", 400, "", `{"error":{"message":"registry.ollama.ai/library/gemma:2b does not support tools"}}`, &model.ToolsUnsupportedError{}, 0, ""},
		{"llama.cpp has no tools", 500, "", `{"error":{"message":"tools param requires --jinja flag"}}`, &model.ToolsUnsupportedError{}, 0, ""},
		{"llama.cpp cannot read the history", 500, "", `{"error":{"message":"Failed to parse tool call arguments as JSON"}}`, &model.ServerError{}, 0, "answered 500"},
		{"unknown model", 404, "", `{"error":{"message":"model m not found"}}`, &model.ServerError{}, 0, "answered 404: model m not found"},
		{"fastapi", 422, "", `{"detail":"field required"}`, &model.ServerError{}, 0, "field required"},
		{"plain message", 400, "", `{"message":"bad"}`, &model.ServerError{}, 0, "answered 400: bad"},
		{"overloaded", 503, "", `busy` + "\x1b[31m\nnow", &model.ServerError{}, 4, "answered 503: busy [31m now"},
		{"timeout", 408, "", ``, &model.ServerError{}, 4, "Request Timeout"},
		{"conflict", 409, "", `{}`, &model.ServerError{}, 4, "answered 409"},
		{"not repeated", 400, "", `{"error":null,"detail":[1]}`, &model.ServerError{}, 0, `answered 400: {"error":null,"detail":[1]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if tt.header != "" {
					w.Header().Set("Retry-After", tt.header)
				}
				w.WriteHeader(tt.status)
				fmt.Fprint(w, tt.body)
			}))
			t.Cleanup(s.Close)
			got := agenttest.Collect(t.Context(), at(s.URL), question)
			if fmt.Sprintf("%T", got.Err) != fmt.Sprintf("%T", tt.want) || len(got.Retries) != tt.retries {
				t.Fatalf("got %T %v after %d retries, want %T after %d", got.Err, got.Err, len(got.Retries), tt.want, tt.retries)
			}
			if !strings.Contains(got.Err.Error(), tt.text) || strings.Contains(got.Err.Error(), "sk-secret") {
				t.Errorf("got %q, want it to contain %q and no key", got.Err, tt.text)
			}
		})
	}
}

func at(url string, waits ...*[]time.Duration) model.Model {
	return openai.New(openai.Config{
		Provider: "fake", BaseURL: url, APIKey: "sk-secret", KeyEnv: "FAKE_KEY", Model: "m",
		Wait: func(ctx context.Context, d time.Duration) error {
			for _, w := range waits {
				*w = append(*w, d)
			}
			return ctx.Err()
		},
	})
}

func TestRetryDelays(t *testing.T) {
	t.Parallel()
	s := agenttest.Serve(t, "version: 1\nsteps:\n  - fail: {status: 500, times: 4}\n  - reply: {text: x}\n")
	var waits []time.Duration
	got := agenttest.Collect(t.Context(), at(s.BaseURL, &waits), question)
	if got.Err != nil || len(waits) != 4 {
		t.Fatalf("got %v, %v", got.Err, waits)
	}
	for i, middle := range []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second} {
		if low, high := middle*8/10, middle*12/10+1; waits[i] < low || waits[i] > high || waits[i] != got.Retries[i].After {
			t.Errorf("wait %d: got %v (announced %v), want about %v", i, waits[i], got.Retries[i].After, middle)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, header, value string
		want                time.Duration
	}{
		{"a date that is far behind", "Retry-After", "Mon, 02 Jan 2006 15:04:00 GMT", 0},
		{"seconds", "Retry-After", "7", 7 * time.Second},
		{"milliseconds", "Retry-After-Ms", "2500", 2500 * time.Millisecond},
		{"a date", "Retry-After", "Mon, 02 Jan 2006 15:04:35 GMT", 30 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			first := true
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if !first {
					fmt.Fprint(w, `{"choices":[{"message":{"content":"x"}}]}`)
					return
				}
				first = false
				w.Header().Set("Date", "Mon, 02 Jan 2006 15:04:05 GMT")
				w.Header().Set(tt.header, tt.value)
				w.WriteHeader(http.StatusTooManyRequests)
			}))
			t.Cleanup(s.Close)
			got := agenttest.Collect(t.Context(), at(s.URL), question)
			if got.Err != nil || len(got.Retries) != 1 || got.Retries[0].After != tt.want && (tt.want > 0 || got.Retries[0].After > time.Second) {
				t.Errorf("got %v, %+v; want one retry after %v", got.Err, got.Retries, tt.want)
			}
		})
	}
}

// Without the server's clock a date is compared with ours.
func TestRetryAfterADateWithoutClock(t *testing.T) {
	t.Parallel()
	first := true
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !first {
			fmt.Fprint(w, `{"choices":[{"message":{"content":"x"}}]}`)
			return
		}
		first = false
		w.Header()["Date"] = nil // so none is sent
		w.Header().Set("Retry-After", time.Now().UTC().Add(40*time.Second).Format(http.TimeFormat))
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	t.Cleanup(s.Close)
	got := agenttest.Collect(t.Context(), at(s.URL), question)
	if got.Err != nil || len(got.Retries) != 1 || got.Retries[0].After < 30*time.Second || got.Retries[0].After > 40*time.Second {
		t.Errorf("got %v, %+v", got.Err, got.Retries)
	}
}

// What is too large would be so again.
func TestTooLargeIsNotAskedForAgain(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, begin string
		size        int
		want        string
	}{
		{"one event", `data: {"choices":[{"delta":{"content":"`, 17 << 20, "broke off: one event of it is larger than 16 MiB"},
		{"an answer that is not streamed", `{"choices":[{"message":{"content":"`, 65 << 20, "broke off: it is larger than 64 MiB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				fmt.Fprint(w, tt.begin, strings.Repeat("x", tt.size))
			}))
			t.Cleanup(s.Close)
			got := agenttest.Collect(t.Context(), at(s.URL), question)
			if got.Err == nil || !strings.HasSuffix(got.Err.Error(), tt.want) || len(got.Retries) != 0 {
				t.Errorf("got %v after %d retries", got.Err, len(got.Retries))
			}
		})
	}
}

// hangUp is a server that closes every connection.
func hangUp(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	t.Cleanup(s.Close)
	return s.URL
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close() // nobody listens at its address any more
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	tests := []struct {
		name, url string
		retries   int
		text      string
	}{
		{"nobody listens on this machine", s.URL, 0, "cannot be reached: connection refused"},
		{"the connection breaks at once", hangUp(t), 4, "cannot be reached: the server closed the connection"},
		{"no such port", "http://127.0.0.1:99999/v1", 0, "/chat/completions cannot be reached: address 99999: invalid port"},
		{"no TLS there", strings.Replace(plain.URL, "http:", "https:", 1), 0, "cannot be reached: the server does not speak TLS there"},
		{"no scheme", "localhost:1/v1", 0, "unsupported protocol scheme"},
		{"no URL", "http://[", 0, "cannot be reached"},
		{"empty", "", 0, "cannot be reached"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := agenttest.Collect(t.Context(), at(tt.url), question)
			err, ok := errors.AsType[*model.ServerError](got.Err)
			if !ok || err.Status != 0 || len(got.Retries) != tt.retries || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("got %v after %d retries", got.Err, len(got.Retries))
			}
		})
	}
}

// A certificate that cannot be verified will not be better in a second.
func TestBadCertificate(t *testing.T) {
	t.Parallel()
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = discard
	s.StartTLS()
	t.Cleanup(s.Close)
	got := agenttest.Collect(t.Context(), at(s.URL), question)
	if got.Err == nil || len(got.Retries) != 0 || !strings.Contains(got.Err.Error(), "certificate") {
		t.Errorf("got %v after %d retries", got.Err, len(got.Retries))
	}
}

// The key and the conversation go to no host that nobody named.
func TestRedirectIsNotFollowed(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") }))
	t.Cleanup(other.Close)
	s := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	t.Cleanup(s.Close)
	got := agenttest.Collect(t.Context(), at(s.URL), question)
	if got.Err == nil || !strings.Contains(got.Err.Error(), "answered 307: a redirect to "+other.URL) {
		t.Errorf("got %v", got.Err)
	}
}

// Cancelling during the pause before a retry ends it at once.
func TestCancelWhileWaiting(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := agenttest.Serve(t, "version: 1\nsteps:\n  - fail: {status: 429, headers: {Retry-After: '50'}}\n")
	m := openai.New(openai.Config{BaseURL: s.BaseURL})
	var last error
	for e, err := range m.Stream(ctx, question) {
		if _, ok := e.(model.Retry); ok {
			cancel()
		}
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("got %v", last)
	}
}
