package sandbox_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/pkg/sandbox"
	"github.com/agentctl/agentctl/pkg/sandbox/sandboxtest"
)

// each runs a test with every local backend, none too, at the same time.
func each(t *testing.T, names []string, f func(t *testing.T, b sandbox.Backend)) {
	t.Helper()
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, open(t, sandbox.Options{Name: name}))
		})
	}
}

var (
	confining = []string{"bwrap", "native"}
	local     = []string{"bwrap", "native", "none"}
)

func sh(line string) sandbox.Command { return sandbox.Command{Args: []string{"sh", "-c", line}} }

func TestWritersSeeOutputWhileItRuns(t *testing.T) {
	each(t, local, func(t *testing.T, b sandbox.Backend) {
		first := make(chan string, 10)
		c := sh("echo one; sleep 5")
		c.Stdout = writerFunc(func(p []byte) (int, error) {
			first <- string(p)
			return len(p), nil
		})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() {
			if got := <-first; got != "one\n" {
				t.Errorf("the writer got %q", got)
			}
			cancel()
		}()
		res, err := b.Run(ctx, sandbox.Policy{}, c)
		if err != nil || !res.Canceled || string(res.Stdout.Head) != "one\n" || res.Duration > 5*time.Second {
			t.Errorf("%+v, %v", res, err)
		}
	})
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestFailingWriterEndsTheRun(t *testing.T) {
	each(t, local, func(t *testing.T, b sandbox.Backend) {
		full := errors.New("the disk is full")
		c := sh("yes")
		c.Stdout = writerFunc(func([]byte) (int, error) { return 0, full })
		res, err := b.Run(t.Context(), sandbox.Policy{}, c)
		if err != nil || !errors.Is(res.OutputErr, full) || res.TimedOut {
			t.Errorf("%v, output error %v", err, res.OutputErr)
		}
	})
}

// A caller that writes slowly, such as into a pager, loses nothing.
func TestSlowWriter(t *testing.T) {
	each(t, local, func(t *testing.T, b sandbox.Backend) {
		var got bytes.Buffer
		c := sh("head -c 60000 /dev/zero; head -c 60000 /dev/zero >&2")
		c.Stdout = writerFunc(func(p []byte) (int, error) {
			if got.Len() == 0 {
				time.Sleep(1500 * time.Millisecond)
			}
			return got.Write(p)
		})
		res, err := b.Run(t.Context(), sandbox.Policy{}, c)
		if err != nil || got.Len() != 60000 || len(res.Stderr.Head) != 60000 || res.OrphanPipe {
			t.Errorf("%d bytes, orphan %v, %v", got.Len(), res.OrphanPipe, err)
		}
	})
}

// A caller that writes nowhere any more can still give up.
func TestBlockedWriter(t *testing.T) {
	each(t, local, func(t *testing.T, b sandbox.Backend) {
		ctx, cancel := context.WithCancel(t.Context())
		release := make(chan struct{})
		defer close(release)
		c := sh("echo one; echo two")
		c.Stdout = writerFunc(func(p []byte) (int, error) {
			cancel()
			<-release
			return len(p), nil
		})
		began := time.Now()
		res, err := b.Run(ctx, sandbox.Policy{}, c)
		if err != nil || !strings.HasPrefix(string(res.Stdout.Head), "one\n") || time.Since(began) > 10*time.Second {
			t.Errorf("%q after %s, %v", res.Stdout.Head, time.Since(began), err)
		}
	})
}

// What a command leaves behind without a sandbox must not hold its output for
// ever, also not in a session of its own.
func TestNoneWithAnOrphan(t *testing.T) {
	b := open(t, sandbox.Options{Name: "none"})
	began := time.Now()
	res, err := b.Run(t.Context(), sandbox.Policy{}, sh("setsid sleep 7 & echo out; exit 6"))
	if err != nil || res.Exit != 6 || !res.OrphanPipe || string(res.Stdout.Head) != "out\n" || time.Since(began) > 6*time.Second {
		t.Errorf("exit %d, orphan %v, %q after %s, %v", res.Exit, res.OrphanPipe, res.Stdout.Head, time.Since(began), err)
	}
}

func TestStdinIsPassedOn(t *testing.T) {
	each(t, local, func(t *testing.T, b sandbox.Backend) {
		big := strings.Repeat("0123456789abcdef", 64<<10) // more than a pipe holds
		c := sh("cat | wc -c")
		c.Stdin = strings.NewReader(big)
		res, err := b.Run(t.Context(), sandbox.Policy{}, c)
		if err != nil || strings.TrimSpace(string(res.Stdout.Head)) != "1048576" {
			t.Errorf("%q, %v", res.Stdout.Head, err)
		}
	})
}

// A reader that never ends must not keep a run from ending.
func TestBlockedStdin(t *testing.T) {
	each(t, local, func(t *testing.T, b sandbox.Backend) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = r.Close() }()
		defer func() { _ = w.Close() }()
		c := sh("exit 4")
		c.Stdin = r
		began := time.Now()
		res, err := b.Run(t.Context(), sandbox.Policy{}, c)
		if err != nil || res.Exit != 4 || time.Since(began) > 5*time.Second {
			t.Errorf("exit %d after %s, %v", res.Exit, time.Since(began), err)
		}
	})
}

