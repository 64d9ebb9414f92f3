package sandbox_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/pkg/sandbox"
)

// insideVariable makes the test below play the program inside.
const insideVariable = "AGENTCTL_SANDBOX_TEST_INSIDE"

// Inside a sandbox no namespace can be made: a real system that forbids them.
// Auto must fail and say what helps; the lower level must work where it is asked
// for, and say what it lacks.
func TestWithoutNamespaces(t *testing.T) {
	if os.Getenv(insideVariable) != "" {
		insideWithoutNamespaces(t)
		return
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	each(t, confining, func(t *testing.T, b sandbox.Backend) {
		p := sandbox.Policy{
			ReadOnly: []sandbox.Mount{{Host: exe}}, Env: map[string]string{insideVariable: "1"},
			Limits: sandbox.Limits{Data: -1},
		}
		res, err := b.Run(t.Context(), p, sandbox.Command{Args: []string{exe, "-test.run", "^TestWithoutNamespaces$"}})
		if err != nil || res.Exit != 0 || !strings.Contains(string(res.Stdout.Head), "PASS\n") {
			t.Errorf("exit %d, %v\n%s%s", res.Exit, err, res.Stdout.Head, res.Stderr.Head)
		}
	})
}

func insideWithoutNamespaces(t *testing.T) {
	_, err := sandbox.Open(t.Context(), sandbox.Options{})
	f := fault(t, err)
	if !strings.Contains(f.Cure, "user namespaces") || !strings.Contains(f.Reason, "bwrap") || !strings.Contains(f.Reason, "native") {
		t.Errorf("reason %q, cure %q", f.Reason, f.Cure)
	}
	b, err := sandbox.Open(t.Context(), sandbox.Options{MinLevel: sandbox.LevelLandlock})
	if err != nil {
		t.Fatal(err)
	}
	res, err := b.Run(t.Context(), sandbox.Policy{}, sh("exit 5"))
	if err != nil || res.Exit != 5 || !slices.Contains(res.Missing, sandbox.UnixSockets) || b.Name() != "native" {
		t.Errorf("%s: exit %d, missing %q, %v", b.Name(), res.Exit, res.Missing, err)
	}
	_, err = b.Run(t.Context(), sandbox.Policy{Require: []sandbox.Feature{sandbox.UnixSockets}}, sh("exit 0"))
	_ = fault(t, err)
	_, chosen := sandbox.Doctor(t.Context(), sandbox.Options{})
	if chosen != "" {
		t.Errorf("doctor chooses %q", chosen)
	}
	reports, chosen := sandbox.Doctor(t.Context(), sandbox.Options{MinLevel: sandbox.LevelLandlock})
	if chosen != "native" || reports[1].State != sandbox.Partial {
		t.Errorf("doctor chooses %q of %s", chosen, fmt.Sprint(reports))
	}
}
