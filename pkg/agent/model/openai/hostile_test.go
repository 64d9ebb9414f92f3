package openai_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentctl/agentctl/pkg/agent/agenttest"
	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/model/openai"
)

var question = model.Request{
	Messages: []model.Message{{Role: model.System, Content: "be brief"}, {Role: model.User, Content: "how many lines?"}},
	Tools: []model.ToolSpec{
		{Name: "bash", Description: "run", Schema: []byte(`{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}`)},
	},
}

// connect is a client of a server, whose retries do not wait.
func connect(s *agenttest.Server, change ...func(*openai.Config)) model.Model {
	c := openai.Config{
		Provider: "fake", BaseURL: s.BaseURL, Model: "m",
		Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}
	for _, f := range change {
		f(&c)
	}
	return openai.New(c)
}

// stream is a script that answers one request with these events.
func stream(events ...string) string {
	var b strings.Builder
	b.WriteString("version: 1\nsteps:\n  - sse: |+\n")
	for _, e := range events {
		for line := range strings.Lines(e + "\n\n") {
			b.WriteString("      " + line)
		}
	}
	return b.String()
}

func delta(d string) string {
	return fmt.Sprintf(`data: {"choices":[{"index":0,"delta":%s,"finish_reason":null}]}`, d)
}

func calls(c string) string { return delta(`{"tool_calls":[` + c + `]}`) }

func finish(reason string) string {
	return fmt.Sprintf(`data: {"choices":[{"index":0,"delta":{},"finish_reason":%q}]}`, reason)
}

const done = "data: [DONE]"

// segmentings are the ways in which each answer is cut into packets.
var segmentings = map[string][]int{"whole": nil, "bytes": {1}, "odd": {7, 1, 13, 2}, "large": {4096}}

