package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/agentctl/agentctl/internal/frontmatter"
	"github.com/agentctl/agentctl/internal/iostreams"
	"github.com/agentctl/agentctl/internal/userdirs"
	"github.com/agentctl/agentctl/pkg/agent/agenttest"
	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/session"
)

// row is one file of testdata/rows: a way in which a model or its server fails,
// byte for byte, and what has to come of it. The files beside want.yaml and
// script.yaml are the workspace. Numbers are those of the failure modes that
// small models are known for; s01 to s12 are the streams on which client
// libraries were seen to lose, invent or run broken calls.
type row struct {
	// Runs are command lines behind `agentctl chat --model m`; later ones go on
	// with the session of the first.
	Runs []rowRun `yaml:"runs"`
	// Ran are the calls with what came of them, as "name args status".
	Ran []string `yaml:"ran"`
	// Results are texts that the result of call i must hold.
	Results []string `yaml:"results"`
	// Repaired is everything that was mended.
	Repaired []string `yaml:"repaired"`
	// Reasoning is what the model thought.
	Reasoning string `yaml:"reasoning"`
	// Warned are the codes of warnings.
	Warned []string `yaml:"warned"`
	// Retries and Compactions count records.
	Retries     int `yaml:"retries"`
	Compactions int `yaml:"compactions"`
	// Requests is how many arrived at the server.
	Requests int `yaml:"requests"`
	// History are the messages of the last request behind the system prompt, as
	// "role: text" or "role: text name args, name args".
	History []string `yaml:"history"`
	// Sent and NotSent are texts in the body of a request, by its number.
	Sent    map[int][]string `yaml:"sent"`
	NotSent map[int][]string `yaml:"not_sent"`
}

type rowRun struct {
	Args   []string `yaml:"args"`
	Exit   int      `yaml:"exit"`
	Stdout string   `yaml:"stdout"`
	Stderr []string `yaml:"stderr"` // texts that it must hold
	// KillAfter cuts the session's file behind the first record of this type, as a
	// kill would have left it.
	KillAfter session.Type `yaml:"kill_after"`
}

// packets are the sizes in which an answer travels. No server promises any.
var packets = map[string][]int{"bytes": {1}, "odd": {7, 1, 13, 2, 64}, "large": {4096}}

func TestRows(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "rows", "*.txtar"))
	if err != nil || len(files) < 30+12 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		for name, sizes := range packets {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar")+"/"+name, func(t *testing.T) {
				t.Parallel()
				playRow(t, file, sizes)
			})
		}
	}
}

func playRow(t *testing.T, file string, sizes []int) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	w := newRowWorld(t)
	var want row
	if err := frontmatter.UnmarshalStrict(file, member(archive, "want.yaml"), &want); err != nil {
		t.Fatal(err)
	}
	server := agenttest.Serve(t, string(member(archive, "script.yaml")), agenttest.Options{Segments: sizes})
	for _, f := range archive.Files {
		if f.Name != "want.yaml" && f.Name != "script.yaml" {
			w.write(t, f.Name, bytes.ReplaceAll(f.Data, []byte("MODEL_URL"), []byte(server.BaseURL)))
		}
	}
	for i, run := range want.Runs {
		args := append([]string{"chat", "--model", "m", "--trust-workspace"}, run.Args...)
		if i > 0 {
			args = append(args, "--continue")
		}
		w.run(t, server.BaseURL, args, run)
	}
	want.checkRecords(t, w.records(t))
	want.checkRequests(t, server.Requests())
}

