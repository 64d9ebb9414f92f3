package anthropic_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/pkg/agent/agenttest"
	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/model/anthropic"
)

func connect(s *agenttest.Server, change ...func(*anthropic.Config)) model.Model {
	c := anthropic.Config{
		Provider: "fake", BaseURL: s.BaseURL, Model: "m",
		Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}
	for _, f := range change {
		f(&c)
	}
	return anthropic.New(c)
}

var question = model.Request{Messages: []model.Message{{Role: model.System, Content: "be brief"}, {Role: model.User, Content: "how many?"}}}

// stream is a script that answers one request with these events.
func stream(events ...string) string {
	var b strings.Builder
	b.WriteString("version: 1\nsteps:\n  - sse: |+\n")
	for _, e := range events {
		var kind struct{ Type string }
		_ = json.Unmarshal([]byte(e), &kind)
		fmt.Fprintf(&b, "      event: %s\n      data: %s\n\n", kind.Type, e)
	}
	return b.String()
}

const (
	start    = `{"type":"message_start","message":{"usage":{"input_tokens":10,"cache_read_input_tokens":30,"cache_creation_input_tokens":5,"output_tokens":1}}}`
	ping     = `{"type":"ping"}`
	textOpen = `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`
	stop     = `{"type":"message_stop"}`
)

