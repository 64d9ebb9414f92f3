package session_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/session"
)

var functionName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// checkHistory holds what every provider wants: each call is answered exactly
// once, right after its message and in order, no result comes without a call,
// ids are unique, names and arguments can be sent.
func checkHistory(t *testing.T, messages []model.Message) {
	t.Helper()
	seen := map[string]bool{}
	for i := 0; i < len(messages); i++ {
		m := messages[i]
		switch m.Role {
		case model.Tool:
			t.Fatalf("message %d is a result without a call: %+v", i, m)
		case model.Assistant:
			if m.Content == "" && len(m.ToolCalls) == 0 {
				t.Fatalf("message %d is empty", i)
			}
		case model.User, model.System:
			if i > 0 && messages[i-1].Role == m.Role {
				t.Fatalf("messages %d and %d are both of role %s", i-1, i, m.Role)
			}
		default:
			t.Fatalf("message %d has role %q", i, m.Role)
		}
		for _, c := range m.ToolCalls {
			i++
			if i >= len(messages) || messages[i].Role != model.Tool || messages[i].CallID != c.ID || messages[i].Name != c.Name {
				t.Fatalf("call %+v is not answered in its place", c)
			}
			var args map[string]any
			if err := json.Unmarshal([]byte(c.Args), &args); err != nil || args == nil {
				t.Fatalf("arguments %q of call %s are no object", c.Args, c.ID)
			}
			if seen[c.ID] || c.ID == "" {
				t.Fatalf("id %q is empty or there twice", c.ID)
			}
			if !functionName.MatchString(c.Name) {
				t.Fatalf("no server takes the name %q", c.Name)
			}
			seen[c.ID] = true
		}
	}
}

func record(step int, body session.Body) session.Record {
	return session.Record{Header: session.Header{Type: session.TypeOf(body), V: 1, Step: step}, Body: body}
}

