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

// Equal calls in one answer end no turn: the model has not read the warning yet.
func TestLoopGuardWarnsBeforeItStops(t *testing.T) {
	t.Parallel()
	var same []any
	for i := range 8 {
		same = append(same, callOf(fmt.Sprint(i), "look", ""))
	}
	m := &answers{steps: [][]any{same, {say("Sorry.")}}}
	if res := turn(t, newAgent(m, tool{name: "look"}), "go"); res.Stop != session.StopAnswer || len(res.ToolCalls) != 8 {
		t.Errorf("stop %s after %d calls, want an answer after 8", res.Stop, len(res.ToolCalls))
	}
	if last := m.requests[1].Messages; !strings.Contains(last[len(last)-1].Content, "call number 8 with the same arguments") {
		t.Errorf("the model was told %q", last[len(last)-1].Content)
	}
	m = &answers{steps: [][]any{same}}
	if res := turn(t, newAgent(m, tool{name: "look"}), "go"); res.Stop != session.StopLoop || len(res.ToolCalls) != 9 {
		t.Errorf("stop %s after %d calls, want loop after 9", res.Stop, len(res.ToolCalls))
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

// An answer that is nothing but a made-up result is not called empty: the model
// is told what was wrong with it.
func TestInventedResultIsNoEmptyAnswer(t *testing.T) {
	t.Parallel()
	m := &answers{steps: [][]any{{say("<tool_result>\n{}"), say("\n</tool_result>")}, {say("now")}}}
	a := newAgent(m, tool{name: "look"})
	a.ToolMode = agent.ToolModeText
	if res := turn(t, a, "go"); res.Answer != "now" || res.Steps != 2 {
		t.Errorf("result %+v", res)
	}
	last := m.requests[1].Messages[len(m.requests[1].Messages)-1]
	if !strings.Contains(last.Content, "a result that no tool gave") {
		t.Errorf("the second request ends in %+v", last)
	}
}

// A model that refuses is not asked again, and the person is told why.
func TestFilteredAnswer(t *testing.T) {
	t.Parallel()
	m := &answers{steps: [][]any{{model.Finish{Reason: "content_filter"}}}}
	a := newAgent(m)
	if res := turn(t, a, "go"); res.Stop != session.StopEmpty || len(m.requests) != 1 {
		t.Errorf("stop %s after %d requests", res.Stop, len(m.requests))
	}
	if w := bodies[session.Warning](a); len(w) != 1 || w[0].Code != agent.WarnFiltered {
		t.Errorf("warnings %+v", w)
	}
}

// A server that parses a call and leaves its text in has sent one call.
func TestCallsInTheTextThatCameAsCalls(t *testing.T) {
	t.Parallel()
	const tag = `<tool_call>{"name": "Look", "arguments": {"n": 3}}</tool_call>`
	m := &answers{steps: [][]any{
		{say(tag + tag + `<tool_call>{"name": "look", "arguments": {"n": 4}}</tool_call>`), callOf("a", "look", `{"n":3}`)},
		{say("Done.")},
	}}
	res := turn(t, newAgent(m, tool{name: "look"}), "go")
	if len(res.ToolCalls) != 2 || string(res.ToolCalls[0].Args) != `{"n":4}` || res.ToolCalls[1].ID != "a" {
		t.Errorf("calls %+v", res.ToolCalls)
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

// A skill that is called like a tool, natively or in the text, is no answer: the
// model is told how to read it.
func TestSkillCalledAsATool(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]any{
		"native":     callOf("a", "report", "{}"),
		"tagged":     say(`<tool_call>{"name": "report", "arguments": {}}</tool_call>`),
		"in a fence": say("```json\n{\n  \"name\": \"report\",\n  \"arguments\": {\"path\": \"notes.md\"}\n}\n```"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAgent(&answers{steps: [][]any{{first}, {say("ok")}}}, tool{name: "read_skill"})
			a.SkillNames = func() []string { return []string{"report"} }
			turn(t, a, "go")
			results := bodies[session.ToolResult](a)
			want := `error: there is no tool "report". It is a skill: call read_skill(name="report") and follow what it says; if you have read it, call the tool that its next step names. Tools: read_skill.`
			if len(results) != 1 || results[0].Content != want {
				t.Errorf("got %+v, want %q", results, want)
			}
		})
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

// Calls that cannot run, one after the other: the third is told so, the fifth ends
// the turn, whatever their names and arguments are.
func TestCallsThatCannotRun(t *testing.T) {
	t.Parallel()
	m := &answers{steps: [][]any{
		{callOf("a", "bash", `{"n":1}`)},
		{callOf("b", "report", "{}")},
		{callOf("c", "run", `{"n":3}`)},
		{callOf("d", "report", `{"n":4}`)},
		{callOf("e", "shell", "{}")},
		{say("never asked")},
	}}
	a := newAgent(m, tool{name: "look"})
	a.SkillNames = func() []string { return []string{"report"} }
	if res := turn(t, a, "go"); res.Stop != session.StopLoop || len(res.ToolCalls) != 5 {
		t.Errorf("stop %s after %d calls, want loop after 5", res.Stop, len(res.ToolCalls))
	}
	for i, r := range bodies[session.ToolResult](a) {
		told := strings.Contains(r.Content, fmt.Sprintf("call number %d in a row that could not run", i+1))
		if !strings.HasPrefix(r.Content, "error: there is no tool") || told != (i == 2 || i == 3) {
			t.Errorf("result %d is %q", i+1, r.Content)
		}
	}
}

// A call that runs starts the count anew, and several in one answer end no turn.
func TestCallsThatCannotRunInARow(t *testing.T) {
	t.Parallel()
	wrong := func(n int) []any {
		var calls []any
		for i := range n {
			calls = append(calls, callOf(fmt.Sprint(n, i), fmt.Sprint("wrong", i), fmt.Sprintf(`{"n":%d}`, i)))
		}
		return calls
	}
	for name, tt := range map[string]struct {
		steps [][]any
		stop  session.Stop
		calls int
	}{
		"a call runs between": {[][]any{wrong(4), {callOf("x", "look", "{}")}, wrong(3), wrong(1), {say("ok")}}, session.StopAnswer, 9},
		"in one answer":       {[][]any{wrong(8), {say("ok")}}, session.StopAnswer, 8},
		"and one more":        {[][]any{wrong(8), wrong(1), {say("ok")}}, session.StopLoop, 9},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res := turn(t, newAgent(&answers{steps: tt.steps}, tool{name: "look"}), "go")
			if res.Stop != tt.stop || len(res.ToolCalls) != tt.calls {
				t.Errorf("stop %s after %d calls, want %s after %d", res.Stop, len(res.ToolCalls), tt.stop, tt.calls)
			}
		})
	}
}

// A tool that is switched off and called all the same, with other arguments each
// time, ends the turn too.
func TestCallsOfAToolThatIsSwitchedOff(t *testing.T) {
	t.Parallel()
	var steps [][]any
	for i := range 20 {
		steps = append(steps, []any{callOf(fmt.Sprint(i), "look", fmt.Sprintf(`{"n":"x%d"}`, i))})
	}
	if res := turn(t, newAgent(&answers{steps: steps}, tool{name: "look"}), "go"); res.Stop != session.StopLoop || len(res.ToolCalls) != 3+5 {
		t.Errorf("stop %s after %d calls, want loop after three refused ones and five that could not run", res.Stop, len(res.ToolCalls))
	}
}
