package session_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/pkg/agent/session"
)

// store holds one file a name, each a second older than the one before.
func storeWith(t *testing.T, files ...[2]string) session.Store {
	t.Helper()
	s := newStore(t)
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for i, f := range files {
		if err := os.WriteFile(file(s, f[0]), []byte(f[1]), 0o600); err != nil {
			t.Fatal(err)
		}
		at := noon.Add(-time.Duration(i) * time.Second)
		if err := os.Chtimes(file(s, f[0]), at, at); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// text is what a session of these bodies holds.
func text(t testing.TB, bodies ...session.Body) string {
	t.Helper()
	var b bytes.Buffer
	for i, body := range bodies {
		line, err := session.Record{Header: session.Header{V: session.Version, Seq: i + 1, Time: noon}, Body: body}.Line()
		if err != nil {
			t.Fatal(err)
		}
		b.Write(line)
	}
	return b.String()
}

func TestList(t *testing.T) {
	t.Parallel()
	start := session.Init{App: "rca/default", Model: "m"}
	long := strings.Repeat("word ", 40)
	tests := []struct {
		name, content string
		want          session.Summary
		problem       string
	}{
		{"nothing yet", "", session.Summary{}, ""},
		{
			"first words", text(t, start, session.User{Text: "\n  Fix\tthe   parser\nplease"}, session.User{Text: "more"}),
			session.Summary{Title: "Fix the parser", App: "rca/default", Model: "m", Turns: 2},
			"",
		},
		{
			"a title", text(t, start, session.User{Text: "a"}, session.Title{Text: "one"}, session.Title{Text: "two"}),
			session.Summary{Title: "two", App: "rca/default", Model: "m", Turns: 1},
			"",
		},
		{
			"the last model", text(t, start, session.User{Text: "a"}, session.Init{App: "default", Model: "n"}),
			session.Summary{Title: "a", App: "default", Model: "n", Turns: 1},
			"",
		},
		{"long words", text(t, session.User{Text: long}), session.Summary{Title: long[:79] + "…", Turns: 1}, ""},
		{"every record", text(t, bodies()...), session.Summary{Title: "a title", App: "default", Model: "m", Turns: 1}, ""},
		{
			"long lines", text(t, start, session.User{Text: "a " + strings.Repeat("x", 100_000)}, session.ToolResult{Content: strings.Repeat("y", 100_000)}, session.User{Text: "b"}),
			session.Summary{Title: "a " + strings.Repeat("x", 77) + "…", App: "rca/default", Model: "m", Turns: 2},
			"",
		},
		{"a cut line", text(t, start, session.User{Text: "a"}) + `{"type":"user","v":1,"se`, session.Summary{Title: "a", App: "rca/default", Model: "m", Turns: 1}, ""},
		{"a long cut line", text(t, session.User{Text: "a"}) + `{"type":"tool_result","v":1,"content":"` + strings.Repeat("z", 100_000), session.Summary{Title: "a", Turns: 1}, ""},
		{"rubbish at the end", text(t, session.User{Text: "a"}) + "oops\n", session.Summary{Title: "a", Turns: 1}, ""},
		{"rubbish in between", text(t, session.User{Text: "a"}) + "oops\n" + text(t, session.User{Text: "b"}), session.Summary{Title: "a", Turns: 2}, "FILE: line 2 is damaged: invalid character"},
		{"a damaged title", text(t, session.User{Text: "a"}) + `{"type":"title","v":1,` + "\n" + text(t, session.User{Text: "b"}), session.Summary{Title: "a", Turns: 2}, "FILE: line 2 is damaged"},
		{"another order of keys", `{"v":1,"seq":1,"type":"user","text":"a"}` + "\n", session.Summary{Turns: 1}, ""},
		{
			"newer", text(t, session.User{Text: "a"}) + `{"type":"hologram","v":7,"x":1}` + "\n" + text(t, session.User{Text: "b"}),
			session.Summary{Title: "a", Turns: 2},
			"session FILE has record version 7, this agentctl reads up to 1: use a newer agentctl",
		},
		{"newer in another order", `{"v":7,"type":"user"}` + "\n", session.Summary{}, "has record version 7"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := storeWith(t, [2]string{"abc", tt.content})
			all, err := s.List(t.Context())
			if err != nil || len(all) != 1 {
				t.Fatalf("got %+v, error %v", all, err)
			}
			got := all[0]
			problem := ""
			if got.Problem != nil {
				problem = strings.ReplaceAll(got.Problem.Error(), file(s, "abc"), "FILE")
			}
			if tt.problem == "" && problem != "" || !strings.Contains(problem, tt.problem) {
				t.Errorf("the problem is %q, want %q", problem, tt.problem)
			}
			tt.want.ID, tt.want.Updated, got.Problem = "abc", noon, nil
			if got != tt.want {
				t.Errorf("got %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

func TestListInOrder(t *testing.T) {
	t.Parallel()
	s := storeWith(t, [2]string{"new", ""}, [2]string{"old", ""})
	for _, name := range []string{"new.jsonl.lock", "notes.txt", ".jsonl"} {
		if err := os.WriteFile(filepath.Join(s.Dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(file(s, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	all, err := s.List(t.Context())
	if err != nil || len(all) != 2 || all[0].ID != "new" || all[1].ID != "old" {
		t.Errorf("got %+v, error %v", all, err)
	}
	if all, err := newStore(t).List(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("without a folder: %+v, error %v", all, err)
	}
}

func TestRecords(t *testing.T) {
	t.Parallel()
	s := storeWith(t, [2]string{"good", text(t, bodies()...)}, [2]string{"bad", text(t, session.User{Text: "a"}) + "oops\n{}\n"})
	records, err := s.Records("good")
	if err != nil || len(records) != len(bodies()) {
		t.Errorf("got %d records, error %v", len(records), err)
	}
	_, err = s.Records("bad")
	if damaged, ok := errors.AsType[*session.DamagedError](err); !ok || damaged.Line != 2 || damaged.File != file(s, "bad") {
		t.Errorf("error %v, want one with file and line", err)
	}
	if _, err := s.Records("none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

// Wherever the reader's buffer ends, a whole line is no damaged one.
func TestScanLongLines(t *testing.T) {
	t.Parallel()
	base := len(text(t, session.ToolResult{Content: ""}))
	for size := 32<<10 - 2; size < 32<<10+4; size++ {
		content := text(t, session.ToolResult{Content: strings.Repeat("y", size-base)}, session.User{Text: "a"})
		if got := session.Scan(strings.NewReader(content)); got.Problem != nil || got.Turns != 1 {
			t.Errorf("a line of %d bytes: %+v", size, got)
		}
		cut := strings.Replace(content, "}\n", "\n", 1)
		if got := session.Scan(strings.NewReader(cut)); got.Problem == nil {
			t.Errorf("a line of %d bytes without its brace is no problem", size)
		}
	}
}

// The quick look at a file says what reading all of it says.
func FuzzScan(f *testing.F) {
	f.Add("hello", "", 3, []byte("oops\n"))
	f.Add(" a\nb", "t\"}", 0, []byte(`{"type":"user","v":1`))
	f.Add("\u2028{\"type\":\"user\"", "<&>", 40_000, []byte("{\"type\":\"user\",\"v\":9}\nx"))
	f.Fuzz(func(t *testing.T, user, title string, long int, tail []byte) {
		filler := strings.Repeat("y", max(0, min(long, 100_000)))
		good := text(t, session.Init{App: "a", Model: title}, session.User{Text: user}, session.ToolResult{Content: filler + user},
			session.TextDelta{Text: user}, session.User{Text: "x" + filler}, session.Title{Text: title})
		records, _, err := session.Read(strings.NewReader(good))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := session.Scan(strings.NewReader(good)), session.Summarise(records); got != want && session.TitleOf(user) != "" {
			t.Errorf("got %+v, want %+v", got, want)
		}
		sum := session.Scan(bytes.NewReader(append([]byte(good), tail...)))
		if lines := strings.Count(good, "\n") + bytes.Count(tail, []byte("\n")); sum.Turns > lines {
			t.Errorf("%d turns in %d lines", sum.Turns, lines)
		}
		session.Scan(bytes.NewReader(tail))
	})
}

func BenchmarkList(b *testing.B) {
	s := session.Store{Dir: b.TempDir(), Now: time.Now}
	var bodies []session.Body
	for range 20 {
		bodies = append(bodies, session.Init{App: "default", Model: "m", System: strings.Repeat("rule ", 1000)}, session.User{Text: "question"},
			session.ToolCall{ID: "c", Name: "exec", Args: json.RawMessage(`{"argv":["ls"]}`)}, session.ToolResult{ID: "c", Content: strings.Repeat("line\n", 1000)})
		for range 50 {
			bodies = append(bodies, session.TextDelta{Text: "some words of an answer "})
		}
	}
	content := []byte(text(b, bodies...))
	for i := range 1000 {
		if err := os.WriteFile(filepath.Join(s.Dir, fmt.Sprintf("%012x.jsonl", i)), content, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(content)) * 1000)
	for b.Loop() {
		if all, err := s.List(b.Context()); err != nil || len(all) != 1000 || all[0].Turns != 20 {
			b.Fatalf("%d sessions, error %v", len(all), err)
		}
	}
}
