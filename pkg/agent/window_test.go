package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/pkg/agent"
	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/session"
)

// words are that many tokens of four bytes, and no repetition.
func words(tokens int) string {
	var b strings.Builder
	for i := range tokens {
		fmt.Fprintf(&b, "%03x ", i*2477%4093)
	}
	return b.String()
}

// A server that reports far fewer tokens than were sent cuts the prompt.
func TestCutPromptIsNoticed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		sent, read int
		want       bool
	}{
		{"cut", 10_000, 4096, true},
		{"a good tokenizer", 10_000, 6_100, false},
		{"no usage", 10_000, 0, false},
		{"too short to be cut", 1_900, 100, false},
		{"more than estimated", 3_000, 9_000, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			usage := model.Usage{Input: tt.read}
			a := newAgent(&answers{steps: [][]any{{say("ok"), usage}}})
			a.WindowFix = "Use -c %[1]d"
			turn(t, a, words(tt.sent))
			turn(t, a, "again") // told once
			var got []string
			for _, w := range bodies[session.Warning](a) {
				got = append(got, w.Code+" "+w.Text)
			}
			want := []string(nil)
			if tt.want {
				want = []string{fmt.Sprintf("model.prompt_cut the server read 4096 tokens of a prompt of about %d: it cuts the prompt, and the model misses rules and tools. Use -c 32768", tt.sent+2)}
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
}

// Prompts grow within a turn: the first one may fit, and a later one not. The
// model reads a file, and the server has room for so many tokens.
func TestCutPromptIsNoticedLater(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, file string
		read       []int // what the server says that it read, request by request
		want       int   // the request that is warned about, 0 = none
	}{
		{"far fewer than were sent", words(6000), []int{500, 3000}, 2},
		{"not far fewer, but no more than before", words(3000), []int{500, 2900, 2900, 2900}, 3},
		{"it grows", words(3000), []int{500, 2900, 5800, 8700}, 0},
		{"small steps add up", words(40), []int{3000, 3000, 3000, 3000}, 3},
		{"blanks are cheap", strings.Repeat(words(300)+strings.Repeat(" ", 9000), 9), []int{500, 2900}, 0},
		{"another alphabet", strings.Repeat("नमस्ते दुनिया, यह एक परीक्षा है। ", 500), []int{500, 3100}, 0},
		{"Chinese", strings.Repeat("这是一个很长的文件。", 1000), []int{500, 3000}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := &answers{}
			for i, n := range tt.read {
				m.steps = append(m.steps, []any{callOf(fmt.Sprint(i), "look", fmt.Sprintf(`{"n":%d}`, i)), model.Usage{Input: n}})
			}
			m.steps = append(m.steps, []any{say("ok")})
			a := newAgent(m, tool{name: "look", run: func(context.Context, agent.Call) (agent.Output, error) { return agent.Output{Text: tt.file}, nil }})
			if tt.name == "small steps add up" {
				a.System = words(4000)
			}
			turn(t, a, "go")
			got := 0
			for _, r := range a.History {
				if b, ok := r.Body.(session.Warning); ok && b.Code == agent.WarnPromptCut && got == 0 {
					got = r.Step
				}
			}
			if got != tt.want || len(bodies[session.Warning](a)) > 1 {
				t.Errorf("warned about request %d, want %d; warnings %+v", got, tt.want, bodies[session.Warning](a))
			}
		})
	}
}

func TestPromptLargerThanTheWindow(t *testing.T) {
	t.Parallel()
	a := newAgent(&answers{steps: [][]any{{callOf("a", "look", "")}, {say("ok")}}}, tool{name: "look"})
	a.ContextWindow = 4000
	turn(t, a, words(5000))
	got := bodies[session.Warning](a)
	if len(got) < 1 || got[0].Code != agent.WarnPromptLarge || !strings.Contains(got[0].Text, "about 5025 tokens, and the model's window is 4000") || !strings.Contains(got[0].Text, "OLLAMA_CONTEXT_LENGTH=16384 ollama serve") {
		t.Errorf("got %+v", got)
	}
	if len(bodies[session.Compaction](a)) != 1 { // before the second request there was something to compact
		t.Errorf("%d compactions", len(bodies[session.Compaction](a)))
	}
}

