package cli

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/pkg/agent/agenttest"
)

// sentRaw is a request with its parts byte for byte.
type sentRaw struct {
	Messages json.RawMessage `json:"messages"`
	Tools    json.RawMessage `json:"tools"`
}

func rawOf(t *testing.T, r agenttest.Request) sentRaw {
	t.Helper()
	var raw sentRaw
	if err := json.Unmarshal(r.Body, &raw); err != nil {
		t.Fatal(err)
	}
	return raw
}

const anyTurn = `
version: 1
strict: false
loop: true
steps:
  - when: {tool_result: {}}
    reply: {text: Done., thinking: hm}
  - reply:
      text: I look.
      thinking: First look.
      tool_calls:
        - {name: read_file, args: {path: a.txt}}
        - {name: list_files, args: {recursive: "false"}}
        - {name: no_such, args: {z: 1, a: [1, 2]}}
`

// Over turns and runs, requests only grow at their end: the bytes of one are the
// beginning of the next, so that prompt caches hit. What the workspace has to say
// comes with a turn when it changed, and stays where it came.
func TestRequestsOnlyGrow(t *testing.T) {
	t.Parallel()
	w := newRowWorld(t)
	w.write(t, "a.txt", []byte("one\n"))
	w.write(t, "AGENTS.md", []byte("Count twice.\n"))
	server := agenttest.Serve(t, anyTurn)
	edits := []func(){
		func() {},
		func() {},
		func() {
			w.write(t, ".skill/report/SKILL.md", []byte("---\nname: report\ndescription: Writes reports. Use for reports.\n---\nWrite.\n"))
		},
		func() { w.write(t, "AGENTS.md", []byte("Count three times.\n")) },
		func() {},
	}
	for i, edit := range edits {
		edit()
		args := []string{"chat", "--model", "m", "--trust-workspace", "-p", "go"}
		if i > 0 {
			args = append(args, "--continue")
		}
		w.run(t, server.BaseURL, args, rowRun{Stdout: "Done.\n"})
	}
	requests := server.Requests()
	if len(requests) != 2*len(edits) {
		t.Fatalf("%d requests", len(requests))
	}
	for i := 1; i < len(requests); i++ {
		before, after := rawOf(t, requests[i-1]), rawOf(t, requests[i])
		if open := bytes.TrimSuffix(before.Messages, []byte("]")); !bytes.HasPrefix(after.Messages, open) {
			t.Errorf("request %d does not begin like %d:\n%s\n%s", i+1, i, before.Messages, after.Messages)
		}
		joined := i == 4 // read_skill joins with the first skill
		if bytes.Equal(before.Tools, after.Tools) == joined {
			t.Errorf("the tools of request %d: equal to those before is %t", i+1, !joined)
		}
		checkMessages(t, requests[i].Body)
	}
	last := string(requests[len(requests)-1].Body)
	for text, times := range map[string]int{"Count twice.": 1, "<name>report</name>": 1, "Count three times.": 1} {
		if n := strings.Count(last, text); n != times {
			t.Errorf("the last request has %q %d times, want %d", text, n, times)
		}
	}
}

// A prompt that got no answer is asked again by its own words: they go out once, and
// the next requests begin with the same bytes.
func TestUnansweredPromptGoesOutOnce(t *testing.T) {
	t.Parallel()
	w := newRowWorld(t)
	server := agenttest.Serve(t, `
version: 1
steps:
  - fail: {status: 401, body: no}
  - fail: {status: 401, body: no}
  - reply: {text: Letters.}
  - reply: {text: More.}
`)
	ask := func(prompt string, exit int, answer string, more ...string) {
		w.run(t, server.BaseURL, append([]string{"chat", "--model", "m", "-p", prompt}, more...), rowRun{Exit: exit, Stdout: answer})
	}
	ask("What is ABC?", exitFailed, "")
	ask("What is ABC?", exitFailed, "", "--continue")
	ask("What is ABC?", exitOK, "Letters.\n", "--continue")
	ask("What is ABC?", exitOK, "More.\n", "--continue")
	requests := server.Requests()
	var users []int
	for i, r := range requests {
		users = append(users, strings.Count(string(r.Body), "What is ABC?"))
		if before := rawOf(t, requests[max(i-1, 0)]); !bytes.HasPrefix(rawOf(t, r).Messages, bytes.TrimSuffix(before.Messages, []byte("]"))) {
			t.Errorf("request %d does not begin like the one before:\n%s", i+1, r.Body)
		}
	}
	if want := []int{1, 1, 1, 2}; !slices.Equal(users, want) {
		t.Errorf("the prompt was sent %v times, want %v", users, want)
	}
}