func TestCanceledBeforeItBegins(t *testing.T) {
	each(t, local, func(t *testing.T, b sandbox.Backend) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		res, err := b.Run(ctx, sandbox.Policy{}, sh("exit 0"))
		if err != nil || !res.Canceled || res.Backend != b.Name() {
			t.Errorf("%+v, %v", res, err)
		}
	})
}

func TestCommandsThatCannotBe(t *testing.T) {
	each(t, local, func(t *testing.T, b sandbox.Backend) {
		for _, args := range [][]string{nil, {""}, {"echo", "a\x00b"}} {
			_, err := b.Run(t.Context(), sandbox.Policy{}, sandbox.Command{Args: args})
			if p := (*sandbox.PolicyError)(nil); !errors.As(err, &p) {
				t.Errorf("%q: %v, want a PolicyError", args, err)
			}
		}
		_, err := b.Run(t.Context(), sandbox.Policy{Dir: "/no/such/folder"}, sh("exit 0"))
		if p := (*sandbox.PolicyError)(nil); !errors.As(err, &p) || p.Path != "/no/such/folder" {
			t.Errorf("a missing folder gives %v, want a PolicyError", err)
		}
	})
}

func TestGuestPath(t *testing.T) {
	each(t, confining, func(t *testing.T, b sandbox.Backend) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "file, odd"), []byte("here"), 0o644); err != nil {
			t.Fatal(err)
		}
		p := sandbox.Policy{ReadOnly: []sandbox.Mount{{Host: dir, Guest: "/opt/pkg"}}, Dir: "/opt/pkg"}
		res, err := b.Run(t.Context(), p, sh("pwd; cat '/opt/pkg/file, odd'"))
		if err != nil || string(res.Stdout.Head) != "/opt/pkg\nhere" {
			t.Errorf("%q, %s, %v", res.Stdout.Head, res.Stderr.Head, err)
		}
	})
}

// Arguments, variables and paths are bytes, not text.
func TestBytesThatAreNoText(t *testing.T) {
	each(t, local, func(t *testing.T, b sandbox.Backend) {
		dir := filepath.Join(t.TempDir(), "caf\xe9%41")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		p := sandbox.Policy{ReadWrite: []sandbox.Mount{{Host: dir}}, Dir: dir, Env: map[string]string{"V": "\xfe%"}}
		res, err := b.Run(t.Context(), p, sandbox.Command{Args: []string{"sh", "-c", `printf '%s' "$1$V"; touch made`, "sh", "a\xff%ff"}})
		if err != nil || string(res.Stdout.Head) != "a\xff%ff\xfe%" {
			t.Errorf("%q, %s, %v", res.Stdout.Head, res.Stderr.Head, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "made")); err != nil {
			t.Error(err)
		}
	})
}

func TestOpenCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sandbox.Open(ctx, sandbox.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}

