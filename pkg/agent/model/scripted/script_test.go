package scripted_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/pkg/agent/agenttest"
	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/model/scripted"
)

func load(t *testing.T, text string) *scripted.Script {
	t.Helper()
	s, err := scripted.Load("t.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func user(texts ...string) model.Request {
	r := model.Request{Messages: []model.Message{{Role: model.System, Content: "be brief"}}}
	for _, text := range texts {
		r.Messages = append(r.Messages, model.Message{Role: model.User, Content: text})
	}
	return r
}

// then is a request after an answer and the results of its calls.
func then(r model.Request, a agenttest.Answer, results ...string) model.Request {
	r.Messages = append(r.Messages, model.Message{Role: model.Assistant, Content: a.Text, ToolCalls: a.Calls})
	for i, text := range results {
		r.Messages = append(r.Messages, model.Message{Role: model.Tool, Content: text, CallID: a.Calls[i].ID, Name: a.Calls[i].Name})
	}
	return r
}

func TestConversation(t *testing.T) {
	t.Parallel()
	s := load(t, `
version: 1
steps:
  - when: {user: 'how many', system_contains: brief, messages: 2}
    reply:
      thinking: hm
      text: I look.
      tool_calls: [{name: wc, args: {path: a.txt, opts: [-l, "{{user}}"]}}]
      usage: {in: 10, out: 2, cached: 4}
  - when: {tool_result: {name: wc, contains: "4"}}
    reply: {text: 'line two is {{result "call_1" | line 2}}, n is {{json (result "wc") "n.0"}}, {{result "call_1" | match "x=(\\d+)"}}'}
`)
	m := s.Model()
	first := agenttest.Collect(t.Context(), m, user("how many lines?"))
	if first.Err != nil {
		t.Fatal(first.Err)
	}
	want := model.ToolCall{ID: "call_1", Name: "wc", Args: `{"opts":["-l","how many lines?"],"path":"a.txt"}`}
	if len(first.Calls) != 1 || first.Calls[0] != want {
		t.Errorf("calls: got %+v, want %+v", first.Calls, want)
	}
	if first.Text != "I look." || first.Reasoning != "hm" || first.Finish != "tool_calls" || first.Usage != (model.Usage{Input: 10, Output: 2, Cached: 4}) {
		t.Errorf("got %+v", first)
	}
	second := agenttest.Collect(t.Context(), m, then(user("how many lines?"), first, "x=12\nlines: 4\n{\"n\": [7]}"))
	if want := "line two is lines: 4, n is 7, 12"; second.Text != want || second.Err != nil {
		t.Errorf("got %q, %v; want %q", second.Text, second.Err, want)
	}
	if err := s.Done(); err != nil {
		t.Errorf("Done: %v", err)
	}
}

func TestMismatch(t *testing.T) {
	t.Parallel()
	tools := model.Request{Messages: user("hi").Messages, Tools: []model.ToolSpec{{Name: "a"}, {Name: "c"}}}
	tests := []struct {
		name, when string
		request    model.Request
		want       []string
	}{
		{"user", "{user: ^bye}", user("hi"), []string{"script t.yaml, step 1: the request is not the expected one", `user: want a match of /^bye/, got "hi"`}},
		{"all user messages since the last answer count", "{user: ^one$}", user("one", "two"), []string{`got "one\ntwo"`}},
		{"system", "{system_contains: verbose}", user("hi"), []string{`contains "verbose", got "be brief"`}},
		{"messages", "{messages: 3}", user("hi"), []string{"messages: want 3, got 2"}},
		{"tools", "{tools: [a, b]}", tools, []string{"tools: - b (expected, not offered)", "tools: + c (offered, not expected)"}},
		{"no tools at all", "{tools: []}", tools, []string{"tools: + a", "tools: + c"}},
		{"some tools", "{tools_include: [b, a]}", tools, []string{"tools: - b"}},
		{"result", "{tool_result: {name: wc, contains: x}}", user("hi"), []string{`tool_result: want one of "wc" that contains "x", got none`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := load(t, "version: 1\nsteps:\n  - when: "+tt.when+"\n    reply: {text: x}\n")
			got := agenttest.Collect(t.Context(), s.Model(), tt.request)
			for _, err := range []error{got.Err, s.Done()} {
				if _, ok := errors.AsType[*scripted.MismatchError](err); !ok {
					t.Fatalf("got %T %v, want a MismatchError", err, err)
				}
				for _, want := range append(tt.want, "the request: ") {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("got %q, want it to contain %q", err, want)
					}
				}
			}
			if len(got.Retries) > 0 {
				t.Errorf("a mismatch was tried again: %+v", got.Retries)
			}
		})
	}
}

