package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestReport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"1.json": `{"stop":"needs_input","exit":5,"skills_read":["author-skill"],"tool_calls":[{"name":"read_skill","args":{"name":"author-skill"},"status":"ok"},{"name":"ask_user","args":{},"status":"ok"}]}`,
		"2.json": `{"stop":"answer","exit":0,"skills_read":["pump-check"],"tool_calls":[{"name":"save_skill","args":{"name":"pump"},"status":"denied"},{"name":"save_skill","args":{"name":"pump-check"},"status":"ok"}]}`,
		"3.json": `{"stop":"answer","exit":0,"skills_read":["author-skill"],"tool_calls":[]}`,
		"4.json": `{"stop":"answer","exit":0,"skills_read":["pump-check"],"tool_calls":[{"name":"read_skill","args":{"name":"pump-check"},"status":"ok"}]}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var got bytes.Buffer
	if err := report(&got, dir); err != nil {
		t.Fatal(err)
	}
	want := `turn 1: needs_input, exit 5: read_skill ok, ask_user ok
turn 2: answer, exit 0: save_skill denied, save_skill ok
turn 3: answer, exit 0: no call
turn 4: answer, exit 0: read_skill ok
read author-skill: in turn 1, 3
asked the user: in turn 1
saved a skill: in turn 2 (pump-check)
read it in a later turn: in turn 4
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
	if err := report(&got, t.TempDir()); err == nil {
		t.Error("a folder without runs has a report")
	}
}