func TestNetworkFull(t *testing.T) {
	each(t, confining, func(t *testing.T, b sandbox.Backend) {
		host, err := os.Readlink("/proc/self/ns/net")
		if err != nil {
			t.Fatal(err)
		}
		for mode, want := range map[sandbox.NetworkMode]bool{sandbox.NetworkFull: true, sandbox.NetworkNone: false} {
			res, err := b.Run(t.Context(), sandbox.Policy{Network: mode}, sh("readlink /proc/self/ns/net; cat /etc/resolv.conf"))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.HasPrefix(string(res.Stdout.Head), host); got != want {
				t.Errorf("network %q: the host's is %v, want %v", mode, got, want)
			}
		}
	})
}

func TestRelativeProgram(t *testing.T) {
	each(t, local, func(t *testing.T, b sandbox.Backend) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "tool"), []byte("#!/bin/sh\necho $1\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		p := sandbox.Policy{ReadOnly: []sandbox.Mount{{Host: dir}}, Dir: dir}
		res, err := b.Run(t.Context(), p, sandbox.Command{Args: []string{"./tool", "yes"}})
		if err != nil || string(res.Stdout.Head) != "yes\n" {
			t.Errorf("%q, %v", res.Stdout.Head, err)
		}
	})
}

// The stage's own names do nothing without what a host hands over.
func TestStageByHand(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, role := range []string{"init", "tool", "other"} {
		out, err := exec.Command(exe, "\x01agentctl-sandbox-stage", role).CombinedOutput()
		if ee := (*exec.ExitError)(nil); !errors.As(err, &ee) || ee.ExitCode() != 125 || len(out) > 0 {
			t.Errorf("role %s: %v, %q", role, err, out)
		}
	}
}

// Case 59: none runs, and says that it confines nothing.
func TestNone(t *testing.T) {
	b := open(t, sandbox.Options{Name: "none"})
	res, err := b.Run(t.Context(), sandbox.Policy{Env: map[string]string{"A": "b"}}, sh(`echo "$A $HOME"; kill -TERM $$`))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(res.Missing, sandbox.AllFeatures()) || res.Backend != "none" || res.Signal != "SIGTERM" || res.Exit != 143 {
		t.Errorf("%+v", res)
	}
	private, _ := strings.CutPrefix(strings.TrimSpace(string(res.Stdout.Head)), "b ")
	if _, err := os.Stat(private); err == nil || !filepath.IsAbs(private) {
		t.Errorf("the private home %q is still there", private)
	}
	_, err = b.Run(t.Context(), sandbox.Policy{Require: []sandbox.Feature{sandbox.Network}}, sh("exit 0"))
	_ = fault(t, err)
	_, err = b.Run(t.Context(), sandbox.Policy{ReadOnly: []sandbox.Mount{{Host: "/usr", Guest: "/opt/usr"}}}, sh("exit 0"))
	if p := (*sandbox.PolicyError)(nil); !errors.As(err, &p) {
		t.Errorf("a mount elsewhere gives %v, want a PolicyError", err)
	}
	if r := b.Probe(t.Context()); r.State != sandbox.Partial || len(r.Protections) != len(sandbox.AllFeatures()) {
		t.Errorf("report %+v", r)
	}
}

func TestNonePrograms(t *testing.T) {
	b := open(t, sandbox.Options{Name: "none"})
	dir := t.TempDir()
	for name, text := range map[string]string{"plain": "x", "script": "#!/no/such/interpreter\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		_, err := b.Run(t.Context(), sandbox.Policy{Dir: dir}, sandbox.Command{Args: []string{"./" + name}})
		if x := (*sandbox.NotExecutableError)(nil); !errors.As(err, &x) {
			t.Errorf("%s: %v, want a NotExecutableError", name, err)
		}
	}
	for _, name := range []string{"no-such-program", "./no-such-program", "/no/such/program"} {
		_, err := b.Run(t.Context(), sandbox.Policy{Dir: dir}, sandbox.Command{Args: []string{name}})
		if x := (*sandbox.NotFoundError)(nil); !errors.As(err, &x) || x.Program != name {
			t.Errorf("%s: %v, want a NotFoundError", name, err)
		}
	}
}

func TestNoneEndsTheGroup(t *testing.T) {
	b := open(t, sandbox.Options{Name: "none"})
	began := time.Now()
	res, err := b.Run(t.Context(), sandbox.Policy{Limits: sandbox.Limits{Wall: 200 * time.Millisecond}}, sh("sleep 30 & sleep 30"))
	if err != nil || !res.TimedOut || time.Since(began) > 3*time.Second {
		t.Errorf("timed out %v after %s, %v", res.TimedOut, time.Since(began), err)
	}
}

