package agenttest_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/pkg/agent/agenttest"
	"github.com/agentctl/agentctl/pkg/agent/model/scripted"
)

const script = `
version: 1
steps:
  - reply: {text: "four, five", chunk: 2, delay: 1ms}
`

func do(t *testing.T, method, url, body string, header ...string) (status int, answer string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

// What goes over the wire is what real servers send.
func TestChatCompletions(t *testing.T) {
	t.Parallel()
	s := agenttest.Serve(t, script, agenttest.Options{Segments: []int{3, 50}, Delay: time.Microsecond})
	status, got := do(t, http.MethodPost, s.BaseURL+"/chat/completions", `{"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}`)
	want := `data: {"choices":[{"delta":{"role":"assistant"},"index":0}]}

data: {"choices":[{"delta":{"content":"fo"},"index":0}]}

data: {"choices":[{"delta":{"content":"ur"},"index":0}]}

data: {"choices":[{"delta":{"content":", "},"index":0}]}

data: {"choices":[{"delta":{"content":"fi"},"index":0}]}

data: {"choices":[{"delta":{"content":"ve"},"index":0}]}

data: {"choices":[{"delta":{},"finish_reason":"stop","index":0}]}

data: [DONE]

`
	if status != http.StatusOK || got != want {
		t.Errorf("got %d\n%s\nwant\n%s", status, got, want)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	s := agenttest.Serve(t, "version: 1\nstrict: false\nsteps:\n  - when: {user: hello}\n    reply: {text: x}\n", agenttest.Options{Key: "k"})
	chat := s.BaseURL + "/chat/completions"
	tests := []struct {
		name, method, url, body, key string
		status                       int
		answer                       string
	}{
		{"no key", "POST", chat, "{}", "", 401, "invalid API key"},
		{"no JSON", "POST", chat, "x", "k", 400, "the request is no chat completion"},
		{"no JSON as messages", "POST", s.BaseURL + "/messages", "x", "k", 400, "the request is no messages request"},
		{"nothing there", "POST", s.URL + "/x", "", "k", 404, "not found"},
		{"models", "GET", s.BaseURL + "/models", "", "k", 200, `"id":"scripted"`},
	}
	for _, tt := range tests {
		status, answer := do(t, tt.method, tt.url, tt.body, "Authorization", "Bearer "+tt.key)
		if status != tt.status || !strings.Contains(answer, tt.answer) {
			t.Errorf("%s: got %d %s", tt.name, status, answer)
		}
	}
	if n := len(s.Requests()); n != len(tests) {
		t.Errorf("got %d requests in the log, want %d", n, len(tests))
	}
}

// A request that the script does not expect is told to the client and kept for
// Done.
func TestMismatch(t *testing.T) {
	t.Parallel()
	loaded, err := scripted.Load("s.yaml", []byte("version: 1\nsteps:\n  - when: {user: hello}\n    reply: {text: x}\n"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := agenttest.Start(t.Context(), loaded)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	status, answer := do(t, http.MethodPost, s.BaseURL+"/chat/completions", `{"messages":[{"role":"user","content":"bye"}]}`)
	if status != http.StatusUnprocessableEntity || !strings.Contains(answer, "want a match of /hello/") {
		t.Errorf("got %d %s", status, answer)
	}
	if err := s.Done(); err == nil || !strings.Contains(err.Error(), `got "bye"`) {
		t.Errorf("got %v", err)
	}
	// It stays wrong, whatever comes next.
	if status, _ = do(t, http.MethodPost, s.BaseURL+"/chat/completions", `{"messages":[{"role":"user","content":"hello"}]}`); status != http.StatusUnprocessableEntity {
		t.Errorf("got %d", status)
	}
}

func TestServerEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s, err := agenttest.Start(ctx, scripted.Demo())
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	s.Close() // waits for it
	if resp, err := http.Get(s.URL); err == nil {
		resp.Body.Close()
		t.Error("the server still answers")
	}
}
