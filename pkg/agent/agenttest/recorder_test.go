package agenttest_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/pkg/agent/agenttest"
)

// What was recorded plays again, to the byte.
func TestRecorder(t *testing.T) {
	t.Parallel()
	real := agenttest.Serve(t, `
version: 1
steps:
  - reply: {text: "Grüße, <b> & \"more\"", chunk: 3}
  - fail: {status: 400, body: '{"error": "no"}'}
`)
	rec := &agenttest.Recorder{Upstream: real.BaseURL}
	proxy := httptest.NewServer(rec)
	t.Cleanup(proxy.Close)
	const ask = `{"messages":[{"role":"system","content":"s"},{"role":"user","content":"hi"}]}`
	_, models := do(t, http.MethodGet, proxy.URL+"/v1/models", "")
	_, first := do(t, http.MethodPost, proxy.URL+"/v1/chat/completions", ask)
	status, second := do(t, http.MethodPost, proxy.URL+"/v1/chat/completions", ask)
	if !strings.Contains(models, "scripted") || !strings.Contains(first, "Gr") || status != http.StatusBadRequest {
		t.Fatalf("got %q, %q, %d %q", models, first, status, second)
	}
	again := agenttest.Serve(t, string(rec.Script()))
	if _, got := do(t, http.MethodPost, again.BaseURL+"/chat/completions", ask); strings.TrimRight(got, "\n") != strings.TrimRight(first, "\n") {
		t.Errorf("got %q, want %q", got, first)
	}
	if status, got := do(t, http.MethodPost, again.BaseURL+"/chat/completions", ask); status != http.StatusBadRequest || got != second {
		t.Errorf("got %d %q, want %q", status, got, second)
	}
}

func TestRecorderWithoutAServer(t *testing.T) {
	t.Parallel()
	proxy := httptest.NewServer(&agenttest.Recorder{Upstream: "http://127.0.0.1:1/v1"})
	t.Cleanup(proxy.Close)
	if status, _ := do(t, http.MethodPost, proxy.URL+"/v1/chat/completions", "{}"); status != http.StatusBadGateway {
		t.Errorf("got %d", status)
	}
}
