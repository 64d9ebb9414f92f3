package state

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/gofrs/flock"

	"github.com/agentctl/agentctl/internal/fspath"
	"github.com/agentctl/agentctl/pkg/sandbox"
)

// appearedFile lists what programs made in protected places, in any workspace,
// until the user agrees to it or it is gone.
type appearedFile struct {
	Appeared []sandbox.Watch `json:"appeared"`
}

func (s Store) appearedPath() string { return filepath.Join(s.Dir, "appeared.json") }

// runningDir holds one file for each program that runs: what it might make. The
// file is locked as long as the program is watched, and what is found without a
// lock was left by a run that was killed.
func (s Store) runningDir() string { return filepath.Join(s.Dir, "running") }

// Appeared returns the places in a workspace, relative to it and sorted, that
// came into being while a program ran, that the user did not agree to and that
// are still there. Programs that still run count, and those that agentctl did
// not see end. [Store.Trust] is the user's agreement.
func (s Store) Appeared(workspace string) ([]string, error) {
	// The runs first: one that ends now moves what it made to the file.
	watches, err := s.running()
	if err != nil {
		return nil, err
	}
	var f appearedFile
	if err := s.read(s.appearedPath(), &f); err != nil {
		return nil, err
	}
	dir := canonical(workspace)
	var inside []sandbox.Watch
	for _, w := range append(watches, f.Appeared...) {
		if w, ok := placed(dir, w); ok {
			inside = append(inside, w)
		}
	}
	out := sandbox.Appeared(inside)
	for i, path := range out {
		rel, _ := fspath.Below(dir, path)
		out[i] = filepath.ToSlash(rel)
	}
	return out, nil
}

// placed is a watch of something in dir, by its path there: a path elsewhere can
// lead there by a link.
func placed(dir string, w sandbox.Watch) (sandbox.Watch, bool) {
	if fspath.Within(dir, w.Path) {
		return w, true
	}
	w.Path = w.Real
	return w, fspath.Within(dir, w.Path)
}

// Watching records, before a program starts, the places that must steer no model
// if they come into being. The function that it returns ends that, and keeps
// those that did: if it cannot, the record stays and counts until [Store.Settle]
// can.
func (s Store) Watching(ctx context.Context, watches []sandbox.Watch) (end func(), err error) {
	if len(watches) == 0 {
		return func() {}, nil
	}
	if err := s.Settle(ctx); err != nil {
		return nil, err
	}
	watches = slices.Clone(watches)
	for i, w := range watches {
		watches[i].Path = filepath.Join(canonical(filepath.Dir(w.Path)), filepath.Base(w.Path))
	}
	r, err := s.newRun(watches)
	if err != nil {
		return nil, err
	}
	return func() { _ = s.end(ctx, r, watches) }, nil
}

// Settle keeps what programs made whose run was killed, and forgets what is gone:
// what is made in its place from now on is somebody else's.
func (s Store) Settle(ctx context.Context) error {
	runs, err := s.runs()
	if err != nil {
		return err
	}
	for _, r := range runs {
		if err := s.settle(ctx, r); err != nil {
			return err
		}
	}
	var f appearedFile
	if err := s.read(s.appearedPath(), &f); err != nil || !slices.ContainsFunc(f.Appeared, gone) {
		return err
	}
	return s.updateAppeared(ctx, func(old []sandbox.Watch) []sandbox.Watch { return slices.DeleteFunc(old, gone) })
}

func gone(w sandbox.Watch) bool { return len(w.Appeared()) == 0 }

// keep adds what appeared of the watches. What was recorded first stays: it knows
// how the place was before any program changed it.
func (s Store) keep(ctx context.Context, watches []sandbox.Watch) error {
	watches = slices.DeleteFunc(slices.Clone(watches), gone)
	if len(watches) == 0 {
		return nil
	}
	return s.updateAppeared(ctx, func(old []sandbox.Watch) []sandbox.Watch {
		out := slices.DeleteFunc(old, gone)
		for _, w := range watches {
			if !slices.ContainsFunc(out, func(o sandbox.Watch) bool { return o.Path == w.Path && o.Real == w.Real }) {
				out = append(out, w)
			}
		}
		return out
	})
}

// agree forgets what appeared in a workspace: the user has it from now on. What a
// program made that still runs stays, since it can still change that.
func (s Store) agree(ctx context.Context, workspace string) error {
	if err := s.Settle(ctx); err != nil {
		return err
	}
	var f appearedFile
	if err := s.read(s.appearedPath(), &f); err != nil || len(f.Appeared) == 0 {
		return err
	}
	dir := canonical(workspace)
	return s.updateAppeared(ctx, func(old []sandbox.Watch) []sandbox.Watch {
		return slices.DeleteFunc(old, func(w sandbox.Watch) bool {
			_, ok := placed(dir, w)
			return ok
		})
	})
}