// The index of skills and read_skill come together or not at all, and so does
// the rule about them.
func TestIndexAndReadSkillTogether(t *testing.T) {
	t.Parallel()
	const skillText = "---\nname: report\ndescription: Writes reports. Use for reports.\n---\nWrite.\n"
	tests := []struct {
		name  string
		files map[string]string
		args  []string
		want  bool
	}{
		{"no skills", nil, nil, false},
		{"a skill of the workspace", map[string]string{".skill/report/SKILL.md": skillText}, nil, true},
		{"a shared skill that the app offers", map[string]string{"skills/report/SKILL.md": skillText, "apps/a/APP.md": "---\nname: a\ndescription: A.\nskills: [report]\n---\nHi.\n"}, []string{"--app", "a"}, true},
		{"a shared skill that the app does not offer", map[string]string{"skills/report/SKILL.md": skillText}, nil, false},
		{"an app without skills", map[string]string{".skill/report/SKILL.md": skillText, "apps/a/APP.md": "---\nname: a\ndescription: A.\nskill-sources: []\n---\nHi.\n"}, []string{"--app", "a"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			body := firstRequest(t, tt.files, tt.args...)
			for _, text := range []string{"<name>report</name>", `"name":"read_skill"`, "Skills are instructions"} {
				if strings.Contains(body, text) != tt.want {
					t.Errorf("%q in the request: %t, want %t\n%s", text, !tt.want, tt.want, body)
				}
			}
		})
	}
}

// firstRequest is what a chat with "hi" sends first, from a workspace with files.
func firstRequest(t *testing.T, files map[string]string, args ...string) string {
	t.Helper()
	w := newRowWorld(t)
	server := agenttest.Serve(t, "version: 1\nsteps:\n  - reply: {text: Hello.}\n")
	for name, text := range files {
		w.write(t, name, []byte(strings.ReplaceAll(text, "MODEL_URL", server.BaseURL)))
	}
	w.run(t, server.BaseURL, append([]string{"chat", "--model", "m", "--trust-workspace", "-p", "hi"}, args...), rowRun{Stdout: "Hello.\n"})
	return string(server.Requests()[0].Body)
}

// The tools are listed in the prompt where the model needs it, or as the settings
// say.
func TestInventory(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, model, app string
		want             bool
	}{
		{"unknown window", "{name: x, id: big}", "", true},
		{"small window", "{name: x, id: big, context_window: 32000}", "", true},
		{"large window", "{name: x, id: big, context_window: 100000}", "", false},
		{"large window of a small model", "{name: x, id: qwen3-4b, context_window: 100000}", "", true},
		{"a small model that is trusted", "{name: x, id: qwen3-4b, context_window: 100000, tool_mode: native}", "", false},
		{"always", "{name: x, id: big, context_window: 100000, inventory: always}", "", true},
		{"never", "{name: x, id: big, inventory: never}", "", false},
		{"the app says never", "{name: x, id: big}", "never", false},
		{"the app says always", "{name: x, id: big, context_window: 100000}", "always", true},
		{"the model goes before the app", "{name: x, id: big, inventory: never}", "always", false},
		{"text mode needs it", "{name: x, id: big, context_window: 100000, tool_mode: text, inventory: never}", "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			app := "---\nname: a\ndescription: A.\n"
			if tt.app != "" {
				app += "inventory: " + tt.app + "\n"
			}
			files := map[string]string{"agentctl.yaml": "models:\n  - " + tt.model + "\n", "apps/a/APP.md": app + "---\nHi.\n"}
			body := firstRequest(t, files, "--model", "x", "--app", "a")
			if got := strings.Contains(body, `\n- read_file: Read a text file.`); got != tt.want {
				t.Errorf("got %t, want %t", got, tt.want)
			}
		})
	}
}

// maxOverhead is what agentctl itself may send with each request of the default
// app, in bytes: the whole body without skills, without packages and without the
// user's words, once for a model that gets the tools as an array alone (4 kB),
// and once for one that also reads them as an inventory.
const (
	maxOverhead          = 4_000
	maxOverheadInventory = 6_500
)

func TestOverhead(t *testing.T) {
	t.Parallel()
	for inventory, limit := range map[string]int{"never": maxOverhead, "always": maxOverheadInventory} {
		body := firstRequest(t, map[string]string{"agentctl.yaml": "models:\n  - {name: x, id: m, inventory: " + inventory + "}\n"}, "--model", "x")
		t.Logf("inventory %s: %d bytes", inventory, len(body))
		if len(body) > limit {
			t.Errorf("inventory %s: the first request has %d bytes, at most %d are ours to use:\n%s", inventory, len(body), limit, body)
		}
	}
}
