package builtin_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agentctl/agentctl/pkg/agent"
	"github.com/agentctl/agentctl/pkg/agent/builtin"
	"github.com/agentctl/agentctl/pkg/sandbox"
)

// says is a sandbox in which everything prints that and exits so.
func says(stdout, stderr string, exit int) fake {
	return func(_ sandbox.Policy, c sandbox.Command) (sandbox.Result, error) {
		_, _ = io.WriteString(c.Stdout, stdout)
		_, _ = io.WriteString(c.Stderr, stderr)
		return sandbox.Result{Exit: exit, Stdout: captured(stdout), Stderr: captured(stderr)}, nil
	}
}

// captured keeps what a sandbox keeps.
func captured(s string) sandbox.Capture {
	const keep = 64 << 10
	if len(s) <= 2*keep {
		return sandbox.Capture{Head: []byte(s)}
	}
	return sandbox.Capture{Head: []byte(s[:keep]), Tail: []byte(s[len(s)-keep:]), Dropped: int64(len(s) - 2*keep)}
}

func TestExec(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		fake fake
		want string
		fail bool
		exit int
	}{
		{"output", says("a\nb\n", "", 0), "exit_code: 0\nstdout:\na\nb\n", false, 0},
		{"nothing", says("", "", 0), "exit_code: 0\n", false, 0},
		{"failure", says("a", "oops\n", 3), "exit_code: 3\nstdout:\na\nstderr:\noops\n", true, 3},
		{"time limit", func(sandbox.Policy, sandbox.Command) (sandbox.Result, error) {
			return sandbox.Result{Exit: 143, TimedOut: true, Stdout: captured("so far\n")}, nil
		}, "exit_code: 124\nstdout:\nso far\nstderr:\nstopped at its time limit: do less in one call\n", true, 124},
		{"other limits", func(sandbox.Policy, sandbox.Command) (sandbox.Result, error) {
			return sandbox.Result{Exit: 137, OOM: true, CPULimit: true, FileLimit: true, OrphanPipe: true, Hints: []string{"no network here"}}, nil
		}, "exit_code: 137\nstderr:\nstopped at its memory limit: do less in one call\nstopped at its limit of processor time: do less in one call\nstopped at the size limit of a file\na process that it left in the background was ended\nno network here\n", true, 137},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t, nil)
			env.Backend = open(t, tt.fake)
			out := run(t, env, "exec", args{"argv": []string{"ls"}})
			if out.Text != tt.want || out.Failed != tt.fail || out.ExitCode == nil || *out.ExitCode != tt.exit {
				t.Errorf("got %+v\nwant %q", out, tt.want)
			}
		})
	}
}

func TestExecRunsInTheWorkspace(t *testing.T) {
	t.Parallel()
	env := newEnv(t, nil)
	env.Protect = []string{filepath.Join(env.Workspace, "team")}
	ran := false
	env.Backend = open(t, func(p sandbox.Policy, c sandbox.Command) (sandbox.Result, error) {
		ran = true
		want := sandbox.WorkspacePolicy(sandbox.WorkspaceOptions{Dir: env.Workspace, Home: env.Home, Protect: env.Protect})
		if !reflect.DeepEqual(p, want) {
			t.Errorf("policy %+v, want %+v", p, want)
		}
		if want := []string{"git", "log", "--oneline"}; !slices.Equal(c.Args, want) {
			t.Errorf("args %q, want %q", c.Args, want)
		}
		if data, err := io.ReadAll(c.Stdin); len(data) > 0 || err != nil {
			t.Errorf("stdin has %q, error %v", data, err)
		}
		return sandbox.Result{Appeared: []string{"/ws/.git"}}, nil
	})
	out := run(t, env, "exec", args{"argv": []string{"git", "log", "--oneline"}})
	if !ran || len(out.Warnings) != 1 || out.Warnings[0].Code != "sandbox.appeared" ||
		!strings.HasPrefix(out.Warnings[0].Text, "/ws/.git appeared while the command ran.") || !strings.Contains(out.Warnings[0].Text, "agentctl trust") {
		t.Errorf("warnings %+v", out.Warnings)
	}
}

