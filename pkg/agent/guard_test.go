package agent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/pkg/agent"
	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/session"
)

// Equal calls with equal results: the third is told so, the fifth ends the turn.
func TestLoopGuard(t *testing.T) {
	t.Parallel()
	a := newAgent(&answers{steps: [][]any{{callOf("a", "look", `{"n":1}`)}}}, tool{name: "look"})
	res := turn(t, a, "go")
	if res.Stop != session.StopLoop || len(res.ToolCalls) != 5 {
		t.Errorf("stop %s after %d calls, want loop after 5", res.Stop, len(res.ToolCalls))
	}
	for i, r := range bodies[session.ToolResult](a) {
		want := `look {"n":1}`
		if i >= 2 && i < 4 {
			want += fmt.Sprintf("\n\n(This is call number %d with the same arguments and the same result. Do something else, or answer the user.)", i+1)
		}
		if r.Content != want {
			t.Errorf("result %d is %q, want %q", i+1, r.Content, want)
		}
	}
}

// Repeating is right where something changes.
func TestLoopGuardLeavesProgressAlone(t *testing.T) {
	t.Parallel()
	n := 0
	a := newAgent(&answers{steps: [][]any{{callOf("a", "poll", ""), callOf("b", "poll", "")}}}, tool{name: "poll", run: func(context.Context, agent.Call) (agent.Output, error) {
		n++
		return agent.Output{Text: fmt.Sprint(n)}, nil
	}})
	a.MaxSteps = 6
	if res := turn(t, a, "go"); res.Stop != session.StopLimit || len(res.ToolCalls) != 12 {
		t.Errorf("stop %s after %d calls, want limit after 12", res.Stop, len(res.ToolCalls))
	}
}

// An empty answer gets one nudge, which the model sees and which is no word of
// the user.
func TestEmptyAnswerIsAskedOnceMore(t *testing.T) {
	t.Parallel()
	m := &answers{steps: [][]any{{model.ReasoningDelta{Text: "hm"}}, {say("now")}}}
	a := newAgent(m)
	if res := turn(t, a, "go"); res.Stop != session.StopAnswer || res.Answer != "now" || res.Steps != 2 {
		t.Errorf("result %+v", res)
	}
	last := m.requests[1].Messages[len(m.requests[1].Messages)-1]
	if last.Role != model.User || !strings.Contains(last.Content, "Your last answer was empty") {
		t.Errorf("the second request ends in %+v", last)
	}
	if users := bodies[session.User](a); len(users) != 1 {
		t.Errorf("the user said %+v", users)
	}
}

// Calls that a model wrote as text run like others, and the text is not shown.
func TestCallsInTheText(t *testing.T) {
	t.Parallel()
	const tag = `<tool_call>{"name": "look", "arguments": {"n": 3}}</tool_call>`
	m := &answers{steps: [][]any{{say("I look. " + tag[:20]), say(tag[20:])}, {say(tag)}, {say("Done.")}}}
	a := newAgent(m, tool{name: "look"})
	res := turn(t, a, "go")
	if res.Answer != "Done." || len(res.ToolCalls) != 2 || res.ToolCalls[0].ID == res.ToolCalls[1].ID {
		t.Errorf("result %+v", res)
	}
	for _, d := range bodies[session.TextDelta](a) {
		if strings.Contains(d.Text, "tool_call") {
			t.Errorf("%q was shown", d.Text)
		}
	}
	for _, r := range bodies[session.ToolResult](a) {
		if r.Content != `look {"n":3}` {
			t.Errorf("the result is %q", r.Content)
		}
	}
	if n := len(bodies[session.Repair](a)); n != 2 {
		t.Errorf("%d repairs, want 2", n)
	}
}

// An answer that hit its length limit may have cut its last call anywhere.
func TestCallAtTheLengthLimit(t *testing.T) {
	t.Parallel()
	ran := []string{}
	m := &answers{steps: [][]any{{callOf("a", "look", `{"n":1}`), callOf("b", "look", `{"n":1`), model.Finish{Reason: "length"}}, {say("ok")}}}
	a := newAgent(m, tool{name: "look", run: func(_ context.Context, c agent.Call) (agent.Output, error) {
		ran = append(ran, c.ID)
		return agent.Output{}, nil
	}})
	turn(t, a, "go")
	if len(ran) != 1 || ran[0] != "a" {
		t.Errorf("ran %q, want a alone", ran)
	}
}

func TestSkillCalledAsATool(t *testing.T) {
	t.Parallel()
	a := newAgent(&answers{steps: [][]any{{callOf("a", "report", "{}")}, {say("ok")}}}, tool{name: "read_skill"})
	a.SkillNames = func() []string { return []string{"report"} }
	turn(t, a, "go")
	want := `error: there is no tool "report". It is a skill: call read_skill(name="report") and follow what it says. Tools: read_skill.`
	if got := bodies[session.ToolResult](a)[0].Content; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A text that stops at the length limit is an answer, and said to be cut.
func TestTextAtTheLengthLimit(t *testing.T) {
	t.Parallel()
	a := newAgent(&answers{steps: [][]any{{say("It goes on and"), model.Finish{Reason: "length"}}}})
	res := turn(t, a, "go")
	if w := bodies[session.Warning](a); res.Answer != "It goes on and" || len(w) != 1 || w[0].Code != agent.WarnOutputLimit {
		t.Errorf("result %+v, warnings %+v", res, w)
	}
}
