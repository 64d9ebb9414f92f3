package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/pkg/agent"
	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/session"
)

// reader is a read_skill whose texts are given by name.
func reader(texts map[string]string) agent.Tool {
	return tool{name: "read_skill", schema: `{"type":"object","properties":{"name":{"type":"string"}}}`, run: func(_ context.Context, c agent.Call) (agent.Output, error) {
		var args struct{ Name string }
		err := json.Unmarshal(c.Args, &args)
		return agent.Output{Text: texts[args.Name], SkillRead: args.Name}, err
	}}
}

// Rules that a summary retells are rules no more: skills stay word for word, and
// what the workspace attached comes again.
func TestCompactKeepsSkills(t *testing.T) {
	t.Parallel()
	const body = "Always write\n\n- numbers\n- <tables> & such"
	m := &answers{steps: [][]any{
		{callOf("a", "read_skill", `{"name":"report"}`)},
		{say("Read it.")},
		{say("<think>hm</think>They talked.")},
		{say("Yes.")},
		{say("Short.")},
		{say("Done.")},
	}}
	a := newAgent(m, reader(map[string]string{"report": body}))
	turn(t, a, "go")
	done, err := a.Compact(t.Context())
	if err != nil || done.Before != 4 || done.After != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	if req := m.requests[2]; req.Tools != nil || strings.Contains(req.Messages[1].Content, "numbers") {
		t.Errorf("the summary was asked for with %d tools and %q", len(req.Tools), req.Messages[1].Content)
	}
	turn(t, a, "still there?")
	want := []model.Message{
		{Role: model.System, Content: "be kind"},
		{Role: model.User, Content: "Summary of the conversation so far:\n\nThey talked.\n\nSkills that were read, word for word:\n\n===== report\n" + body + "\n\nstill there?"},
	}
	if got := m.requests[3].Messages; len(got) != 2 || got[1].Content != want[1].Content {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	// A second compaction keeps it too, and does not retell it.
	if _, err := a.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if req := m.requests[4].Messages[1].Content; strings.Contains(req, "numbers") || !strings.Contains(req, "They talked.") {
		t.Errorf("asked with %q", req)
	}
	turn(t, a, "and now?")
	if got := m.requests[5].Messages[1].Content; strings.Count(got, body) != 1 || !strings.Contains(got, "Short.") {
		t.Errorf("got %q", got)
	}
}

func TestCompactDropsTheOldestSkillsByName(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("x", agent.MaxKeptSkills/2)
	m := &answers{steps: [][]any{
		{callOf("a", "read_skill", `{"name":"one"}`), callOf("b", "read_skill", `{"name":"two"}`), callOf("c", "read_skill", `{"name":"three"}`)},
		{callOf("d", "read_skill", `{"name":"one"}`)},
		{say("ok")},
		{say("sum")},
	}}
	a := newAgent(m, reader(map[string]string{"one": "1" + big, "two": "2" + big, "three": "3" + big[:10]}))
	turn(t, a, "go")
	done, err := a.Compact(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(done.Summary, "(no room for two; read them again when you need them)") || !strings.Contains(done.Summary, "===== one\n1") || !strings.Contains(done.Summary, "===== three\n3") || strings.Contains(done.Summary, "===== two") {
		t.Errorf("got %.300q", done.Summary)
	}
}

func TestCompactFails(t *testing.T) {
	t.Parallel()
	a := newAgent(&answers{steps: [][]any{{say("hi")}, {errors.New("down")}, {model.Finish{}}}})
	if _, err := a.Compact(t.Context()); !errors.Is(err, agent.ErrNothingToCompact) {
		t.Errorf("before the first answer: %v", err)
	}
	turn(t, a, "hello")
	for _, want := range []string{"down", "empty summary"} {
		if _, err := a.Compact(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if n := len(bodies[session.Compaction](a)); n != 0 {
		t.Errorf("%d compactions", n)
	}
}

// What the workspace attached survives a compaction in the middle of a turn.
func TestCompactInATurnAttachesAnew(t *testing.T) {
	t.Parallel()
	m := &answers{steps: [][]any{{callOf("a", "look", "")}, {overflow()}, {say("sum")}, {say("done")}}}
	a := newAgent(m, tool{name: "look"})
	c := session.Context{Text: "<workspace_skills/>", Skills: "<workspace_skills/>"}
	if _, err := a.Turn(t.Context(), "go", c); err != nil {
		t.Fatal(err)
	}
	if got := m.requests[3].Messages[1].Content; !strings.HasSuffix(got, "word for word:\n\ngo\n\n<workspace_skills/>") {
		t.Errorf("got %q", got)
	}
}

// A conversation that is long itself is shortened for the summary, in the middle.
func TestCompactALongConversation(t *testing.T) {
	t.Parallel()
	m := &answers{steps: [][]any{{say(words(2000))}}}
	a := newAgent(m)
	for range 12 {
		turn(t, a, "the question "+words(10))
	}
	m.steps = [][]any{{say("sum")}}
	if _, err := a.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := m.requests[12].Messages[1].Content
	if n := len(got); n > 61_000 || n < 40_000 || !strings.HasPrefix(got, "<conversation>\nuser: the question") || !strings.Contains(got, "messages left out here)") {
		t.Errorf("%d bytes: %.200q", n, got)
	}
}
