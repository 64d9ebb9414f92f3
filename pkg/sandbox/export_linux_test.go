package sandbox

import (
	"context"
	"testing"
	"time"
)

// OpenLandlock opens the lower level where namespaces would work.
func OpenLandlock(ctx context.Context, o Options) (Backend, error) {
	return openLandlock(ctx, o.withDefaults())
}

// WithBwrapStart makes a bwrap that starts nothing within the time one that hangs.
func WithBwrapStart(o Options, limit time.Duration) Options {
	o.bwrapStart = limit
	return o
}

// Rows are the doctor's rows of any backend, wrapped ones too, but for the one
// that takes seconds.
func Rows(ctx context.Context, t testing.TB, b Backend, home string) []Protection {
	t.Helper()
	vs, err := runTrials(ctx, b, host{home: home})
	if err != nil {
		t.Fatal(err)
	}
	return protections(vs, stageMechanism)
}

// HasMemoryGroup tells whether runs get a control group that limits memory.
func HasMemoryGroup() bool {
	g := newCgroup(DefaultLimits)
	defer g.close()
	return g != nil && g.oom != ""
}