// The twelve streams on which client libraries were seen to lose, invent or run
// broken calls.
func TestHostileStreams(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		script string
		want   agenttest.Answer
	}{
		{
			name: "1 two calls with index 0 and different ids",
			script: stream(
				calls(`{"index":0,"id":"a1","type":"function","function":{"name":"bash","arguments":"{\"command\":\"ls\"}"}}`),
				calls(`{"index":0,"id":"b2","type":"function","function":{"name":"bash","arguments":"{\"command\":\"wc\"}"}}`),
				finish("tool_calls"), done),
			want: agenttest.Answer{Finish: "tool_calls", Calls: []model.ToolCall{
				{ID: "a1", Name: "bash", Args: `{"command":"ls"}`}, {ID: "b2", Name: "bash", Args: `{"command":"wc"}`},
			}},
		},
		{
			name: "2 a call without id",
			script: stream(
				calls(`{"index":0,"type":"function","function":{"name":"bash","arguments":"{\"command\":"}}`),
				calls(`{"index":0,"function":{"arguments":"\"ls\"}"}}`),
				finish("tool_calls"), done),
			want: agenttest.Answer{Finish: "tool_calls", Calls: []model.ToolCall{{ID: "call_1", Name: "bash", Args: `{"command":"ls"}`}}},
		},
		{
			name:   "3 empty arguments",
			script: stream(calls(`{"index":0,"id":"a","function":{"name":"bash","arguments":""}}`), finish("tool_calls"), done),
			want:   agenttest.Answer{Finish: "tool_calls", Calls: []model.ToolCall{{ID: "a", Name: "bash"}}},
		},
		{
			name: "4 truncated arguments stay as they came",
			script: stream(
				calls(`{"index":0,"id":"a","function":{"name":"bash","arguments":"{\"command\":\"rm -rf "}}`), finish("length"), done),
			want: agenttest.Answer{Finish: "length", Calls: []model.ToolCall{{ID: "a", Name: "bash", Args: `{"command":"rm -rf `}}},
		},
		{
			name: "every piece in two forms, with the name each time (llama-cpp-python)",
			script: stream(
				delta(`{"role":"assistant","content":null,"function_call":null,"tool_calls":null}`),
				delta(`{"role":null,"content":null,"function_call":{"name":"bash","arguments":"{"},"tool_calls":[{"index":0,"id":"call__0_bash_cmpl-6","type":"function","function":{"name":"bash","arguments":"{"}}]}`),
				delta(`{"role":null,"content":null,"function_call":{"name":"bash","arguments":"}"},"tool_calls":[{"index":0,"id":"call__0_bash_cmpl-6","type":"function","function":{"name":"bash","arguments":"}"}}]}`),
				finish("tool_calls"), done),
			want: agenttest.Answer{Finish: "tool_calls", Calls: []model.ToolCall{{ID: "call__0_bash_cmpl-6", Name: "bash", Args: "{}"}}},
		},
		{
			name: "a name in pieces",
			script: stream(
				calls(`{"index":0,"id":"a","type":"function","function":{"name":"ba","arguments":""}}`),
				calls(`{"index":0,"function":{"name":"sh"}}`),
				calls(`{"index":0,"function":{"arguments":"{\"command\":\"ls\"}"}}`),
				finish("tool_calls"), done),
			want: agenttest.Answer{Finish: "tool_calls", Calls: []model.ToolCall{{ID: "a", Name: "bash", Args: `{"command":"ls"}`}}},
		},
		{
			name: "names that make no tool together are two calls",
			script: stream(
				calls(`{"index":0,"function":{"name":"ba","arguments":""}}`), calls(`{"index":0,"function":{"name":"rn","arguments":"{}"}}`),
				finish("tool_calls"), done),
			want: agenttest.Answer{Finish: "tool_calls", Calls: []model.ToolCall{{ID: "call_1", Name: "ba"}, {ID: "call_2", Name: "rn", Args: "{}"}}},
		},
		{
			name:   "5 an unknown tool is still a call",
			script: stream(calls(`{"index":0,"id":"a","function":{"name":"no_such","arguments":"{}"}}`), finish("tool_calls"), done),
			want:   agenttest.Answer{Finish: "tool_calls", Calls: []model.ToolCall{{ID: "a", Name: "no_such", Args: "{}"}}},
		},
		{
			name:   "6 calls with finish reason stop",
			script: stream(calls(`{"index":0,"id":"a","function":{"name":"bash","arguments":"{}"}}`), finish("stop"), done),
			want:   agenttest.Answer{Finish: "stop", Calls: []model.ToolCall{{ID: "a", Name: "bash", Args: "{}"}}},
		},
		{
			name:   "7 a call written as text arrives as text",
			script: stream(delta(`{"content":"<tool_call>{\"name\":\"bash\"}"}`), delta(`{"content":"</tool_call>"}`), finish("stop"), done),
			want:   agenttest.Answer{Finish: "stop", Text: `<tool_call>{"name":"bash"}</tool_call>`},
		},
		{
			name:   "8 thinking inside the content arrives as text",
			script: stream(delta(`{"content":"<think>hm</think>four"}`), finish("stop"), done),
			want:   agenttest.Answer{Finish: "stop", Text: "<think>hm</think>four"},
		},
		{
			name: "9 status 500 twice, then an answer",
			script: `
version: 1
steps:
  - fail: {status: 500, times: 2, body: '{"error":{"message":"out of order"}}'}
  - reply: {text: four}
`,
			want: agenttest.Answer{Finish: "stop", Text: "four", Retries: []model.Retry{
				{Attempt: 2, Reason: "fake at URL answered 500: out of order"}, {Attempt: 3, Reason: "fake at URL answered 500: out of order"},
			}},
		},
		{
			name: "10 the connection breaks in the text",
			script: `
version: 1
steps:
  - reply: {text: four lines and much more, chunk: 4}
    fail: {after_bytes: 250}
`,
			want: agenttest.Answer{Text: "four line", Err: &model.CutStreamError{}},
		},
		{
			name: "11 the prompt does not fit",
			script: `
version: 1
steps:
  - fail: {status: 400, body: '{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error"}}'}
`,
			want: agenttest.Answer{Err: &model.OverflowError{}},
		},
		{
			name:   "12 an empty answer",
			script: stream(delta(`{"role":"assistant","content":""}`), finish("stop"), done),
			want:   agenttest.Answer{Finish: "stop"},
		},
	}
	for _, tt := range tests {
		for cut, segments := range segmentings {
			t.Run(tt.name+"/"+cut, func(t *testing.T) {
				t.Parallel()
				s := agenttest.Serve(t, tt.script, agenttest.Options{Segments: segments})
				got := agenttest.Collect(t.Context(), connect(s), question)
				compare(t, got, tt.want, s.URL)
				if want := 1 + len(tt.want.Retries); len(s.Requests()) != want {
					t.Errorf("got %d requests, want %d", len(s.Requests()), want)
				}
			})
		}
	}
}