func (s Store) updateAppeared(ctx context.Context, change func([]sandbox.Watch) []sandbox.Watch) error {
	var f appearedFile
	return s.update(ctx, s.appearedPath(), &f, func() bool {
		f.Appeared = change(f.Appeared)
		return true
	})
}

const runExt = ".json"

// run is the record of one program that runs or was not seen to end.
type run struct {
	file string
	lock *flock.Flock
}

func (s Store) run(name string) run {
	file := filepath.Join(s.runningDir(), name+runExt)
	return run{file: file, lock: flock.New(file + ".lock")}
}

func (s Store) newRun(watches []sandbox.Watch) (r run, err error) {
	if err := os.MkdirAll(s.runningDir(), 0o700); err != nil {
		return r, fmt.Errorf("make state folder: %w", err)
	}
	data, err := json.Marshal(appearedFile{Appeared: watches})
	if err != nil {
		return r, err
	}
	if r, err = s.lockedRun(); err != nil {
		return r, fmt.Errorf("write state: %w", err)
	}
	err = writeSynced(r.made(), data)
	if err == nil {
		err = os.Rename(r.made(), r.file)
	}
	if err != nil {
		r.forget()
		return r, fmt.Errorf("write state: %w", err)
	}
	return r, nil
}

// lockTries is more than enough: each fails only if somebody settles at that very
// moment.
const lockTries = 100

// lockedRun is a new run with its lock taken. Somebody who settles can take a lock
// for one that was left, between its making and our locking; another name then
// does as well.
func (s Store) lockedRun() (r run, err error) {
	for range lockTries {
		r = s.run(rand.Text())
		if ok, err := r.tryLock(); ok || err != nil {
			return r, err
		}
	}
	return r, fmt.Errorf("%s is always locked by another run", s.runningDir())
}

// writeSynced writes a new file that a power cut does not empty: a damaged record
// stops every verb.
func writeSynced(file string, data []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

// runs are the records that are there, and what is left of one that was never
// complete.
func (s Store) runs() ([]run, error) {
	entries, err := os.ReadDir(s.runningDir())
	// None before the first program, nor where the folder could not be made.
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return nil, fmt.Errorf("read state: %w", err)
	}
	var out []run
	last := ""
	for _, e := range entries { // sorted
		if name, _, ok := strings.Cut(e.Name(), runExt); ok && name != last {
			out, last = append(out, s.run(name)), name
		}
	}
	return out, nil
}

// running is what all the records watch.
func (s Store) running() ([]sandbox.Watch, error) {
	runs, err := s.runs()
	var out []sandbox.Watch
	for _, r := range runs {
		var f appearedFile
		if err := s.read(r.file, &f); err != nil {
			return nil, err
		}
		out = append(out, f.Appeared...)
	}
	return out, err
}

// settle ends a run if nobody watches any more.
func (s Store) settle(ctx context.Context, r run) error {
	if ok, err := r.tryLock(); err != nil || !ok {
		return nil //nolint:nilerr // as long as it cannot be locked, it counts as one that runs
	}
	var f appearedFile
	if err := s.read(r.file, &f); err != nil {
		_ = r.lock.Unlock()
		return err
	}
	return s.end(ctx, r, f.Appeared)
}

// end keeps what appeared and removes the record. If nothing can be kept, the
// record stays, without a lock.
func (s Store) end(ctx context.Context, r run, watches []sandbox.Watch) error {
	if err := s.keep(ctx, watches); err != nil {
		_ = r.lock.Unlock()
		return err
	}
	r.forget()
	return nil
}

// made is the record before it is complete.
func (r run) made() string { return r.file + ".new" }

// tryLock takes the lock, unless the run has it or somebody removed the file just
// now: a lock that nobody else can see locks nothing.
func (r run) tryLock() (bool, error) {
	if ok, err := r.lock.TryLock(); err != nil || !ok {
		return false, err
	}
	mine, err := r.lock.Stat()
	seen, errSeen := os.Stat(r.lock.Path())
	if err == nil && errSeen == nil && os.SameFile(mine, seen) {
		return true, nil
	}
	_ = r.lock.Unlock()
	return false, nil
}

// forget removes the record, the lock last: what is not locked is taken for left.
func (r run) forget() {
	_ = os.Remove(r.made())
	_ = os.Remove(r.file)
	_ = os.Remove(r.lock.Path())
	_ = r.lock.Unlock()
}
