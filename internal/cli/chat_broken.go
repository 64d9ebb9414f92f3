package cli

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/agentctl/agentctl/internal/iostreams"
	"github.com/agentctl/agentctl/pkg/agent/app"
	"github.com/agentctl/agentctl/pkg/skill"
	"github.com/agentctl/agentctl/pkg/toolpkg"
)

// What a chat leaves out because it does not load is said once: whoever made it
// would look for the fault elsewhere.

// toldSkills says at the first load which skills the model cannot have.
type toldSkills struct {
	skill.Resolver
	io   *iostreams.IOStreams
	once sync.Once
}

// Load implements [skill.Resolver].
func (t *toldSkills) Load(ctx context.Context) (*skill.Listing, error) {
	l, err := t.Resolver.Load(ctx)
	if err == nil {
		t.once.Do(func() { t.tell(l) })
	}
	return l, err
}

func (t *toldSkills) tell(l *skill.Listing) {
	for _, b := range l.Broken {
		if !b.Source.Untrusted && len(b.Diagnostics) > 0 {
			printDiagnostics(t.io, b.Diagnostics[:1])
		}
	}
}

// tellBroken says which app should have been used, and which packages are missing
// from one that takes all there are; one that names a broken package does not start.
func tellBroken(s *iostreams.IOStreams, a *app.App, c *toolpkg.Catalog) {
	printDiagnostics(s, a.Instead)
	if !a.Tools.All {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(c.Broken)) {
		err := c.Broken[name]
		if broken, ok := as[*toolpkg.BrokenError](err); ok {
			warn(s, "%v; make it anew: %s", err, broken.Cure())
		}
	}
}