// compare checks all that a user can see. Errors are compared by type, and the
// text up to a cut by its beginning.
func compare(t *testing.T, got, want agenttest.Answer, url string) {
	t.Helper()
	if got.Text != want.Text && (want.Err == nil || !strings.HasPrefix(got.Text, "four")) {
		t.Errorf("text: got %q, want %q", got.Text, want.Text)
	}
	if got.Reasoning != want.Reasoning || got.Finish != want.Finish || got.Usage != want.Usage {
		t.Errorf("got reasoning %q, finish %q, usage %v; want %q, %q, %v", got.Reasoning, got.Finish, got.Usage, want.Reasoning, want.Finish, want.Usage)
	}
	if !slices.Equal(got.Calls, want.Calls) {
		t.Errorf("calls:\n got %+v\nwant %+v", got.Calls, want.Calls)
	}
	if fmt.Sprintf("%T", got.Err) != fmt.Sprintf("%T", want.Err) {
		t.Errorf("error: got %T %v, want %T", got.Err, got.Err, want.Err)
	}
	for i := range got.Retries {
		if got.Retries[i].After <= 0 {
			t.Errorf("retry %d does not wait", i)
		}
		got.Retries[i].After = 0
		got.Retries[i].Reason = strings.ReplaceAll(got.Retries[i].Reason, url+"/v1/chat/completions", "URL")
	}
	if !slices.Equal(got.Retries, want.Retries) {
		t.Errorf("retries:\n got %+v\nwant %+v", got.Retries, want.Retries)
	}
}