func TestExecRefuses(t *testing.T) {
	t.Parallel()
	env := newEnv(t, map[string]string{".skill/write-up/SKILL.md": strings.ReplaceAll(reportSkill, "name: report", "name: write-up")})
	tests := []textTest{
		{"nothing", args{"argv": []string{""}}, `error: argv is empty. Call exec(argv=["ls", "-l"]) for example.`, true},
		{"a line", args{"argv": []string{"ls -l data"}}, `error: argv is one string. Give each argument as an item: exec(argv=["ls", "-l", "data"]).`, true},
		{"a line for a shell", args{"argv": []string{"cat a | wc -l"}}, `error: argv is one string. Give each argument as an item: exec(argv=["sh", "-c", "cat a | wc -l"]).`, true},
		{"a tool", args{"argv": []string{"list_files", "."}}, `error: list_files is a tool of this chat, not a program. Call the function list_files.`, true},
		{"a tool in other spelling", args{"argv": []string{"Read-File"}}, `error: Read-File is a tool of this chat, not a program. Call the function read_file.`, true},
		{"a tool in a shell", args{"argv": []string{"bash", "-lc", "read_file x | head"}}, `error: read_file is a tool of this chat, not a program. Call the function read_file.`, true},
		{"a skill", args{"argv": []string{"write-up"}}, `error: write-up is a skill, not a program. Call read_skill(name="write-up") and follow it.`, true},
	}
	checkTexts(t, env, "exec", tests)
	for _, tt := range tests { // and nobody is asked about it
		if _, text := approval(t, env, "exec", tt.args); text != tt.want {
			t.Errorf("%s: approval says %q", tt.name, text)
		}
	}
	env.Backend = nil
	checkTexts(t, env, "exec", []textTest{{"no sandbox", args{"argv": []string{"ls"}}, "error: programs cannot be run in this chat. Go on without.", true}})
}

// Deeper in a script only the shell knows what is missing.
func TestExecHintsAtWhatAShellDidNotFind(t *testing.T) {
	t.Parallel()
	env := newEnv(t, map[string]string{".skill/write-up/SKILL.md": strings.ReplaceAll(reportSkill, "name: report", "name: write-up")})
	for stderr, want := range map[string]string{
		"sh: 1: foo: not found\nsh: 2: write-up: not found\n": `hint: write-up is a skill, not a program. Call read_skill(name="write-up") and follow it.` + "\n",
		"bash: line 1: read-file: command not found\n":        "hint: read-file is a tool of this chat, not a program. Call the function read_file.\n",
		"bash: line 1: foo: command not found\n":              "",
	} {
		env.Backend = open(t, says("", stderr, 127))
		if out := run(t, env, "exec", args{"argv": []string{"sh", "-c", "cd x; y"}}); out.Text != "exit_code: 127\nstderr:\n"+stderr+want {
			t.Errorf("got %q, want the end %q", out.Text, want)
		}
	}
}

func TestExecRunsProgramsThatAreCalledLikeSkills(t *testing.T) {
	t.Parallel()
	env := newEnv(t, map[string]string{".skill/ls/SKILL.md": strings.ReplaceAll(reportSkill, "name: report", "name: ls")})
	env.Backend = open(t, says("ran\n", "", 0))
	for _, argv := range [][]string{{"ls"}, {"sh", "-c", "ls | wc"}, {"sh", "-c"}, {"./write-up"}} {
		if out := run(t, env, "exec", args{"argv": argv}); out.Text != "exit_code: 0\nstdout:\nran\n" {
			t.Errorf("%q: %q", argv, out.Text)
		}
	}
}

