package session_test

import (
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentctl/agentctl/pkg/agent/session"
)

const fullDisk = "SESSION_TEST_FULL_DISK"

// A disk that is full for a while costs the records of that while, not the
// session. The limit on files holds for a process, so this one starts another.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv(fullDisk); dir != "" {
		fillDisk(t, session.Store{Dir: dir, Now: func() time.Time { return noon }})
		return
	}
	s := newStore(t)
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFullDisk$")
	cmd.Env = append(os.Environ(), fullDisk+"="+s.Dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	l, err := s.Last()
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if len(l.Records) != 2 || l.Records[1].Body != (session.User{Text: "after"}) {
		t.Errorf("the session holds %+v", l.Records)
	}
}

func fillDisk(t *testing.T, s session.Store) {
	t.Helper()
	l := create(t, s, session.User{Text: "before"})
	signal.Ignore(syscall.SIGXFSZ)
	limit := syscall.Rlimit{Cur: 1000, Max: 1 << 30}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	defer func() { // a process that measures coverage writes more at its end
		limit.Cur = limit.Max
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			t.Error(err)
		}
	}()
	if _, err := l.Append(0, session.User{Text: strings.Repeat("x", 5000)}); err == nil {
		t.Fatal("the disk is not full")
	}
	if _, err := l.Append(0, session.User{Text: "after"}); err != nil {
		t.Fatal(err)
	}
}