// How calls are put together, one case for each habit of a server.
func TestCalls(t *testing.T) {
	t.Parallel()
	two := []model.ToolCall{{ID: "a", Name: "x", Args: `{"n":1}`}, {ID: "b", Name: "y", Args: `{"n":2}`}}
	generated := []model.ToolCall{{ID: "call_1", Name: "x", Args: `{"n":1}`}, {ID: "call_2", Name: "y", Args: `{"n":2}`}}
	same := []model.ToolCall{{ID: "call_1", Name: "x", Args: `{"n":1}`}, {ID: "call_2", Name: "x", Args: `{"n":2}`}}
	tests := []struct {
		name   string
		events []string
		want   []model.ToolCall
	}{
		{"interleaved by index", []string{
			calls(`{"index":0,"id":"a","function":{"name":"x","arguments":""}}`), calls(`{"index":1,"id":"b","function":{"name":"y","arguments":""}}`),
			calls(`{"index":1,"function":{"arguments":"{\"n\""}}`), calls(`{"index":0,"function":{"arguments":"{\"n\":1}"}}`), calls(`{"index":1,"function":{"arguments":":2}"}}`),
		}, two},
		{"both in one event", []string{
			calls(`{"index":0,"id":"a","function":{"name":"x","arguments":"{\"n\":1}"}},{"index":1,"id":"b","function":{"name":"y","arguments":"{\"n\":2}"}}`),
		}, two},
		{"no index, no id", []string{
			calls(`{"function":{"name":"x","arguments":"{\"n\""}}`), calls(`{"function":{"arguments":":1}"}}`), calls(`{"function":{"name":"y","arguments":"{\"n\":2}"}}`),
		}, generated},
		{"index 0 and no id", []string{
			calls(`{"index":0,"function":{"name":"x","arguments":"{\"n\":1}"}}`), calls(`{"index":0,"function":{"name":"y","arguments":"{\"n\":2}"}}`),
		}, generated},
		{"index 0, no id, the same name", []string{
			calls(`{"index":0,"function":{"name":"x","arguments":"{\"n\":1}"}}`), calls(`{"index":0,"function":{"name":"x","arguments":"{\"n\":2}"}}`),
		}, same},
		{"the same in one event", []string{
			calls(`{"index":0,"function":{"name":"x","arguments":"{\"n\":1}"}},{"index":0,"function":{"name":"x","arguments":"{\"n\":2}"}}`),
		}, same},
		{"id and name in every event", []string{
			calls(`{"index":0,"id":"a","function":{"name":"x","arguments":"{\"n\""}}`), calls(`{"index":0,"id":"a","function":{"name":"x","arguments":":1}"}}`),
			calls(`{"index":0,"id":"b","function":{"name":"y","arguments":"{\"n\":"}}`), calls(`{"index":0,"id":"b","function":{"name":"y","arguments":"2}"}}`),
		}, two},
		{"name in every event, no id", []string{
			calls(`{"index":0,"function":{"name":"x","arguments":"{\"n\""}}`), calls(`{"index":0,"function":{"name":"x","arguments":":1}"}}`),
			calls(`{"index":1,"function":{"name":"y","arguments":"{\"n\":2}"}}`),
		}, generated},
		{"a new id in every event", []string{
			calls(`{"index":0,"id":"a","function":{"name":"x","arguments":"{\"n\""}}`), calls(`{"index":0,"id":"q","function":{"arguments":":1}"}}`),
			calls(`{"index":0,"id":"b","function":{"name":"y","arguments":"{\"n\":2}"}}`),
		}, two},
		{"the id null as a word", []string{
			calls(`{"index":0,"id":"null","function":{"name":"x","arguments":"{\"n\":1}"}}`), calls(`{"index":0,"id":"null","function":{"name":"y","arguments":"{\"n\":2}"}}`),
		}, generated},
		{"one id for two calls", []string{
			calls(`{"index":0,"id":"a","function":{"name":"x","arguments":"{\"n\":1}"}}`), calls(`{"index":1,"id":"a","function":{"name":"y","arguments":"{\"n\":2}"}}`),
		}, []model.ToolCall{{ID: "a", Name: "x", Args: `{"n":1}`}, {ID: "call_1", Name: "y", Args: `{"n":2}`}}},
		{"the id announced alone", []string{
			calls(`{"index":0,"id":"a"}`), calls(`{"index":0,"function":{"name":"x"}}`), calls(`{"index":0,"function":{"arguments":"{\"n\":1}"}}`),
			calls(`{"index":1,"id":"b","function":{"name":"y","arguments":null}}`), calls(`{"index":1,"function":{"arguments":"{\"n\":2}"}}`),
		}, two},
		{"the whole call twice", []string{
			calls(`{"index":0,"id":"a","function":{"name":"x","arguments":"{\"n\":1}"}}`), calls(`{"index":0,"id":"a","function":{"name":"x","arguments":"{\"n\":1}"}}`),
		}, two[:1]},
		{"arguments as an object", []string{calls(`{"index":0,"id":"a","function":{"name":"x","arguments":{"n":1}}}`)}, two[:1]},
		{"arguments null", []string{calls(`{"index":0,"id":"a","function":{"name":"x","arguments":null}}`)}, []model.ToolCall{{ID: "a", Name: "x"}}},
		{"one call without a list", []string{delta(`{"tool_calls":{"id":"a","function":{"name":"x","arguments":"{\"n\":1}"}}}`)}, two[:1]},
		{"numbers as ids, texts as indexes", []string{
			calls(`{"index":"0","id":7,"function":{"name":"x","arguments":"{}"}}`),
		}, []model.ToolCall{{ID: "7", Name: "x", Args: "{}"}}},
		{"the old function_call", []string{
			delta(`{"function_call":{"name":"x","arguments":""}}`), delta(`{"function_call":{"arguments":"{\"n\":1}"}}`),
		}, []model.ToolCall{{ID: "call_1", Name: "x", Args: `{"n":1}`}}},
		{"empty pieces are no call", []string{calls(`{"index":0}`), calls(`{"index":0,"id":null,"function":{"name":"","arguments":""}}`), delta(`{"tool_calls":[]}`), delta(`{"tool_calls":null}`)}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := agenttest.Serve(t, stream(append(tt.events, finish("tool_calls"), done)...))
			got := agenttest.Collect(t.Context(), connect(s), question)
			compare(t, got, agenttest.Answer{Calls: tt.want, Finish: "tool_calls"}, s.URL)
		})
	}
}

// An id that the history has already is replaced, so that a result belongs to
// one call for ever.
func TestIDsAreUniqueInTheHistory(t *testing.T) {
	t.Parallel()
	s := agenttest.Serve(t, stream(calls(`{"index":0,"id":"call_1","function":{"name":"x","arguments":"{}"}}`), finish("tool_calls"), done))
	r := model.Request{Messages: []model.Message{
		{Role: model.User, Content: "go"},
		{Role: model.Assistant, ToolCalls: []model.ToolCall{{ID: "call_1", Name: "x", Args: "{}"}}},
		{Role: model.Tool, CallID: "call_1", Name: "x", Content: "done"},
	}}
	got := agenttest.Collect(t.Context(), connect(s), r)
	if want := []model.ToolCall{{ID: "call_2", Name: "x", Args: "{}"}}; !slices.Equal(got.Calls, want) {
		t.Errorf("got %+v (%v), want %+v", got.Calls, got.Err, want)
	}
}

