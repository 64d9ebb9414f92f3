package sandbox

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// The names of the backends, as users type them.
const (
	NameAuto      = "auto"
	NameBwrap     = "bwrap"
	NameNative    = "native"
	NameContainer = "container"
	NameNone      = "none"
)

// LevelLandlock as Options.MinLevel lets auto and native fall back to
// Landlock, seccomp and limits alone, where namespaces are refused. It lacks
// tree-kill and more; every result says so.
const LevelLandlock = "landlock"

// Options say which backend to open. The zero value is auto.
type Options struct {
	// Name is a backend, "auto" or "" for auto. "none" is never chosen by auto.
	Name string
	// MinLevel is "" for everything in [Required], or [LevelLandlock].
	MinLevel string
	// Home is the folder that is never mounted; "" means the user's.
	Home string
	// Dir is the workspace: a bwrap or docker that lies in it, or in the current
	// folder, is ignored.
	Dir string
	// Path is the list of folders in which helper programs are looked for; ""
	// means the caller's PATH.
	Path string
	// CacheDir keeps what auto has proven, per boot, program and user; "" means
	// that each Open proves anew.
	CacheDir string
	// Image is what the container backend runs; "" means [DefaultImage].
	Image string
	// Runtime is the OCI runtime of the container backend, e.g. "runsc"; ""
	// means the engine's default.
	Runtime string
	// bwrapStart is how long bwrap may take to start a command; 0 means
	// startLimit. Tests of one that hangs do not wait so long.
	bwrapStart time.Duration
}

// Names lists what can be asked for by name.
func Names() []string {
	return []string{NameAuto, NameBwrap, NameNative, NameContainer, NameNone}
}

// Open returns a backend. With auto, or no name, it is the first of bwrap and
// native that has just denied what it must deny; there is no silent fall-back.
//
// The error is a [*Fault] when the backend cannot be had, with the cure, or a
// [*PolicyError] for an unknown name or level.
func Open(ctx context.Context, o Options) (Backend, error) {
	if o.MinLevel != "" && o.MinLevel != LevelLandlock {
		return nil, &PolicyError{Path: o.MinLevel, Reason: "is no sandbox level", Cure: `use "landlock", or leave it out`}
	}
	o = o.withDefaults()
	switch o.Name {
	case "", NameAuto:
		return openAuto(ctx, o)
	case NameNone:
		return newNone(o), nil
	case NameContainer:
		return openContainer(ctx, o)
	case NameBwrap, NameNative:
		return openLocal(ctx, o.Name, o)
	}
	return nil, &PolicyError{
		Path: o.Name, Reason: "is no sandbox backend",
		Cure: fmt.Sprintf("use one of %s", strings.Join(Names(), ", ")),
	}
}

func (o Options) withDefaults() Options {
	if o.Home == "" {
		o.Home, _ = os.UserHomeDir() // no home: nothing to keep out but /
	}
	if o.Path == "" {
		o.Path = os.Getenv("PATH")
	}
	return o
}

func (o Options) host() host { return host{home: o.Home, tz: os.Getenv("TZ")} }

// missingFrom returns what is required and not enforced, in order.
func missingFrom(required, missing []Feature) []Feature {
	if required == nil {
		required = Required
	}
	var out []Feature
	for _, f := range required {
		if slices.Contains(missing, f) {
			out = append(out, f)
		}
	}
	return out
}
