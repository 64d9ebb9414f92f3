package skill

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// GitError reports a git call that failed.
type GitError struct {
	Args   []string
	Detail string // what git said, one line
}

func (e *GitError) Error() string {
	return fmt.Sprintf("git %s: %s", strings.Join(e.Args, " "), e.Detail)
}

// NoGitError reports that git is not installed.
type NoGitError struct{}

func (e *NoGitError) Error() string { return "git is not installed or not on PATH" }

// gitSafe switches off what a checkout could run on its own: hooks, monitors,
// helpers for odd transports, and questions that nobody answers.
var gitSafe = []string{
	"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "protocol.ext.allow=never",
	"-c", "gc.auto=0", "-c", "maintenance.auto=false",
}

// gitRepo is a checkout.
type gitRepo struct{ dir string }

// run returns what git prints, without the last line feed.
func (g gitRepo) run(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append(append([]string{"-C", g.dir}, gitSafe...), args...)...)
	cmd.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0")
	cmd.WaitDelay = 2 * time.Second
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	switch {
	case err == nil:
		return strings.TrimRight(out.String(), "\n"), nil
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return "", &NoGitError{}
	}
	return "", &GitError{Args: args, Detail: lastLine(errOut.String(), err)}
}

// lastLine is the line in which git says what is wrong.
func lastLine(stderr string, err error) string {
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	for _, line := range lines {
		if strings.HasPrefix(line, "fatal:") || strings.HasPrefix(line, "error:") {
			return strings.TrimSpace(line)
		}
	}
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
		return last
	}
	return err.Error()
}
