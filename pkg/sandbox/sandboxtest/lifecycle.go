package sandboxtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/agentctl/agentctl/pkg/sandbox"
)

func lifecycleCases() []Case {
	return []Case{
		{42, "outliving the time limit in an own session", sandbox.TreeKill, timeLimit},
		{43, "leaving a child behind at exit 0", "", orphan},
		{44, "ignoring SIGTERM", "", deaf},
		{45, "cancelling", "", canceled},
		{46, "the caller is killed", "", callerKilled},
		{47, "endless output", "", endlessOutput},
		{48, "odd bytes in the output", "", oddBytes},
		{49, "no input", "", noInput},
		{50, "exit codes", "", exitCodes},
	}
}

func timeLimit(ctx context.Context, e *Env) error {
	p := e.Policy()
	p.Limits.Wall = time.Second
	began := time.Now()
	_, res, err := e.try(ctx, p, act("linger", e.Lock), act("sleep", "1m"))
	if err != nil {
		return err
	}
	if took := time.Since(began); !res.TimedOut || took > time.Second+e.slow {
		return fmt.Errorf("timed out %v after %s", res.TimedOut, took)
	}
	return processGone(e.Lock)
}

func orphan(ctx context.Context, e *Env) error {
	began := time.Now()
	out, res, err := e.try(ctx, e.Policy(), act("linger", e.Lock))
	if err != nil {
		return err
	}
	if out[0].Denied || res.Exit != 0 {
		return fmt.Errorf("nothing was left behind: %s, exit %d", out[0].Got, res.Exit)
	}
	res, err = e.Sh(ctx, e.Policy(), "sleep 60 & exit 0") // holds the output open
	if err != nil {
		return err
	}
	if took := time.Since(began); res.Exit != 0 || took > e.slow {
		return fmt.Errorf("exit %d after %s", res.Exit, took)
	}
	return processGone(e.Lock)
}

func deaf(ctx context.Context, e *Env) error {
	p := e.Policy()
	for wall := 300 * time.Millisecond; ; wall *= 4 {
		p.Limits.Wall = wall
		began := time.Now()
		res, err := e.Sh(ctx, p, `trap "" TERM; echo deaf; sleep 30; sleep 30`)
		if err != nil {
			return err
		}
		if len(res.Stdout.Head) == 0 && wall < e.slow {
			continue // a busy machine: its time was up before it could be deaf
		}
		took := time.Since(began)
		if !res.TimedOut || res.Exit != 137 || took < sandbox.Grace || took > wall+sandbox.Grace+e.slow {
			return fmt.Errorf("timed out %v, exit %d after %s", res.TimedOut, res.Exit, took)
		}
		return nil
	}
}

