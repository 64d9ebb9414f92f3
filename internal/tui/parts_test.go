package tui

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/pkg/agent"
	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/session"
)

func TestAsker(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		key                     string
		allow, session, forEver bool
	}{{"y", true, false, false}, {"s", true, true, false}, {"a", true, true, true}, {"n", false, false, false}} {
		t.Run(tt.key, func(t *testing.T) {
			t.Parallel()
			var kept []string
			ask := newAsker(func(a asking) { a.answer <- verdicts[tt.key] }, func(_ context.Context, key string) error {
				kept = append(kept, key)
				return nil
			})
			allow, keep, err := ask(t.Context(), agent.ApprovalRequest{Key: "exec:git"})
			if err != nil || allow != tt.allow || keep != tt.session || slices.Contains(kept, "exec:git") != tt.forEver {
				t.Errorf("got %t, %t, %v, kept %v", allow, keep, err, kept)
			}
		})
	}
}

func TestAskerFails(t *testing.T) {
	t.Parallel()
	full := errors.New("disk full")
	ask := newAsker(func(a asking) { a.answer <- verdicts["a"] }, func(context.Context, string) error { return full })
	if allow, _, err := ask(t.Context(), agent.ApprovalRequest{}); allow || !errors.Is(err, full) {
		t.Errorf("got %t, %v: what cannot be kept must not run", allow, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ask = newAsker(func(asking) { cancel() }, nil)
	if allow, _, err := ask(ctx, agent.ApprovalRequest{}); allow || !errors.Is(err, context.Canceled) {
		t.Errorf("got %t, %v", allow, err)
	}
}

func TestApprovalRows(t *testing.T) {
	t.Parallel()
	a := asking{ApprovalRequest: agent.ApprovalRequest{
		Network: true, Summary: "run curl\x1b[8m -s", Detail: strings.Repeat("+line\n", 30), Key: "exec:curl", Covers: "every \"curl\x1b …\"",
	}}
	rows := a.rows(style{}, 40, 20)
	text := strings.Join(rows, "\n")
	for _, want := range []string{
		"Allow? run curl<U+001B>[8m -s (network)", "  +line\n", "… 18 more lines\ny once · n no · v view all\n",
		"\ns this session: every \"curl<U+001B> …\"\na always, in all workspaces: every\n\"curl<U+001B> …\"",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if len(rows) > 19 {
		t.Errorf("%d rows", len(rows))
	}
}

// What a longer decision covers is named whatever the tool says, and never fills the
// screen.
func TestApprovalRule(t *testing.T) {
	t.Parallel()
	a := asking{ApprovalRequest: agent.ApprovalRequest{Key: "fetch:get"}}
	if got := strings.Join(a.rows(style{}, 80, 24), "\n"); !strings.HasSuffix(got, "y once · n no\ns this session: fetch:get\na always, in all workspaces: fetch:get") {
		t.Errorf("got\n%s", got)
	}
	a.Covers = strings.Repeat("x", 10_000)
	if got := a.rows(style{}, 40, 24); len(got) > 8 || !strings.Contains(strings.Join(got, "\n"), "x…") {
		t.Errorf("%d rows:\n%s", len(got), strings.Join(got, "\n"))
	}
}

func TestUsedBy(t *testing.T) {
	t.Parallel()
	usage := func(in, out, cached int) session.Usage {
		return session.Usage{Usage: model.Usage{Input: in, Output: out, Cached: cached}}
	}
	got := usedBy([]session.Record{
		record(session.User{Text: "a"}), record(usage(10, 1, 0)), record(usage(20, 2, 9)), record(session.Result{Steps: 2}),
		record(usage(5, 5, 0)),                                   // a compaction
		record(session.User{Text: "b"}), record(usage(30, 3, 1)), // killed
	})
	if want := (used{turns: 2, answers: 2, in: 65, out: 11, cached: 10}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestIsCommand(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"/help": true, "  /skill a b": true, "/my-skill": true, "/": false, "/usr/bin/env": false, "what /help": false, "": false,
	} {
		if got := isCommand(text); got != want {
			t.Errorf("%q: got %t", text, got)
		}
	}
}

func TestChosen(t *testing.T) {
	t.Parallel()
	q := &session.Question{Choices: []string{"red", "green"}}
	for text, want := range map[string]string{"1": "red", "2": "green", "3": "3", "12": "12", "blue": "blue"} {
		if got := chosen(q, text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if got := chosen(nil, "1"); got != "1" {
		t.Errorf("without a question: %q", got)
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, name := range []string{"notes.md", "sub/deep.txt", ".hidden", "with space", "ctl\x01"} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for word, want := range map[string][]string{
		"": {"notes.md", "sub/", "with space"}, "no": {"notes.md"}, "sub/": {"sub/deep.txt"}, ".h": {".hidden"},
		"../": nil, "/etc/": nil, "missing/x": nil,
	} {
		if got := files(root, word); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
	if got := files(filepath.Join(root, "none"), ""); got != nil {
		t.Errorf("no workspace: %q", got)
	}
}

func TestCommonPrefix(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		names []string
		want  string
	}{{[]string{"abc", "abd"}, "ab"}, {[]string{"a", "b"}, ""}, {[]string{"日本", "日中"}, "日"}, {[]string{"é1", "é2"}, "é"}} {
		if got := commonPrefix(tt.names); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.names, got, tt.want)
		}
	}
}

func TestLastTurn(t *testing.T) {
	t.Parallel()
	at := func(step int, body session.Body) session.Record {
		return session.Record{Header: session.Header{Step: step}, Body: body}
	}
	got := lastTurnOf([]session.Record{
		at(0, session.User{Text: "first"}), at(1, session.TextDelta{Text: "old"}),
		at(0, session.User{Text: "/s a\n\nbody", Skill: "s"}), at(1, session.TextDelta{Text: "I look."}),
		at(1, session.ToolCall{}), at(2, session.TextDelta{Text: "the "}), at(2, session.TextDelta{Text: "answer"}),
	})
	if want := (lastTurn{2, "/s a", "the answer"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	got = lastTurnOf([]session.Record{
		at(0, session.User{Text: "x"}),
		at(0, session.Result{Question: &session.Question{Text: "Which?", Choices: []string{"a", "b"}}}),
	})
	if want := "Which?\n\n1. a\n2. b"; got.answer != want {
		t.Errorf("got %q, want %q", got.answer, want)
	}
}

func TestStatusLine(t *testing.T) {
	t.Parallel()
	st := status{model: "ollama/qwen3:14b", session: "0123456789ab"}
	st.record(session.Record{Header: session.Header{Step: 3}, Body: session.Usage{}})
	st.in, st.out = 123_456, 1_234
	for _, tt := range []struct {
		state state
		width int
		want  string
	}{
		{idle, 80, "ollama/qwen3:14b · 123k in 1.2k out · 0123456789ab · /help"},
		{running, 80, "step 3, Esc stops · ollama/qwen3:14b · 123k in 1.2k out · 0123456789ab"},
		{running, 40, "step 3, Esc stops · ollama/qwen3:14b"},
		{working, 40, "working, Esc stops · ollama/qwen3:14b"},
		{idle, 10, "ollama/qw…"},
	} {
		if got := st.line(style{}, tt.state, tt.width); got != tt.want {
			t.Errorf("state %d in %d: got %q, want %q", tt.state, tt.width, got, tt.want)
		}
	}
}

func TestPrinter(t *testing.T) {
	t.Parallel()
	p := printer{}
	p.add(block, "one")
	p.add(callLine, "call 1")
	p.add(callLine, "call 2")
	p.add(note, "note")
	p.add(block, "two")
	p.add(block, "three")
	want := []string{"one", "\ncall 1", "call 2", "\nnote", "\ntwo", "\nthree"}
	if !slices.Equal(p.queue, want) {
		t.Errorf("got %q, want %q", p.queue, want)
	}
	if p.next(style{}, 80, 5) != nil {
		t.Error("it prints before the first frame")
	}
	p.ready = true
	if p.next(style{}, 80, 5) == nil || !p.busy || len(p.queue) != 0 {
		t.Errorf("busy %t, queue %q", p.busy, p.queue)
	}
	p.add(note, "more")
	if p.next(style{}, 80, 5) != nil {
		t.Error("two prints are under way")
	}
}

// A print leaves room for a frame that was taller a moment ago.
func TestFrames(t *testing.T) {
	t.Parallel()
	var f frames
	now := noon
	for i, step := range []struct {
		live  int
		after time.Duration
		want  int
	}{
		{3, 0, 3},
		{20, time.Second, 20},
		{5, time.Minute, 20}, // it was 20 until now
		{4, settling / 2, 20},
		{4, settling, 20}, // since it shrank again
		{4, 1, 4},
		{6, 0, 6},
	} {
		now = now.Add(step.after)
		if got := f.tallest(step.live, now); got != step.want {
			t.Errorf("step %d: got %d, want %d", i+1, got, step.want)
		}
	}
}

func TestStyle(t *testing.T) {
	t.Parallel()
	if got := (style{}).bold("x"); got != "x" {
		t.Errorf("without colour: %q", got)
	}
	if got, want := (style{color: true}).dim("a\n\nb"), "\x1b[2ma\x1b[0m\n\n\x1b[2mb\x1b[0m"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := fitted(style{}, "aaaa bbbb\n\nc", 6); !slices.Equal(got, []string{"aaaa", "bbbb", " ", "c"}) {
		t.Errorf("got %q", got)
	}
	if got := (style{}).firstLines("a\nb\nc", 10, 2); !slices.Equal(got, []string{"a", "… 2 more lines"}) {
		t.Errorf("got %q", got)
	}
}