// What is no attack must work.
func TestOrdinaryProgramsWork(t *testing.T) {
	ws := t.TempDir()
	gitRepo(t, ws)
	if err := os.WriteFile(filepath.Join(ws, "t.js"), []byte(nodeProgram), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, program, line, want string }{
		{"git log", "git", "git log --format=%s", "first\n"},
		{"git status", "git", "git status --short --untracked-files=no", ""},
		{"git show", "git", "git show HEAD:file", "text\n"},
		{"git diff", "git", "git diff --stat HEAD~0", ""},
		{"node", "node", "node t.js", "node works\n"},
		{"pipes and jobs", "sh", "(sleep 0.1; echo b) & echo a; wait", "a\nb\n"},
		{"terminals of their own", "script", "script -qec 'echo in a terminal' /dev/null </dev/null", "in a terminal\r\n"},
		{"threads", "python3", `/usr/bin/python3 -c "
import concurrent.futures as c
with c.ThreadPoolExecutor(50) as p: print(sum(p.map(int, range(50))))"`, "1225\n"},
	}
	each(t, confining, func(t *testing.T, b sandbox.Backend) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				if _, err := os.Stat(filepath.Join("/usr/bin", tt.program)); err != nil {
					sandboxtest.Skip(t, "there is no /usr/bin/"+tt.program)
				}
				p := sandbox.Policy{ReadWrite: []sandbox.Mount{{Host: ws}}, Protect: []string{filepath.Join(ws, ".git")}, Dir: ws}
				res, err := b.Run(t.Context(), p, sh(tt.line))
				if err != nil || res.Exit != 0 || string(res.Stdout.Head) != tt.want {
					t.Errorf("exit %d, %q, %s, %v; want %q", res.Exit, res.Stdout.Head, res.Stderr.Head, err, tt.want)
				}
			})
		}
	})
}

const nodeProgram = `
const { execFileSync } = require("child_process");
const fs = require("fs"), os = require("os"), net = require("net");
const { Worker, isMainThread } = require("worker_threads");
if (isMainThread) {
  execFileSync("true");
  fs.writeFileSync(os.homedir() + "/x", "x");
  fs.writeFileSync("made-by-node", "x");
  new Worker(__filename).on("exit", () => {
    const s = net.createServer(c => c.end("hi")).listen(0, "127.0.0.1", () => {
      net.connect(s.address().port, "127.0.0.1").on("data", () => {}).on("close", () => { s.close(); console.log("node works"); });
    });
  });
}
`

func gitRepo(t *testing.T, dir string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("text\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"init", "-q"},
		{"add", "file"},
		{"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "first"},
	} {
		cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			sandboxtest.Skip(t, "git does not work: "+string(out))
		}
	}
}

// In a linked worktree git reads the repository that lies elsewhere, and writes
// nothing to it.
func TestGitInALinkedWorktree(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	main, ws := filepath.Join(root, "main"), filepath.Join(root, "ws")
	for _, args := range [][]string{
		{"init", "-q", main},
		{"-C", main, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "first"},
		{"-C", main, "worktree", "add", "-q", ws},
	} {
		if out, err := exec.CommandContext(t.Context(), "git", args...).CombinedOutput(); err != nil {
			sandboxtest.Skip(t, "git: "+string(out))
		}
	}
	each(t, confining, func(t *testing.T, b sandbox.Backend) {
		p := sandbox.WorkspacePolicy(sandbox.WorkspaceOptions{Dir: ws})
		res, err := b.Run(t.Context(), p, sh("git log --format=%s && git status --short && git diff HEAD && ! git commit -q --allow-empty -m x 2>&- && ! rm .git 2>&-"))
		if err != nil || res.Exit != 0 || string(res.Stdout.Head) != "first\n" {
			t.Errorf("exit %d, %q %s, %v", res.Exit, res.Stdout.Head, res.Stderr.Head, err)
		}
	})
}