func canceled(ctx context.Context, e *Env) error {
	ctx, cancel := context.WithTimeout(ctx, 700*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, res, err := e.try(ctx, e.Policy(), act("linger", e.Lock), act("sleep", "1m"))
	if err != nil {
		return err
	}
	if took := time.Since(began); !res.Canceled || res.TimedOut || took > e.slow+time.Second {
		return fmt.Errorf("canceled %v, timed out %v after %s", res.Canceled, res.TimedOut, took)
	}
	return processGone(e.Lock)
}

// killedRun names the folder in which a second process of this test, the caller
// that gets killed, runs a command.
const killedRun = "AGENTCTL_SANDBOXTEST_KILLED_RUN"

// hostOfKilledRun plays the caller in a process of its own.
func hostOfKilledRun(cfg Config) bool {
	dir := os.Getenv(killedRun)
	if dir == "" {
		return false
	}
	exe, err := os.Executable()
	if err != nil {
		return true
	}
	e := &Env{Backend: cfg.Backend, Work: dir, exe: exe}
	_, _, _ = e.try(context.Background(), e.Policy(), act("linger", filepath.Join(dir, "lock")), act("sleep", "1m"))
	return true
}

// callerKilled starts this test once more, waits until its command runs, and
// kills the caller with a signal that it cannot see.
func callerKilled(ctx context.Context, e *Env) error {
	test, _, _ := strings.Cut(e.T.Name(), "/")
	cmd := exec.CommandContext(ctx, e.exe, "-test.run", "^"+test+"$")
	// What a killed caller could not remove goes away with the case.
	cmd.Env = append(os.Environ(), killedRun+"="+e.Work, "TMPDIR="+e.Outside)
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() { _ = cmd.Wait() }()
	defer func() { _ = cmd.Process.Kill() }()
	if err := until(5*e.slow, func() bool { return processGone(e.Lock) != nil }); err != nil {
		return fmt.Errorf("the command of the second caller did not start: %w", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		return err
	}
	if err := until(e.slow, func() bool { return processGone(e.Lock) == nil }); err != nil {
		return errors.New("the command outlived its caller")
	}
	return nil
}

func until(limit time.Duration, ok func() bool) error {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if ok() {
			return nil
		}
	}
	return fmt.Errorf("not within %s", limit)
}

func endlessOutput(ctx context.Context, e *Env) error {
	// Far more than anything that could hold it; the size of the number is shown
	// once by the tests of package sandbox.
	const size = int64(128 << 20)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	res, err := e.Sh(ctx, e.Policy(), fmt.Sprintf("yes | head -c %d", size))
	if err != nil {
		return err
	}
	runtime.ReadMemStats(&after)
	kept := int64(len(res.Stdout.Head) + len(res.Stdout.Tail))
	if len(res.Stdout.Head) != 64<<10 || len(res.Stdout.Tail) != 64<<10 || res.Stdout.Dropped != size-kept {
		return fmt.Errorf("kept %d+%d bytes, dropped %d", len(res.Stdout.Head), len(res.Stdout.Tail), res.Stdout.Dropped)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > uint64(size/16) {
		return fmt.Errorf("%d bytes were allocated", used)
	}
	return nil
}

func oddBytes(ctx context.Context, e *Env) error {
	res, err := e.Sh(ctx, e.Policy(), `printf 'a\000b\377\033[31m'`)
	if err == nil && !bytes.Equal(res.Stdout.Head, []byte("a\x00b\xff\x1b[31m")) {
		err = fmt.Errorf("got %q", res.Stdout.Head)
	}
	return err
}

func noInput(ctx context.Context, e *Env) error {
	began := time.Now()
	got, err := e.Output(ctx, e.Policy(), "cat; echo end")
	if err == nil && (got != "end\n" || time.Since(began) > e.slow) {
		err = fmt.Errorf("got %q after %s", got, time.Since(began))
	}
	return err
}

func exitCodes(ctx context.Context, e *Env) error {
	for _, code := range []int{0, 1, 2, 77, 125, 126, 127, 137} {
		res, err := e.Sh(ctx, e.Policy(), fmt.Sprintf("exit %d", code))
		if err != nil || res.Exit != code || res.Signal != "" {
			return fmt.Errorf("exit %d came as %d, signal %q (%w)", code, res.Exit, res.Signal, err)
		}
	}
	res, err := e.Sh(ctx, e.Policy(), "kill -SEGV $$")
	if err != nil || res.Exit != 139 || res.Signal != "SIGSEGV" {
		return fmt.Errorf("SIGSEGV came as %d, signal %q (%w)", res.Exit, res.Signal, err)
	}
	return errors.Join(e.missingProgram(ctx), e.brokenProgram(ctx))
}

func (e *Env) missingProgram(ctx context.Context) error {
	for _, name := range []string{"no-such-program", "/no/such/program", "./no-such-program"} {
		_, err := e.Backend.Run(ctx, e.Policy(), sandbox.Command{Args: []string{name}})
		if missing := (*sandbox.NotFoundError)(nil); !errors.As(err, &missing) || missing.Program != name {
			return fmt.Errorf("running %q gives %w, want a NotFoundError", name, err)
		}
	}
	return nil
}

func (e *Env) brokenProgram(ctx context.Context) error {
	for name, text := range map[string]string{"text": "no program\n", "script": "#!/no/such/interpreter\n"} {
		mode := os.FileMode(0o755)
		if name == "text" {
			mode = 0o644
		}
		if err := os.WriteFile(filepath.Join(e.Work, name), []byte(text), mode); err != nil {
			return err
		}
		_, err := e.Backend.Run(ctx, e.Policy(), sandbox.Command{Args: []string{"./" + name}})
		if broken := (*sandbox.NotExecutableError)(nil); !errors.As(err, &broken) {
			return fmt.Errorf("running a broken %s gives %w, want a NotExecutableError", name, err)
		}
	}
	return nil
}
