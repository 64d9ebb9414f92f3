package toolpkg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sync/errgroup"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/pkg/sandbox"
)

// Status is what prebuild says about one package.
type Status string

// The states of a package with a source.
const (
	Built   Status = "built"   // just now
	Fresh   Status = "fresh"   // the build fits the source
	Stale   Status = "stale"   // it does not
	Missing Status = "missing" // there is none
	Failed  Status = "failed"  // the old build, if any, stays in use
)

// Outcome is what came of one package.
type Outcome struct {
	Name   string
	Status Status
	// Reasons say why a package is stale or missing, or what failed: one a line.
	Reasons []string
	// Digest is the build in use, "" for none.
	Digest   string
	Duration time.Duration
	Commands int
	// Key is the cache key of the source and the toolchain.
	Key         string
	Diagnostics []diag.Diagnostic
	// Err is why it failed: a [*BuildError], a [*DescribeError], a sandbox's error.
	Err error
}

// Prebuilder builds source packages and freezes their descriptions. The zero
// value of an optional field means its default.
type Prebuilder struct {
	// Out is the folder of prebuilt packages, .agentctl/prebuilt of a workspace.
	Out string
	// Workspace is the folder in which Out passes no link; "" means anywhere.
	Workspace string
	// Sandbox opens what the launcher is probed in; it is called once and only when
	// something has to be built.
	Sandbox func(ctx context.Context) (sandbox.RunFunc, error)
	// Builders default to [DefaultBuilders].
	Builders []Builder
	// Getenv reads the variables of builders; nil means that there are none.
	Getenv func(string) string
	// Force builds what is fresh too.
	Force bool
	// Held says why no build in Out is used, whatever its stamp says; "" means that
	// they are.
	Held string
	// Jobs is how many packages are built at a time; 0 means up to four.
	Jobs int
	// Started and Done report progress; they may be called from several goroutines.
	Started func(name string)
	Done    func(Outcome)
	// Log receives what the builders print; nil discards it. Failures carry the
	// end of it anyway.
	Log io.Writer

	once, logOnce sync.Once

	shared io.Writer
	run    sandbox.RunFunc
	err    error
}

// Prebuild brings every source's build up to date. Outcomes come in the order
// of the sources; one that fails does not stop the others. The error is only
// that of ctx.
func (p *Prebuilder) Prebuild(ctx context.Context, sources []*Source) ([]Outcome, error) {
	return p.each(ctx, sources, p.build)
}

// Check says which builds are stale or missing, and builds nothing.
func (p *Prebuilder) Check(ctx context.Context, sources []*Source) ([]Outcome, error) {
	return p.each(ctx, sources, func(ctx context.Context, src *Source, o *Outcome) error {
		_, err := p.check(ctx, src, o)
		return err
	})
}

// log is p.Log for several goroutines.
func (p *Prebuilder) log() io.Writer {
	p.logOnce.Do(func() {
		if p.Log != nil {
			p.shared = &lockedWriter{w: p.Log}
		}
	})
	return p.shared
}

func (p *Prebuilder) each(ctx context.Context, sources []*Source, do func(context.Context, *Source, *Outcome) error) ([]Outcome, error) {
	outcomes := make([]Outcome, len(sources))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(p.jobs())
	for i, src := range sources {
		g.Go(func() error {
			outcomes[i] = p.one(ctx, src, do)
			return ctx.Err()
		})
	}
	return outcomes, g.Wait()
}

func (p *Prebuilder) jobs() int {
	if p.Jobs > 0 {
		return p.Jobs
	}
	return min(runtime.NumCPU(), 4)
}

func (p *Prebuilder) one(ctx context.Context, src *Source, do func(context.Context, *Source, *Outcome) error) Outcome {
	start := time.Now()
	o := Outcome{Name: src.Name}
	if p.Started != nil {
		p.Started(src.Name)
	}
	if err := do(ctx, src, &o); err != nil {
		o.Status, o.Err, o.Reasons = Failed, err, strings.Split(err.Error(), "\n")
	}
	o.Duration = time.Since(start)
	if p.Done != nil {
		p.Done(o)
	}
	return o
}

// check computes the stamp of the source and compares it with the build in use.
func (p *Prebuilder) check(ctx context.Context, src *Source, o *Outcome) (*work, error) {
	w := &work{p: p, src: src, root: filepath.Join(p.Out, src.Name)}
	builders := p.Builders
	if builders == nil {
		builders = DefaultBuilders()
	}
	if w.builder = builderByName(builders, src.Builder); w.builder == nil {
		return nil, &BuildError{Builder: src.Builder, Reason: "this agentctl has no such builder"}
	}
	getenv := p.Getenv
	if getenv == nil {
		getenv = func(string) string { return "" }
	}
	w.job = Build{Source: src, Env: buildEnv(getenv, src.Manifest.BuildEnv), Log: p.log()}
	var err error
	if w.stamp, err = newStamp(ctx, w.builder, &w.job, getenv); err != nil {
		return nil, err
	}
	o.Key = w.stamp.Key()
	w.compare(o)
	return w, nil
}

// compare sets status, reasons, digest and commands from the build in use: a fresh
// one fits the source and is whole.
func (w *work) compare(o *Outcome) {
	o.Reasons = nil
	if _, err := os.Lstat(filepath.Join(w.root, currentName)); errors.Is(err, os.ErrNotExist) {
		o.Status, o.Reasons = Missing, []string{"there is no build"}
		return
	}
	if w.p.Held != "" {
		o.Status, o.Reasons = Stale, []string{w.p.Held}
		return
	}
	pkg, err := LoadPackage(w.root)
	if err != nil {
		o.Status, o.Reasons = Stale, []string{err.Error()}
		return
	}
	o.Digest, o.Commands = pkg.Digest, len(pkg.Commands)
	old, err := readStamp(pkg.Dir)
	if err != nil {
		o.Status, o.Reasons = Stale, []string{"its stamp cannot be read"}
		return
	}
	if o.Status = Fresh; old.Key() != w.stamp.Key() {
		o.Status, o.Reasons = Stale, old.Explain(w.stamp)
		return
	}
	for _, what := range damage(pkg.Dir) {
		o.Status, o.Reasons = Stale, append(o.Reasons, "the build is damaged: "+what)
	}
}

// build is one package under its lock.
func (p *Prebuilder) build(ctx context.Context, src *Source, o *Outcome) error {
	w, err := p.check(ctx, src, o)
	if err != nil || o.Status == Fresh && !p.Force {
		return err
	}
	if err := makeBelow(p.Workspace, w.root); err != nil {
		return err
	}
	lockFile := filepath.Join(w.root, ".lock")
	if err := noLinks(p.Workspace, lockFile); err != nil {
		return err
	}
	lock := flock.New(lockFile)
	if _, err := lock.TryLockContext(ctx, 50*time.Millisecond); err != nil {
		return fmt.Errorf("wait for another prebuild of %s: %w", src.Name, err)
	}
	defer func() { _ = lock.Unlock() }()
	if w.compare(o); o.Status == Fresh && !p.Force {
		return nil // somebody else built it while we waited
	}
	run, err := p.sandbox(ctx)
	if err != nil {
		return err
	}
	return w.do(ctx, run, o)
}

func (p *Prebuilder) sandbox(ctx context.Context) (sandbox.RunFunc, error) {
	p.once.Do(func() { p.run, p.err = p.Sandbox(ctx) })
	return p.run, p.err
}
