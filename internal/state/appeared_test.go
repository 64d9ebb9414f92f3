package state

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/agentctl/agentctl/pkg/sandbox"
)

// places is a workspace in which a test plays the program.
type places struct {
	t  *testing.T
	s  Store
	ws string
}

func newPlaces(t *testing.T) places { return places{t, store(t), t.TempDir()} }

func (p places) path(name string) string { return filepath.Join(p.ws, filepath.FromSlash(name)) }

func (p places) mkdir(name string) {
	p.t.Helper()
	if err := os.MkdirAll(p.path(name), 0o755); err != nil {
		p.t.Fatal(err)
	}
}

func (p places) rm(name string) {
	p.t.Helper()
	if err := os.RemoveAll(p.path(name)); err != nil {
		p.t.Fatal(err)
	}
}

// watching starts a run that watches the names.
func (p places) watching(names ...string) (end func()) {
	p.t.Helper()
	var ws []sandbox.Watch
	for _, name := range names {
		ws = append(ws, sandbox.Watch{Path: p.path(name), Real: p.path(name)})
	}
	end, err := p.s.Watching(p.t.Context(), ws)
	if err != nil {
		p.t.Fatal(err)
	}
	return end
}

// left are the names of the files that are kept of runs.
func (p places) left() []string {
	p.t.Helper()
	entries, err := os.ReadDir(p.s.runningDir())
	if err != nil {
		p.t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func (p places) want(want ...string) {
	p.t.Helper()
	if got, err := p.s.Appeared(p.ws); err != nil || !slices.Equal(got, want) {
		p.t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func (p places) trust(trusted bool) {
	p.t.Helper()
	if _, err := p.s.Trust(p.t.Context(), p.ws, trusted); err != nil {
		p.t.Fatal(err)
	}
}

// What appeared in a folder whose name is not UTF-8 counts like any other, while
// the program runs and later.
func TestAppearedBytes(t *testing.T) {
	t.Parallel()
	p := newPlaces(t)
	p.ws = p.path("caf\xe9")
	if err := os.Mkdir(p.ws, 0o755); err != nil {
		t.Skipf("this system takes no such name: %v", err)
	}
	end := p.watching(".skill", "\xff.yaml")
	p.mkdir(".skill/evil")
	p.want(".skill")
	end()
	p.want(".skill")
	p.trust(true)
	p.want()
}

// Many runs that start at once take no lock from each other.
func TestAppearedManyRuns(t *testing.T) {
	t.Parallel()
	p := newPlaces(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				end, err := p.s.Watching(t.Context(), []sandbox.Watch{{Path: p.path("x"), Real: p.path("x")}})
				if err != nil {
					t.Error(err)
					return
				}
				end()
			}
		})
	}
	wg.Wait()
	if left := p.left(); len(left) > 0 {
		t.Errorf("%q is left", left)
	}
}

func TestAppeared(t *testing.T) {
	t.Parallel()
	p := newPlaces(t)
	p.want()
	p.watching()()
	end := p.watching(".skill", "know/how", "other")
	p.want()
	p.mkdir(".skill")
	p.want(".skill") // it counts at once, not only when the program has ended
	p.mkdir("know/how/x")
	end()
	p.want(".skill", "know/how")

	// What is gone is not reported, and the next run forgets it.
	p.rm(".skill")
	p.want("know/how")
	p.watching("other")()
	p.mkdir(".skill")
	p.want("know/how")

	// Taking trust back agrees to nothing; giving it does, also to who has it.
	p.trust(false)
	p.want("know/how")
	p.trust(true)
	p.want()
	p.rm("know")
	end = p.watching("know")
	p.mkdir("know")
	p.trust(true)
	p.want("know") // the program can still change it
	end()
	p.want("know")
	p.trust(true)
	p.want()
}

// A record is the only one until what appeared is kept: it stays if that fails,
// and is not mistaken for one of a program that runs.
func TestAppearedNotKept(t *testing.T) {
	t.Parallel()
	p := newPlaces(t)
	end := p.watching(".skill")
	p.mkdir(".skill")
	block := p.s.appearedPath() + ".lock"
	if err := os.Mkdir(block, 0o700); err != nil { // in place of a full disk
		t.Fatal(err)
	}
	end()
	for range 2 {
		if err := p.s.Settle(t.Context()); err == nil {
			t.Error("what cannot be kept is no error")
		}
	}
	p.want(".skill")
	if err := os.Remove(block); err != nil {
		t.Fatal(err)
	}
	if err := p.s.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.want(".skill")
	if left := p.left(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// What a record says must be known, and what is no record is removed.
func TestDamagedRecords(t *testing.T) {
	t.Parallel()
	p := newPlaces(t)
	end := p.watching(".skill")
	live := p.left()
	damaged := filepath.Join(p.s.runningDir(), "B.json")
	for _, name := range []string{"A.json.lock", "A.json.new", "B.json"} {
		if err := os.WriteFile(filepath.Join(p.s.runningDir(), name), []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, appeared := p.s.Appeared(p.ws)
	for _, err := range []error{appeared, p.s.Settle(t.Context()), p.s.Settle(t.Context())} {
		if err == nil || !strings.Contains(err.Error(), damaged+" is damaged") {
			t.Errorf("error is %v", err)
		}
	}
	if err := os.Remove(damaged); err != nil {
		t.Fatal(err)
	}
	if err := p.s.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := p.left(); !slices.Equal(left, live) {
		t.Errorf("left: %v, want %v", left, live)
	}
	p.mkdir(".skill")
	end()
	p.want(".skill")
}

// A lock that was removed before it was taken is none.
func TestLockThatNobodySees(t *testing.T) {
	t.Parallel()
	p := newPlaces(t)
	p.watching("x")
	r := p.s.run("A")
	if ok, err := r.tryLock(); err != nil || !ok {
		t.Fatalf("locked %v, %v", ok, err)
	}
	if err := os.Remove(r.lock.Path()); err != nil {
		t.Fatal(err)
	}
	if ok, err := r.tryLock(); err != nil || ok {
		t.Errorf("locked %v, %v", ok, err)
	}
}

// A run that was killed leaves its record, without a lock.
func TestAppearedAfterKill(t *testing.T) {
	t.Parallel()
	p := newPlaces(t)
	killed := func(names ...string) {
		t.Helper()
		p.watching(names...)
		runs, err := p.s.runs()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range runs {
			if err := os.Remove(r.lock.Path()); err != nil { // the next one makes a lock of its own
				t.Fatal(err)
			}
		}
	}
	killed(".skill", "apps")
	p.mkdir(".skill")
	p.want(".skill")
	p.watching("other")() // the next run takes it over
	p.want(".skill")
	if left := p.left(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	p.mkdir("apps") // made by nobody who was watched
	p.want(".skill")

	killed("agentctl.yaml")
	p.mkdir("agentctl.yaml")
	p.trust(true) // agrees to that as well
	p.want()
}

// A workspace in another one, and one that is reached by a link, have what
// appeared in them wherever the program ran.
func TestAppearedElsewhere(t *testing.T) {
	t.Parallel()
	p := newPlaces(t)
	p.mkdir("sub")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(p.ws, link); err != nil {
		t.Fatal(err)
	}
	outer := p
	p.ws = link
	end := p.watching("sub/.skill")
	p.mkdir("sub/.skill")
	end()
	outer.want("sub/.skill")
	inner := outer
	inner.ws = outer.path("sub")
	inner.want(".skill")
	inner.trust(true)
	outer.want()
}

// A state folder that cannot be written is an error before anything runs.
func TestWatchingWithoutState(t *testing.T) {
	t.Parallel()
	p := newPlaces(t)
	file := p.path("file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p.s.Dir = filepath.Join(file, "state")
	if _, err := p.s.Watching(t.Context(), []sandbox.Watch{{Path: p.path("x"), Real: p.path("x")}}); err == nil {
		t.Error("no error")
	}
}

func TestTrustedIn(t *testing.T) {
	t.Parallel()
	p := newPlaces(t)
	ws := canonical(p.ws)
	for _, name := range []string{"a", "a/b", "other"} {
		p.mkdir(name)
	}
	for _, dir := range []string{p.path("a"), p.path("a/b"), t.TempDir()} {
		if _, err := p.s.Trust(t.Context(), dir, true); err != nil {
			t.Fatal(err)
		}
	}
	for folder, want := range map[string][]string{
		"":      {filepath.Join(ws, "a"), filepath.Join(ws, "a", "b")},
		"a":     {filepath.Join(ws, "a"), filepath.Join(ws, "a", "b")},
		"a/b":   {filepath.Join(ws, "a", "b")},
		"other": nil,
	} {
		if got, err := p.s.TrustedIn(p.path(folder)); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %q, %v, want %q", folder, got, err, want)
		}
	}
}
