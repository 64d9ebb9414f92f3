package state

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestHistory(t *testing.T) {
	t.Parallel()
	s := Store{Dir: filepath.Join(t.TempDir(), "state")}
	for _, entry := range []string{"one", "two\nlines", "two\nlines", "", strings.Repeat("x", maxHistoryEntry+1), "one"} {
		if err := s.AddHistory(t.Context(), entry); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"one", "two\nlines", "one"}
	if got, err := s.History(); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	checkPrivate(t, s.historyPath())
}

func TestHistoryIsBounded(t *testing.T) {
	t.Parallel()
	s := Store{Dir: t.TempDir()}
	full := historyFile{}
	err := s.update(t.Context(), s.historyPath(), &full, func() bool {
		for i := range maxHistory {
			full.Entries = append(full.Entries, fmt.Sprint(i))
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.AddHistory(t.Context(), "new"); err != nil {
		t.Fatal(err)
	}
	got, err := s.History()
	if err != nil || len(got) != maxHistory || got[0] != "1" || got[maxHistory-1] != "new" {
		t.Errorf("got %d entries from %q to %q, %v", len(got), got[0], got[len(got)-1], err)
	}
}
