package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/agentctl/agentctl/pkg/sandbox"
)

func (f *Factory) trusted() (bool, error) {
	if f.TrustFlag {
		return true, nil
	}
	ws, err := f.Workspace()
	if err != nil {
		return false, err
	}
	return f.State().Trusted(ws)
}

// heldBack are the protected places of the workspace, absolute, that appeared
// while a program ran. They steer no model before the user agrees, whoever trusts
// the rest: what a program makes is not what was looked at.
func (f *Factory) heldBack() ([]string, error) {
	ws, err := f.Workspace()
	if err != nil {
		return nil, err
	}
	places, err := f.State().Appeared(ws)
	for i, place := range places {
		places[i] = filepath.Join(ws, filepath.FromSlash(place))
	}
	return append(places, f.unrecorded.all()...), err
}

// trustedAt tells whether one place of the workspace may steer a model.
func (f *Factory) trustedAt(path string) (bool, error) {
	trusted, err := f.Trusted()
	if err != nil || !trusted {
		return false, err
	}
	held, err := f.heldBack()
	return err == nil && !overlapsAny(held, path), err
}

// overlapsAny tells whether path lies in one of the places, or holds one.
func overlapsAny(places []string, path string) bool {
	return slices.ContainsFunc(places, func(place string) bool { return inFolder(place, path) || inFolder(path, place) })
}

// watchful is a backend that remembers what appeared, for this run and for later
// ones: every program that agentctl confines runs through it.
type watchful struct {
	sandbox.Backend
	f *Factory
}

func (w watchful) Run(ctx context.Context, p sandbox.Policy, c sandbox.Command) (sandbox.Result, error) {
	res, err := w.Backend.Run(ctx, p, c)
	if len(res.Appeared) == 0 {
		return res, err
	}
	if kept := w.keep(context.WithoutCancel(ctx), res.Appeared); kept != nil {
		w.f.unrecorded.add(res.Appeared)
		res.Hints = append(res.Hints, fmt.Sprintf("%s appeared, and later runs cannot be told (%v): remove it if it is not yours",
			strings.Join(res.Appeared, ", "), kept))
	}
	return res, err
}

// keep records what appeared for later runs.
func (w watchful) keep(ctx context.Context, paths []string) error {
	ws, err := w.f.Workspace()
	if err != nil {
		return err
	}
	return w.f.State().AddAppeared(ctx, ws, paths)
}

// pathSet is a set of paths that several goroutines add to.
type pathSet struct {
	mu    sync.Mutex
	paths []string
}

func (s *pathSet) add(paths []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paths = append(s.paths, paths...)
}

func (s *pathSet) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paths = nil
}

func (s *pathSet) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.paths)
}
