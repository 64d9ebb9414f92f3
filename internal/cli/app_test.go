package cli

import (
	"slices"
	"testing"

	"github.com/agentctl/agentctl/apps"
	"github.com/agentctl/agentctl/internal/userdirs"
	"github.com/agentctl/agentctl/pkg/agent/app"
	"github.com/agentctl/agentctl/pkg/agent/builtin"
)

// TestDefaultAppHasEveryBuiltin holds the list in apps/default and the built-in
// tools together: the default app offers all of them.
func TestDefaultAppHasEveryBuiltin(t *testing.T) {
	t.Parallel()
	lib := &app.Library{Sources: app.Sources(app.SourceOptions{Dirs: userdirs.Dirs{Config: t.TempDir()}, Embedded: apps.FS})}
	a, err := lib.Open(t.Context(), app.DefaultName)
	if err != nil {
		t.Fatal(err)
	}
	got, want := slices.Sorted(slices.Values(a.Tools.Names)), slices.Sorted(slices.Values(builtin.Names()))
	if !slices.Equal(got, want) || !a.Tools.All || a.Skills.Set {
		t.Errorf("default has tools %v (all packages: %v), want %v", got, a.Tools.All, want)
	}
}
