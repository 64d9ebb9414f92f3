package sandbox

import (
	"os/exec"
	"sync/atomic"
	"testing"
	"time"
)

// A writer that blocked until the run was over gets nothing after it: neither the
// rest of the pipe nor what something left behind may write.
func TestNothingIsPassedOnAfterTheEnd(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	var passed atomic.Int32
	cmd := exec.Command("yes")
	p := newProcess(cmd, Command{Stdout: writeFunc(func(b []byte) (int, error) {
		passed.Add(1)
		<-release
		return len(b), nil
	})}, DefaultLimits)
	kill := func() { _ = cmd.Process.Kill() }
	p.ask, p.end = kill, kill
	if err := p.start(nil); err != nil {
		t.Fatal(err)
	}
	if res := p.wait(t.Context(), 200*time.Millisecond); !res.TimedOut {
		t.Errorf("got %+v, want the time limit", res)
	}
	close(release)
	for _, d := range p.drains {
		<-d.done
	}
	if n := passed.Load(); n > 1 {
		t.Errorf("%d writes came after the end", n-1)
	}
	if c, _ := p.stdout.capture(); len(c.Head) < 40<<10 {
		t.Errorf("only %d bytes were read, so nothing could have come after", len(c.Head))
	}
}

type writeFunc func([]byte) (int, error)

func (f writeFunc) Write(p []byte) (int, error) { return f(p) }
