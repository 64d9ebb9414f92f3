package sandbox

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// openAuto takes the first backend that proves itself. The Landlock level is
// last, and only where it was asked for.
func openAuto(ctx context.Context, o Options) (Backend, error) {
	var faults []string
	var cure string
	for _, name := range []string{NameBwrap, NameNative} {
		b, err := openLocal(ctx, name, o)
		if err == nil {
			return b, nil
		}
		f := (*Fault)(nil)
		if !errors.As(err, &f) {
			return nil, err
		}
		faults = append(faults, name+": "+f.Reason)
		cure = preferCure(cure, f.Cure)
	}
	return nil, &Fault{
		Backend: NameAuto, Reason: "no sandbox works here (" + strings.Join(faults, "; ") + ")",
		Cure: strings.TrimPrefix(cure+lowerLevel()+`; or choose "container", or "none" to run without a sandbox`, "; "),
	}
}

// lowerLevel names what this kernel can do without namespaces.
func lowerLevel() string {
	if landlockABI() == 0 {
		return ""
	}
	return "; or accept a lower level: sandbox.min_level: landlock in your configuration"
}

// preferCure keeps the cure that makes the better backend work, unless there is
// none: what forbids namespaces forbids them to both.
func preferCure(first, second string) string {
	if first == "" || first == cureNoBwrap && second != "" {
		return strings.TrimPrefix(first+"; "+second, "; ")
	}
	return first
}

// openLocal opens one backend by name, proven now or earlier in this boot.
func openLocal(ctx context.Context, name string, o Options) (Backend, error) {
	c, err := o.candidate(name)
	if err != nil {
		return nil, err
	}
	err = prove(ctx, c, o)
	if err == nil {
		return c, nil
	}
	if name == NameNative && o.MinLevel == LevelLandlock {
		return openLandlock(ctx, o)
	}
	return nil, err
}

// candidate is a backend that still has to prove itself.
type candidate interface {
	Backend
	how(Feature) string
	setMissing([]Feature)
	identity() string // what a cached proof depends on besides this program
}

func (o Options) candidate(name string) (candidate, error) {
	if name == NameNative {
		return &native{host: o.host()}, nil
	}
	program, ignored := o.findProgram(NameBwrap)
	if program != "" {
		return &bwrap{host: o.host(), program: program, startLimit: o.bwrapStart}, nil
	}
	if len(ignored) > 0 {
		return nil, &Fault{
			Backend: NameBwrap, Reason: fmt.Sprintf("the only bwrap, %q, lies in the workspace or the current folder and is not trusted", ignored[0]),
			Cure: cureNoBwrap,
		}
	}
	return nil, &Fault{Backend: NameBwrap, Reason: "there is no bwrap on PATH", Cure: cureNoBwrap}
}

const cureNoBwrap = "install bubblewrap (Debian, Ubuntu, Fedora, Arch: package bubblewrap)"

// probeByName tries one backend, proven or not.
func probeByName(ctx context.Context, name string, o Options) Report {
	if name == NameContainer {
		b, err := openContainer(ctx, o)
		if err != nil {
			return unavailable(name, err)
		}
		return b.Probe(ctx)
	}
	c, err := o.candidate(name)
	if err != nil {
		return unavailable(name, err)
	}
	r := c.Probe(ctx)
	if r.State == Unavailable && name == NameNative && o.MinLevel == LevelLandlock {
		if b, err := openLandlock(ctx, o); err == nil {
			return b.Probe(ctx)
		}
	}
	return r
}