func TestTooManyAndTooFew(t *testing.T) {
	t.Parallel()
	s := load(t, "version: 1\nsteps:\n  - reply: {text: one}\n  - reply: {text: two}\n")
	m := s.Model()
	agenttest.Collect(t.Context(), m, user("hi"))
	if err := s.Done(); err == nil || !strings.Contains(err.Error(), "step 2: the run ended before this step; 1 step of 2 were used") {
		t.Errorf("got %v", err)
	}
	agenttest.Collect(t.Context(), m, user("hi"))
	if err := s.Done(); err != nil {
		t.Errorf("got %v", err)
	}
	got := agenttest.Collect(t.Context(), m, user("more"))
	if got.Err == nil || !strings.Contains(got.Err.Error(), `a request came after the last of 2 steps`) {
		t.Errorf("got %v", got.Err)
	}
}

// With strict: false one file serves several runs, here two processes.
func TestNotStrict(t *testing.T) {
	t.Parallel()
	text := `
version: 1
strict: false
steps:
  - when: {user: first}
    reply: {text: one}
  - when: {user: second, messages: 4}
    reply: {text: two}
`
	run1 := load(t, text)
	one := agenttest.Collect(t.Context(), run1.Model(), user("first"))
	if one.Text != "one" || run1.Done() != nil {
		t.Fatalf("got %+v, %v", one, run1.Done())
	}
	r := then(user("first"), one)
	r.Messages = append(r.Messages, model.Message{Role: model.User, Content: "second"})
	run2 := load(t, text)
	if two := agenttest.Collect(t.Context(), run2.Model(), r); two.Text != "two" {
		t.Errorf("got %+v", two)
	}
	got := agenttest.Collect(t.Context(), run2.Model(), user("third"))
	if got.Err == nil || !strings.Contains(got.Err.Error(), "no unused step matches the request\n  step 1: user: want a match of /first/") {
		t.Errorf("got %v", got.Err)
	}
}

func TestDemo(t *testing.T) {
	t.Parallel()
	s := scripted.Demo()
	m := s.Model()
	r := user("what is here?")
	for turn := range 3 {
		first := agenttest.Collect(t.Context(), m, r)
		if first.Err != nil || len(first.Calls) != 1 || first.Calls[0].Name != "list_files" {
			t.Fatalf("turn %d: got %+v", turn, first)
		}
		listing := "(the folder . is empty)"
		if turn > 0 {
			listing = "README.md\nsrc/\n"
		}
		r = then(r, first, listing)
		last := agenttest.Collect(t.Context(), m, r)
		if turn > 0 {
			if len(last.Calls) != 1 || last.Calls[0].Args != `{"path":"README.md"}` {
				t.Fatalf("turn %d: got %+v", turn, last)
			}
			r = then(r, last, "# Project\n\ntext")
			listing = "# Project"
			last = agenttest.Collect(t.Context(), m, r)
		}
		if !strings.Contains(last.Text, "not a model") || !strings.Contains(last.Text, "> "+listing) {
			t.Errorf("turn %d: got %q, %v", turn, last.Text, last.Err)
		}
		r = then(r, last)
		r.Messages = append(r.Messages, model.Message{Role: model.User, Content: "again"})
	}
	if err := s.Done(); err != nil {
		t.Error(err)
	}
}

