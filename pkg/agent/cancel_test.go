package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/agentctl/agentctl/pkg/agent"
	"github.com/agentctl/agentctl/pkg/agent/agenttest"
	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/model/openai"
	"github.com/agentctl/agentctl/pkg/agent/session"
)

// richScript is a run with everything that a run can have.
const richScript = `
version: 1
strict: false
steps:
  - when: {user: 'go on'}
    reply: {text: Fine.}
  - when: {tool_result: {name: look, contains: '"n":4'}}
    reply: {thinking: So., text: All seen., chunk: 4, usage: {in: 30, out: 3}}
  - when: {tool_result: {name: look}}
    reply: {text: "More. <tool_call>{\"name\": \"look\", \"arguments\": {\"n\": 4}}</tool_call>", chunk: 9, usage: {in: 20, out: 9}}
  - reply:
      thinking: First this.
      text: I look at two things.
      chunk: 8
      usage: {in: 10, out: 20}
      tool_calls:
        - {name: look, args: {n: "1"}}
        - {name: Look, args: {n: 2}}
        - {name: lock, args: {}}
        - {name: look, args: {n: x}}
`

// richRun makes a run that is cancelled behind the record with the number n; it
// returns how many records there were and what stopped it.
func richRun(t *testing.T, m model.Model, store session.Store, n int) (records int, err error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	log, err := store.Create()
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	a := newAgent(m, asking{tool: tool{name: "look", run: func(ctx context.Context, c agent.Call) (agent.Output, error) {
		c.Output("stdout", "looking\n")
		return agent.Output{Text: string(c.Args), Warnings: []session.Warning{{Code: "w", Text: "w"}}}, ctx.Err()
	}}, request: agent.ApprovalRequest{Key: "look"}})
	a.Log = log
	a.Watch = func(session.Record) {
		if records++; records == n {
			cancel()
		}
	}
	if err := a.Note(session.Init{Model: a.ModelName, System: a.System}); err != nil {
		return records, err
	}
	res, err := a.Turn(ctx, "go", session.Context{Text: "<context/>"})
	if res.Stop != session.StopAnswer && res.Stop != session.StopInterrupted {
		t.Errorf("stopped as %s behind record %d: %v", res.Stop, n, err)
	}
	return records, err
}

// Wherever a run is cancelled, going on with its session works: what is sent is
// a history that every server takes.
func TestCancelAnywhereThenContinue(t *testing.T) {
	t.Parallel()
	all := 0
	for n := 0; n == 0 || n <= all; n++ { // 0: not at all
		server := agenttest.Serve(t, richScript, agenttest.Options{Segments: []int{64, 5}})
		m := openai.New(openai.Config{Provider: "fake", BaseURL: server.BaseURL, Model: "m"})
		store := session.Store{Dir: filepath.Join(t.TempDir(), "s"), Now: time.Now}
		records, err := richRun(t, m, store, n)
		if n == 0 {
			if all = records; err != nil || all < 30 {
				t.Fatalf("%d records, %v", all, err)
			}
		} else if !errors.Is(err, context.Canceled) && n < all {
			t.Errorf("cancelled behind record %d of %d: got %v", n, all, err)
		}
		goOn(t, m, store, n)
		for _, r := range server.Requests() {
			if err := checkSent(r.Body); err != nil {
				t.Errorf("cancelled behind record %d: %v in\n%s", n, err, r.Body)
			}
		}
	}
}

func goOn(t *testing.T, m model.Model, store session.Store, n int) {
	t.Helper()
	log, err := store.Last()
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	a := newAgent(m, tool{name: "look"})
	a.Log, a.History = log, log.Records
	res, err := a.Turn(t.Context(), "go on", session.Context{})
	if err != nil || res.Answer != "Fine." {
		t.Errorf("cancelled behind record %d, then %+v, %v", n, res, err)
	}
}

// checkSent holds what all servers want of the messages of a request.
func checkSent(body []byte) error {
	var sent struct {
		Messages []struct {
			Role       string `json:"role"`
			Content    string `json:"content"`
			ToolCallID string `json:"tool_call_id"`
			ToolCalls  []struct {
				ID       string `json:"id"`
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		return err
	}
	var open []string
	last, ids := "", map[string]bool{}
	for i, m := range sent.Messages {
		switch {
		case m.Role == "tool" && (len(open) == 0 || open[0] != m.ToolCallID):
			return fmt.Errorf("message %d answers %q, open are %q", i, m.ToolCallID, open)
		case m.Role == "tool":
			open = open[1:]
		case len(open) > 0 || m.Role == last:
			return fmt.Errorf("message %d of %s follows %s, open are %q", i, m.Role, last, open)
		case m.Content == "" && len(m.ToolCalls) == 0:
			return fmt.Errorf("message %d is empty", i)
		}
		last = m.Role
		for _, c := range m.ToolCalls {
			var args map[string]any
			if err := json.Unmarshal([]byte(c.Function.Arguments), &args); err != nil || c.ID == "" || ids[c.ID] {
				return fmt.Errorf("message %d has call %+v: %w", i, c, err)
			}
			ids[c.ID] = true
			open = append(open, c.ID)
		}
	}
	if last == "assistant" || len(open) > 0 {
		return fmt.Errorf("the last message is of %s, open are %q", last, open)
	}
	return nil
}