// What else servers do to a stream.
func TestStreams(t *testing.T) {
	t.Parallel()
	text := agenttest.Answer{Text: "four", Finish: "stop"}
	tests := []struct {
		name   string
		script string
		want   agenttest.Answer
	}{
		{"no [DONE]", stream(delta(`{"content":"four"}`), finish("stop")), text},
		{"[DONE] without a finish reason", stream(delta(`{"content":"four"}`), done), agenttest.Answer{Text: "four"}},
		{"neither", stream(delta(`{"content":"four"}`)), agenttest.Answer{Text: "four", Err: &model.CutStreamError{}}},
		{"comments and keep-alives", stream(": PROCESSING", "data: ping", "data:", delta(`{"content":"four"}`), "event: ping\ndata: {}", finish("stop"), done), text},
		{
			"usage in an event of its own", stream(delta(`{"content":"four"}`), finish("stop"),
				`data: {"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":8}}}`, done),
			agenttest.Answer{Text: "four", Finish: "stop", Usage: model.Usage{Input: 12, Output: 3, Cached: 8}},
		},
		{
			"usage of odd types", stream(delta(`{"content":"four"}`), `data: {"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":"many","completion_tokens":3}}`, done),
			agenttest.Answer{Text: "four", Finish: "stop", Usage: model.Usage{Output: 3}},
		},
		{"reasoning_content", stream(delta(`{"reasoning_content":"hm"}`), delta(`{"content":"four"}`), finish("stop"), done), agenttest.Answer{Text: "four", Reasoning: "hm", Finish: "stop"}},
		{"reasoning and reasoning_content are one", stream(delta(`{"reasoning":"hm","reasoning_content":"hm"}`), delta(`{"content":"four"}`), finish("stop"), done), agenttest.Answer{Text: "four", Reasoning: "hm", Finish: "stop"}},
		{"thinking", stream(delta(`{"thinking":"hm","content":"four"}`), finish("stop"), done), agenttest.Answer{Text: "four", Reasoning: "hm", Finish: "stop"}},
		{
			"content in parts", stream(delta(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"four"}]}`), finish("stop"), done),
			agenttest.Answer{Text: "four", Reasoning: "hm", Finish: "stop"},
		},
		{"a refusal is text", stream(delta(`{"refusal":"four"}`), finish("stop"), done), text},
		{"a second choice is not asked for", stream(delta(`{"content":"four"}`), `data: {"choices":[{"index":1,"delta":{"content":"five"}}]}`, finish("stop"), done), text},
		{"no blank lines between events", stream(delta(`{"content":"fo"}`) + "\n" + delta(`{"content":"ur"}`) + "\n" + finish("stop") + "\n" + done), text},
		{"an error in the stream", stream(`data: {"error":{"code":400,"message":"prompt is too long"}}`), agenttest.Answer{Err: &model.OverflowError{}}},
		{"an error after text", stream(delta(`{"content":"four"}`), `data: {"error":{"message":"gone","code":502}}`), agenttest.Answer{Text: "four", Err: &model.ServerError{}}},
		{"an event of type error", stream(delta(`{"content":"four"}`), "event: error\ndata: {\"message\":\"overloaded\"}"), agenttest.Answer{Text: "four", Err: &model.ServerError{}}},
		{"an event of type error, of an overflow", stream("event: error\ndata: prompt is too long"), agenttest.Answer{Err: &model.OverflowError{}}},
		{"half an event at the end", stream(delta(`{"content":"four"}`), `data: {"choices":[{"delta":{"content":"mo`), agenttest.Answer{Text: "four", Err: &model.CutStreamError{}}},
		{"JSON instead of a stream", `
version: 1
steps:
  - fail: {status: 200, body: '{"choices":[{"message":{"role":"assistant","content":"four"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":1}}'}
`, agenttest.Answer{Text: "four", Finish: "stop", Usage: model.Usage{Input: 5, Output: 1}}},
		{"JSON with a call", `
version: 1
steps:
  - fail: {status: 200, body: '{"choices":[{"message":{"content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"bash","arguments":"{}"}}]}}]}'}
`, agenttest.Answer{Calls: []model.ToolCall{{ID: "a", Name: "bash", Args: "{}"}}}},
		{"JSON that is no answer", "version: 1\nsteps:\n  - fail: {status: 200, body: '{\"status\":\"ok\"}'}\n", agenttest.Answer{Err: &model.ServerError{}}},
		{"a web page", "version: 1\nsteps:\n  - fail: {status: 200, body: '<!doctype html>'}\n", agenttest.Answer{Err: &model.ServerError{}}},
		{"no tools", "version: 1\nmodel: {tools: none}\nsteps:\n  - reply: {text: x}\nstrict: false\n", agenttest.Answer{Err: &model.ToolsUnsupportedError{}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := agenttest.Serve(t, tt.script, agenttest.Options{Segments: []int{5, 3}})
			compare(t, agenttest.Collect(t.Context(), connect(s), question), tt.want, s.URL)
		})
	}
}

// CRLF and a byte order mark are within the rules of the format.
func TestStreamWithCRLF(t *testing.T) {
	t.Parallel()
	script := `
version: 1
steps:
  - sse: "\uFEFFdata: {\"choices\":[{\"delta\":{\"content\":\"four\"}}]}\r\n\r\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\r\n\r\n"
`
	s := agenttest.Serve(t, script, agenttest.Options{Segments: []int{1}})
	compare(t, agenttest.Collect(t.Context(), connect(s), question), agenttest.Answer{Text: "four", Finish: "stop"}, s.URL)
}

// A server that goes silent after a complete answer must not hold it up.
func TestEndWithoutEnd(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := agenttest.Serve(t, stream(delta(`{"content":"four"}`), finish("stop"))+"    fail: {hang: true, after_bytes: 10000}\n")
	compare(t, agenttest.Collect(ctx, connect(s), question), agenttest.Answer{Text: "four", Finish: "stop"}, s.URL)
}

func TestCancel(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := agenttest.Serve(t, "version: 1\nsteps:\n  - reply: {text: four}\n    fail: {hang: true, after_bytes: 100}\n")
	time.AfterFunc(50*time.Millisecond, cancel)
	got := agenttest.Collect(ctx, connect(s), question)
	if !errors.Is(got.Err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", got.Err)
	}
	if len(s.Requests()) != 1 {
		t.Errorf("got %d requests, want 1", len(s.Requests()))
	}
}

// Who stops reading gets no further event, and the connection closes.
func TestStopReading(t *testing.T) {
	t.Parallel()
	for n := range 6 {
		s := agenttest.Serve(t, "version: 1\nsteps:\n  - fail: {status: 500}\n  - reply: {thinking: hm, text: four, tool_calls: [{name: wc}], usage: {in: 1, out: 1}}\nstrict: false\n")
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

// Without a name a server is called by its host.
func TestProviderName(t *testing.T) {
	t.Parallel()
	s := agenttest.Serve(t, "version: 1\nsteps:\n  - fail: {status: 400, body: no}\n")
	got := agenttest.Collect(t.Context(), connect(s, func(c *openai.Config) { c.Provider = "" }), question)
	if got.Err == nil || !strings.HasPrefix(got.Err.Error(), s.BaseURL+"/chat/completions answered 400: no") {
		t.Errorf("got %v", got.Err)
	}
}

// Requests of one turn share a connection.
func TestConnectionIsUsedAgain(t *testing.T) {
	t.Parallel()
	s := agenttest.Serve(t, "version: 1\nsteps:\n  - reply: {text: a}\n  - reply: {text: b}\n  - reply: {text: c}\n")
	var dials atomic.Int32
	dialer := net.Dialer{}
	transport := &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		dials.Add(1)
		return dialer.DialContext(ctx, network, addr)
	}}
	t.Cleanup(transport.CloseIdleConnections)
	m := connect(s, func(c *openai.Config) { c.HTTPClient = &http.Client{Transport: transport} })
	for range 3 {
		if got := agenttest.Collect(t.Context(), m, question); got.Err != nil {
			t.Fatal(got.Err)
		}
	}
	// One, but on a busy machine the end of an answer may come too late.
	if n := dials.Load(); n > 2 {
		t.Errorf("got %d connections for 3 requests, want 1", n)
	}
}
