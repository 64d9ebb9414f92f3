package agent_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/session"
)

func noTools() error {
	return &model.ToolsUnsupportedError{Provider: "ollama", Detail: "gemma does not support tools"}
}

func TestTextMode(t *testing.T) {
	t.Parallel()
	call := say("<tool_call>\n{\"name\": \"look\", \"arguments\": {\"n\": 1}}\n</tool_call>")
	m := &answers{steps: [][]any{{noTools()}, {call, say("\n<tool_result name=\"look\">\nmade up"), say("</tool_result>So it is 7.")}, {say("One.")}, {say("Again.")}}}
	a := newAgent(m, tool{name: "look"})
	res := turn(t, a, "go")
	if res.Answer != "One." || res.Steps != 2 || len(res.ToolCalls) != 1 {
		t.Errorf("result %+v", res)
	}
	if got := trace(a); got != "user warning tool_call repair tool_result text_delta" {
		t.Errorf("records %s", got)
	}
	if w := bodies[session.Warning](a)[0]; !strings.Contains(w.Text, "gemma does not support tools") || !strings.Contains(w.Text, "tool_mode: text") {
		t.Errorf("warned %q", w.Text)
	}
	if len(m.requests[0].Tools) != 1 || m.requests[1].Tools != nil || !strings.Contains(m.requests[1].Messages[0].Content, "- look: D.") {
		t.Errorf("requests %+v", m.requests[:2])
	}
	last := m.requests[2].Messages
	if len(last) != 4 || !strings.HasPrefix(last[2].Content, "<tool_call>") || strings.Contains(last[2].Content, "made up") || !strings.Contains(last[3].Content, "<tool_result name=\"look\">\nlook {\"n\":1}\n</tool_result>") {
		t.Errorf("third request %+v", last)
	}
	// A later run of the session starts in text mode; with another model it tries anew.
	again := newAgent(m, tool{name: "look"})
	again.History = a.History
	turn(t, again, "more")
	if m.requests[3].Tools != nil {
		t.Error("the next run offers tools again")
	}
	other := newAgent(m, tool{name: "look"})
	other.ModelName, other.History = "other", append(a.History, session.Record{Body: session.Init{Model: "test"}})
	turn(t, other, "more")
	if m.requests[4].Tools == nil {
		t.Error("another model is not offered tools")
	}
}

func TestToolModes(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]string{"native": "error", "auto": "answer", "": "answer", "text": "answer"} {
		m := &answers{steps: [][]any{{noTools()}, {say("ok")}}}
		if mode == "text" {
			m.steps = m.steps[1:]
		}
		a := newAgent(m, tool{name: "look"})
		a.ToolMode = mode
		res, err := a.Turn(t.Context(), "go", session.Context{})
		if string(res.Stop) != want {
			t.Errorf("%q: stop %s, %v", mode, res.Stop, err)
		}
		if mode == "text" && (m.requests[0].Tools != nil || len(bodies[session.Warning](a)) > 0) {
			t.Error("text mode offers tools, or warns")
		}
	}
}

// A call that the server cannot read would fail every later request.
func TestHistoryThatTheServerRefuses(t *testing.T) {
	t.Parallel()
	refused := &model.ServerError{Provider: "p", Status: 500, Detail: "Failed to parse tool call arguments as JSON"}
	m := &answers{steps: [][]any{{say("I look."), callOf("a", "look", `{"n":1}`)}, {refused}, {say("One.")}, {say("Fine.")}}}
	a := newAgent(m, tool{name: "look"})
	if res := turn(t, a, "go"); res.Answer != "One." || len(m.requests) != 3 {
		t.Errorf("%+v after %d requests", res, len(m.requests))
	}
	turn(t, a, "next")
	for _, r := range m.requests[2:] {
		for _, msg := range r.Messages {
			if len(msg.ToolCalls) > 0 || msg.Role == model.Tool {
				t.Errorf("the call is still there: %+v", msg)
			}
		}
		if len(r.Messages) < 4 || r.Messages[2].Content != "I look." || !strings.Contains(r.Messages[3].Content, `look {"n":1} gave:`+"\n"+`look {"n":1}`) {
			t.Errorf("request %+v", r.Messages)
		}
	}
	if got := bodies[session.Repair](a); len(got) != 1 || len(got[0].Dropped) != 1 {
		t.Errorf("repairs %+v", got)
	}
}

// A server that reads no calls at all refuses each one; the turn goes on.
func TestEveryCallIsRefused(t *testing.T) {
	t.Parallel()
	refused := &model.ServerError{Provider: "p", Status: 500, Detail: "Failed to parse tool call arguments as JSON"}
	m := &answers{steps: [][]any{{callOf("a", "look", `{"n":1}`)}, {refused}, {callOf("b", "look", `{"n":2}`)}, {refused}, {say("Done.")}}}
	a := newAgent(m, tool{name: "look"})
	if res := turn(t, a, "go"); res.Answer != "Done." || len(m.requests) != 5 {
		t.Errorf("%+v after %d requests", res, len(m.requests))
	}
	last := m.requests[4].Messages
	if len(last) != 2 || strings.Count(last[1].Content, "gave:") != 2 {
		t.Errorf("the last request is %+v", last)
	}
}

func TestHistoryIsUntangledOnce(t *testing.T) {
	t.Parallel()
	refused := &model.ServerError{Provider: "p", Status: 500, Detail: "Failed to parse tool call arguments as JSON"}
	for name, steps := range map[string][][]any{"no call": {{refused}}, "again": {{callOf("a", "look", "")}, {refused}, {refused}}} {
		a := newAgent(&answers{steps: steps}, tool{name: "look"})
		_, err := a.Turn(t.Context(), "go", session.Context{})
		if _, ok := errors.AsType[*model.ServerError](err); !ok {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
