package openai_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/pkg/agent/agenttest"
	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/model/openai"
)

const ok = "version: 1\nsteps:\n  - reply: {text: four}\n"

// sent is the body of the one request that r becomes.
func sent(t *testing.T, r model.Request, change ...func(*openai.Config)) string {
	t.Helper()
	s := agenttest.Serve(t, ok)
	if got := agenttest.Collect(t.Context(), connect(s, change...), r); got.Err != nil {
		t.Fatal(got.Err)
	}
	return string(s.Requests()[0].Body)
}

var history = model.Request{
	Messages: []model.Message{
		{Role: model.System, Content: "a <b> & c"},
		{Role: model.User, Content: "go"},
		{Role: model.Assistant, Reasoning: "hm", ToolCalls: []model.ToolCall{
			{ID: "c1", Name: "wc", Args: `{"n":1}`}, {ID: "c2", Name: "pkg:odd name", Args: `{"n":`}, {ID: "c3", Name: "", Args: "[1]"},
		}},
		{Role: model.Tool, CallID: "c1", Name: "wc", Content: "4"},
		{Role: model.Assistant, Content: "four"},
	},
	Tools:     []model.ToolSpec{{Name: "wc", Description: "count", Schema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)}, {Name: "now"}},
	MaxOutput: 100,
}

func TestRequest(t *testing.T) {
	t.Parallel()
	want := `{"model":"m","messages":[` +
		`{"role":"system","content":"a <b> & c"},{"role":"user","content":"go"},` +
		`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"wc","arguments":"{\"n\":1}"}},` +
		`{"id":"c2","type":"function","function":{"name":"pkg_odd_name","arguments":"{}"}},{"id":"c3","type":"function","function":{"name":"unknown","arguments":"{}"}}]},` +
		`{"role":"tool","content":"4","tool_call_id":"c1"},{"role":"assistant","content":"four"}],` +
		`"tools":[{"type":"function","function":{"name":"wc","description":"count","parameters":{"properties":{"n":{"type":"integer"}},"required":["n"],"type":"object"}}},` +
		`{"type":"function","function":{"name":"now","parameters":{"type":"object","properties":{}}}}],` +
		`"stream":true,"stream_options":{"include_usage":true},"max_tokens":100}`
	for range 3 { // byte for byte the same each time
		if got := sent(t, history); got != want {
			t.Fatalf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func TestCompat(t *testing.T) {
	t.Parallel()
	yes := true
	got := sent(t, history, func(c *openai.Config) {
		c.Compat = openai.Compat{
			NoStreamUsage: true, MaxTokensField: "max_completion_tokens", SystemRole: "developer", ToolResultName: true,
			ReasoningField: "reasoning_content", ParallelToolCalls: &yes, EmptyContent: true,
			Body: map[string]any{"num_ctx": 8192, "chat_template_kwargs": map[string]any{"enable_thinking": false}},
		}
	})
	for _, want := range []string{
		`{"role":"developer","content":"a <b> & c"}`, `"reasoning_content":"hm"`, `"role":"assistant","content":"","tool_calls"`, `"name":"wc"}`, `"parallel_tool_calls":true`,
		`"stream":true,"chat_template_kwargs":{"enable_thinking":false},"max_completion_tokens":100,"num_ctx":8192}`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant it to contain %s", got, want)
		}
	}
	if strings.Contains(got, "stream_options") {
		t.Errorf("got stream_options in %s", got)
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	s := agenttest.Serve(t, ok, agenttest.Options{Key: "sk-secret"})
	m := connect(s, func(c *openai.Config) { c.APIKey = "sk-secret"; c.Headers = map[string]string{"X-Title": "t"} })
	if got := agenttest.Collect(t.Context(), m, question); got.Err != nil {
		t.Fatal(got.Err)
	}
	r := s.Requests()[0]
	want := map[string]string{
		"Authorization": "Bearer sk-secret", "X-Title": "t", "User-Agent": "agentctl",
		"Content-Type": "application/json", "Accept": "text/event-stream, application/json",
	}
	for name, value := range want {
		if got := r.Header.Get(name); got != value {
			t.Errorf("%s: got %q, want %q", name, got, value)
		}
	}
	if r.Method != http.MethodPost || r.Path != "/v1/chat/completions" {
		t.Errorf("got %s %s", r.Method, r.Path)
	}
}

// A schema that no provider takes is an error before any request.
func TestSchemaWithCycle(t *testing.T) {
	t.Parallel()
	s := agenttest.Serve(t, "version: 1\nstrict: false\nsteps:\n  - reply: {text: x}\n")
	r := model.Request{Tools: []model.ToolSpec{{Name: "tree", Schema: json.RawMessage(`{"type":"object","properties":{"a":{"$ref":"#"}}}`)}}}
	got := agenttest.Collect(t.Context(), connect(s), r)
	if got.Err == nil || !strings.HasPrefix(got.Err.Error(), "tool tree: ") || len(s.Requests()) != 0 {
		t.Errorf("got %v after %d requests", got.Err, len(s.Requests()))
	}
}
