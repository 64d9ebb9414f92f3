package session_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/session"
)

func readSkill(id, args string) session.ToolCall {
	return session.ToolCall{ID: id, Name: "read_skill", Args: json.RawMessage(args)}
}

func skillText(id, text, status string) session.ToolResult {
	return session.ToolResult{ID: id, Name: "read_skill", Status: status, Content: text}
}

func TestSkillReads(t *testing.T) {
	t.Parallel()
	got := session.SkillReads([]session.Record{
		record(1, readSkill("a", `{"name":"one"}`)), record(1, skillText("a", "1", "ok")),
		record(2, readSkill("b", `{"name":"two","path":"references/x.md"}`)), record(2, skillText("b", "2", "ok")),
		record(3, readSkill("c", `{"name":"nope"}`)), record(3, skillText("c", "no such skill", "error")),
		record(0, session.User{Text: "/three now", Skill: "three"}), record(0, session.User{Text: "plain"}),
		record(4, readSkill("d", `{"name":"one","offset":40}`)), record(4, skillText("d", "1b", "ok")),
		record(5, readSkill("a", `{"name":"one"}`)), record(5, skillText("a", "1 anew", "ok")),
		record(6, toolCall("e", "exec")), record(6, session.ToolResult{ID: "e", Name: "exec", Status: "ok", Content: "x"}),
		record(7, readSkill("f", `{"name":"killed"}`)), // the run ended here
	})
	want := []session.SkillRead{
		{Name: "two", Path: "references/x.md", Text: "2"},
		{Name: "three", Text: "/three now"},
		{Name: "one", Offset: 40, Text: "1b"},
		{Name: "one", Text: "1 anew"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	for i, label := range []string{"two (references/x.md)", "three", "one (from line 40)", "one"} {
		if got[i].Label() != label {
			t.Errorf("got %q, want %q", got[i].Label(), label)
		}
	}
}

// A call that a server cannot read is told as text; what was thought goes with
// the turn; a text that repeats itself does not go on doing so.
func TestHistoryMends(t *testing.T) {
	t.Parallel()
	messages := session.History([]session.Record{
		record(0, session.User{Text: "go"}), record(1, session.ReasoningDelta{Text: "hm"}), record(1, toolCall("a", "exec")),
		record(1, session.ToolResult{ID: "a", Name: "exec", Content: "A"}),
		record(2, session.Repair{Dropped: []string{"a"}}), record(2, session.Repair{Dropped: []string{"gone"}}),
		record(2, session.ReasoningDelta{Text: "ha"}), record(2, session.TextDelta{Text: "done"}),
	})
	want := []model.Message{
		{Role: model.User, Content: "go\n\n(The server could not read these calls of tools, so they are told here.)\n\nexec {} gave:\nA"},
		{Role: model.Assistant, Content: "done", Reasoning: "ha"},
	}
	if !reflect.DeepEqual(messages, want) {
		t.Errorf("got  %+v\nwant %+v", messages, want)
	}
	checkHistory(t, messages)
	later := session.History([]session.Record{
		record(0, session.User{Text: "go"}), record(1, session.ReasoningDelta{Text: "ha"}), record(1, session.TextDelta{Text: "done"}),
		record(0, session.User{Text: "and?"}), record(1, session.ReasoningDelta{Text: "oh"}), record(1, toolCall("a", "exec")),
	})
	if later[1].Reasoning != "" || later[3].Reasoning != "oh" {
		t.Errorf("got %+v", later)
	}
}
