package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/agentctl/agentctl/internal/workspace"
	"github.com/agentctl/agentctl/pkg/sandbox"
)

func (f *Factory) trusted() (bool, error) {
	ws, err := f.Workspace()
	if err != nil {
		return false, err
	}
	if f.TrustFlag {
		if made, err := f.madeByProgram(ws); err != nil || made == "" {
			return err == nil, err
		}
	}
	return f.State().Trusted(ws)
}

// madeByProgram is what a program made that turned a folder of a workspace into
// one of its own, "" if there is no such thing. Trust for one run does not cover
// it: it was meant for the workspace around.
func (f *Factory) madeByProgram(ws string) (string, error) {
	around, err := workspace.Find(filepath.Dir(ws), f.Dirs.Home)
	if err != nil || !workspace.Marked(around) {
		return "", err
	}
	places, err := f.State().Appeared(ws)
	i := slices.IndexFunc(places, func(place string) bool { return slices.Contains(workspace.Markers(), place) })
	if i < 0 {
		return "", err
	}
	return places[i], err
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

// unlessHeld is a file of configuration, or "" and a warning if a program made it:
// what it says would count for every verb. The user's own can lie in the
// workspace too.
func (f *Factory) unlessHeld(file string) (string, error) {
	held, err := f.heldBack()
	if err != nil || !overlapsAny(held, file) {
		return file, err
	}
	f.warnHeld(file)
	return "", nil
}

// warnHeld says what is left out, and how to allow it.
func (f *Factory) warnHeld(places ...string) {
	warn(f.IO, "left out, since a program made it while it ran: %s. Look at it, then run: agentctl trust", strings.Join(places, ", "))
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
	return slices.ContainsFunc(places, func(place string) bool { return workspace.Overlap(place, path) })
}

// watchful is a backend that remembers what appeared, for this run and for later
// ones: every program that agentctl confines runs through it.
type watchful struct {
	sandbox.Backend
	f *Factory
}

// Run records what is watched before the program starts, so that what it makes is
// held back while it still runs, and also if this process does not live to see
// its end.
func (w watchful) Run(ctx context.Context, p sandbox.Policy, c sandbox.Command) (sandbox.Result, error) {
	p, err := w.f.protectTrusted(p)
	if err != nil {
		return sandbox.Result{}, err
	}
	watches := sandbox.Watched(w.Backend, p)
	end, unrecorded := w.f.State().Watching(context.WithoutCancel(ctx), watches)
	res, err := w.Backend.Run(ctx, p, c)
	res.Appeared = sandbox.Appeared(watches) // also when the run itself failed
	if unrecorded == nil {
		end()
	} else if len(res.Appeared) > 0 {
		w.f.unrecorded.add(res.Appeared)
		res.Warnings = append(res.Warnings, fmt.Sprintf("%s appeared, and later runs cannot be told (%v): remove it if it is not yours",
			strings.Join(res.Appeared, ", "), unrecorded))
	}
	return res, err
}

// protectTrusted adds the places of every trusted workspace in a folder that is
// granted, such as one of --output-dir: a chat there trusts what it finds.
func (f *Factory) protectTrusted(p sandbox.Policy) (sandbox.Policy, error) {
	ws, err := f.Workspace()
	if err != nil {
		return p, err
	}
	p.Protect, p.Watch = slices.Clone(p.Protect), slices.Clone(p.Watch)
	for _, m := range p.ReadWrite {
		protect, watch, err := f.trustedPlaces(m.Host, ws)
		if err != nil {
			return p, err
		}
		p.Protect, p.Watch = append(p.Protect, protect...), append(p.Watch, watch...)
	}
	return p, nil
}

// trustedPlaces are what steers a chat in the trusted workspaces that lie in a
// folder, and where more of that can come into being. The current workspace is
// left out: it has more of both.
func (f *Factory) trustedPlaces(folder, ws string) (protect []string, watch []sandbox.FolderWatch, err error) {
	dirs, err := f.State().TrustedIn(folder)
	for _, dir := range dirs {
		if !sameFolder(dir, ws) {
			protect = append(protect, sandbox.ProtectedPaths(dir)...)
			watch = append(watch, sandbox.WatchedFolders(dir)...)
		}
	}
	return protect, watch, err
}

func sameFolder(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
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