func member(a *txtar.Archive, name string) []byte {
	for _, f := range a.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

// rowWorld is a user with a workspace.
type rowWorld struct {
	dirs userdirs.Dirs
	ws   string
}

func newRowWorld(t *testing.T) rowWorld {
	home := t.TempDir()
	w := rowWorld{ws: t.TempDir(), dirs: userdirs.Dirs{
		Home: home, Config: filepath.Join(home, "config"), State: filepath.Join(home, "state"), Cache: filepath.Join(home, "cache"),
	}}
	return w
}

func (w rowWorld) write(t *testing.T, name string, data []byte) {
	path := filepath.Join(w.ws, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func (w rowWorld) factory(io *iostreams.IOStreams, baseURL string) *Factory {
	f := &Factory{
		IO: io, Dirs: w.dirs, Now: time.Now,
		Cwd: func() (string, error) { return w.ws, nil },
		Getenv: func(name string) string {
			return map[string]string{"AGENTCTL_BASE_URL": baseURL, "PATH": os.Getenv("PATH"), "HOME": w.dirs.Home}[name]
		},
	}
	f.fill()
	return f
}

func (w rowWorld) run(t *testing.T, baseURL string, args []string, want rowRun) {
	t.Helper()
	io, _, stdout, stderr := iostreams.Test()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	exit := Run(ctx, w.factory(io, baseURL), args)
	if exit != want.Exit || stdout.String() != want.Stdout {
		t.Errorf("%q: exit %d, stdout %q\nwant exit %d, stdout %q\nstderr: %s", args, exit, stdout, want.Exit, want.Stdout, stderr)
	}
	for _, text := range want.Stderr {
		if !strings.Contains(stderr.String(), text) {
			t.Errorf("%q: stderr is\n%s\nwant it to hold %q", args, stderr, text)
		}
	}
	if want.KillAfter != "" {
		w.kill(t, want.KillAfter)
	}
}

func (w rowWorld) sessionFile(t *testing.T) string {
	files, err := filepath.Glob(filepath.Join(w.dirs.State, "*", "*", "sessions", "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("sessions: %q, %v", files, err)
	}
	return files[0]
}

func (w rowWorld) kill(t *testing.T, after session.Type) {
	path := w.sessionFile(t)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(data, fmt.Appendf(nil, `{"type":%q`, after))
	if at < 0 {
		t.Fatalf("no record of type %s", after)
	}
	at += bytes.IndexByte(data[at:], '\n')
	// Half a line more: it was being written.
	if err := os.WriteFile(path, append(data[:at+1], `{"type":"to`...), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (w rowWorld) records(t *testing.T) []session.Record {
	data, err := os.ReadFile(w.sessionFile(t))
	if err != nil {
		t.Fatal(err)
	}
	var out []session.Record
	for line := range bytes.Lines(data) {
		var r session.Record
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		out = append(out, r)
	}
	return out
}

func (w row) checkRecords(t *testing.T, records []session.Record) {
	t.Helper()
	args := map[string]string{}
	var ran, results, repaired, warned []string
	var reasoning string
	retries, compactions, ends := 0, 0, 0
	for _, r := range records {
		switch b := r.Body.(type) {
		case session.ToolCall:
			args[b.ID] = string(b.Args)
		case session.ToolResult:
			ran = append(ran, fmt.Sprintf("%s %s %s", b.Name, args[b.ID], b.Status))
			results = append(results, b.Content)
		case session.Repair:
			repaired = append(repaired, b.What...)
		case session.Warning:
			warned = append(warned, b.Code)
		case session.ReasoningDelta:
			reasoning += b.Text
		case session.Retry:
			retries++
		case session.Compaction:
			compactions++
		case session.Result:
			ends++
		}
	}
	same(t, "calls", ran, w.Ran)
	same(t, "repairs", repaired, w.Repaired)
	same(t, "warnings", warned, w.Warned)
	if reasoning != w.Reasoning || retries != w.Retries || compactions != w.Compactions {
		t.Errorf("thought %q, %d retries, %d compactions; want %q, %d, %d", reasoning, retries, compactions, w.Reasoning, w.Retries, w.Compactions)
	}
	for i, text := range w.Results {
		if i >= len(results) || !strings.Contains(results[i], text) {
			t.Errorf("the results are %q, want number %d to hold %q", results, i+1, text)
		}
	}
	killed := slices.ContainsFunc(w.Runs, func(r rowRun) bool { return r.KillAfter != "" })
	if ends != len(w.Runs) && !killed {
		t.Errorf("%d result records for %d runs", ends, len(w.Runs))
	}
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

func (w row) checkRequests(t *testing.T, requests []agenttest.Request) {
	t.Helper()
	if len(requests) != w.Requests {
		t.Fatalf("%d requests arrived, want %d", len(requests), w.Requests)
	}
	for i, r := range requests {
		checkMessages(t, r.Body)
		for _, text := range w.Sent[i+1] {
			if !bytes.Contains(r.Body, []byte(text)) {
				t.Errorf("request %d has no %q:\n%s", i+1, text, r.Body)
			}
		}
		for _, text := range w.NotSent[i+1] {
			if bytes.Contains(r.Body, []byte(text)) {
				t.Errorf("request %d has %q:\n%s", i+1, text, r.Body)
			}
		}
	}
	if got := history(t, requests[len(requests)-1].Body); w.History != nil {
		same(t, "history", got, w.History)
	}
}

// sentMessages is what came back to the server.
type sentMessages struct {
	Messages []struct {
		Role       model.Role `json:"role"`
		Content    string     `json:"content"`
		Reasoning  string     `json:"reasoning_content"`
		ToolCallID string     `json:"tool_call_id"`
		ToolCalls  []struct {
			ID       string `json:"id"`
			Function struct {
				Name      string `json:"name"`
				Arguments string `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	} `json:"messages"`
}

func decodeSent(t *testing.T, body []byte) sentMessages {
	t.Helper()
	var sent sentMessages
	if err := json.Unmarshal(body, &sent); err != nil {
		t.Fatal(err)
	}
	return sent
}

// checkMessages holds what all servers want of a history: each call is answered
// once and directly, arguments are JSON objects, roles alternate.
func checkMessages(t *testing.T, body []byte) {
	t.Helper()
	var open []string
	last := model.Role("")
	ids := map[string]bool{}
	for _, m := range decodeSent(t, body).Messages {
		if m.Role == model.Tool {
			if len(open) == 0 || open[0] != m.ToolCallID {
				t.Fatalf("a result of %q where %q is open:\n%s", m.ToolCallID, open, body)
			}
			open = open[1:]
		} else if len(open) > 0 || m.Role == last {
			t.Fatalf("a message of %s after %s, with %q open:\n%s", m.Role, last, open, body)
		}
		last = m.Role
		for _, c := range m.ToolCalls {
			var args map[string]any
			if err := json.Unmarshal([]byte(c.Function.Arguments), &args); err != nil || ids[c.ID] || c.ID == "" {
				t.Fatalf("call %+v: %v", c, err)
			}
			ids[c.ID] = true
			open = append(open, c.ID)
		}
	}
	if len(open) > 0 || last == model.Assistant {
		t.Fatalf("the request ends with %q open, in a message of %s:\n%s", open, last, body)
	}
}

func history(t *testing.T, body []byte) []string {
	t.Helper()
	var out []string
	for _, m := range decodeSent(t, body).Messages {
		if m.Role == model.System {
			continue
		}
		line := string(m.Role) + ": " + m.Content
		if m.Reasoning != "" {
			line = string(m.Role) + ": [" + m.Reasoning + "] " + m.Content
		}
		var calls []string
		for _, c := range m.ToolCalls {
			calls = append(calls, c.Function.Name+" "+c.Function.Arguments)
		}
		if line = strings.TrimSpace(line + " " + strings.Join(calls, ", ")); len(calls) == 0 {
			line = strings.TrimSuffix(line, " ")
		}
		out = append(out, line)
	}
	return out
}
