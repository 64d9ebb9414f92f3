package sandbox

import (
	"context"
	"errors"
)

// Doctor tries every backend of this machine, in the order of preference, and
// says which one auto would choose: "" for none. "none" is not part of it.
// Nothing comes from a cache.
func Doctor(ctx context.Context, o Options) (reports []Report, chosen string) {
	for _, name := range []string{NameBwrap, NameNative, NameContainer} {
		r := probeByName(ctx, name, o.withDefaults())
		reports = append(reports, r)
		if chosen == "" && name != NameContainer && r.State != Unavailable && o.enough(r) {
			chosen = name
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
