package state

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gofrs/flock"
)

func store(t *testing.T) Store { return Store{Dir: filepath.Join(t.TempDir(), "state")} }

func TestTrust(t *testing.T) {
	t.Parallel()
	s, ws := store(t), t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(ws, link); err != nil {
		t.Fatal(err)
	}
	check := func(dir string, want bool) {
		t.Helper()
		if got, err := s.Trusted(dir); err != nil || got != want {
			t.Errorf("%s: trusted %v, %v, want %v", dir, got, err, want)
		}
	}
	set := func(dir string, trusted, want bool) {
		t.Helper()
		if changed, err := s.Trust(t.Context(), dir, trusted); err != nil || changed != want {
			t.Errorf("Trust(%s, %v): changed %v, %v, want %v", dir, trusted, changed, err, want)
		}
	}
	check(ws, false)
	set(ws, true, true)
	set(ws, true, false)
	set(link, true, false) // the same folder
	check(ws, true)
	check(link, true)
	check(filepath.Join(ws, "sub"), false) // not what is below
	check(filepath.Dir(ws), false)
	set(link, false, true)
	set(ws, false, false)
	check(ws, false)
}

// Trust holds for the very bytes of a path, which need not be UTF-8.
func TestTrustBytes(t *testing.T) {
	t.Parallel()
	s, ws := store(t), filepath.Join(t.TempDir(), "caf\xe9")
	if err := os.Mkdir(ws, 0o755); err != nil {
		t.Skipf("this system takes no such name: %v", err)
	}
	if _, err := s.Trust(t.Context(), ws, true); err != nil {
		t.Fatal(err)
	}
	if trusted, err := s.Trusted(ws); err != nil || !trusted {
		t.Errorf("trusted %v, %v", trusted, err)
	}
	if trusted, err := s.Trusted(strings.ToValidUTF8(ws, "�")); err != nil || trusted {
		t.Errorf("another folder is trusted too: %v, %v", trusted, err)
	}
	if inside, err := s.TrustedIn(filepath.Dir(ws)); err != nil || !slices.Equal(inside, []string{canonical(ws)}) {
		t.Errorf("trusted in the folder above: %q, %v", inside, err)
	}
}

func TestSkillSwitches(t *testing.T) {
	t.Parallel()
	s := store(t)
	a, b := t.TempDir(), t.TempDir()
	change := func(ws string, names []string, enabled bool, want ...string) {
		t.Helper()
		if got, err := s.SwitchSkills(t.Context(), ws, names, enabled); err != nil || !slices.Equal(got, want) {
			t.Errorf("got %v, %v, want %v", got, err, want)
		}
	}
	change(a, []string{"x", "y"}, false, "x", "y")
	change(a, []string{"x", "z"}, false, "z")
	change(a, []string{"x"}, true, "x")
	got, err := s.SkillSwitches(a)
	if err != nil || len(got) != 3 || !got["x"] || got["y"] || got["z"] {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := s.SkillSwitches(b); err != nil || len(got) > 0 {
		t.Errorf("another workspace has %v, %v", got, err)
	}
}

// Many runs at once lose nothing.
func TestConcurrentChanges(t *testing.T) {
	t.Parallel()
	s, ws := store(t), t.TempDir()
	const count = 20
	var wg sync.WaitGroup
	for n := range count {
		wg.Go(func() {
			if _, err := s.SwitchSkills(t.Context(), ws, []string{fmt.Sprint(n)}, false); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got, err := s.SkillSwitches(ws); err != nil || len(got) != count {
		t.Errorf("%d switches are there, %v, want %d", len(got), err, count)
	}
}

func TestDamagedFile(t *testing.T) {
	t.Parallel()
	s := store(t)
	if _, err := s.Trust(t.Context(), t.TempDir(), true); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(s.trustPath()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v, want 0600", info.Mode(), err)
	}
	if err := os.WriteFile(s.trustPath(), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Trusted("/x"); err == nil || !strings.Contains(err.Error(), "is damaged") || !strings.Contains(err.Error(), s.trustPath()) {
		t.Errorf("got %v, want an error with the file", err)
	}
	if _, err := s.Trust(t.Context(), "/x", true); err == nil {
		t.Error("a damaged file was overwritten")
	}
}

func TestStateThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := Store{Dir: filepath.Join(file, "state")}
	if changed, err := s.Trust(t.Context(), "/x", true); err == nil || changed {
		t.Errorf("got %v, %v, want an error", changed, err)
	}
	if _, err := (Store{Dir: file}).Trusted("/x"); err == nil {
		t.Error("no error from a file in the place of the folder")
	}
}

func TestLockedByAnother(t *testing.T) {
	t.Parallel()
	s := store(t)
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	lock := flock.New(s.trustPath() + ".lock")
	if ok, err := lock.TryLock(); err != nil || !ok {
		t.Fatal(ok, err)
	}
	t.Cleanup(func() { _ = lock.Unlock() })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Trust(ctx, "/x", true); err == nil || !strings.Contains(err.Error(), "locked by another run") {
		t.Errorf("got %v", err)
	}
}
