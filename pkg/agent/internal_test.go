package agent

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/pkg/agent/session"
)

// The advice has an end, whatever the estimate is.
func TestWindowFixIsBounded(t *testing.T) {
	t.Parallel()
	for estimate, want := range map[int]string{0: " 2048 ", 1024: " 2048 ", 1025: " 4096 ", 1 << 29: " 1073741824 ", math.MaxInt: " 1073741824 "} {
		if got := (&turn{Agent: &Agent{WindowFix: "use %[1]d tokens"}}).windowFix(estimate); !strings.Contains(got, want) {
			t.Errorf("%d: got %q, want%s", estimate, got, want)
		}
	}
}

// The messages are made once for each state of the history.
func TestMessagesAreMadeOnce(t *testing.T) {
	t.Parallel()
	tt := &turn{Agent: &Agent{Log: &session.Ephemeral{Now: time.Now}}}
	for i, text := range []string{"one", "two"} {
		if err := tt.emit(session.User{Text: text}); err != nil {
			t.Fatal(err)
		}
		first, second := tt.messages(), tt.messages()
		if &first[0] != &second[0] {
			t.Errorf("%d: they were made twice", i)
		}
		if !strings.HasSuffix(first[0].Content, text) {
			t.Errorf("%d: got %+v", i, first)
		}
	}
}
