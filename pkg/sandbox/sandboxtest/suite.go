// Package sandboxtest is the acceptance suite of sandbox backends: numbered
// cases, each of which lets a program try something and says what must come of
// it. Run it against every backend, as root and as an ordinary user:
//
//	func TestMyBackend(t *testing.T) {
//		sandboxtest.Run(t, sandboxtest.Config{Backend: open(t), Home: home})
//	}
//
// The program that tries is the test binary itself, started again inside the
// sandbox; nothing has to be installed for it.
//
// Numbers that are not here belong elsewhere: 27 waits for an allow-list proxy,
// 57 to 59 are about choosing a backend (see the tests of package sandbox). What
// was found later has a number from 61 on, and stands beside what it resembles.
package sandboxtest

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/agentctl/agentctl/pkg/sandbox"
)

// Config says what to test.
type Config struct {
	Backend sandbox.Backend
	// Home is the home folder that the backend was opened with. The suite puts a
	// key there and looks whether it can be read.
	Home string
	// Names are variables that the backend's own program adds to every
	// environment, with values that say nothing of the caller; nil for none.
	Names []string
	// Weaker lists the cases that this backend does not claim, with the reason.
	// They are run all the same; what came of them is logged.
	Weaker map[int]string
}

// Case is one numbered try.
type Case struct {
	Number int
	Name   string
	// Feature is the protection that the case stands for; "" for none.
	Feature sandbox.Feature
	// Check returns nil if the backend did what it must.
	Check func(ctx context.Context, e *Env) error
}

// Run runs every case as a subtest.
func Run(t *testing.T, cfg Config) {
	t.Helper()
	if hostOfKilledRun(cfg) {
		return
	}
	found, slack := map[int]error{}, slowHere(t, cfg)
	for _, c := range Cases() {
		t.Run(c.label(), func(t *testing.T) {
			e := NewEnv(t, cfg)
			e.found, e.slow = found, slack
			err := c.Check(t.Context(), e)
			found[c.Number] = err
			if reason, ok := cfg.Weaker[c.Number]; ok {
				t.Logf("weaker here: %s (this time: %v)", reason, err)
				return
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// Cases returns all of them, by number.
func Cases() []Case {
	var cs []Case
	for _, group := range [][]Case{
		fileCases(), networkCases(), processCases(), limitCases(), lifecycleCases(), environmentCases(), honestyCases(),
	} {
		cs = append(cs, group...)
	}
	return cs
}

// Skip skips a test with a reason, or fails it where skipping is forbidden
// (AGENTCTL_TEST_NO_SKIP=1).
func Skip(t testing.TB, reason string) {
	t.Helper()
	if os.Getenv("AGENTCTL_TEST_NO_SKIP") == "1" {
		t.Fatalf("this must not be skipped here: %s", reason)
	}
	t.Skip(reason)
}

// slow is how much longer than its own time a run may take on a busy machine, and
// slowest where the backend itself takes long to start anything. A run that hangs
// takes half a minute at least.
const (
	slow    = 6 * time.Second
	slowest = 20 * time.Second
)

// slowHere measures a run that does nothing.
func slowHere(t *testing.T, cfg Config) time.Duration {
	t.Helper()
	e := NewEnv(t, cfg)
	began := time.Now()
	_, _ = e.Sh(t.Context(), e.Policy(), "exit 0") // the cases say what is wrong with it
	return min(max(slow, 4*time.Since(began)), slowest)
}