func TestExecApproval(t *testing.T) {
	t.Parallel()
	env := newEnv(t, nil)
	req, _ := approval(t, env, "exec", args{"argv": []string{"git", "commit", "-m", "it's a fix", ""}})
	want := agent.ApprovalRequest{
		Key: "exec:git", Covers: `every "git …"`, Names: []string{"exec", "exec:git"}, Ask: true, Summary: `run git commit -m 'it'\''s a fix' ''`,
		Detail: fill(env, "in the sandbox: no network; it can read and write in WS\n"),
	}
	if !reflect.DeepEqual(req, want) {
		t.Errorf("got  %+v\nwant %+v", req, want)
	}
	script := "echo 1\n" + strings.Repeat("x", 5000)
	req, _ = approval(t, env, "exec", args{"argv": []string{"sh", "-c", script}})
	if req.Summary != "run sh -c 'echo 1…" || !strings.HasPrefix(req.Detail, "sh -c 'echo 1\nxxx") || !strings.Contains(req.Detail, "x… 1015 more characters\nin the sandbox: ") {
		t.Errorf("got %q\n%s", req.Summary, req.Detail)
	}
	if req, _ = approval(t, env, "exec", args{"argv": []string{"echo", strings.Repeat("y", 300)}}); len(req.Summary) != len("run …")+200 || !strings.HasPrefix(req.Detail, "echo yyy") {
		t.Errorf("got %q\n%s", req.Summary, req.Detail)
	}
	env.Workspace = env.Home
	if req, _ := approval(t, env, "exec", args{"argv": []string{"./x"}}); req.Key != "exec:./x" || req.Detail != "in the sandbox: no network; no files of yours\n" {
		t.Errorf("got %+v", req)
	}
	env.Unconfined = true
	if req, _ := approval(t, env, "exec", args{"argv": []string{"ls"}}); req.Detail != "without a sandbox: it can do what you can do\n" {
		t.Errorf("got %+v", req)
	}
}

// What the model can mend is told to it, what the sandbox does wrong ends the turn.
func TestExecErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, want string
		err        error
	}{
		{"no program", `error: there is no program "foo" in the sandbox. Use another program, or tell the user that it is missing.`, &sandbox.NotFoundError{Program: "foo"}},
		{"no permission", `error: "foo" cannot be executed: permission denied. Run it by its interpreter, such as ["python3", …] or ["sh", …].`, &sandbox.NotExecutableError{Program: "foo", Reason: "permission denied"}},
		{"policy", `error: the sandbox refuses this: /x does not exist. Tell the user: create it.`, &sandbox.PolicyError{Path: "/x", Reason: "does not exist", Cure: "create it"}},
		{"fault", "", &sandbox.Fault{Backend: "bwrap", Reason: "broke"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t, nil)
			env.Backend = open(t, func(sandbox.Policy, sandbox.Command) (sandbox.Result, error) { return sandbox.Result{}, tt.err })
			_, err := find(t, env, "exec").Run(t.Context(), newCall(t, args{"argv": []string{"foo"}}))
			if bad, ok := errors.AsType[*agent.ModelError](err); ok && bad.Text == tt.want || tt.want == "" && errors.Is(err, tt.err) {
				return
			}
			t.Errorf("got %v, want %q", err, tt.want)
		})
	}
	env := newEnv(t, nil)
	closed := errors.New("no backend")
	env.Backend = func(context.Context) (sandbox.Backend, error) { return nil, closed }
	if _, err := find(t, env, "exec").Run(t.Context(), newCall(t, args{"argv": []string{"foo"}})); !errors.Is(err, closed) {
		t.Errorf("got %v, want %v", err, closed)
	}
}

func TestExecIsCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	env := newEnv(t, nil)
	env.Backend = open(t, func(sandbox.Policy, sandbox.Command) (sandbox.Result, error) {
		cancel()
		return sandbox.Result{Canceled: true, Exit: 143}, nil
	})
	if _, err := find(t, env, "exec").Run(ctx, newCall(t, args{"argv": []string{"foo"}})); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func TestLongOutput(t *testing.T) {
	t.Parallel()
	for _, size := range []int{30_000, 30_001, 120_000, 1 << 20} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel()
			whole := strings.Repeat("0123456789abcde\n", size/16+1)[:size]
			env := newEnv(t, nil)
			env.Backend = open(t, says(whole, "warned\n", 0))
			shown := 0
			call := newCall(t, args{"argv": []string{"foo"}})
			call.Output = func(_, text string) { shown += len(text) }
			out, err := find(t, env, "exec").Run(t.Context(), call)
			if err != nil {
				t.Fatal(err)
			}
			if n := utf8.RuneCountInString(out.Text); n > 30_400 {
				t.Errorf("%d characters for the model", n)
			}
			if shown > 30_007 {
				t.Errorf("%d bytes were shown", shown)
			}
			if !strings.HasSuffix(out.Text, "stderr:\nwarned\n") {
				t.Errorf("the text ends in %q", out.Text[len(out.Text)-40:])
			}
			_, after, _ := strings.Cut(out.Text, "the whole is in ")
			path, _, _ := strings.Cut(after, " ")
			if !strings.HasPrefix(path, filepath.Join(env.Workspace, ".agentctl/artifacts/call-")) || filepath.Base(path) != "stdout.txt" {
				t.Fatalf("the text names %q", path)
			}
			if got := read(t, path); got != whole {
				t.Errorf("the file has %d bytes, want %d", len(got), len(whole))
			}
			if got := read(t, filepath.Join(env.Workspace, ".agentctl/artifacts/.gitignore")); got != "*\n" {
				t.Errorf(".gitignore has %q", got)
			}
			rel, _ := filepath.Rel(env.Workspace, path)
			if out := run(t, env, "read_file", args{"path": rel, "limit": 1}); !strings.HasPrefix(out.Text, "0123456789abcde\n[lines 1-1;") {
				t.Errorf("read_file says %q", out.Text)
			}
		})
	}
}

// An output that cannot be kept is cut all the same.
func TestLongOutputWithoutAPlace(t *testing.T) {
	t.Parallel()
	whole := strings.Repeat("x", 200_000)
	for _, trap := range []func(t *testing.T, env *builtin.Env){
		func(_ *testing.T, env *builtin.Env) { env.Workspace = env.Home },
		func(t *testing.T, env *builtin.Env) { // put there by a command of an earlier call
			t.Helper()
			if err := os.Symlink(t.TempDir(), filepath.Join(env.Workspace, ".agentctl")); err != nil {
				t.Fatal(err)
			}
		},
	} {
		env := newEnv(t, nil)
		trap(t, env)
		env.Backend = open(t, says(whole, "", 0))
		out := run(t, env, "exec", args{"argv": []string{"foo"}})
		if n := len(out.Text); n > 30_400 || !strings.Contains(out.Text, "characters left out …]") {
			t.Errorf("%d bytes: %q", n, out.Text[max(0, n-300):])
		}
	}
}

func TestOutputIsShownInWholeCharacters(t *testing.T) {
	t.Parallel()
	env := newEnv(t, nil)
	env.Backend = open(t, func(_ sandbox.Policy, c sandbox.Command) (sandbox.Result, error) {
		for _, b := range []byte("aä→𝄞\xff.") {
			_, _ = c.Stdout.Write([]byte{b})
		}
		return sandbox.Result{}, nil
	})
	var shown []string
	call := newCall(t, args{"argv": []string{"foo"}})
	call.Output = func(stream, text string) { shown = append(shown, stream+" "+text) }
	if _, err := find(t, env, "exec").Run(t.Context(), call); err != nil {
		t.Fatal(err)
	}
	if want := []string{"stdout a", "stdout ä", "stdout →", "stdout 𝄞", "stdout \uFFFD", "stdout ."}; !slices.Equal(shown, want) {
		t.Errorf("got %q, want %q", shown, want)
	}
}

