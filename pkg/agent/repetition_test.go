package agent_test

import (
	"context"
	"iter"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/session"
)

// endless never stops to say the same.
type endless struct {
	reasoning bool
	text      string
	sent      int
	requests  []model.Request
}

func (m *endless) Stream(_ context.Context, r model.Request) iter.Seq2[model.Event, error] {
	m.requests = append(m.requests, r)
	return func(yield func(model.Event, error) bool) {
		if len(m.requests) > 1 {
			yield(model.TextDelta{Text: "ok"}, nil)
			return
		}
		for m.sent < 1_000_000 {
			var e model.Event = model.TextDelta{Text: m.text}
			if m.reasoning {
				e = model.ReasoningDelta{Text: m.text}
			}
			if m.sent += len(m.text); !yield(e, nil) {
				return
			}
		}
	}
}

func TestEndlessRepetitionIsCut(t *testing.T) {
	t.Parallel()
	const piece = "I should look at the file once more, and then at it again. "
	for _, m := range []*endless{{text: piece}, {text: "no "}, {text: piece, reasoning: true}} {
		a := newAgent(m)
		res := turn(t, a, "go")
		if res.Stop != session.StopLoop || res.Steps != 1 || m.sent > 2000 {
			t.Errorf("%q: stop %s after %d bytes", m.text, res.Stop, m.sent)
		}
		if strings.Count(res.Answer, "file") > 2 {
			t.Errorf("the answer is %q", res.Answer)
		}
		// It must not teach the model to go on like that.
		turn(t, a, "and now?")
		for _, msg := range m.requests[1].Messages {
			if len(msg.Content) > 200 || len(msg.Reasoning) > 200 {
				t.Errorf("the next request has %q", msg.Content)
			}
		}
	}
}
