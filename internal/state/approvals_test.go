package state

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestApprovals(t *testing.T) {
	t.Parallel()
	s := Store{Dir: filepath.Join(t.TempDir(), "state")}
	if got, err := s.Approvals(); err != nil || len(got) != 0 {
		t.Fatalf("a new store has %v, %v", got, err)
	}
	for _, step := range []struct {
		key     string
		allowed bool
		changed bool
		want    []string
	}{
		{"write_file", true, true, []string{"write_file"}},
		{"exec:git", true, true, []string{"exec:git", "write_file"}},
		{"exec:git", true, false, []string{"exec:git", "write_file"}},
		{"write_file", false, true, []string{"exec:git"}},
		{"write_file", false, false, []string{"exec:git"}},
	} {
		changed, err := s.Approve(t.Context(), step.key, step.allowed)
		if err != nil || changed != step.changed {
			t.Errorf("Approve(%s, %t) = %t, %v, want %t", step.key, step.allowed, changed, err, step.changed)
		}
		if got, err := s.Approvals(); err != nil || !slices.Equal(got, step.want) {
			t.Errorf("after Approve(%s, %t): %v, %v, want %v", step.key, step.allowed, got, err, step.want)
		}
	}
	checkPrivate(t, s.approvalsPath())
}

func checkPrivate(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%s: %v, %v, want mode 0600", path, info.Mode(), err)
	}
}
