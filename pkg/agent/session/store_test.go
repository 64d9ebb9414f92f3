package session_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/pkg/agent/session"
)

func newStore(t *testing.T) session.Store {
	t.Helper()
	return session.Store{Dir: filepath.Join(t.TempDir(), "sessions"), Now: func() time.Time { return noon }}
}

func create(t *testing.T, s session.Store, bodies ...session.Body) *session.Log {
	t.Helper()
	l, err := s.Create()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	for _, b := range bodies {
		if _, err := l.Append(1, b); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

func file(s session.Store, id string) string { return filepath.Join(s.Dir, id+".jsonl") }

func TestSessionGoesOn(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	l := create(t, s, bodies()...)
	l.Close()

	again, err := s.Open(l.ID[:5])
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if again.ID != l.ID || len(again.Records) != len(bodies()) {
		t.Fatalf("opened %s with %d records, want %s with %d", again.ID, len(again.Records), l.ID, len(bodies()))
	}
	for i, b := range bodies() {
		if got := again.Records[i]; !reflect.DeepEqual(got.Body, b) || got.Seq != i+1 || *got.Session != l.ID {
			t.Errorf("record %d is %+v, want body %+v", i+1, got, b)
		}
	}
	r, err := again.Append(0, session.User{Text: "more"})
	if err != nil || r.Seq != len(bodies())+1 {
		t.Errorf("the next record has seq %d, error %v, want %d", r.Seq, err, len(bodies())+1)
	}
}

func TestSessionFilesArePrivate(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		return // has no modes
	}
	s := newStore(t)
	l := create(t, s)
	for path, want := range map[string]os.FileMode{s.Dir: 0o700, file(s, l.ID): 0o600} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
	}
}

// A chat that is left before anything was said leaves nothing.
func TestUnusedSessionGoes(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for _, bodies := range [][]session.Body{nil, {session.Init{App: "default"}}} {
		l := create(t, s, bodies...)
		l.Close()
		l.Close() // twice does no harm
	}
	if entries, err := os.ReadDir(s.Dir); err != nil || len(entries) != 0 {
		t.Errorf("left %v, error %v", entries, err)
	}
	l := create(t, s, session.Init{App: "default"}, session.Result{Stop: session.StopError})
	l.Close()
	if id, err := s.Find(l.ID); err != nil || id != l.ID {
		t.Errorf("one that has a result: got %q, %v", id, err)
	}
}

// A chat whose terminal was closed before anything was said does not hide the one
// before; when it is all there is, it goes on.
func TestLastPassesOverUnused(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	said := create(t, s, session.Init{}, session.User{Text: "one"})
	said.Close()
	killed := create(t, s, session.Init{}) // nobody closes it
	whole, err := os.ReadFile(file(s, killed.ID))
	if err != nil {
		t.Fatal(err)
	}
	killed.Close()
	for _, name := range []string{said.ID, killed.ID} {
		if err := os.WriteFile(file(s, killed.ID), whole, 0o600); err != nil {
			t.Fatal(err)
		}
		last, err := s.Last()
		if err != nil || last.ID != name {
			t.Fatalf("got %+v, %v, want %s", last, err, name)
		}
		last.Close()
		if err := s.Remove(said.ID); err != nil {
			t.Fatal(err)
		}
	}
}

