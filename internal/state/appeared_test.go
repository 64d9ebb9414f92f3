package state

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestAppeared(t *testing.T) {
	t.Parallel()
	s, ws := store(t), t.TempDir()
	make := func(name string) string {
		t.Helper()
		path := filepath.Join(ws, filepath.FromSlash(name))
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	add := func(paths ...string) {
		t.Helper()
		if err := s.AddAppeared(t.Context(), ws, paths); err != nil {
			t.Fatal(err)
		}
	}
	check := func(want ...string) {
		t.Helper()
		if got, err := s.Appeared(ws); err != nil || !slices.Equal(got, want) {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	check()
	skills, know := make(".skill"), make("know/how")
	add(skills, know, skills, t.TempDir()) // what lies elsewhere is no place of the workspace
	check(".skill", "know/how")
	add()
	check(".skill", "know/how")

	// What is gone is not reported, and a record after that forgets it.
	if err := os.Remove(skills); err != nil {
		t.Fatal(err)
	}
	check("know/how")
	add()
	make(".skill")
	check("know/how")

	// Taking trust back agrees to nothing; giving it does, also to who has it.
	for _, trusted := range []bool{true, false} {
		add(know)
		if _, err := s.Trust(t.Context(), ws, trusted); err != nil {
			t.Fatal(err)
		}
		if trusted {
			check()
		} else {
			check("know/how")
		}
	}
	for range 2 {
		if _, err := s.Trust(t.Context(), ws, true); err != nil {
			t.Fatal(err)
		}
	}
	check()
}
