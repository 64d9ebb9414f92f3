//go:build !linux

package sandbox

import (
	"context"
	"runtime"
)

// openAuto has nothing that could prove itself here.
func openAuto(context.Context, Options) (Backend, error) {
	return nil, &Fault{
		Backend: NameAuto, Reason: "no sandbox works by itself on " + runtime.GOOS,
		Cure: `choose "container" (needs docker or podman), or "none" to run without a sandbox`,
	}
}

func openLocal(_ context.Context, name string, _ Options) (Backend, error) {
	return nil, &Fault{
		Backend: name, Reason: "needs Linux, this is " + runtime.GOOS,
		Cure: `choose "container" (needs docker or podman), or "none" to run without a sandbox`,
	}
}

func probeByName(ctx context.Context, name string, o Options) Report {
	o.Name = name
	b, err := Open(ctx, o)
	if err != nil {
		return unavailable(name, err)
	}
	return b.Probe(ctx)
}
