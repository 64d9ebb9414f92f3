package state

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"

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
	var f appearedFile
	err := s.read(s.appearedPath(), &f)
	watches := f.Appeared
	for _, r := range s.runs() {
		watches = append(watches, r.watches...)
	}
	dir := canonical(workspace)
	var inside []sandbox.Watch
	for _, w := range watches {
		if w, ok := placed(dir, w); ok {
			inside = append(inside, w)
		}
	}
	out := sandbox.Appeared(inside)
	for i, path := range out {
		out[i], _ = below(dir, path)
	}
	return out, err
}

// placed is a watch of something in dir, by its path there: a path elsewhere can
// lead there by a link.
func placed(dir string, w sandbox.Watch) (sandbox.Watch, bool) {
	if _, ok := below(dir, w.Path); ok {
		return w, true
	}
	w.Path = w.Real
	_, ok := below(dir, w.Path)
	return w, ok
}

// Watching records, before a program starts, the places that must steer no model
// if they come into being. The function that it returns ends that, and keeps
// those that did.
func (s Store) Watching(ctx context.Context, watches []sandbox.Watch) (end func() error, err error) {
	if len(watches) == 0 {
		return func() error { return nil }, nil
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
	return func() error {
		defer r.forget()
		return s.keep(ctx, watches)
	}, nil
}

// Settle keeps what programs made whose run was killed, and forgets what is gone:
// what is made in its place from now on is somebody else's.
func (s Store) Settle(ctx context.Context) error {
	for _, r := range s.runs() {
		if !r.ended() {
			continue
		}
		if err := s.keep(ctx, r.watches); err != nil {
			return err
		}
		r.forget()
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

// agree forgets what appeared in a workspace: the user has it from now on.
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

// below is path relative to dir, with slashes, if it lies there.
func below(dir, path string) (rel string, ok bool) {
	rel, err := filepath.Rel(dir, path)
	return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
}

const runExt = ".json"

// run is the record of one program that runs or was not seen to end.
type run struct {
	file    string
	lock    *flock.Flock
	watches []sandbox.Watch
}

func (s Store) newRun(watches []sandbox.Watch) (*run, error) {
	if err := os.MkdirAll(s.runningDir(), 0o700); err != nil {
		return nil, fmt.Errorf("make state folder: %w", err)
	}
	data, err := json.Marshal(appearedFile{Appeared: watches})
	if err != nil {
		return nil, err
	}
	file := filepath.Join(s.runningDir(), rand.Text()+runExt)
	r := &run{file: file, lock: flock.New(file + ".lock"), watches: watches}
	if _, err := r.lock.TryLock(); err != nil {
		return nil, fmt.Errorf("write state: %w", err)
	}
	err = os.WriteFile(file+".new", data, 0o600)
	if err == nil {
		err = os.Rename(file+".new", file)
	}
	if err != nil {
		r.forget()
		return nil, fmt.Errorf("write state: %w", err)
	}
	return r, nil
}

// runs are the records that are there.
func (s Store) runs() []*run {
	entries, _ := os.ReadDir(s.runningDir()) // none before the first program
	var out []*run
	for _, e := range entries {
		file := filepath.Join(s.runningDir(), e.Name())
		var f appearedFile
		if filepath.Ext(file) == runExt && s.read(file, &f) == nil {
			out = append(out, &run{file: file, lock: flock.New(file + ".lock"), watches: f.Appeared})
		}
	}
	return out
}

// ended tells whether nobody watches any more.
func (r *run) ended() bool {
	ok, err := r.lock.TryLock()
	return ok && err == nil
}

// forget removes the record, the lock last: what is not locked is taken for left.
func (r *run) forget() {
	_ = os.Remove(r.file)
	_ = os.Remove(r.lock.Path())
	_ = r.lock.Unlock()
}
