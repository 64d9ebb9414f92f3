package session_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/pkg/agent/session"
)

const wantMarkdown = `# Count lines

App default, model m, 2 turns, 2026-11-30 to 2026-12-01.

## User

Count the lines.
In notes.md.

## Agent

I look.

### Call read_file

` + "````" + `
{
  "path": "` + "```" + `"
}
` + "````" + `

### Result of read_file: ok

` + "```" + `
one
two
` + "```" + `

## Agent

Two <U+001B>[2Jlines.

## Summary of what came before

They counted.

## Agent asks

Which?
- a
- b

## Agent

Half an ans

(interrupted: interrupted)

## User

/release-notes for 1.4

(the text of the skill release-notes)

### Call list_files

### Result of list_files: ok

` + "```\n\n```" + `

(no answer: limit)
`

func TestMarkdown(t *testing.T) {
	t.Parallel()
	records := []session.Record{}
	for _, b := range []session.Body{
		session.Init{App: "default", Model: "m", System: "secret rules"},
		session.Context{Text: "<workspace_skills/>"},
		session.User{Text: "Count the lines.\nIn notes.md.\n"},
		session.Title{Text: "Count lines"},
		session.ReasoningDelta{Text: "hm"},
		session.TextDelta{Text: "I "},
		session.TextDelta{Text: "look."},
		session.ToolCall{Name: "read_file", Args: json.RawMessage("{\"path\":\"```\"}")},
		session.ToolOutput{Text: "out"},
		session.ToolResult{Name: "read_file", Status: "ok", Content: "one\r\ntwo\n"},
		session.TextDelta{Text: "Two \x1b[2Jlines.\r\n"},
		session.Result{Stop: session.StopAnswer, Answer: "Two lines."},
		session.Compaction{Summary: "They counted."},
		session.Result{Stop: session.StopNeedsInput, Question: &session.Question{Text: "Which?", Choices: []string{"a", "b"}}},
		session.TextDelta{Text: "Half an ans"},
		session.Result{Stop: session.StopInterrupted, Error: &session.Error{Message: "interrupted"}},
		session.User{Text: "/release-notes for 1.4\n\nFollow this skill now.\n\n# Steps", Skill: "release-notes"},
		session.ToolCall{Name: "list_files", Args: json.RawMessage("{}")},
		session.ToolResult{Name: "list_files", Status: "ok"},
		session.Result{Stop: session.StopLimit},
	} {
		day := noon.Add(time.Duration(len(records)) * time.Hour)
		records = append(records, session.Record{Header: session.Header{Time: day}, Body: b})
	}
	var out bytes.Buffer
	if err := session.Markdown(&out, records); err != nil {
		t.Fatal(err)
	}
	if out.String() != wantMarkdown {
		t.Errorf("got\n%s\nwant\n%s", out.String(), wantMarkdown)
	}
	if err := session.Markdown(full{}, records); !errors.Is(err, errFull) {
		t.Errorf("error %v", err)
	}
	out.Reset()
	if err := session.Markdown(&out, nil); err != nil || strings.TrimSpace(out.String()) != "# Session" {
		t.Errorf("an empty session gives %q, error %v", out.String(), err)
	}
}

var errFull = errors.New("full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// A fence is longer than any run of backticks in the text, which is looked at once.
func TestMarkdownOfManyBackticks(t *testing.T) {
	for _, n := range []int{0, 2, 3, 4, 20_000} {
		run := strings.Repeat("`", n)
		records := []session.Record{record(1, session.ToolResult{Name: "x", Content: "a`b " + run + " c"})}
		var b strings.Builder
		if made := testing.AllocsPerRun(1, func() {
			b.Reset()
			if err := session.Markdown(&b, records); err != nil {
				t.Fatal(err)
			}
		}); made > 1000 {
			t.Errorf("%d backticks: %.0f allocations", n, made)
		}
		fence := strings.Repeat("`", max(3, n+1))
		if want := "\n\n" + fence + "\na`b " + run + " c\n" + fence + "\n"; !strings.HasSuffix(b.String(), want) {
			t.Errorf("%d backticks: got a text of %d bytes", n, b.Len())
		}
	}
}
