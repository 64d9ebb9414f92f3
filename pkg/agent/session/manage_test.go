package session_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/pkg/agent/session"
)

func TestRename(t *testing.T) {
	t.Parallel()
	s := storeWith(t, [2]string{"new", text(t, session.User{Text: "a"})}, [2]string{"old", text(t, session.User{Text: "b"}) + "cut of"})
	title, err := s.Rename("old", "  Parser\n\tbug ")
	if err != nil || title != "Parser bug" {
		t.Fatalf("got %q, error %v", title, err)
	}
	all, err := s.List(t.Context())
	if err != nil || all[0].ID != "new" || all[1].Title != "Parser bug" || all[1].Turns != 1 {
		t.Errorf("got %+v, error %v: a new title is no use of the session", all, err)
	}
	records, err := s.Records("old")
	if err != nil || len(records) != 2 || records[1].Seq != 2 {
		t.Errorf("got %+v, error %v", records, err)
	}
	for _, tt := range []struct{ title, want string }{
		{" \n", "the title is empty"},
		{strings.Repeat("ä", session.MaxTitle), ""},
		{strings.Repeat("ä", session.MaxTitle+1), "the title has 201 characters, at most 200 are allowed"},
	} {
		_, err := s.Rename("new", tt.title)
		if (err == nil) != (tt.want == "") || err != nil && err.Error() != tt.want {
			t.Errorf("%q: error %v, want %q", tt.title, err, tt.want)
		}
	}
	if _, err := s.Rename("none", "x"); !isA[*session.NotFoundError](err) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(file(s, "none") + ".lock"); !os.IsNotExist(err) {
		t.Error("a lock is left of a session that does not exist")
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	s := storeWith(t, [2]string{"a", "damaged\n{}\n"}, [2]string{"b", ""}, [2]string{"c", ""})
	busy, err := s.Open("b")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	if _, err := s.Rename("b", "x"); !isA[*session.BusyError](err) {
		t.Errorf("error %v, want BusyError", err)
	}
	if err := s.Remove("a", "b"); !isA[*session.BusyError](err) {
		t.Errorf("error %v, want BusyError", err)
	}
	if _, err := s.Find("a"); err != nil {
		t.Errorf("one was in use, and another is gone: %v", err)
	}
	if err := s.Remove("a", "c"); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(s.Dir)
	if err != nil || len(entries) != 2 { // b and its lock
		t.Errorf("left: %v, error %v", entries, err)
	}
}

// Also a run that waits for the session while it is removed gets no new file.
func TestOpenRemoved(t *testing.T) {
	t.Parallel()
	s := storeWith(t, [2]string{"a", ""})
	l, err := s.Open("a")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := os.Remove(file(s, "a")); err != nil {
		t.Skip("an open file cannot be removed here")
	}
	l.Close()
	if _, err := s.Open("a"); !isA[*session.NotFoundError](err) {
		t.Errorf("error %v", err)
	}
}

func TestCandidates(t *testing.T) {
	t.Parallel()
	files := make([][2]string, 0, 12)
	for _, c := range "0123456789ab" {
		files = append(files, [2]string{"f" + string(c) + "12", text(t, session.User{Text: "ask " + string(c)})})
	}
	s := storeWith(t, files...)
	_, err := s.Find("f")
	e, _ := errors.AsType[*session.NotFoundError](err)
	if e == nil || len(e.Ambiguous) != 12 || len(e.Candidates) != session.MaxCandidates || e.More != 4 || e.Candidates[0].Title != "ask 0" {
		t.Errorf("got %+v", e)
	}
	if want := `session "f" could be any of 12`; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
	_, err = s.Find("f513")
	e, _ = errors.AsType[*session.NotFoundError](err)
	if e == nil || len(e.Nearest) == 0 || e.Nearest[0] != "f012" && !strings.HasPrefix(e.Nearest[0], "f") || len(e.Candidates) != session.MaxCandidates {
		t.Errorf("got %+v", e)
	}
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
