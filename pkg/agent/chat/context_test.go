package chat_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/pkg/agent/prompt"
	"github.com/agentctl/agentctl/pkg/agent/session"
)

// attached are the texts that went with the turns because of a context file.
func attached(records []session.Record, path string) []string {
	var out []string
	for _, r := range records {
		if c, ok := r.Body.(session.Context); ok && c.Files[path] != "" {
			out = append(out, c.Text)
		}
	}
	return out
}

// Of a context file only what is attached is read, and only a change of that
// attaches it again.
func TestHugeContextFile(t *testing.T) {
	const size = 64 << 20
	ws := workspace(t, map[string]string{"MEMORY.md": strings.Repeat("Note this.\n", 20_000)})
	file := filepath.Join(ws, "MEMORY.md")
	if err := os.Truncate(file, size); err != nil {
		t.Fatal(err)
	}
	c := config(t, ws, choice(t, "a", strings.Repeat("  - reply: {text: ok}\n", 3)))
	c.App.ContextFiles = []string{"MEMORY.md"}
	ch := open(t, c)
	turn := func(want int) string {
		t.Helper()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		say(t, ch, session.User{Text: "hello"})
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > size/4 {
			t.Errorf("a turn takes %d bytes", n)
		}
		got := attached(ch.Records(), "MEMORY.md")
		if len(got) != want {
			t.Fatalf("attached %d times, want %d", len(got), want)
		}
		return got[want-1]
	}
	text := turn(1)
	if n := len(text); n > prompt.MaxContextFile+200 || !strings.Contains(text, "Note this.\n(cut here; the rest is in the file)\n</context_file>") {
		t.Errorf("%d bytes are attached: …%s", n, text[max(0, n-200):])
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("One more.\n"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	turn(1)
	if err := os.WriteFile(file, []byte("Short now.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text := turn(2); !strings.Contains(text, "Short now.") {
		t.Errorf("got %q", text)
	}
}

// Bytes that are no UTF-8 do not hide that there is more.
func TestContextFileOfAnotherEncoding(t *testing.T) {
	t.Parallel()
	ws := workspace(t, map[string]string{"AGENTS.md": strings.Repeat("\xd6\xd0\n", 50_000)})
	c := config(t, ws, choice(t, "a", "  - reply: {text: ok}\n"))
	c.App.ContextFiles = []string{"AGENTS.md"}
	ch := open(t, c)
	say(t, ch, session.User{Text: "hello"})
	got := attached(ch.Records(), "AGENTS.md")
	if len(got) != 1 || !strings.Contains(got[0], "��\n(cut here") {
		t.Errorf("got %d, %.300s", len(got), got)
	}
}
