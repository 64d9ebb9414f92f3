package session_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/session"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// bodies holds one full body of every type.
func bodies() []session.Body {
	three := 3
	return []session.Body{
		session.Init{
			App: "default", Model: "m", Workspace: "/w", Sandbox: "bwrap", Resumed: true, System: "be <brief> & kind",
			Tools: []model.ToolSpec{{Name: "exec", Description: "Run.", Schema: json.RawMessage(`{"type":"object"}`)}},
		},
		session.User{Text: "hello"},
		session.Context{Text: "<workspace_skills>\n</workspace_skills>"},
		session.TextDelta{Text: "a"},
		session.ReasoningDelta{Text: "b"},
		session.ToolCall{ID: "call_1", Name: "exec", Args: json.RawMessage(`{"argv":["ls"]}`)},
		session.Approval{ID: "call_1", Name: "exec", Key: "exec:ls", Decision: "allow", By: "flag"},
		session.ToolOutput{ID: "call_1", Stream: "stdout", Text: "x\n"},
		session.ToolResult{ID: "call_1", Name: "exec", Status: "error", Content: "exit_code: 3", ExitCode: &three, DurationMS: 5},
		session.Repair{ID: "call_1", Name: "exec", What: []string{"limit: string to integer"}},
		session.Usage{Usage: model.Usage{Input: 1, Output: 2, Cached: 3}},
		session.Warning{Code: "sandbox.appeared", Text: "look"},
		session.Compaction{Before: 9, After: 2, Summary: "so far"},
		session.Retry{Attempt: 2, AfterMS: 500, Reason: "429"},
		session.Title{Text: "a title"},
		session.Result{
			Answer: "done", Stop: session.StopNeedsInput, Steps: 2,
			ToolCalls:  []session.CalledTool{{ID: "call_1", Name: "exec", Args: json.RawMessage(`{}`), Status: "ok", ExitCode: &three}},
			SkillsRead: []string{"s"}, Model: "m", Exit: 5,
			Question: &session.Question{Text: "which?", Choices: []string{"a"}},
			Error:    &session.Error{Origin: "host", Kind: "k", Message: "m", Hint: "h", Exit: 5},
		},
	}
}

func TestRecordsReadBackAsWritten(t *testing.T) {
	t.Parallel()
	id := "abc"
	for i, body := range bodies() {
		t.Run(string(session.TypeOf(body)), func(t *testing.T) {
			t.Parallel()
			want := session.Record{
				Header: session.Header{Type: session.TypeOf(body), V: session.Version, Seq: i + 1, Session: &id, Time: noon, Step: i % 3},
				Body:   body,
			}
			line, err := want.Line()
			if err != nil {
				t.Fatal(err)
			}
			if n := bytes.Count(line, []byte("\n")); n != 1 || !bytes.HasSuffix(line, []byte("\n")) {
				t.Fatalf("line %q has %d line feeds, want one at the end", line, n)
			}
			if !bytes.HasPrefix(line, []byte(`{"type":"`+string(session.TypeOf(body))+`"`)) {
				t.Errorf("line %q does not begin with its type", line)
			}
			var got session.Record
			if err := json.Unmarshal(line, &got); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

func TestRecordWithoutSession(t *testing.T) {
	t.Parallel()
	e := session.Ephemeral{Now: func() time.Time { return noon }}
	defer e.Close()
	r, err := e.Append(2, session.User{Text: "<a> & b"})
	if err != nil {
		t.Fatal(err)
	}
	line, err := r.Line()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"user","v":1,"seq":1,"session":null,"time":"2026-11-30T12:00:00Z","step":2,"text":"<a> & b"}` + "\n"
	if string(line) != want {
		t.Errorf("got  %swant %s", line, want)
	}
	if r, _ := e.Append(0, session.Title{}); r.Seq != 2 {
		t.Errorf("seq = %d, want 2", r.Seq)
	}
}

func TestUnmarshalRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, line, want string }{
		{"no json", `nope`, "invalid character"},
		{"unknown type", `{"type":"poem","v":1}`, `unknown record type "poem"`},
		{"wrong body", `{"type":"user","v":1,"text":5}`, "text"},
		{"newer", `{"type":"poem","v":2}`, "version 2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var r session.Record
			err := json.Unmarshal([]byte(tt.line), &r)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	const (
		one = `{"type":"user","v":1,"seq":1,"session":null,"time":"2026-11-30T12:00:00Z","text":"a"}` + "\n"
		two = `{"type":"text_delta","v":1,"seq":2,"session":null,"time":"2026-11-30T12:00:00Z","step":1,"text":"b"}` + "\n"
	)
	tests := []struct {
		name, in string
		records  int
		good     int
		damaged  int // line
	}{
		{"nothing", "", 0, 0, 0},
		{"whole", one + two, 2, len(one + two), 0},
		{"torn last line", one + two[:20], 1, len(one), 0},
		{"last line without its end", one + strings.TrimSuffix(two, "\n"), 1, len(one), 0},
		{"last line torn by a crash of the file system", one + strings.Repeat("\x00", 30) + "\n", 1, len(one), 0},
		{"a damaged line in the middle", one + "{\"type\":\"us\n" + two, 0, 0, 2},
		{"an empty line in the middle", one + "\n" + two, 0, 0, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			records, good, err := session.Read(strings.NewReader(tt.in))
			if damaged, ok := errors.AsType[*session.DamagedError](err); (tt.damaged != 0) != ok || ok && damaged.Line != tt.damaged {
				t.Fatalf("error %v, want damaged line %d", err, tt.damaged)
			}
			if len(records) != tt.records || int(good) != tt.good {
				t.Errorf("got %d records, %d good bytes, want %d, %d", len(records), good, tt.records, tt.good)
			}
		})
	}
	if _, _, err := session.Read(strings.NewReader(one + `{"type":"user","v":9}` + "\n")); err == nil {
		t.Error("a newer record at the end was read")
	} else if newer, ok := errors.AsType[*session.NewerError](err); !ok || newer.Version != 9 {
		t.Errorf("error %v, want NewerError of version 9", err)
	}
}

// FuzzRead holds that reading never fails on a session that was cut anywhere,
// and that what was read is the same when it is written again.
func FuzzRead(f *testing.F) {
	var whole []byte
	for i, body := range bodies() {
		line, err := session.Record{Header: session.Header{V: 1, Seq: i + 1, Time: noon}, Body: body}.Line()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(line)
		whole = append(whole, line...)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add([]byte("{\"type\":\"tool_call\",\"v\":1,\"args\":null}\n"))
	f.Add([]byte("\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		records, good, err := session.Read(bytes.NewReader(data))
		if good > int64(len(data)) {
			t.Fatalf("%d good bytes of %d", good, len(data))
		}
		if err != nil {
			return
		}
		checkHistory(t, session.History(records))
		var again []byte
		for _, r := range records {
			line, err := r.Line()
			if err != nil {
				t.Fatalf("a record that was read cannot be written: %v", err)
			}
			again = append(again, line...)
		}
		same, _, err := session.Read(bytes.NewReader(again))
		if err != nil || len(same) != len(records) {
			t.Fatalf("written again: %d records, error %v, want %d", len(same), err, len(records))
		}
		if !slices.EqualFunc(records, same, func(a, b session.Record) bool {
			x, _ := a.Line()
			y, _ := b.Line()
			return bytes.Equal(x, y)
		}) {
			t.Fatalf("records changed when they were written again:\n%s", again)
		}
	})
}
