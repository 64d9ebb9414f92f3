package agent_test

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/pkg/agent"
	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/session"
)

// answers is a model that gives one answer a request; an event of type error
// ends an answer with it.
type answers struct {
	steps    [][]any
	requests []model.Request
}

func (m *answers) Stream(_ context.Context, r model.Request) iter.Seq2[model.Event, error] {
	m.requests = append(m.requests, r)
	step := m.steps[min(len(m.requests), len(m.steps))-1]
	return func(yield func(model.Event, error) bool) {
		for _, e := range step {
			if err, ok := e.(error); ok {
				yield(nil, err)
				return
			}
			if !yield(e.(model.Event), nil) {
				return
			}
		}
	}
}

func say(text string) model.TextDelta { return model.TextDelta{Text: text} }

func callOf(id, name, args string) model.Call {
	return model.Call{ToolCall: model.ToolCall{ID: id, Name: name, Args: args}}
}

// tool is one with a function for everything.
type tool struct {
	name, schema string
	run          func(ctx context.Context, c agent.Call) (agent.Output, error)
}

func (t tool) Spec() model.ToolSpec {
	s := t.schema
	if s == "" {
		s = `{"type":"object","properties":{"n":{"type":"integer"}},"additionalProperties":false}`
	}
	return model.ToolSpec{Name: t.name, Description: "D.", Schema: json.RawMessage(s)}
}

func (t tool) Run(ctx context.Context, c agent.Call) (agent.Output, error) {
	if t.run == nil {
		return agent.Output{Text: t.name + " " + string(c.Args)}, nil
	}
	return t.run(ctx, c)
}

// asking is a tool that asks with this request, or fails to.
type asking struct {
	tool
	request agent.ApprovalRequest
	err     error
}

func (a asking) Approval(context.Context, agent.Call) (agent.ApprovalRequest, error) {
	return a.request, a.err
}

// aliased is a tool with another name.
type aliased struct {
	tool
	alias agent.Alias
}

func (a aliased) Aliases() []agent.Alias { return []agent.Alias{a.alias} }

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func newAgent(m model.Model, tools ...agent.Tool) *agent.Agent {
	return &agent.Agent{
		Model: m, ModelName: "test", System: "be kind", Tools: tools, Approver: &agent.Policy{},
		Log: &session.Ephemeral{Now: func() time.Time { return noon }},
	}
}

func turn(t *testing.T, a *agent.Agent, text string) session.Result {
	t.Helper()
	res, err := a.Turn(t.Context(), text, session.Context{})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// bodies are the records of a type.
func bodies[B session.Body](a *agent.Agent) []B {
	var out []B
	for _, r := range a.History {
		if b, ok := r.Body.(B); ok {
			out = append(out, b)
		}
	}
	return out
}

// trace is the types of all records, pieces of a text counted once.
func trace(a *agent.Agent) string {
	var out []string
	for _, r := range a.History {
		if s := string(session.TypeOf(r.Body)); !slices.Contains(out[max(0, len(out)-1):], s) {
			out = append(out, s)
		}
	}
	return strings.Join(out, " ")
}