func TestManyAtOnce(t *testing.T) {
	b := open(t, sandbox.Options{})
	errs := make(chan error, 8)
	for range cap(errs) {
		go func() {
			var out bytes.Buffer
			c := sh("echo $$; cat")
			c.Stdin, c.Stdout = strings.NewReader("in"), &out
			res, err := b.Run(t.Context(), sandbox.Policy{}, c)
			if err == nil && (res.Exit != 0 || out.String() != string(res.Stdout.Head)) {
				err = errors.New("wrong output " + out.String())
			}
			errs <- err
		}()
	}
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

func TestRootAndAForeignFile(t *testing.T) {
	if os.Geteuid() != 0 {
		return // only root has this problem
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "theirs")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(file, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	each(t, confining, func(t *testing.T, b sandbox.Backend) {
		res, err := b.Run(t.Context(), sandbox.Policy{ReadWrite: []sandbox.Mount{{Host: dir}}, Dir: dir}, sh("cat "+file))
		if err != nil || res.Exit == 0 || !strings.Contains(strings.Join(res.Hints, " "), "another user") {
			t.Errorf("exit %d, hints %q, %v", res.Exit, res.Hints, err)
		}
	})
}

func TestRootInAForeignFolder(t *testing.T) {
	if os.Geteuid() != 0 {
		return // only root has this problem
	}
	dir := t.TempDir()
	if err := os.Chown(dir, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	each(t, confining, func(t *testing.T, b sandbox.Backend) {
		res, err := b.Run(t.Context(), sandbox.Policy{ReadWrite: []sandbox.Mount{{Host: dir}}, Dir: dir}, sh("touch file"))
		if err != nil || res.Exit == 0 || !strings.Contains(strings.Join(res.Hints, " "), "another user") {
			t.Errorf("exit %d, hints %q, %v", res.Exit, res.Hints, err)
		}
	})
}

// A gibibyte of output takes no more memory than a little of it.
func TestGibibyteOfOutput(t *testing.T) {
	b := open(t, sandbox.Options{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	res, err := b.Run(t.Context(), sandbox.Policy{Limits: sandbox.Limits{Wall: 5 * time.Minute}}, sh("yes | head -c 1073741824"))
	runtime.ReadMemStats(&after)
	if err != nil || res.Exit != 0 {
		t.Fatalf("exit %d, %v", res.Exit, err)
	}
	if kept := int64(len(res.Stdout.Head) + len(res.Stdout.Tail)); kept != 128<<10 || res.Stdout.Dropped != 1<<30-kept {
		t.Errorf("kept %d bytes, dropped %d", kept, res.Stdout.Dropped)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
		t.Errorf("%d bytes were allocated", used)
	}
}

// A command that signals process 1 must not end its own sandbox.
func TestSignallingProcessOne(t *testing.T) {
	each(t, confining, func(t *testing.T, b sandbox.Backend) {
		res, err := b.Run(t.Context(), sandbox.Policy{}, sh("for s in HUP INT QUIT ILL ABRT BUS FPE KILL SEGV USR1 USR2 PIPE TERM STOP CONT; do kill -$s 1; done; sleep 0.1; exit 9"))
		if err != nil || res.Exit != 9 {
			t.Errorf("exit %d, %s, %v", res.Exit, res.Stderr.Head, err)
		}
	})
}

// Many processes that each stay below their limit are too much together, where
// there is a control group.
func TestMemoryOfTheTree(t *testing.T) {
	if os.Geteuid() != 0 {
		return // an ordinary user has no control group
	}
	each(t, confining, func(t *testing.T, b sandbox.Backend) {
		p := sandbox.Policy{Limits: sandbox.Limits{Data: 128 << 20, Tmp: 16 << 20}}
		res, err := b.Run(t.Context(), p, sh(`/usr/bin/python3 -c "
import os
for _ in range(4): os.fork()
data = bytearray(100 << 20)
for i in range(0, len(data), 4096): data[i] = 1
import time; time.sleep(0.5)"; exit 3`))
		if err != nil {
			t.Fatal(err)
		}
		if want := sandbox.HasMemoryGroup(); res.OOM != want {
			t.Errorf("out of memory %v, want %v: exit %d, %s", res.OOM, want, res.Exit, res.Stderr.Head)
		}
	})
}
