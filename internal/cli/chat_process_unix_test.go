//go:build unix

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentctl/agentctl/pkg/agent/session"
)

// The contract of chat as a process: signals, kills, pipes, two at once. The
// program is this test binary, which TestMain puts on the PATH.

// place is a workspace with a home folder of its own.
type place struct {
	t   testing.TB
	dir string
}

func newPlace(t testing.TB, files map[string]string) place {
	t.Helper()
	p := place{t, t.TempDir()}
	files[".git/HEAD"] = ""
	for name, text := range files {
		p.write(filepath.Join(p.dir, filepath.FromSlash(name)), text)
	}
	return p
}

func (p place) write(file, text string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// program prepares a run of agentctl. stdin is empty.
func (p place) program(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "agentctl", args...)
	cmd.Dir = p.dir
	home := filepath.Join(p.dir, ".home")
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home+"/config", "XDG_STATE_HOME="+home+"/state", "XDG_CACHE_HOME="+home+"/cache")
	return cmd
}

// run runs agentctl to its end.
func (p place) run(args ...string) (out, errOut string, exit int) {
	p.t.Helper()
	return p.runCmd(p.program(p.t.Context(), args...))
}

func (p place) runCmd(cmd *exec.Cmd) (out, errOut string, exit int) {
	p.t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		p.t.Fatal(err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

// sessions are the files of the workspace's sessions.
func (p place) sessions() []string {
	p.t.Helper()
	files, err := filepath.Glob(filepath.Join(p.dir, ".home/state/agentctl/workspaces/*/sessions/*.jsonl"))
	if err != nil {
		p.t.Fatal(err)
	}
	return files
}

// oneSession is the file of the only session.
func (p place) oneSession() string {
	p.t.Helper()
	files := p.sessions()
	if len(files) != 1 {
		p.t.Fatalf("%d sessions, want 1", len(files))
	}
	return files[0]
}

// checkRecords reads a session that must be whole and numbered without gaps.
func checkRecords(t testing.TB, file string) []session.Record {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	records, good, err := session.Read(bytes.NewReader(data))
	if err != nil || int(good) != len(data) {
		t.Fatalf("%d of %d bytes are good, error %v", good, len(data), err)
	}
	for i, r := range records {
		if r.Seq != i+1 {
			t.Fatalf("record %d has seq %d", i+1, r.Seq)
		}
	}
	return records
}

const hang = "version: 1\nsteps: [{fail: {hang: true}}]\n"

// waitFor waits until a file that matches holds a text.
func waitFor(t testing.TB, pattern, text string) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		files, _ := filepath.Glob(pattern)
		for _, f := range files {
			if data, _ := os.ReadFile(f); strings.Contains(string(data), text) {
				return
			}
		}
	}
	t.Fatalf("%q did not appear in %s", text, pattern)
}

// resultOf is the result that ends a stream, which has exactly one.
func resultOf(t testing.TB, stream string) (r struct {
	Type string
	Stop session.Stop
	Exit int
},
) {
	t.Helper()
	lines := strings.Split(strings.TrimRight(stream, "\n"), "\n")
	if n := strings.Count(stream, `"type":"result"`); n != 1 {
		t.Errorf("%d result lines, want 1:\n%s", n, stream)
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &r); err != nil || r.Type != "result" {
		t.Errorf("the last line is no result: %v\n%s", err, stream)
	}
	return r
}

// Interrupted, a stream ends as ever: one result line, and the session goes on.
func TestChatSignals(t *testing.T) {
	t.Parallel()
	scripts := map[string]string{
		"thinking": hang,
		"talking":  "version: 1\nsteps: [{reply: {text: one two three four five six seven, chunk: 4, delay: 1s}}]\n",
		"working":  "version: 1\nsteps: [{reply: {tool_calls: [{name: exec, args: {argv: [sleep, '60']}}]}}]\n",
	}
	for name, script := range scripts {
		for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			t.Run(name+" "+sig.String(), func(t *testing.T) {
				t.Parallel()
				p := newPlace(t, map[string]string{"s.yaml": script, "next.yaml": "version: 1\nsteps: [{reply: {text: on}}]\n"})
				cmd := p.program(t.Context(), "chat", "--model", "scripted:s.yaml", "--output", "stream-json", "--allow", "exec", "--sandbox", "none", "-p", "go")
				var out bytes.Buffer
				cmd.Stdout = &out
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				waitFor(t, filepath.Join(p.dir, ".home/state/agentctl/workspaces/*/sessions/*.jsonl"), map[string]string{
					"thinking": `"type":"user"`, "talking": `"type":"text_delta"`, "working": `"type":"tool_call"`,
				}[name])
				start := time.Now()
				if err := cmd.Process.Signal(sig); err != nil {
					t.Fatal(err)
				}
				_ = cmd.Wait() // the code is checked
				if took := time.Since(start); took > patience/2 {
					t.Errorf("it took %s to end", took)
				}
				if r := resultOf(t, out.String()); r.Stop != session.StopInterrupted || r.Exit != exitInterrupted || cmd.ProcessState.ExitCode() != exitInterrupted {
					t.Errorf("got %+v, exit code %d", r, cmd.ProcessState.ExitCode())
				}
				if text, errOut, exit := p.run("chat", "--continue", "--model", "scripted:next.yaml", "-p", "again"); text != "on\n" || exit != exitOK {
					t.Errorf("then got %q, exit code %d, %s", text, exit, errOut)
				}
				checkRecords(t, p.oneSession())
			})
		}
	}
}