// From 80 % of a known window on the history is compacted before the request.
func TestAutomaticCompaction(t *testing.T) {
	t.Parallel()
	m := &answers{steps: [][]any{{say("First.")}, {say("a summary")}, {say("Second.")}}}
	a := newAgent(m)
	a.ContextWindow = 5000
	turn(t, a, words(3900))
	res := turn(t, a, words(200)+"what now?")
	if res.Answer != "Second." || len(m.requests) != 3 {
		t.Fatalf("%+v after %d requests", res, len(m.requests))
	}
	if got := m.requests[1]; got.Tools != nil || len(got.Messages) != 2 || !strings.Contains(got.Messages[1].Content, "assistant: First.") || len(got.Messages[1].Content) > 11_000 {
		t.Errorf("the summary was asked for by %d messages of %d bytes", len(got.Messages), len(got.Messages[1].Content))
	}
	last := m.requests[2].Messages
	if len(last) != 2 || last[0].Content != "be kind" || !strings.Contains(last[1].Content, "a summary") || !strings.HasSuffix(last[1].Content, "what now?") {
		t.Errorf("the next request is %q", last)
	}
}

func overflow() error { return &model.OverflowError{Provider: "p", Detail: "too long"} }

func TestOverflow(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		steps    [][]any
		stop     session.Stop
		requests int
		compact  int
	}{
		{"compacted once, and it fits", [][]any{{callOf("a", "look", "")}, {overflow()}, {say("sum")}, {say("done")}}, session.StopAnswer, 4, 1},
		{"it does not fit then either", [][]any{{callOf("a", "look", "")}, {overflow()}, {say("sum")}, {overflow()}}, session.StopOverflow, 4, 1},
		{"nothing to compact", [][]any{{overflow()}}, session.StopOverflow, 1, 0},
		{"the summary does not fit", [][]any{{callOf("a", "look", "")}, {overflow()}, {overflow()}}, session.StopOverflow, 3, 0},
		{"the summary is empty", [][]any{{callOf("a", "look", "")}, {overflow()}, {say(" ")}}, session.StopOverflow, 3, 0},
		{"after something was shown", [][]any{{callOf("a", "look", "")}, {say("I look"), overflow()}}, session.StopOverflow, 2, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := &answers{steps: tt.steps}
			a := newAgent(m, tool{name: "look"})
			res, err := a.Turn(t.Context(), "go on with the work", session.Context{})
			if res.Stop != tt.stop || len(m.requests) != tt.requests || len(bodies[session.Compaction](a)) != tt.compact {
				t.Errorf("stop %s (%v), %d requests, %d compactions", res.Stop, err, len(m.requests), len(bodies[session.Compaction](a)))
			}
			if _, ok := errors.AsType[*model.OverflowError](err); ok != (tt.stop == session.StopOverflow) {
				t.Errorf("error %v", err)
			}
			if tt.compact == 1 {
				after := m.requests[3].Messages
				if len(after) != 2 || !strings.Contains(after[1].Content, "sum") || !strings.Contains(after[1].Content, "word for word:\n\ngo on with the work") {
					t.Errorf("after the compaction: %q", after)
				}
			}
		})
	}
}

// A window that the system prompt fills alone is nothing that a summary cures.
func TestSmallWindowIsNotCompacted(t *testing.T) {
	t.Parallel()
	m := &answers{steps: [][]any{{say("One.")}, {say("Two.")}}}
	a := newAgent(m)
	a.System, a.ContextWindow = words(1900), 2000
	turn(t, a, "first")
	if res := turn(t, a, "second"); res.Answer != "Two." || len(bodies[session.Compaction](a)) != 0 {
		t.Errorf("result %+v, compactions %+v", res, bodies[session.Compaction](a))
	}
}

// After a compaction a prompt that is read as fewer tokens than one before is no
// sign of anything.
func TestCompactionIsNoCut(t *testing.T) {
	t.Parallel()
	m := &answers{steps: [][]any{
		{callOf("a", "look", ""), model.Usage{Input: 9000}}, {overflow()}, {say(words(4000))}, {say("ok"), model.Usage{Input: 8000}},
	}}
	a := newAgent(m, tool{name: "look"})
	turn(t, a, words(3000))
	if got := bodies[session.Warning](a); len(got) > 0 || len(bodies[session.Compaction](a)) != 1 {
		t.Errorf("got %+v", got)
	}
}
