package tui

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/pkg/agent/session"
)

func TestArguments(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, raw, want string }{
		{"none", `{}`, ""},
		{"no object", `[1]`, ""},
		{"broken", `{"a":`, ""},
		{"in their order", `{"b":"x y","a":1,"c":[true,null]}`, "b=x y a=1 c=[true,null]"},
		{"several lines", `{"text":"one\ntwo"}`, "text=one two"},
		{"a text comes last", `{"body":"one\ntwo","name":"a"}`, "name=a body=one two"},
		{"control characters", `{"a":"\u001b[31mred"}`, "a=<U+001B>[31mred"},
		{"long", `{"a":"` + strings.Repeat("x", 100) + `"}`, "a=" + strings.Repeat("x", maxValue) + "…"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := arguments(json.RawMessage(tt.raw)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func record(body session.Body) session.Record {
	return session.Record{Header: session.Header{Time: noon, Step: 1}, Body: body}
}

func TestCallLine(t *testing.T) {
	t.Parallel()
	three := 3
	asked := session.ToolCall{ID: "a", Name: "exec", Args: json.RawMessage(`{"argv":["make"]}`)}
	for _, tt := range []struct {
		name    string
		records []session.Body
		want    string
		reason  string
	}{
		{"running", nil, `• exec argv=["make"]`, ""},
		{"ok at once", []session.Body{session.ToolResult{ID: "a", Status: "ok", DurationMS: 20}}, `✓ exec argv=["make"]`, ""},
		{"ok after a while", []session.Body{session.ToolResult{ID: "a", Status: "ok", DurationMS: 1500}}, `✓ exec argv=["make"] 1.5 s`, ""},
		{"the time of the decision does not count", []session.Body{
			session.Approval{ID: "a", By: "user", Decision: "allow"}, session.ToolResult{ID: "a", Status: "ok", DurationMS: 90_000},
		}, `✓ exec argv=["make"]`, ""},
		{"denied", []session.Body{session.ToolResult{ID: "a", Status: "denied", Content: "denied: …"}}, `⊘ exec argv=["make"] denied`, ""},
		{"a program failed", []session.Body{
			session.ToolResult{ID: "a", Status: "error", ExitCode: &three, Content: "exit_code: 3\nstdout:\nout\nstderr:\nfirst\nlast words\n\nartifacts:\n/x"},
		}, `✗ exec argv=["make"] exit 3 error`, "last words"},
		{"a tool refused", []session.Body{session.ToolResult{ID: "a", Status: "error", Content: "no such file\nmore"}}, `✗ exec argv=["make"] error`, "no such file"},
		{"narrow", []session.Body{session.ToolResult{ID: "a", Status: "ok"}}, `✓ exec argv=["make"]`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var cs calls
			c := cs.record(record(asked))
			for _, b := range tt.records {
				cs.record(record(b))
			}
			if got := c.line(style{}, 80); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if got := c.reason(); got != tt.reason {
				t.Errorf("reason %q, want %q", got, tt.reason)
			}
			if got := style.width(style{}, c.line(style{}, 20)); got > 20 && tt.name != "a program failed" {
				t.Errorf("in 20 cells it takes %d", got)
			}
		})
	}
}

func TestCallsWithOneID(t *testing.T) {
	t.Parallel()
	var cs calls
	for _, text := range []string{"one", "two"} { // servers number the calls of each answer anew
		cs.record(record(session.ToolCall{ID: "call_1", Name: text, Args: json.RawMessage(`{}`)}))
		cs.record(record(session.ToolOutput{ID: "call_1", Text: "output of " + text + "\n"}))
		if got, want := lastOutput(cs.running()[0].output), "output of "+text; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		cs.record(record(session.Repair{ID: "call_1", What: []string{"mended " + text}}))
		cs.record(record(session.ToolResult{ID: "call_1", Name: text, Status: "ok", Content: "result " + text + "\x1b[2J"}))
	}
	if cs.record(record(session.ToolResult{ID: "other"})) != nil || len(cs.running()) != 0 {
		t.Errorf("got %d running", len(cs.running()))
	}
	want := "one\n(repaired: mended one)\nok, 0 ms\nresult one<U+001B>[2J\n\ntwo\n(repaired: mended two)\nok, 0 ms\nresult two<U+001B>[2J"
	if got := cs.full(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOutputIsBounded(t *testing.T) {
	t.Parallel()
	var cs calls
	c := cs.record(record(session.ToolCall{ID: "a"}))
	for range 100 {
		cs.record(record(session.ToolOutput{ID: "a", Text: strings.Repeat("日本", 100)}))
	}
	if len(c.output) > maxOutput {
		t.Errorf("%d bytes are kept", len(c.output))
	}
}

// Of several skills with one name the line says which one was read.
func TestCallLineOfASkill(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		"Skill: rules (workspace, ahead of shared)\nFolder: /x\n": `✓ read_skill name=rules rules (workspace, ahead of shared)`,
		"Skill: rules (shared)\nFolder: /x\n":                     `✓ read_skill name=rules`,
	} {
		var cs calls
		c := cs.record(record(session.ToolCall{ID: "a", Name: "read_skill", Args: json.RawMessage(`{"name":"rules"}`)}))
		cs.record(record(session.ToolResult{ID: "a", Name: "read_skill", Status: "ok", Content: answer}))
		if got := c.line(style{}, 80); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
