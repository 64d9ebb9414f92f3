// Package contracttest checks launchers of tool packages against contract v1,
// whatever language they are written in.
package contracttest

import (
	"testing"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/pkg/toolpkg"
)

// Run runs the contract suite against one launcher. Every error fails the test;
// warnings are logged. No command is run with arguments that it accepts, so the
// suite has no effects.
func Run(t *testing.T, launch toolpkg.Launcher) {
	t.Helper()
	found, err := toolpkg.CheckLauncher(t.Context(), launch)
	if err != nil {
		t.Fatalf("the launcher cannot be run: %v", err)
	}
	for _, d := range found {
		if d.Severity == diag.Error {
			t.Error(d)
		} else {
			t.Log(d)
		}
	}
}
