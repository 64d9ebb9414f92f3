package toolpkg

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/pkg/sandbox"
)

// stuck is a receiver that takes nothing until it is let go.
type stuck struct{ called, free chan struct{} }

func newStuck() stuck { return stuck{make(chan struct{}, 100), make(chan struct{})} }

func (s stuck) Write(p []byte) (int, error) {
	s.called <- struct{}{}
	<-s.free
	return len(p), nil
}

func TestAStuckReceiverHoldsUpNoTimeout(t *testing.T) {
	t.Parallel()
	for name, granted := range map[string][]string{"with a secret": {"API_TOKEN"}, "without a secret": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			receiver, wrote := newStuck(), make(chan struct{})
			v := invoker(t, tempDir(t))
			// As a sandbox does whose time is over: a write may still wait.
			v.Run = func(_ context.Context, _ sandbox.Policy, c sandbox.Command) (sandbox.Result, error) {
				go func() {
					defer close(wrote)
					_, _ = c.Stdout.Write([]byte("first tok-"))
					_, _ = c.Stdout.Write([]byte("123456 late tok"))
				}()
				<-receiver.called
				return sandbox.Result{TimedOut: true}, nil
			}
			c := echoCall(t, `{"text":"x"}`)
			c.Granted, c.Stdout = granted, receiver
			if granted == nil {
				p := clonePackage(c.Function.Package)
				p.Env = nil // which is required
				c.Function.Package = p
			}
			start := time.Now()
			r := v.Invoke(t.Context(), c)
			if r.ExitCode != ExitTimeout || r.Kind != KindTimeout || r.Stdout != "" || time.Since(start) > 5*time.Second {
				t.Errorf("after %v: %+v", time.Since(start), r)
			}
			close(receiver.free)
			<-wrote
			if n := len(receiver.called); n != 0 {
				t.Errorf("%d more writes after the end", n)
			}
		})
	}
}

func TestAbandonKeepsWhatCame(t *testing.T) {
	t.Parallel()
	var seen strings.Builder
	o := newOutput(spillFile{}, &seen, []secret{{"A", "hunter2"}})
	_, _ = o.Write([]byte("a hunter2 and hunt"))
	text, err := o.abandon()
	if want := "a [redacted:A] and hunt"; err != nil || text.Text != want || seen.String() != want {
		t.Errorf("got %q, %q, %v", text.Text, seen.String(), err)
	}
	if n, err := o.Write([]byte("late")); n != 4 || err != nil || strings.Contains(seen.String(), "late") {
		t.Errorf("a late write: %d, %v, %q", n, err, seen.String())
	}
}