// The real thing: a program in a real sandbox.
func TestExecForReal(t *testing.T) {
	t.Parallel()
	env := newEnv(t, map[string]string{"in.txt": "hello\n", "agentctl.yaml": ""})
	backend, err := sandbox.Open(t.Context(), sandbox.Options{Home: env.Home, Dir: env.Workspace})
	if err != nil {
		skip(t, fmt.Sprintf("no sandbox on this machine: %v", err))
	}
	env.Backend = func(context.Context) (sandbox.Backend, error) { return backend, nil }
	checkTexts(t, env, "exec", []textTest{
		{"writes in the workspace", args{"argv": []string{"sh", "-c", "pwd; cat in.txt > out.txt"}}, "exit_code: 0\nstdout:\nWS\n", false},
		{"a missing program", args{"argv": []string{"no-such-program"}}, `error: there is no program "no-such-program" in the sandbox. Use another program, or tell the user that it is missing.`, true},
	})
	if got := read(t, filepath.Join(env.Workspace, "out.txt")); got != "hello\n" {
		t.Errorf("out.txt has %q", got)
	}
	if out := run(t, env, "exec", args{"argv": []string{"sh", "-c", "echo x >> agentctl.yaml"}}); *out.ExitCode == 0 {
		t.Errorf("a protected file was written: %q", out.Text)
	}
}

func skip(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("AGENTCTL_TEST_NO_SKIP") == "1" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

func TestAskUser(t *testing.T) {
	t.Parallel()
	env := newEnv(t, nil)
	out := run(t, env, "ask_user", args{"question": " Which one? ", "choices": []string{"a", "b"}})
	if out.Question == nil || out.Question.Text != "Which one?" || !slices.Equal(out.Question.Choices, []string{"a", "b"}) ||
		out.Text != "The user was asked. The next message of the user is the answer." {
		t.Errorf("got %+v", out)
	}
	out = run(t, env, "ask_user", args{"question": "Why?"})
	if raw, err := json.Marshal(out.Question); err != nil || string(raw) != `{"text":"Why?","choices":[]}` {
		t.Errorf("got %s, error %v", raw, err)
	}
	checkTexts(t, env, "ask_user", []textTest{{"empty", args{"question": " "}, "error: the question is empty. Call ask_user again with the whole question.", true}})
}

// A command that swaps the folder of long outputs for a link gets nothing written
// where the link leads, and nothing stays open.
func TestExecWritesThroughNoLink(t *testing.T) {
	t.Parallel()
	env := newEnv(t, nil)
	outside := t.TempDir()
	artifacts := filepath.Join(env.Workspace, ".agentctl", "artifacts")
	long := []byte(strings.Repeat("x", 200_000))
	env.Backend = open(t, func(_ sandbox.Policy, c sandbox.Command) (sandbox.Result, error) {
		_, err1 := c.Stdout.Write(long)
		calls, _ := filepath.Glob(filepath.Join(artifacts, "call-*"))
		if len(calls) != 1 {
			t.Fatalf("folders of calls: %v", calls)
		}
		call := filepath.Join(outside, filepath.Base(calls[0]))
		err := errors.Join(err1, os.Rename(artifacts, artifacts+"-moved"), os.Mkdir(call, 0o755), os.Symlink(outside, artifacts))
		_, err2 := c.Stderr.Write(long)
		if left, _ := os.ReadDir(call); len(left) > 0 {
			t.Errorf("written outside: %v", left)
		}
		return sandbox.Result{}, errors.Join(err, err2)
	})
	run(t, env, "exec", args{"argv": []string{"foo"}})
	if files, _ := filepath.Glob(artifacts + "-moved/call-*/*.txt"); len(files) != 2 {
		t.Errorf("kept: %v", files)
	}
	if open := openBelow(t, env.Workspace); len(open) > 0 {
		t.Errorf("still open: %v", open)
	}
}

// openBelow lists what this process has open below a folder, where /proc tells.
func openBelow(t *testing.T, dir string) (open []string) {
	t.Helper()
	fds, _ := filepath.Glob("/proc/self/fd/*")
	for _, fd := range fds {
		if to, err := os.Readlink(fd); err == nil && strings.HasPrefix(to, dir) {
			open = append(open, to)
		}
	}
	return open
}
