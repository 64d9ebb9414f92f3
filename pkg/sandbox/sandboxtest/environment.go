package sandboxtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentctl/agentctl/pkg/sandbox"
)

func environmentCases() []Case {
	return []Case{
		{51, "the environment is what is documented", sandbox.Env, documentedEnvironment},
		{52, "a secret is visible inside and in no command line", "", secretInEnvironment},
		{53, "nothing of the caller's environment", "", callerEnvironment},
		{54, "umask and working directory", "", umaskAndFolder},
		{55, "Python is not held back", "", python},
		{56, "a work folder below /tmp", "", workBelowTmp},
	}
}

func documentedEnvironment(ctx context.Context, e *Env) error {
	res, err := e.Backend.Run(ctx, e.Policy(), sandbox.Command{Args: []string{"env"}})
	if err != nil {
		return err
	}
	var names []string
	for line := range strings.SplitSeq(strings.TrimSpace(string(res.Stdout.Head)), "\n") {
		name, _, _ := strings.Cut(line, "=")
		if name != "TZ" && !slices.Contains(e.added, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if want := []string{"HOME", "LANG", "PATH", "TMPDIR"}; !slices.Equal(names, want) {
		return fmt.Errorf("the environment has %q, want %q", names, want)
	}
	return nil
}

func secretInEnvironment(ctx context.Context, e *Env) error {
	const secret = "s3cr3t-of-case-52"
	p := e.Policy()
	p.Env = map[string]string{"API_TOKEN": secret}
	seen := make(chan string, 1)
	go func() { seen <- commandLineWith(secret, 400*time.Millisecond) }()
	out, err := e.Output(ctx, p, `sleep 0.3; printf %s "$API_TOKEN"`)
	if err != nil || out != secret {
		return fmt.Errorf("the command got %q, %w", out, err)
	}
	if line := <-seen; line != "" {
		return fmt.Errorf("the secret is in a command line: %q", line)
	}
	return nil
}

// commandLineWith looks for text in every command line for a while.
func commandLineWith(text string, during time.Duration) string {
	for end := time.Now().Add(during); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, f := range files {
			if data, err := os.ReadFile(f); err == nil && strings.Contains(string(data), text) {
				return string(data)
			}
		}
	}
	return ""
}

func callerEnvironment(ctx context.Context, e *Env) error {
	for _, name := range []string{"PYTHONPATH", "GIT_DIR", "NODE_OPTIONS", "AWS_SECRET_ACCESS_KEY"} {
		old, had := os.LookupEnv(name)
		if err := os.Setenv(name, "of-the-caller"); err != nil {
			return err
		}
		defer func() {
			if had {
				_ = os.Setenv(name, old)
			} else {
				_ = os.Unsetenv(name)
			}
		}()
	}
	return e.denied(ctx, act("environ", e.documented()), act("environs", e.documented()))
}

func umaskAndFolder(ctx context.Context, e *Env) error {
	got, err := e.allowed(ctx, e.Policy(), act("cwd"), act("umask"))
	if err != nil {
		return err
	}
	if got[0] != e.Work || got[1] != "22" {
		return fmt.Errorf("folder %q, umask %s; want %q, 22", got[0], got[1], e.Work)
	}
	p := e.Policy()
	p.Dir = ""
	out, err := e.Output(ctx, p, `pwd; echo "$TMPDIR"`)
	if err != nil {
		return err
	}
	if lines := strings.Fields(out); len(lines) != 2 || lines[0] != lines[1] {
		return fmt.Errorf("without a folder the command starts in %q", out)
	}
	return nil
}

const pythonProgram = `
import multiprocessing, os, sqlite3, subprocess, tempfile, threading
t = threading.Thread(target=lambda: None); t.start(); t.join()
assert subprocess.run(["sh", "-c", "exit 3"]).returncode == 3
s = multiprocessing.Semaphore(1); s.acquire(); s.release()
with multiprocessing.Pool(2) as pool:
    assert pool.map(abs, [-1, -2]) == [1, 2]
db = sqlite3.connect("data.db"); db.execute("create table t (a)"); db.commit(); db.close()
with tempfile.NamedTemporaryFile() as f: f.write(b"x")
open(os.path.expanduser("~/note"), "w").close()
print("all of it")
`

func python(ctx context.Context, e *Env) error {
	if _, err := os.Stat("/usr/bin/python3"); err != nil {
		Skip(e.T, "there is no /usr/bin/python3")
	}
	res, err := e.Backend.Run(ctx, e.Policy(), sandbox.Command{Args: []string{"/usr/bin/python3", "-c", pythonProgram}})
	if err == nil && string(res.Stdout.Head) != "all of it\n" {
		err = fmt.Errorf("exit %d: %s", res.Exit, res.Stderr.Head)
	}
	return err
}

func workBelowTmp(ctx context.Context, e *Env) error {
	dir, err := os.MkdirTemp("/tmp", "sandboxtest-checkout-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	p := e.Policy()
	p.ReadWrite, p.Dir = []sandbox.Mount{{Host: dir}}, dir
	if _, err := e.Output(ctx, p, "echo made > file"); err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(dir, "file"))
	if err == nil && string(data) != "made\n" {
		err = errors.New("the file holds " + string(data))
	}
	return err
}