func text(s string) string {
	return fmt.Sprintf(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":%q}}`, s)
}

func end(reason string) string {
	return fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":%q},"usage":{"output_tokens":7}}`, reason)
}

func open(index int, id string) string {
	return fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":{"type":"tool_use","id":%q,"name":"wc","input":{}}}`, index, id)
}

func args(index int, s string) string {
	return fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"input_json_delta","partial_json":%q}}`, index, s)
}

func TestStreams(t *testing.T) {
	t.Parallel()
	counted := model.Usage{Input: 45, Output: 7, Cached: 30}
	tests := []struct {
		name   string
		script string
		want   agenttest.Answer
	}{
		{"text", stream(start, ping, textOpen, text("fo"), text("ur"), end("end_turn"), stop), agenttest.Answer{Text: "four", Finish: "stop", Usage: counted}},
		{
			"two calls", stream(start, open(0, "a"), args(0, `{"n"`), args(0, `:1}`), open(1, "b"), args(1, `{}`), end("tool_use"), stop),
			agenttest.Answer{Finish: "tool_calls", Usage: counted, Calls: []model.ToolCall{{ID: "a", Name: "wc", Args: `{"n":1}`}, {ID: "b", Name: "wc", Args: "{}"}}},
		},
		{
			"two calls with index 0", stream(start, open(0, "a"), args(0, `{"n":1}`), open(0, "b"), args(0, `{}`), end("tool_use"), stop),
			agenttest.Answer{Finish: "tool_calls", Usage: counted, Calls: []model.ToolCall{{ID: "a", Name: "wc", Args: `{"n":1}`}, {ID: "b", Name: "wc", Args: "{}"}}},
		},
		{
			"one id for both", stream(open(0, "a"), open(1, "a"), end("tool_use"), stop),
			agenttest.Answer{Finish: "tool_calls", Usage: model.Usage{Output: 7}, Calls: []model.ToolCall{{ID: "a", Name: "wc"}, {ID: "call_1", Name: "wc"}}},
		},
		{
			"input at once", stream(`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"wc","input":{"n":1}}}`, end("tool_use"), stop),
			agenttest.Answer{Finish: "tool_calls", Usage: model.Usage{Output: 7}, Calls: []model.ToolCall{{ID: "a", Name: "wc", Args: `{"n":1}`}}},
		},
		{
			"cut off by the limit", stream(open(0, "a"), args(0, `{"n`), end("max_tokens"), stop),
			agenttest.Answer{Finish: "length", Usage: model.Usage{Output: 7}, Calls: []model.ToolCall{{ID: "a", Name: "wc", Args: `{"n`}}},
		},
		{"no message_stop", stream(textOpen, text("four"), end("end_turn")), agenttest.Answer{Text: "four", Finish: "stop", Usage: model.Usage{Output: 7}}},
		{"a refusal", stream(textOpen, text("no"), end("refusal"), stop), agenttest.Answer{Text: "no", Finish: "content_filter", Usage: model.Usage{Output: 7}}},
		{"another reason", stream(textOpen, text("no"), end("pause_turn"), stop), agenttest.Answer{Text: "no", Finish: "pause_turn", Usage: model.Usage{Output: 7}}},
		{"broken off", stream(textOpen, text("four")), agenttest.Answer{Text: "four", Err: &model.CutStreamError{}}},
		{"unreadable", stream(textOpen, text("four"), `{"type":`), agenttest.Answer{Text: "four", Err: &model.CutStreamError{}}},
		{"overflow in the stream", stream(`{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 > 8"}}`), agenttest.Answer{Err: &model.OverflowError{}}},
		{"key refused in the stream", stream(`{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`), agenttest.Answer{Err: &model.AuthError{}}},
		{"overloaded after text", stream(textOpen, text("four"), `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), agenttest.Answer{Text: "four", Err: &model.ServerError{}}},
		{
			"keep-alives and odd events", stream(`"hello"`, `{"type":"content_block_delta","index":4,"delta":{"text":"x"}}`, `{"type":"content_block_start"}`, `{"type":"new"}`, textOpen, text("four"), end("end_turn"), end("max_tokens")),
			agenttest.Answer{Text: "four", Finish: "stop", Usage: model.Usage{Output: 7}},
		},
		{"not found in the stream", stream(`{"type":"error","error":{"type":"not_found_error","message":"model: m"}}`), agenttest.Answer{Err: &model.ServerError{}}},
		{"not allowed in the stream", stream(`{"type":"error","error":{"type":"permission_error","message":"no"}}`), agenttest.Answer{Err: &model.AuthError{}}},
		{"too large in the stream", stream(`{"type":"error","error":{"type":"request_too_large","message":"big"}}`), agenttest.Answer{Err: &model.OverflowError{}}},
		{"not streamed", `
version: 1
steps:
  - fail: {status: 200, body: '{"type":"message","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"four"},{"type":"tool_use","id":"a","name":"wc","input":{"n":1}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":2}}'}
`, agenttest.Answer{Text: "four", Reasoning: "hm", Finish: "tool_calls", Usage: model.Usage{Input: 3, Output: 2}, Calls: []model.ToolCall{{ID: "a", Name: "wc", Args: `{"n":1}`}}}},
		{"JSON that is no answer", "version: 1\nsteps:\n  - fail: {status: 200, body: '{\"status\":\"ok\"}'}\n", agenttest.Answer{Err: &model.ServerError{}}},
		{"a script", `
version: 1
steps:
  - when: {user: many, system_contains: brief, messages: 2}
    reply: {thinking: hm, text: four, tool_calls: [{name: wc, args: {n: 1}}], usage: {in: 40, out: 2, cached: 30}, chunk: 3}
`, agenttest.Answer{Text: "four", Reasoning: "hm", Finish: "tool_calls", Usage: model.Usage{Input: 40, Output: 2, Cached: 30}, Calls: []model.ToolCall{{ID: "call_1", Name: "wc", Args: `{"n":1}`}}}},
	}
	for _, tt := range tests {
		for cut, segments := range map[string][]int{"whole": nil, "odd": {5, 1, 17}} {
			t.Run(tt.name+"/"+cut, func(t *testing.T) {
				t.Parallel()
				s := agenttest.Serve(t, tt.script, agenttest.Options{Segments: segments})
				got := agenttest.Collect(t.Context(), connect(s), question)
				if fmt.Sprintf("%T", got.Err) != fmt.Sprintf("%T", tt.want.Err) || got.Text != tt.want.Text || got.Reasoning != tt.want.Reasoning ||
					got.Finish != tt.want.Finish || got.Usage != tt.want.Usage || !slices.Equal(got.Calls, tt.want.Calls) {
					t.Errorf("\n got %+v\nwant %+v", got, tt.want)
				}
				if len(s.Requests()) != 1 || s.Requests()[0].Path != "/v1/messages" {
					t.Errorf("got requests %+v", s.Requests())
				}
			})
		}
	}
}

const ok = "version: 1\nsteps:\n  - reply: {text: four}\n"

func TestRequest(t *testing.T) {
	t.Parallel()
	no := false
	s := agenttest.Serve(t, ok, agenttest.Options{Key: "sk-secret"})
	m := connect(s, func(c *anthropic.Config) {
		c.APIKey = "sk-secret"
		c.Headers = map[string]string{"Anthropic-Beta": "x"}
		c.Compat.ParallelToolCalls = &no
		c.Compat.Body = map[string]any{"temperature": 1}
	})
	got := agenttest.Collect(t.Context(), m, model.Request{
		Messages: []model.Message{
			{Role: model.System, Content: "be brief"},
			{Role: model.User, Content: "go"},
			{Role: model.Assistant, ToolCalls: []model.ToolCall{{ID: "functions.wc:0", Name: "odd name", Args: "{"}}},
			{Role: model.Tool, CallID: "functions.wc:0", Name: "wc", Content: "4"},
			{Role: model.Assistant},
			{Role: model.User, Content: "more"},
		},
		Tools: []model.ToolSpec{{Name: "wc", Description: "count", Schema: json.RawMessage(`{"type":"object","properties":{}}`)}},
	})
	if got.Err != nil {
		t.Fatal(got.Err)
	}
	want := `{"model":"m","max_tokens":8192,"system":[{"type":"text","text":"be brief","cache_control":{"type":"ephemeral"}}],` +
		`"tools":[{"name":"wc","description":"count","input_schema":{"properties":{},"type":"object"}}],` +
		`"tool_choice":{"type":"auto","disable_parallel_tool_use":true},` +
		`"messages":[{"role":"user","content":[{"type":"text","text":"go"}]},` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"functions_wc_0","name":"odd_name","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"functions_wc_0","content":"4"},{"type":"text","text":"more","cache_control":{"type":"ephemeral"}}]}],` +
		`"stream":true,"temperature":1}`
	r := s.Requests()[0]
	if string(r.Body) != want {
		t.Errorf("got\n%s\nwant\n%s", r.Body, want)
	}
	if r.Header.Get("X-Api-Key") != "sk-secret" || r.Header.Get("Anthropic-Version") != "2023-06-01" || r.Header.Get("Anthropic-Beta") != "x" {
		t.Errorf("got headers %v", r.Header)
	}
}

// Without a system prompt the last tool ends the cached prefix; the limit of
// output comes from what is known about the model, or from the request.
func TestRequestWithoutSystemPrompt(t *testing.T) {
	t.Parallel()
	for limit, want := range map[int]string{0: `"max_tokens":32000`, 5: `"max_tokens":5`} {
		s := agenttest.Serve(t, ok)
		m := connect(s, func(c *anthropic.Config) { c.Model = "claude-sonnet-5-5" })
		r := model.Request{Messages: []model.Message{{Role: model.User, Content: "go"}}, Tools: []model.ToolSpec{{Name: "a"}}, MaxOutput: limit}
		if got := agenttest.Collect(t.Context(), m, r); got.Err != nil {
			t.Fatal(got.Err)
		}
		body := string(s.Requests()[0].Body)
		if !strings.Contains(body, want) || !strings.Contains(body, `"input_schema":{"type":"object","properties":{}},"cache_control":`) {
			t.Errorf("got %s", body)
		}
	}
}

// Signed thinking goes back with the calls that it led to; where it is lost, the
// request does without thinking.
func TestThinkingGoesBack(t *testing.T) {
	t.Parallel()
	script := stream(
		`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"h"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"m"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"sig"}}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"xyz"}}`,
		open(2, "a"), args(2, "{}"), end("tool_use"), stop) + "  - reply: {text: four}\n  - reply: {text: four}\n"
	s := agenttest.Serve(t, script)
	thinking := func(c *anthropic.Config) {
		c.Compat.Body = map[string]any{"thinking": map[string]any{"type": "enabled", "budget_tokens": 1024}}
	}
	m := connect(s, thinking)
	first := agenttest.Collect(t.Context(), m, question)
	if first.Reasoning != "hm" || len(first.Calls) != 1 {
		t.Fatalf("got %+v", first)
	}
	next := model.Request{Messages: append(slices.Clone(question.Messages),
		model.Message{Role: model.Assistant, Reasoning: first.Reasoning, ToolCalls: first.Calls},
		model.Message{Role: model.Tool, CallID: "a", Name: "wc", Content: "4"})}
	agenttest.Collect(t.Context(), m, next)
	agenttest.Collect(t.Context(), connect(s, thinking), next) // another process
	bodies := s.Requests()
	want := `"content":[{"signature":"sig","thinking":"hm","type":"thinking"},{"data":"xyz","type":"redacted_thinking"},{"type":"tool_use","id":"a"`
	if body := string(bodies[1].Body); !strings.Contains(body, want) || !strings.Contains(body, `"budget_tokens"`) {
		t.Errorf("got %s", body)
	}
	if body := string(bodies[2].Body); strings.Contains(body, "thinking") {
		t.Errorf("got %s", body)
	}
}

// The connection that breaks after the stop reason has lost nothing.
func TestBreakAfterTheEnd(t *testing.T) {
	t.Parallel()
	s := agenttest.Serve(t, stream(textOpen, text("four"), end("end_turn"))+"    fail: {after_bytes: 100000}\n")
	got := agenttest.Collect(t.Context(), connect(s), question)
	if got.Err != nil || got.Text != "four" || got.Finish != "stop" {
		t.Errorf("got %+v", got)
	}
}

// A rate limit inside a stream is tried again while nothing was shown.
func TestRateLimitInTheStream(t *testing.T) {
	t.Parallel()
	s := agenttest.Serve(t, stream(`{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}`)+"  - reply: {text: four}\n")
	got := agenttest.Collect(t.Context(), connect(s, func(c *anthropic.Config) { c.Provider = "" }), question)
	if got.Err != nil || got.Text != "four" || len(got.Retries) != 1 || !strings.HasPrefix(got.Retries[0].Reason, "127.0.0.1:") {
		t.Errorf("got %+v", got)
	}
}

// Nobody reads on after the first event of each kind: nothing may follow.
func TestStopReading(t *testing.T) {
	t.Parallel()
	for n := range 5 {
		s := agenttest.Serve(t, "version: 1\nsteps:\n  - reply: {thinking: hm, text: four, tool_calls: [{name: wc}], usage: {in: 1, out: 1}}\n")
		count := 0
		for range connect(s).Stream(t.Context(), question) {
			if count++; count > n {
				break
			}
		}
		if count != n+1 {
			t.Errorf("got %d events, want %d", count, n+1)
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, step string
		want       error
		retries    int
	}{
		{"key", `{status: 401, body: '{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}'}`, &model.AuthError{}, 0},
		{"overflow", `{status: 400, body: '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"}}'}`, &model.OverflowError{}, 0},
		{"too large", `{status: 413, body: '{"error":{"type":"request_too_large"}}'}`, &model.OverflowError{}, 0},
		{"overloaded", `{status: 529, times: 5, body: '{"error":{"message":"Overloaded"}}'}`, &model.ServerError{}, 4},
		{"no money", `{status: 400, body: '{"error":{"message":"Your credit balance is too low"}}'}`, &model.ServerError{}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := agenttest.Serve(t, "version: 1\nsteps:\n  - fail: "+tt.step+"\n")
			got := agenttest.Collect(t.Context(), connect(s), question)
			if fmt.Sprintf("%T", got.Err) != fmt.Sprintf("%T", tt.want) || len(got.Retries) != tt.retries {
				t.Errorf("got %T %v after %d retries", got.Err, got.Err, len(got.Retries))
			}
		})
	}
}

// A schema that no provider takes is an error before any request.
func TestSchemaWithCycle(t *testing.T) {
	t.Parallel()
	r := model.Request{Tools: []model.ToolSpec{{Name: "tree", Schema: json.RawMessage(`{"type":"object","properties":{"a":{"$ref":"#"}}}`)}}}
	got := agenttest.Collect(t.Context(), anthropic.New(anthropic.Config{BaseURL: "http://127.0.0.1:1/v1"}), r)
	if got.Err == nil || !strings.HasPrefix(got.Err.Error(), "tool tree: ") {
		t.Errorf("got %v", got.Err)
	}
}

type canned string

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(string(c))), Request: r}, nil
}

// Whatever a server sends: no panic, one end, ids that differ.
func FuzzStream(f *testing.F) {
	f.Add("data: " + start + "\n\ndata: " + open(0, "a") + "\n\ndata: " + end("tool_use") + "\n\n")
	f.Add(`{"type":"message","content":[{"type":"text","text":"x"}]}`)
	f.Add("event: error\ndata: {\"type\":\"error\"}\n\n")
	f.Fuzz(func(t *testing.T, body string) {
		got := agenttest.Collect(t.Context(), anthropic.New(anthropic.Config{
			BaseURL: "http://x/v1", HTTPClient: &http.Client{Transport: canned(body)},
			Wait: func(context.Context, time.Duration) error { return nil },
		}), question)
		if got.Err == nil && got.Events == 0 {
			t.Error("neither an event nor an error")
		}
		ids := map[string]bool{}
		for _, c := range got.Calls {
			if c.ID == "" || ids[c.ID] {
				t.Errorf("id %q is empty or taken twice", c.ID)
			}
			ids[c.ID] = true
		}
	})
}
