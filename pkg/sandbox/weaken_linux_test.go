package sandbox_test

import (
	"context"
	"os"
	"testing"

	"github.com/agentctl/agentctl/pkg/sandbox"
	"github.com/agentctl/agentctl/pkg/sandbox/sandboxtest"
)

// leaky is a backend whose policies say more than they should.
type leaky struct {
	sandbox.Backend
	change func(*sandbox.Policy)
}

func (l leaky) Run(ctx context.Context, p sandbox.Policy, c sandbox.Command) (sandbox.Result, error) {
	l.change(&p)
	return l.Backend.Run(ctx, p, c)
}

// Without one protection, its row and its case must turn red, and no other row.
func TestTakingAProtectionAway(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	home := t.TempDir()
	tests := map[sandbox.Feature]func(*sandbox.Policy){
		sandbox.FileReads: func(p *sandbox.Policy) { p.ReadOnly = append(p.ReadOnly, sandbox.Mount{Host: tmp}) },
		sandbox.Network:   func(p *sandbox.Policy) { p.Network = sandbox.NetworkFull },
		sandbox.Env:       func(p *sandbox.Policy) { p.Env = map[string]string{"OF_THE_CALLER": "1"} },
		sandbox.FileSize:  func(p *sandbox.Policy) { p.Limits.FileSize = -1 },
		sandbox.OpenFiles: func(p *sandbox.Policy) { p.Limits.Files = -1 },
		sandbox.Memory:    func(p *sandbox.Policy) { p.Limits.Data = -1 },
	}
	b := open(t, sandbox.Options{Home: home})
	for feature, change := range tests {
		t.Run(string(feature), func(t *testing.T) {
			weak := leaky{Backend: b, change: change}
			wantRowRed(t, sandbox.Rows(t.Context(), t, weak, home), feature)
			c := caseFor(t, feature)
			e := sandboxtest.NewEnv(t, sandboxtest.Config{Backend: weak, Home: home})
			if err := c.Check(t.Context(), e); err == nil {
				t.Errorf("case %d passes without %s", c.Number, feature)
			}
		})
	}
}

func caseFor(t *testing.T, feature sandbox.Feature) sandboxtest.Case {
	t.Helper()
	for _, c := range sandboxtest.Cases() {
		if c.Feature == feature {
			return c
		}
	}
	t.Fatalf("no case stands for %s", feature)
	return sandboxtest.Case{}
}

func wantRowRed(t *testing.T, rows []sandbox.Protection, feature sandbox.Feature) {
	t.Helper()
	for _, row := range rows {
		red := row.State != sandbox.Enforced
		switch {
		case row.Feature == feature && !red:
			t.Errorf("the row of %s is %s: %s", feature, row.State, row.Proof)
		case row.Feature == sandbox.Processes && os.Geteuid() == 0, row.Feature == sandbox.UnixSockets:
			// root's processes are not counted; abstract sockets belong to the network
		case feature == sandbox.FileReads && row.Feature == sandbox.PrivateTmp:
			// the host's temporary folder was granted
		case row.Feature != feature && red:
			t.Errorf("the row of %s is %s without %s: %s", row.Feature, row.State, feature, row.Proof)
		}
	}
}
