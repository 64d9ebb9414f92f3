package agent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/pkg/agent"
	"github.com/agentctl/agentctl/pkg/agent/session"
)

// Three refusals in a row switch a tool off for the turn; its schema's refusals
// and its own count alike.
func TestArgumentRetries(t *testing.T) {
	t.Parallel()
	ran := 0
	picky := tool{name: "pick", run: func(context.Context, agent.Call) (agent.Output, error) {
		ran++
		return agent.Output{Text: fmt.Sprintf("no such n (%d)", ran), Failed: true, BadArgs: true}, nil
	}}
	m := &answers{steps: [][]any{
		{callOf("a", "pick", `{"n":"x"}`)},
		{callOf("b", "pick", `{"n":1}`)},
		{callOf("c", "pick", `{"n":2}`)},
		{callOf("d", "pick", `{"n":3}`)},
		{say("I cannot.")},
		{callOf("e", "pick", `{"n":4}`)},
		{say("Still not.")},
	}}
	a := newAgent(m, picky)
	if res := turn(t, a, "go"); res.Stop != session.StopAnswer || ran != 2 {
		t.Errorf("stop %s, ran %d times, want answer after 2", res.Stop, ran)
	}
	results := bodies[session.ToolResult](a)
	for i, want := range []string{"n: expected integer", "no such n (1)", "third call of pick in a row", "error: pick is switched off"} {
		if !strings.Contains(results[i].Content, want) || results[i].Status != "error" {
			t.Errorf("result %d is %q, want it to hold %q", i+1, results[i].Content, want)
		}
		if i < 2 && strings.Contains(results[i].Content, "switched off") {
			t.Errorf("result %d gives up too early", i+1)
		}
	}
	// What is offered stays the same, byte for byte; the next turn starts anew.
	if turn(t, a, "again"); ran != 3 || len(m.requests[6].Tools) != 1 {
		t.Errorf("ran %d times, %d tools offered", ran, len(m.requests[6].Tools))
	}
}

func TestArgumentRetriesInARow(t *testing.T) {
	t.Parallel()
	ran := 0
	m := &answers{steps: [][]any{
		{callOf("a", "look", `{"n":"x"}`)},
		{callOf("b", "look", `{"n":"y"}`)},
		{callOf("c", "look", `{"n":1}`)},
		{callOf("d", "look", `{"n":"z"}`)},
		{callOf("e", "look", `{"n":"u"}`)},
		{callOf("f", "look", `{"n":2}`)},
		{say("ok")},
	}}
	a := newAgent(m, tool{name: "look", run: func(context.Context, agent.Call) (agent.Output, error) {
		ran++
		return agent.Output{Text: fmt.Sprint(ran)}, nil
	}})
	if turn(t, a, "go"); ran != 2 {
		t.Errorf("ran %d times, want 2: a call that works starts the count anew", ran)
	}
}

// A result that names a folder of its own is equal all the same.
func TestLoopGuardComparesWhatTheToolMade(t *testing.T) {
	t.Parallel()
	n := 0
	a := newAgent(&answers{steps: [][]any{{callOf("a", "look", `{"n":1}`)}}}, tool{name: "look", run: func(context.Context, agent.Call) (agent.Output, error) {
		n++
		return agent.Output{Text: fmt.Sprintf("long, the whole is in call-%d", n), Same: "long"}, nil
	}})
	if res := turn(t, a, "go"); res.Stop != session.StopLoop || n != 5 {
		t.Errorf("stop %s after %d calls, want loop after 5", res.Stop, n)
	}
}