// A run that is killed at any moment leaves a session that goes on.
func TestChatKilled(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"s.yaml":    "version: 1\nloop: true\nsteps: [{reply: {text: a lot of words in a row, chunk: 1, delay: 1ms, tool_calls: [{name: list_files, args: {}}]}}]\n",
		"next.yaml": "version: 1\nsteps: [{reply: {text: on}}]\n",
	})
	for i := range 12 {
		cmd := p.program(t.Context(), "chat", "--model", "scripted:s.yaml", "-p", "go", "--max-steps", "500")
		if i > 0 {
			cmd.Args = append(cmd.Args, "--continue")
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			waitFor(t, filepath.Join(p.dir, ".home/state/agentctl/workspaces/*/sessions/*.jsonl"), `"type":"user"`)
		}
		time.Sleep(time.Duration(7*i) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed
		if text, errOut, exit := p.run("chat", "--continue", "--model", "scripted:next.yaml", "-p", "again"); text != "on\n" || exit != exitOK {
			t.Fatalf("after kill %d: got %q, exit code %d, %s", i, text, exit, errOut)
		}
		checkRecords(t, p.oneSession())
	}
}

// Two runs of one session: the second is refused, and a copy is offered.
func TestChatTwice(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"s.yaml": hang, "next.yaml": "version: 1\nsteps: [{reply: {text: on}}]\n"})
	first := p.program(t.Context(), "chat", "--model", "scripted:s.yaml", "-p", "go")
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	stop := func() { _ = first.Process.Kill(); _ = first.Wait() } // killed
	t.Cleanup(stop)
	waitFor(t, filepath.Join(p.dir, ".home/state/agentctl/workspaces/*/sessions/*.jsonl"), `"type":"user"`)
	id := strings.TrimSuffix(filepath.Base(p.oneSession()), ".jsonl")
	for _, args := range [][]string{
		{"chat", "--continue", "--model", "scripted:next.yaml", "-p", "x"},
		{"chat", "--session", id[:4], "--model", "scripted:next.yaml", "-p", "x", "--json"},
		{"session", "rm", id},
		{"session", "rm", "--all"},
		{"session", "rename", id, "title"},
	} {
		_, errOut, exit := p.run(args...)
		if exit != exitFailed || !strings.Contains(errOut, "session "+id+" is in use by another run") || !strings.Contains(errOut, "--fork "+id) {
			t.Errorf("%v: exit code %d, %s", args, exit, errOut)
		}
	}
	if out, errOut, exit := p.run("session", "list"); exit != exitOK || !strings.HasPrefix(out, id) {
		t.Errorf("list: %s%s", out, errOut)
	}
	if out, errOut, exit := p.run("chat", "--fork", id, "--model", "scripted:next.yaml", "-p", "x"); exit != exitOK || out != "on\n" {
		t.Errorf("fork: exit code %d, %s%s", exit, out, errOut)
	}
	stop()
	if out, errOut, exit := p.run("chat", "--session", id, "--model", "scripted:next.yaml", "-p", "x"); exit != exitOK || out != "on\n" {
		t.Errorf("later: exit code %d, %s%s", exit, out, errOut)
	}
	for _, f := range p.sessions() {
		checkRecords(t, f)
	}
}

// A pipe that says nothing and stays open holds up no run that has its prompt.
func TestChatSilentPipe(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		args []string
		exit int
	}{
		{"a prompt", []string{"-p", "go"}, exitOK},
		{"as JSON", []string{"-p", "go", "--output", "stream-json"}, exitOK},
		{"no prompt, and no time", []string{"--timeout", "200ms"}, exitTimeout},
		{"both, and no time", []string{"-p", "go", "-", "--timeout", "200ms"}, exitTimeout},
		{"no prompt, and no model", []string{"--model", "nope"}, exitUsage},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, map[string]string{"s.yaml": "version: 1\nstrict: false\nsteps: [{reply: {text: on}}]\n"})
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			defer w.Close()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			cmd := p.program(ctx, append([]string{"chat", "--model", "scripted:s.yaml"}, tt.args...)...)
			cmd.Stdin = r
			out, errOut, exit := p.runCmd(cmd)
			if exit != tt.exit || ctx.Err() != nil {
				t.Errorf("exit code %d, want %d: %s%s", exit, tt.exit, out, errOut)
			}
			if strings.Contains(errOut, "not read") {
				t.Errorf("there was nothing to read: %s", errOut)
			}
		})
	}
}

// A reader that goes away ends the run quietly, without an error about it.
func TestChatClosedPipe(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"s.yaml": "version: 1\nsteps: [{reply: {text: one two three, chunk: 1, delay: 20ms}}]\n"})
	cmd := p.program(t.Context(), "sh")
	cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", "agentctl chat --model scripted:s.yaml --output stream-json -p go | head -n 1"}
	out, errOut, _ := p.runCmd(cmd)
	if !strings.HasPrefix(out, `{"type":"init"`) || strings.Contains(errOut, "pipe") {
		t.Errorf("got %q, %q", out, errOut)
	}
}