func toolCall(id, name string) session.ToolCall {
	return session.ToolCall{ID: id, Name: name, Args: json.RawMessage(`{}`)}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	user := func(text string) model.Message { return model.Message{Role: model.User, Content: text} }
	calls := func(text string, ids ...string) model.Message {
		m := model.Message{Role: model.Assistant, Content: text}
		for _, id := range ids {
			m.ToolCalls = append(m.ToolCalls, model.ToolCall{ID: id, Name: "exec", Args: "{}"})
		}
		return m
	}
	result := func(id, text string) model.Message {
		return model.Message{Role: model.Tool, CallID: id, Name: "exec", Content: text}
	}
	tests := []struct {
		name    string
		records []session.Record
		want    []model.Message
	}{
		{"nothing", nil, nil},
		{
			"one answer in pieces",
			[]session.Record{record(0, session.User{Text: "hi"}), record(1, session.ReasoningDelta{Text: "hm"}), record(1, session.TextDelta{Text: "he"}), record(1, session.TextDelta{Text: "llo"})},
			[]model.Message{user("hi"), {Role: model.Assistant, Content: "hello", Reasoning: "hm"}},
		},
		{
			"context goes before the user's words",
			[]session.Record{record(0, session.Context{Text: "<c/>"}), record(0, session.User{Text: "hi"}), record(0, session.User{Text: "again"})},
			[]model.Message{user("<c/>\n\nhi\n\nagain")},
		},
		{
			"a note of the host in the middle of a turn",
			[]session.Record{record(0, session.User{Text: "hi"}), record(1, session.TextDelta{Text: "a"}), record(1, session.Context{Text: "(note)"}), record(2, session.TextDelta{Text: "b"}), record(2, session.Context{Text: "(last)"})},
			[]model.Message{user("hi"), calls("a"), user("(note)"), calls("b"), user("(last)")},
		},
		{
			"calls and results in the order of the calls",
			[]session.Record{
				record(0, session.User{Text: "go"}), record(1, session.TextDelta{Text: "I look"}),
				record(1, toolCall("a", "exec")), record(1, toolCall("b", "exec")),
				record(1, session.ToolResult{ID: "b", Name: "exec", Content: "B"}), record(1, session.ToolResult{ID: "a", Name: "exec", Content: "A"}),
				record(2, session.TextDelta{Text: "done"}),
			},
			[]model.Message{user("go"), calls("I look", "a", "b"), result("a", "A"), result("b", "B"), calls("done")},
		},
		{
			"a call that was cut off",
			[]session.Record{record(0, session.User{Text: "go"}), record(1, toolCall("a", "exec")), record(0, session.User{Text: "and?"})},
			[]model.Message{user("go"), calls("", "a"), result("a", session.Interrupted), user("and?")},
		},
		{
			"a result without a call",
			[]session.Record{record(0, session.User{Text: "go"}), record(1, session.ToolResult{ID: "x", Name: "exec", Content: "X"})},
			[]model.Message{user("go")},
		},
		{
			"the same step in two turns",
			[]session.Record{
				record(0, session.User{Text: "1"}), record(1, session.TextDelta{Text: "one"}), record(1, session.Result{}),
				record(0, session.User{Text: "2"}), record(1, session.TextDelta{Text: "two"}),
			},
			[]model.Message{user("1"), calls("one"), user("2"), calls("two")},
		},
		{
			"the same id in two turns",
			[]session.Record{
				record(0, session.User{Text: "1"}), record(1, toolCall("call_1", "exec")), record(1, session.ToolResult{ID: "call_1", Name: "exec", Content: "A"}),
				record(0, session.User{Text: "2"}), record(1, toolCall("call_1", "exec")), record(1, session.ToolResult{ID: "call_1", Name: "exec", Content: "B"}),
			},
			[]model.Message{user("1"), calls("", "call_1"), result("call_1", "A"), user("2"), calls("", "call_1_2"), result("call_1_2", "B")},
		},
		{
			"a summary replaces what came before",
			[]session.Record{record(0, session.User{Text: "1"}), record(1, session.TextDelta{Text: "one"}), record(0, session.Compaction{Summary: "so far"}), record(0, session.User{Text: "2"})},
			[]model.Message{user("so far\n\n2")},
		},
		{
			"words that got no answer and come again go out once",
			[]session.Record{record(0, session.User{Text: "q"}), record(0, session.Result{}), record(0, session.Init{}), record(0, session.User{Text: "q"}), record(0, session.User{Text: "q"})},
			[]model.Message{user("q")},
		},
		{
			"other words are joined, also the same ones after them",
			[]session.Record{record(0, session.User{Text: "yes"}), record(0, session.User{Text: "no"}), record(0, session.User{Text: "no"}), record(0, session.User{Text: "yes"})},
			[]model.Message{user("yes\n\nno\n\nyes")},
		},
		{
			"words that come again stay where they are, what is attached to them comes after",
			[]session.Record{
				record(0, session.Context{Text: "<c/>"}), record(0, session.User{Text: "q"}), record(1, session.Context{Text: "(nudge)"}),
				record(0, session.Context{Text: "<d/>"}), record(0, session.User{Text: "q"}), record(1, session.TextDelta{Text: "a"}),
			},
			[]model.Message{user("<c/>\n\nq\n\n(nudge)\n\n<d/>"), calls("a")},
		},
		{
			"words that a summary tells of can come again",
			[]session.Record{record(0, session.User{Text: "q"}), record(0, session.Compaction{Summary: "so far: q"}), record(0, session.User{Text: "q"})},
			[]model.Message{user("so far: q\n\nq")},
		},
		{
			"words that something answered come again in a turn of their own",
			[]session.Record{record(0, session.User{Text: "q"}), record(1, session.TextDelta{Text: "a"}), record(0, session.User{Text: "q"}), record(1, toolCall("a", "exec")), record(0, session.User{Text: "q"})},
			[]model.Message{user("q"), calls("a"), user("q"), calls("", "a"), result("a", session.Interrupted), user("q")},
		},
		{
			"what is for people does not count",
			[]session.Record{record(0, session.User{Text: "1"}), record(1, session.Usage{}), record(1, session.Warning{Text: "w"}), record(1, session.ToolOutput{ID: "a", Text: "x"}), record(0, session.Title{Text: "t"})},
			[]model.Message{user("1")},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := session.History(tt.records)
			checkHistory(t, got)
			if len(got)+len(tt.want) > 0 && !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

// A session can be cut after any record, and go on from there.
func TestHistoryIsValidWhereverARunEnds(t *testing.T) {
	t.Parallel()
	var all []session.Record
	for turn := range 3 {
		all = append(all, record(0, session.Context{Text: "c"}), record(0, session.User{Text: fmt.Sprint(turn)}))
		for step := 1; step <= 2; step++ {
			all = append(all, record(step, session.TextDelta{Text: "x"}), record(step, toolCall("call_1", "exec")), record(step, session.Approval{ID: "call_1"}),
				record(step, session.ToolResult{ID: "call_1", Name: "exec", Content: "ok"}), record(step, toolCall("call_2", "read file!")), record(step, session.ToolResult{ID: "call_2", Name: "read file!", Content: "no"}))
		}
		all = append(all, record(3, session.TextDelta{Text: "done"}), record(3, session.Result{}))
	}
	for cut := range all {
		checkHistory(t, session.History(all[:cut]))
		resumed := append(append([]session.Record{}, all[:cut]...), record(0, session.Init{Resumed: true}), record(0, session.User{Text: "go on"}))
		got := session.History(resumed)
		checkHistory(t, got)
		if last := got[len(got)-1]; last.Role != model.User || last.Content[len(last.Content)-5:] != "go on" {
			t.Fatalf("cut at %d: the last message is %+v", cut, last)
		}
	}
}

// Records in any order, as a damaged or a foreign file may have them.
func TestHistoryIsValidForAnyRecords(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var records []session.Record
		for range random.IntN(12) {
			body := bodies()[random.IntN(len(bodies()))]
			switch b := body.(type) {
			case session.ToolCall:
				b.ID, b.Name = [...]string{"a", "b", ""}[random.IntN(3)], [...]string{"exec", "", "rm -rf /", "é"}[random.IntN(4)]
				b.Args = [...]json.RawMessage{nil, json.RawMessage(`{}`), json.RawMessage(`null`), json.RawMessage(`[1]`)}[random.IntN(4)]
				body = b
			case session.ToolResult:
				b.ID = [...]string{"a", "b", ""}[random.IntN(3)]
				body = b
			case session.Repair:
				b.Dropped = []string{[...]string{"a", "b", "a_2"}[random.IntN(3)]}
				body = b
			}
			records = append(records, record(random.IntN(3), body))
		}
		checkHistory(t, session.History(records))
	}
}

// Text that turned out to be thinking is no part of the answer, in the history
// and in an export.
func TestTextThatWasThinking(t *testing.T) {
	t.Parallel()
	records := []session.Record{
		record(0, session.User{Text: "go"}),
		record(1, session.TextDelta{Text: "I plan. "}),
		record(1, session.Repair{Name: "answer", What: []string{"w"}, Thought: true}),
		record(1, session.TextDelta{Text: "Four."}),
	}
	got := session.History(records)
	if len(got) != 2 || got[1].Content != "Four." || got[1].Reasoning != "I plan. " {
		t.Errorf("got %+v", got)
	}
	var b strings.Builder
	if err := session.Markdown(&b, records); err != nil || strings.Contains(b.String(), "plan") || !strings.Contains(b.String(), "Four.") {
		t.Errorf("got %v\n%s", err, b.String())
	}
}

// An answer in many pieces is put together once: its cost is in the pieces' length
// and not in their number times it.
func TestHistoryOfManyPieces(t *testing.T) {
	const n = 20_000
	records := []session.Record{record(1, session.User{Text: "go"})}
	for i := range n {
		records = append(records, record(1, session.ReasoningDelta{Text: fmt.Sprint(i, ",")}), record(1, session.TextDelta{Text: fmt.Sprint(i, ";")}))
	}
	var messages []model.Message
	if made := testing.AllocsPerRun(1, func() { messages = session.History(records) }); made > n/100 {
		t.Errorf("%.0f allocations", made)
	}
	if m := messages[1]; !strings.HasSuffix(m.Content, "19998;19999;") || !strings.HasSuffix(m.Reasoning, "19998,19999,") {
		t.Errorf("got %d and %d bytes", len(m.Content), len(m.Reasoning))
	}
}

// Calls of one id get others in one pass, and the same ones every time.
func TestHistoryOfManyEqualIDs(t *testing.T) {
	const n = 2000
	records := []session.Record{record(1, session.User{Text: "go"}), record(1, session.ToolCall{ID: "a_3", Name: "x"})}
	for range n {
		records = append(records, record(1, session.ToolCall{ID: "a", Name: "x"}))
	}
	var messages []model.Message
	if made := testing.AllocsPerRun(1, func() { messages = session.History(records) }); made > 20*n {
		t.Errorf("%.0f allocations", made)
	}
	calls := messages[1].ToolCalls
	if got := []string{calls[1].ID, calls[2].ID, calls[3].ID, calls[n].ID}; !reflect.DeepEqual(got, []string{"a", "a_2", "a_4", "a_2001"}) {
		t.Errorf("got %q", got)
	}
}
