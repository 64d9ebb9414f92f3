package agenttest

import (
	"context"

	"github.com/agentctl/agentctl/pkg/agent/model"
)

// Answer is a stream, collected.
type Answer struct {
	Text, Reasoning string
	Calls           []model.ToolCall
	Usage           model.Usage
	Finish          string
	Retries         []model.Retry
	// Events counts all events.
	Events int
	// Err is the error that ended the stream, nil after a Finish.
	Err error
}

// Collect sends r and gathers the answer.
func Collect(ctx context.Context, m model.Model, r model.Request) Answer {
	var a Answer
	for e, err := range m.Stream(ctx, r) {
		if err != nil {
			a.Err = err
			return a
		}
		a.Events++
		switch e := e.(type) {
		case model.TextDelta:
			a.Text += e.Text
		case model.ReasoningDelta:
			a.Reasoning += e.Text
		case model.Call:
			a.Calls = append(a.Calls, e.ToolCall)
		case model.Usage:
			a.Usage = e
		case model.Retry:
			a.Retries = append(a.Retries, e)
		case model.Finish:
			a.Finish = e.Reason
		}
	}
	return a
}