// A turn that was broken off does not stop the demo.
func TestDemoAfterAnInterruption(t *testing.T) {
	t.Parallel()
	m := scripted.Demo().Model()
	for range 2 {
		if got := agenttest.Collect(t.Context(), m, user("hi")); len(got.Calls) != 1 {
			t.Fatalf("got %+v", got)
		}
	}
}

func TestFail(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, steps string
		want        error
		retries     int
	}{
		{"rejected key", "[{fail: {status: 401, body: '{\"error\":\"bad key\"}'}}]", &model.AuthError{}, 0},
		{"rate, then an answer", "[{fail: {status: 429, headers: {Retry-After: '2'}, times: 2}}, {reply: {text: x}}]", nil, 2},
		{"a cut before any text is tried again", "[{reply: {text: x}, fail: {after_bytes: 9}}, {reply: {text: x}}]", nil, 1},
		{"overflow", "[{fail: {status: 400, body: 'prompt is too long'}}]", &model.OverflowError{}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := load(t, "version: 1\nsteps: "+tt.steps+"\n")
			got := agenttest.Collect(t.Context(), s.Model(), user("hi"))
			if (got.Err == nil) != (tt.want == nil) || len(got.Retries) != tt.retries {
				t.Errorf("got %v with %d retries, want %T with %d", got.Err, len(got.Retries), tt.want, tt.retries)
			}
			if err := s.Done(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestHang(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	got := agenttest.Collect(ctx, load(t, "version: 1\nsteps:\n  - fail: {hang: true}\n").Model(), user("hi"))
	if !errors.Is(got.Err, context.DeadlineExceeded) {
		t.Errorf("got %v", got.Err)
	}
}

// What a model without native calls writes.
func TestTextTools(t *testing.T) {
	t.Parallel()
	s := load(t, "version: 1\nmodel: {tools: text, context_window: 4096}\nsteps:\n  - reply: {text: hm, tool_calls: [{name: wc, args: {n: 1}}]}\n")
	got := agenttest.Collect(t.Context(), s.Model(), user("hi"))
	if want := "hm\n<tool_call>\n{\"name\": \"wc\", \"arguments\": {\"n\":1}}\n</tool_call>"; got.Text != want || len(got.Calls) != 0 {
		t.Errorf("got %q, %+v, %v", got.Text, got.Calls, got.Err)
	}
	if s.Info().ContextWindow != 4096 {
		t.Errorf("got %+v", s.Info())
	}
}

func TestTemplateThatFindsNothing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{{result "call_9"}}`, `{{result "wc" | line 9}}`, `{{result "wc" | match "zzz"}}`, `{{json (result "wc") "a"}}`,
		`{{json "[1]" "7"}}`, `{{json "{" ""}}`, `{{json "[1]" "0.x"}}`, `{{"x" | match "("}}`,
	} {
		steps, _ := json.Marshal([]any{map[string]any{"reply": map[string]any{"text": text}}})
		s := load(t, "version: 1\nsteps: "+string(steps))
		r := then(user("hi"), agenttest.Answer{Calls: []model.ToolCall{{ID: "c", Name: "wc"}}}, "one line")
		got := agenttest.Collect(t.Context(), s.Model(), r)
		if _, ok := errors.AsType[*scripted.MismatchError](got.Err); !ok {
			t.Errorf("%s: got %q, %v; want a MismatchError", text, got.Text, got.Err)
		}
	}
}

func TestRecord(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := scripted.Load(filepath.Join(dir, "s.yaml"), []byte("version: 1\nrecord: out.jsonl\nsteps:\n  - reply: {text: a}\n  - reply: {text: b}\n"))
	if err != nil {
		t.Fatal(err)
	}
	r := user("hi")
	r.Tools = []model.ToolSpec{{Name: "wc", Description: "count", Schema: json.RawMessage(`{"type":"object","properties":{}}`)}}
	r.MaxOutput = 7
	first := agenttest.Collect(t.Context(), s.Model(), r)
	agenttest.Collect(t.Context(), s.Model(), then(r, first))
	data, err := os.ReadFile(filepath.Join(dir, "out.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"request":1,"messages":[{"role":"system","content":"be brief"},{"role":"user","content":"hi"}],"tools":[{"name":"wc","description":"count","schema":{"properties":{},"type":"object"}}],"max_output":7}
{"request":2,"messages":[{"role":"system","content":"be brief"},{"role":"user","content":"hi"},{"role":"assistant","content":"a"}],"tools":[{"name":"wc","description":"count","schema":{"properties":{},"type":"object"}}],"max_output":7}
`
	if string(data) != want {
		t.Errorf("got\n%s\nwant\n%s", data, want)
	}
}

func TestRecordThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	s := load(t, "version: 1\nrecord: /no/such/folder/x\nsteps:\n  - reply: {text: a}\n")
	if got := agenttest.Collect(t.Context(), s.Model(), user("hi")); got.Err == nil || !strings.Contains(got.Err.Error(), "record: ") {
		t.Errorf("got %v", got.Err)
	}
}

// What the forms of a step send.
func TestForms(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, steps string
		check       func(agenttest.Answer) bool
	}{
		{"raw arguments", "[{reply: {tool_calls: [{name: a, raw_args: '{\"x\": {{user}'}]}}]", func(a agenttest.Answer) bool { return a.Err != nil }},
		{"raw arguments with a template", "[{reply: {tool_calls: [{id: z, name: a, raw_args: '{\"x\": \"{{user}}\"'}]}}]", func(a agenttest.Answer) bool {
			return len(a.Calls) == 1 && a.Calls[0] == model.ToolCall{ID: "z", Name: "a", Args: `{"x": "hi"`}
		}},
		{"no id", "[{reply: {tool_calls: [{id: '', name: a}, {id: '', name: b}]}}]", func(a agenttest.Answer) bool {
			return len(a.Calls) == 2 && a.Calls[0].ID == "call_1" && a.Calls[1].ID == "call_2" && a.Calls[1].Args == "{}"
		}},
		{"finish", "[{reply: {text: x, finish: length}}]", func(a agenttest.Answer) bool { return a.Finish == "length" }},
		{"lines", "[{sse: ['data: {\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}', '']}]", func(a agenttest.Answer) bool { return a.Text == "x" }},
		{"status 500 unless it says otherwise", "[{fail: {body: x, times: 5}}]", func(a agenttest.Answer) bool {
			err, ok := errors.AsType[*model.ServerError](a.Err)
			return ok && err.Status == 500 && len(a.Retries) == 4
		}},
		{"a cut without an answer", "[{fail: {after_bytes: 0, times: 5}}]", func(a agenttest.Answer) bool {
			_, ok := errors.AsType[*model.CutStreamError](a.Err)
			return ok
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := scripted.Load("t.yaml", []byte("version: 1\nsteps: "+tt.steps+"\n"))
			if err != nil {
				if !tt.check(agenttest.Answer{Err: err}) {
					t.Fatal(err)
				}
				return
			}
			if got := agenttest.Collect(t.Context(), s.Model(), user("hi")); !tt.check(got) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// A script that starts again gives its calls new ids, and templates find them.
func TestLoopHasFreshIDs(t *testing.T) {
	t.Parallel()
	s := load(t, `
version: 1
loop: true
steps:
  - reply: {tool_calls: [{name: wc}]}
  - reply: {text: '{{result "call_1"}}'}
`)
	m, r := s.Model(), user("hi")
	for turn, result := range []string{"one", "two"} {
		call := agenttest.Collect(t.Context(), m, r)
		if call.Err != nil {
			t.Fatal(call.Err)
		}
		r = then(r, call, result)
		last := agenttest.Collect(t.Context(), m, r)
		if last.Text != result || (turn == 1 && call.Calls[0].ID == "call_1") {
			t.Errorf("got %q with %+v, want %q", last.Text, call.Calls, result)
		}
		r = then(r, last)
		r.Messages = append(r.Messages, model.Message{Role: model.User, Content: "again"})
	}
}

// Reasoning and everything else of a request is in its record.
func TestRecordOfARound(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "r")
	s := load(t, "version: 1\nrecord: "+out+"\nsteps:\n  - reply: {text: x}\n")
	agenttest.Collect(t.Context(), s.Model(), then(user("hi"), agenttest.Answer{Calls: []model.ToolCall{{ID: "c", Name: "wc", Args: "{}"}}}, "4"))
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"role":"assistant","content":"","tool_calls":[{"id":"c","name":"wc","args":"{}"}]},{"role":"tool","content":"4","call_id":"c","name":"wc"}`
	if !strings.Contains(string(data), want) {
		t.Errorf("got %s, want it to contain %s", data, want)
	}
}

func TestLoadErrors(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"empty", "", "version"},
		{"version", "version: 2\nsteps: [{reply: {text: x}}]", "version is 2"},
		{"no steps", "version: 1\nsteps: []", "steps is empty"},
		{"unknown key", "version: 1\nsteps: [{replay: {text: x}}]", "replay"},
		{"bad tools", "version: 1\nmodel: {tools: some}\nsteps: [{reply: {text: x}}]", `model.tools is "some"`},
		{"nothing in a step", "version: 1\nsteps: [{when: {user: x}}]", "step 1: has no reply, fail or sse"},
		{"two answers", "version: 1\nsteps: [{reply: {text: x}, sse: y}]", "both reply and sse"},
		{"status and answer", "version: 1\nsteps: [{reply: {text: x}, fail: {status: 500}}]", "fail.status"},
		{"bad regexp", "version: 1\nsteps: [{when: {user: '('}, reply: {text: x}}]", "when.user"},
		{"bad template", "version: 1\nsteps: [{reply: {text: '{{nope}}'}}]", "nope"},
		{"bad template in arguments", "version: 1\nsteps: [{reply: {tool_calls: [{name: a, args: {b: [{c: '{{'}]}}]}}]", "step 1"},
		{"both kinds of arguments", "version: 1\nsteps: [{reply: {tool_calls: [{name: a, args: {}, raw_args: x}]}}]", "both args and raw_args"},
		{"bad delay", "version: 1\nsteps: [{reply: {delay: fast}}]", "reply.delay"},
		{"parallel", "version: 1\nmodel: {parallel: false}\nsteps: [{reply: {tool_calls: [{name: a}, {name: b}]}}]", "model.parallel is false"},
		{"sse of an odd type", "version: 1\nsteps: [{sse: {a: b}}]", "sse must be a text"},
		{"sse with a number", "version: 1\nsteps: [{sse: [1]}]", "sse: 1 is no text"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := scripted.Load("t.yaml", []byte(tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "t.yaml") {
				t.Errorf("got %v, want t.yaml … %q", err, tt.want)
			}
		})
	}
}

func TestDelayAndChunks(t *testing.T) {
	t.Parallel()
	s := load(t, "version: 1\nsteps:\n  - reply: {text: Grüße, chunk: 3, delay: 1ms}\n")
	var got []string
	for e, err := range s.Model().Stream(t.Context(), user("hi")) {
		if err != nil {
			t.Fatal(err)
		}
		if d, ok := e.(model.TextDelta); ok {
			got = append(got, d.Text)
		}
	}
	if strings.Join(got, "|") != "Grü|ße" {
		t.Errorf("got %q", got)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add("version: 1\nsteps:\n  - when: {user: x}\n    reply: {text: '{{user}}', chunk: 2}\n")
	f.Add("version: 1\nsteps:\n  - sse: [\"data: {}\", \"\"]\n")
	f.Add("version: 1\nsteps:\n  - fail: {status: 500, times: 3}\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := scripted.Load("t.yaml", []byte(text))
		if err != nil || strings.Contains(text, "record") {
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		got := agenttest.Collect(ctx, s.Model(), user("hi"))
		if got.Err == nil && got.Events == 0 {
			t.Error("an answer without any event")
		}
	})
}