// A kill at any byte loses at most the last line.
func TestKilledSessionGoesOn(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	l := create(t, s, session.User{Text: "one"}, session.TextDelta{Text: "two"})
	l.Close()
	whole, err := os.ReadFile(file(s, l.ID))
	if err != nil {
		t.Fatal(err)
	}
	first := bytes.IndexByte(whole, '\n') + 1
	for _, cut := range []int{0, 1, first - 1, first, first + 1, len(whole) - 1} {
		if err := os.WriteFile(file(s, l.ID), whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		again, err := s.Last()
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		want := bytes.Count(whole[:cut], []byte("\n"))
		if len(again.Records) != want {
			t.Errorf("cut at %d: %d records, want %d", cut, len(again.Records), want)
		}
		if r, err := again.Append(0, session.User{Text: "more"}); err != nil || r.Seq != want+1 {
			t.Errorf("cut at %d: next seq %d, error %v, want %d", cut, r.Seq, err, want+1)
		}
		again.Close()
		data, err := os.ReadFile(file(s, l.ID))
		if err != nil {
			t.Fatal(err)
		}
		if records, good, err := session.Read(bytes.NewReader(data)); err != nil || len(records) != want+1 || int(good) != len(data) {
			t.Errorf("cut at %d: the file then holds %d records, %d of %d bytes good, error %v", cut, len(records), good, len(data), err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	const user = `{"type":"user","v":1,"seq":1,"session":"x","time":"2026-11-30T12:00:00Z","text":"a"}` + "\n"
	tests := []struct{ name, content, want string }{
		{"damaged in the middle", user + "oops\n" + user, "line 2 is damaged"},
		{"newer", user + `{"type":"user","v":7}` + "\n", "has record version 7, this agentctl reads up to 1: use a newer agentctl"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			if err := os.MkdirAll(s.Dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file(s, "abc"), []byte(tt.content), 0o600); err != nil {
				t.Fatal(err)
			}
			for range 2 { // and the refusal lets go of the session
				_, err := s.Open("abc")
				if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), file(s, "abc")) {
					t.Errorf("error %v, want one with the file and %q", err, tt.want)
				}
			}
			if data, _ := os.ReadFile(file(s, "abc")); string(data) != tt.content {
				t.Error("the file was changed")
			}
		})
	}
}

func TestTwoRunsOfOneSession(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	l := create(t, s, session.User{Text: "one"})
	_, err := s.Open(l.ID)
	busy, ok := errors.AsType[*session.BusyError](err)
	if !ok || busy.ID != l.ID {
		t.Fatalf("error %v, want BusyError", err)
	}
	if want := "session " + l.ID + " is in use by another run"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
	l.Close()
	again, err := s.Open(l.ID)
	if err != nil {
		t.Fatalf("after Close: %v", err)
	}
	again.Close()
}

func TestFind(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	none, err := s.Last()
	if nf, ok := errors.AsType[*session.NotFoundError](err); none != nil || !ok || !nf.None {
		t.Fatalf("without sessions: %v", err)
	}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for i, id := range []string{"abc111", "abc222", "def333"} {
		if err := os.WriteFile(file(s, id), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		at := noon.Add(time.Duration(i) * time.Second)
		if err := os.Chtimes(file(s, id), at, at); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct{ prefix, id, err string }{
		{"def333", "def333", ""},
		{"d", "def333", ""},
		{"abc2", "abc222", ""},
		{"abc", "", `session "abc" could be abc222 or abc111`},
		{"", "", `session "" not found`},
		{"x", "", `session "x" not found`},
		{"../abc111", "", `session "../abc111" not found`},
	}
	for _, tt := range tests {
		id, err := s.Find(tt.prefix)
		if id != tt.id || (err == nil) != (tt.err == "") || err != nil && err.Error() != tt.err {
			t.Errorf("Find(%q) = %q, %v, want %q, %s", tt.prefix, id, err, tt.id, tt.err)
		}
	}
	last, err := s.Last()
	if err != nil || last.ID != "def333" {
		t.Fatalf("Last: %v, error %v, want def333", last, err)
	}
	last.Close()
}

func TestFork(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	l := create(t, s, session.User{Text: "one"}, session.Title{Text: "t"})
	fork, err := s.Fork(l.ID) // also while another run holds it
	if err != nil {
		t.Fatal(err)
	}
	defer fork.Close()
	if fork.ID == l.ID || len(fork.Records) != 2 || fork.Records[0].Body != (session.User{Text: "one"}) || *fork.Records[1].Session != fork.ID {
		t.Errorf("the fork %s has %+v", fork.ID, fork.Records)
	}
	if r, err := fork.Append(0, session.User{Text: "two"}); err != nil || r.Seq != 3 {
		t.Errorf("next seq %d, error %v, want 3", r.Seq, err)
	}
	fork.Close()
	again, err := s.Open(fork.ID)
	if err != nil || len(again.Records) != 3 {
		t.Fatalf("the fork cannot be opened: %v", err)
	}
	again.Close()
	l.Close()
	first, err := s.Open(l.ID)
	if err != nil || len(first.Records) != 2 {
		t.Errorf("the first session changed: error %v", err)
	}
	first.Close()
	if _, err := s.Fork("nope"); err == nil || err.Error() != `session "nope" not found` {
		t.Errorf("error %v", err)
	}
	if err := os.WriteFile(file(s, "bad"), []byte("x\n{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Fork("bad"); err == nil || !strings.Contains(err.Error(), file(s, "bad")+": line 1 is damaged") {
		t.Errorf("error %v", err)
	}
}

func TestNoSessionYet(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for _, open := range []func() (*session.Log, error){
		s.Last, func() (*session.Log, error) { return s.Open("a") }, func() (*session.Log, error) { return s.Fork("a") },
	} {
		if _, err := open(); err == nil || err.Error() != "there is no session in this workspace yet" {
			t.Errorf("error %v", err)
		}
	}
}

func TestCreateFails(t *testing.T) {
	t.Parallel()
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := session.Store{Dir: filepath.Join(blocked, "sessions"), Now: time.Now}
	if _, err := s.Create(); err == nil || !strings.HasPrefix(err.Error(), "make the session folder: ") {
		t.Errorf("error %v, want one about the folder", err)
	}
	if _, err := s.Last(); err == nil {
		t.Error("a folder that cannot be read is no empty one")
	}
}

func TestAppendAfterClose(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	l := create(t, s)
	l.Close()
	if _, err := l.Append(0, session.User{Text: "late"}); err == nil || !strings.Contains(err.Error(), "write session "+l.ID) {
		t.Errorf("error %v, want one that names the session", err)
	}
}
