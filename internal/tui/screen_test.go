package tui

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agentctl/agentctl/pkg/agent"
	"github.com/agentctl/agentctl/pkg/agent/app"
	"github.com/agentctl/agentctl/pkg/agent/builtin"
	"github.com/agentctl/agentctl/pkg/agent/chat"
	"github.com/agentctl/agentctl/pkg/agent/model/choose"
	"github.com/agentctl/agentctl/pkg/agent/session"
	"github.com/agentctl/agentctl/pkg/skill"
	"github.com/agentctl/agentctl/pkg/toolpkg"
)

// testScreen is a chat's screen with a clock of its own. Messages are fed to it;
// what it wants to run is not run, so a turn lasts until a test ends it.
type testScreen struct {
	*screen
	t     *testing.T
	clock time.Time
	typed []string // what went to the history
}

func newTestScreen(t *testing.T) *testScreen {
	t.Helper()
	ws := t.TempDir()
	catalog, err := toolpkg.LoadCatalog(t.Context(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	ch, err := chat.Open(t.Context(), chat.Config{
		App: &app.App{Name: "test", Prompt: "Be kind."}, Skills: &skill.Library{}, Catalog: catalog,
		Env: &builtin.Env{Workspace: ws}, Model: &choose.Choice{Name: "m"}, Approver: &agent.Policy{},
		Log: &session.Ephemeral{Now: func() time.Time { return noon }},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ch.Close)
	s := &testScreen{t: t, clock: noon}
	host := Host{
		Render:     plainMarkdown,
		Explain:    func(err error) (string, string) { return err.Error(), "a hint" },
		Why:        func(r session.Result) (string, string) { return "it ended in " + string(r.Stop), "" },
		AddHistory: func(_ context.Context, text string) { s.typed = append(s.typed, text) },
		Workspace:  ws,
		History:    []string{"from before"},
	}
	s.screen = newScreen(t.Context(), host, &console{host: host, cur: &Opened{Chat: ch, ID: "0123456789ab", Close: func() {}}}, style{})
	s.now = func() time.Time { return s.clock }
	s.skills, s.models = []string{"release-notes"}, []string{"house/big", "house/small"}
	return s
}

// keys presses keys: names, or texts of which each character is a key. After Enter
// the person pauses.
func (s *testScreen) keys(names ...string) (last tea.Cmd) {
	s.t.Helper()
	special := map[string]tea.KeyPressMsg{
		"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "up": {Code: tea.KeyUp}, "tab": {Code: tea.KeyTab},
		"ctrl+c": {Code: 'c', Mod: tea.ModCtrl}, "ctrl+d": {Code: 'd', Mod: tea.ModCtrl}, "ctrl+o": {Code: 'o', Mod: tea.ModCtrl},
	}
	for _, name := range names {
		if k, ok := special[name]; ok {
			_, last = s.Update(k)
			if name == "enter" {
				s.wait(typingPause)
			}
			continue
		}
		for _, r := range name {
			_, last = s.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
	return last
}

func (s *testScreen) records(bodies ...session.Body) {
	for _, b := range bodies {
		s.Update(recordMsg{record(b)})
	}
}

// request sends a request for approval, which the person reads, and returns where
// its answer goes.
func (s *testScreen) request() chan verdict {
	a := asking{ApprovalRequest: agent.ApprovalRequest{Key: "exec:git", Summary: "run git push"}, answer: make(chan verdict, 1)}
	s.Update(askMsg{a})
	s.clock = s.clock.Add(reaction)
	return a.answer
}

func (s *testScreen) wait(d time.Duration) {
	s.clock = s.clock.Add(d)
	s.Update(pauseMsg{})
	s.Update(clockMsg{s.since})
}

func (s *testScreen) end(stop session.Stop) tea.Cmd {
	_, cmd := s.Update(turnMsg{res: session.Result{Stop: stop}})
	return cmd
}

// printed is all that went to the scrollback.
func (s *testScreen) printed() string { return strings.Join(s.out.queue, "\n") }

func (s *testScreen) drawn() string { return s.View().Content }

func (s *testScreen) want(what, text string, parts ...string) {
	s.t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			s.t.Errorf("%s: no %q in\n%s", what, p, text)
		}
	}
}

func quits(cmd tea.Cmd) bool {
	if cmd == nil {
		return false
	}
	_, ok := cmd().(tea.QuitMsg)
	return ok
}

// What is sent during a turn waits for its end, and is never lost.
func TestScreenQueue(t *testing.T) {
	t.Parallel()
	s := newTestScreen(t)
	s.keys("one", "enter")
	if s.state != running || !strings.Contains(s.printed(), "> one") {
		t.Fatalf("state %d, printed %q", s.state, s.printed())
	}
	s.keys("two", "enter", "three", "enter", "dra")
	s.want("while it runs", s.drawn(), "next: two\n", "next: three\n", "> dra\n")
	if !slices.Equal(s.typed, []string{"one", "two", "three"}) {
		t.Errorf("the history got %q", s.typed)
	}
	s.end(session.StopAnswer)
	if s.state != running || !strings.HasSuffix(s.printed(), "> two") || !slices.Equal(s.queued, []string{"three"}) {
		t.Errorf("then state %d, printed %q, queued %q", s.state, s.printed(), s.queued)
	}
	// Stopped: the person goes another way, so it comes back to be edited.
	s.end(session.StopInterrupted)
	if s.state != idle || s.ed.text != "three\ndra" || len(s.queued) != 0 {
		t.Errorf("stopped: state %d, text %q, queued %q", s.state, s.ed.text, s.queued)
	}
}

func TestScreenQueueComesBack(t *testing.T) {
	t.Parallel()
	question := session.Result{Stop: session.StopNeedsInput, Question: &session.Question{Text: "Which?", Choices: []string{"a"}}}
	for name, how := range map[string]func(*testScreen){
		"with Up":           func(s *testScreen) { s.keys("up") },
		"after a failure":   func(s *testScreen) { s.Update(turnMsg{err: fmt.Errorf("no network")}) },
		"without an answer": func(s *testScreen) { s.end(session.StopLimit) },
		"before a question": func(s *testScreen) { s.Update(turnMsg{res: question}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTestScreen(t)
			s.keys("one", "enter", "two", "enter")
			if how(s); s.ed.text != "two" || len(s.queued) != 0 {
				t.Errorf("text %q, queued %q", s.ed.text, s.queued)
			}
		})
	}
	s := newTestScreen(t)
	s.keys("/usage", "enter", "two", "enter")
	if s.state != working || len(s.queued) != 1 {
		t.Fatalf("state %d, queued %q", s.state, s.queued)
	}
	s.Update(replyMsg{reply{text: "none"}})
	if s.state != running || len(s.queued) != 0 {
		t.Errorf("after a command: state %d, queued %q", s.state, s.queued)
	}
	s.keys("/nope", "enter", "three", "enter")
	s.end(session.StopAnswer)
	s.Update(replyMsg{reply{err: fmt.Errorf("no such command")}})
	if s.ed.text != "three" {
		t.Errorf("after a command that failed: %q", s.ed.text)
	}
	s.keys("enter")
	s.end(session.StopAnswer)
	s.keys("/compact", "enter")
	s.Update(replyMsg{reply{err: fmt.Errorf("ask the model: %w", context.Canceled)}})
	if !strings.HasSuffix(s.printed(), "\nstopped") || strings.Contains(s.printed(), "canceled") {
		t.Errorf("a command that was stopped: %q", s.printed())
	}
}

func TestScreenApproval(t *testing.T) {
	t.Parallel()
	for key, want := range verdicts {
		s := newTestScreen(t)
		s.keys("push", "enter")
		answer := s.request()
		s.want("asked", s.drawn(), "Allow? run git push", approvalKeys)
		if s.View().Cursor != nil {
			t.Error("a question has a cursor")
		}
		s.keys(key)
		if got := <-answer; got != want || s.ask != nil {
			t.Errorf("%s: got %+v", key, got)
		}
	}
}

// A key that was meant as text decides nothing: not while somebody types when the
// request comes, not within a word.
func TestScreenApprovalWhileTyping(t *testing.T) {
	t.Parallel()
	s := newTestScreen(t)
	s.keys("push", "enter", "and s")
	answer := s.request()
	s.want("typing", s.drawn(), "waits for your decision", "> and s")
	s.keys("ay yes")
	if len(answer) != 0 || s.ed.text != "and say yes" {
		t.Fatalf("%d answers, text %q", len(answer), s.ed.text)
	}
	s.wait(typingPause / 2)
	if s.asks() {
		t.Error("half a pause is enough")
	}
	s.wait(typingPause)
	s.want("paused", s.drawn(), "Allow? run git push", "> and say yes")
	s.keys(",", "a", "n", "y")
	if len(answer) != 0 || s.ed.text != "and say yes,any" {
		t.Fatalf("within a word: %d answers, text %q", len(answer), s.ed.text)
	}
	s.Update(tea.PasteMsg{Content: "y"})
	s.keys("y", "enter")
	if len(answer) != 0 || !slices.Equal(s.queued, []string{"and say yes,anyyy"}) {
		t.Fatalf("sent: %d answers, queued %q", len(answer), s.queued)
	}
	s.keys("n")
	if got := <-answer; got != (verdict{}) {
		t.Errorf("got %+v", got)
	}
}

// Who sends a line may be typing the next one when the request comes.
func TestScreenApprovalAfterSending(t *testing.T) {
	t.Parallel()
	s := newTestScreen(t)
	s.keys("push")
	s.Update(tea.KeyPressMsg{Code: tea.KeyEnter})
	answer := s.request()
	s.keys("yes it")
	if len(answer) != 0 || s.ed.text != "yes it" {
		t.Fatalf("%d answers, text %q", len(answer), s.ed.text)
	}
	s.wait(typingPause)
	s.want("paused", s.drawn(), "Allow? run git push")
}

// A key that comes with the request was meant for something else.
func TestScreenApprovalAtOnce(t *testing.T) {
	t.Parallel()
	s := newTestScreen(t)
	s.keys("push", "enter")
	answer := s.request()
	s.clock = s.clock.Add(-reaction / 2)
	s.keys("always")
	if len(answer) != 0 || s.ed.text != "always" {
		t.Fatalf("%d answers, text %q", len(answer), s.ed.text)
	}
}

func TestScreenApprovalInFull(t *testing.T) {
	t.Parallel()
	s := newTestScreen(t)
	s.keys("push", "enter")
	s.request()
	s.ask.Detail = strings.Repeat("+line\n", 40) + "+end"
	s.want("cut", s.drawn(), "more lines", "v view all")
	s.keys("v")
	s.want("in full", s.printed(), "run git push", "+end")
	if !s.asks() {
		t.Error("looking at it decides")
	}
}

func TestScreenStops(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"esc", "ctrl+c"} {
		for _, asked := range []bool{false, true} {
			s := newTestScreen(t)
			s.keys("one", "enter", "draft")
			stopped := false
			s.cancel = func() { stopped = true }
			s.clock = s.clock.Add(time.Minute)
			if asked {
				s.request()
			}
			s.keys(key, key) // the second one while it still ends
			if !stopped || s.ask != nil || s.ed.text != "draft" || s.state != running {
				t.Errorf("%s: stopped %t, text %q, state %d", key, stopped, s.ed.text, s.state)
			}
			s.end(session.StopInterrupted)
			s.want(key, s.printed(), "stopped; the session goes on")
		}
	}
}

func TestScreenLeaves(t *testing.T) {
	t.Parallel()
	s := newTestScreen(t)
	s.keys("text", "ctrl+c")
	if s.ed.text != "" || s.state != idle {
		t.Errorf("Ctrl-C leaves %q, state %d", s.ed.text, s.state)
	}
	s.keys("ctrl+c")
	s.want("once", s.drawn(), "Ctrl-C again leaves")
	s.keys("x", "ctrl+c") // something else in between
	if quits(s.keys("ctrl+c")) {
		t.Error("not twice in a row, and it leaves")
	}
	if !quits(s.keys("ctrl+c")) {
		t.Error("twice in a row, and it stays")
	}

	s = newTestScreen(t)
	s.keys("xy", "ctrl+d")
	if s.ed.text != "xy" || s.state != idle {
		t.Errorf("Ctrl-D at the end of a text: %q, state %d", s.ed.text, s.state)
	}
	if s.ed.clear(); !quits(s.keys("ctrl+d")) {
		t.Error("Ctrl-D stays")
	}

	s = newTestScreen(t)
	s.keys("one", "enter")
	if s.keys("ctrl+d"); s.state != leaving || s.drawn() != "" {
		t.Errorf("while it runs: state %d, drawn %q", s.state, s.drawn())
	}
	if !quits(s.end(session.StopInterrupted)) {
		t.Error("it stays after the step has ended")
	}
}

func TestScreenStreams(t *testing.T) {
	t.Parallel()
	s := newTestScreen(t)
	s.keys("go", "enter")
	s.records(session.ReasoningDelta{Text: "hm"})
	s.want("thinking", s.drawn(), "thinking…")
	s.records(session.TextDelta{Text: "First.\n\nSec"}, session.TextDelta{Text: "ond"})
	s.want("a whole block is printed", s.printed(), "~First.~")
	s.want("an open one is drawn", s.drawn(), "Second\n")
	call := func(id, name, args string) session.ToolCall {
		return session.ToolCall{ID: id, Name: name, Args: json.RawMessage(args)}
	}
	s.records(call("a", "exec", `{"argv":["make"]}`), session.ToolOutput{ID: "a", Text: "line 1\nline 2\n"})
	s.want("a call ends the block", s.printed(), "~Second~")
	s.want("the call and its last line", s.drawn(), "• exec argv=", "  line 2")
	s.records(session.ToolResult{ID: "a", Name: "exec", Status: "error", Content: "no make"})
	s.want("its end", s.printed(), "✗ exec argv=[\"make\"] error\n  no make")
	s.records(session.Warning{Text: "careful"}, session.Retry{Reason: "busy"}, session.Compaction{Summary: "s"})
	s.want("notes", s.printed(), "warning: careful", "trying again: busy", "the history became a summary")
	s.records(call("b", "ask_user", `{"question":"Which?"}`), session.ToolResult{ID: "b", Name: "ask_user", Status: "ok"}, call("c", "sleep", `{}`))
	s.Update(turnMsg{res: session.Result{Stop: session.StopNeedsInput, Question: &session.Question{Text: "Which?", Choices: []string{"x", "y"}}}})
	s.want("the end", s.printed(), "✗ sleep interrupted", "~Which?\n\n1. x\n2. y~")
	if strings.Contains(s.printed(), "ask_user") {
		t.Errorf("the question is there twice:\n%s", s.printed())
	}
	s.keys("ctrl+o")
	s.want("the calls in full", s.printed(), "sleep\ninterrupted", "no make")
	s.keys("2", "enter")
	s.want("a number chooses", s.printed(), "> y")
}

func TestScreenTime(t *testing.T) {
	t.Parallel()
	s := newTestScreen(t)
	s.keys("go", "enter") // and a second's pause
	s.want("at once", s.drawn(), "step 1, Esc stops")
	s.wait(13 * time.Second)
	s.want("later", s.drawn(), "step 1, 14 s, Esc stops")
	s.wait(2 * time.Minute)
	s.want("much later", s.drawn(), "step 1, 2m14s, Esc stops")
	if s.tick(s.since.Add(-1)) != nil {
		t.Error("the clock of a step that ended goes on")
	}
	s.end(session.StopAnswer)
	if s.tick(s.since) != nil {
		t.Error("the clock goes on while nothing runs")
	}
}

func TestScreenCompletes(t *testing.T) {
	t.Parallel()
	s := newTestScreen(t)
	for _, name := range []string{"notes.md", "notes/deep.md"} {
		file := filepath.Join(s.host.Workspace, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ typed, text, shown string }{
		{"/us", "/usage ", ""},
		{"/s", "/skill", "/skills  /skill"},
		{"/rel", "/rel", "/reload  /release-notes"},
		{"/skill r", "/skill release-notes ", ""},
		{"/tools ", "/tools last ", ""},
		{"/resume ", "/resume ", "there is nothing to complete here"},
		{"/model ", "/model house/", "house/big  house/small"},
		{"/model house/s", "/model house/small ", ""},
		{"/model x", "/model x", "nothing begins with that"},
		{"look at no", "look at notes", "notes.md  notes/"},
		{"look at notes/", "look at notes/deep.md ", ""},
		{"/export no", "/export notes", "notes.md  notes/"},
		{"/release-notes no", "/release-notes notes", "notes.md  notes/"},
		{"nowhere", "nowhere", "nothing begins with that"},
	} {
		s.ed.clear()
		s.choices, s.notice = nil, ""
		s.keys(tt.typed, "tab")
		if s.ed.text != tt.text {
			t.Errorf("%q became %q, want %q", tt.typed, s.ed.text, tt.text)
		}
		if got := strings.Join(s.choices, "  ") + s.notice; got != tt.shown {
			t.Errorf("%q: shows %q, want %q", tt.typed, got, tt.shown)
		}
	}
}

// Whatever is on the screen, it fits, so that nothing scrolls away that has to be
// drawn again.
func TestScreenFits(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("many words 中文字符 🎉 ", 40)
	for name, how := range map[string]func(*testScreen){
		"a long text": func(s *testScreen) { s.Update(tea.PasteMsg{Content: strings.Repeat(long+"\n", 200)}) },
		"a long block": func(s *testScreen) {
			s.keys("x", "enter")
			s.records(session.TextDelta{Text: strings.Repeat("- "+long+"\n", 50)})
		},
		"many calls": func(s *testScreen) {
			s.keys("x", "enter")
			for i := range 30 {
				s.records(session.ToolCall{ID: fmt.Sprint(i), Name: long, Args: json.RawMessage(`{"a":"` + long + `"}`)}, session.ToolOutput{ID: fmt.Sprint(i), Text: long})
			}
		},
		"a request": func(s *testScreen) {
			s.keys("x", "enter")
			s.request()
			s.ask.Summary, s.ask.Detail = long, strings.Repeat(long+"\n", 50)
			s.keys("and a draft")
		},
		"a queue": func(s *testScreen) {
			s.keys("x", "enter")
			for range 9 {
				s.Update(tea.PasteMsg{Content: long})
				s.keys("enter")
			}
		},
		"candidates": func(s *testScreen) { s.keys("/", "tab") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTestScreen(t)
			how(s)
			for _, size := range [][2]int{{120, 40}, {80, 24}, {40, 12}, {20, 6}, {120, 40}} {
				s.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				s.Update(tea.WindowSizeMsg{}) // a terminal that does not know
				rows := strings.Split(s.drawn(), "\n")
				if len(rows) >= size[1] {
					t.Errorf("%v: %d rows", size, len(rows))
				}
				for _, r := range rows {
					if w := (style{}).width(r); w >= size[0] {
						t.Errorf("%v: %d cells: %q", size, w, r)
					}
				}
				if c := s.View().Cursor; c != nil && (c.X < 0 || c.X >= size[0] || c.Y < 0 || c.Y >= len(rows)) {
					t.Errorf("%v: the cursor is at %d, %d of %d rows", size, c.X, c.Y, len(rows))
				}
			}
		})
	}
}

// A pasted file goes to the model whole, but does not fill the scrollback.
func TestScreenFoldsLongInput(t *testing.T) {
	t.Parallel()
	s := newTestScreen(t)
	s.Update(tea.PasteMsg{Content: strings.Repeat("line\n", 199) + "end"})
	s.want("marks of more", s.drawn(), "↑ line", "  end")
	s.keys("enter")
	s.want("folded", s.printed(), "> line\n  line", "  … 189 more lines")
	if strings.Contains(s.printed(), "end") || !strings.HasSuffix(s.typed[0], "line\nend") {
		t.Errorf("printed %q", s.printed())
	}
}

// Whatever comes in whatever order, the screen fits and the cursor is on it.
func TestScreenAnyOrder(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		s := newTestScreen(t)
		width, height := 80, 24
		for range 300 {
			switch rnd.IntN(12) {
			case 0:
				width, height = 1+rnd.IntN(130), 1+rnd.IntN(50)
				s.Update(tea.WindowSizeMsg{Width: width, Height: height})
			case 1:
				s.Update(tea.PasteMsg{Content: []string{"a\tb\r\nc", "中文🎉\n\n", strings.Repeat("x ", 200), "\x1b[2J"}[rnd.IntN(4)]})
			case 2:
				s.records(session.TextDelta{Text: []string{"one\n\n", "- a\n", "```\n", "| a |\n|---|\n", "中"}[rnd.IntN(5)]})
			case 3:
				s.records(session.ToolCall{ID: "a", Name: "exec", Args: json.RawMessage(`{"a":"b\nc"}`)}, session.ToolOutput{ID: "a", Text: "out\n"})
			case 4:
				s.records(session.ToolResult{ID: "a", Status: "ok"}, session.Usage{})
			case 5:
				if s.state == running {
					s.request()
				}
			case 6:
				s.clock = s.clock.Add(time.Duration(rnd.IntN(1500)) * time.Millisecond)
				s.Update(pauseMsg{})
			case 7:
				switch s.state {
				case running:
					s.end([]session.Stop{session.StopAnswer, session.StopInterrupted, session.StopLoop}[rnd.IntN(3)])
				case working:
					s.Update(replyMsg{[]reply{{text: "ok"}, {err: context.Canceled}, {skills: true}}[rnd.IntN(3)]})
				}
			case 8:
				if s.panel != nil {
					s.Update(panelMsg{close: true})
				}
				s.keys("/help", "enter")
			default:
				s.keys([]string{"h", "y", "s", "n", "v", "/", "enter", "esc", "up", "tab", "ctrl+o", " "}[rnd.IntN(12)])
			}
			rows := strings.Split(s.drawn(), "\n")
			if height > 3 && len(rows) >= height && s.panel == nil {
				t.Fatalf("seed %d: %d rows of %d", seed, len(rows), height)
			}
			if c := s.View().Cursor; c != nil && s.panel == nil && height > 8 && (c.Y < 0 || c.Y >= len(rows) || c.X < 0) {
				t.Fatalf("seed %d: the cursor is at %d, %d of %d rows in %dx%d", seed, c.X, c.Y, len(rows), width, height)
			}
			s.out.queue = nil
		}
	}
}
