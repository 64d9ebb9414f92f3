package sandbox

import (
	"context"
	"errors"
	"sync"
)

// Doctor tries every backend of this machine, in the order of preference, and
// says which one auto would choose: "" for none. "none" is not part of it.
// Nothing comes from a cache.
func Doctor(ctx context.Context, o Options) (reports []Report, chosen string) {
	o = o.withDefaults()
	names := []string{NameBwrap, NameNative, NameContainer}
	reports = make([]Report, len(names))
	var wg sync.WaitGroup
	for i, name := range names {
		wg.Go(func() { reports[i] = probeByName(ctx, name, o) })
	}
	wg.Wait()
	for _, r := range reports {
		if chosen == "" && r.Backend != NameContainer && r.State != Unavailable && o.enough(r) {
			chosen = r.Backend
		}
	}
	return reports, chosen
}

// enough tells whether auto would take the backend of this report.
func (o Options) enough(r Report) bool {
	return len(missingFrom(Required, r.missing())) == 0 || o.MinLevel == LevelLandlock && r.Backend == NameNative
}

func unavailable(name string, err error) Report {
	r := Report{Backend: name, State: Unavailable, Reason: err.Error()}
	if f := (*Fault)(nil); errors.As(err, &f) {
		r.Reason, r.Cure = f.Reason, f.Cure
	}
	return r
}

// missing lists what a report shows as not or only partly enforced.
func (r Report) missing() []Feature {
	var out []Feature
	for _, p := range r.Protections {
		if p.State != Enforced {
			out = append(out, p.Feature)
		}
	}
	return out
}
