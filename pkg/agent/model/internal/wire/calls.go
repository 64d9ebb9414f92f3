package wire

import (
	"errors"
	"math"
	"strconv"

	"github.com/agentctl/agentctl/pkg/agent/model"
)

// ErrNoEnd is the cause of a [model.CutStreamError] when a stream just stopped.
var ErrNoEnd = errors.New("the stream ended without a finish reason")

// TooManyCalls is the error of an answer with more than [model.MaxCalls]. It is not
// asked for again.
func (c *Client) TooManyCalls() error {
	return &failure{err: &model.CutStreamError{Provider: c.Provider, Err: model.ErrTooManyCalls}}
}

// Tokens is a number of tokens as a server tells it, at most what fits into an int
// anywhere. What is no number, and less than none, is 0.
type Tokens int

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (t *Tokens) UnmarshalJSON(raw []byte) error {
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		n = 0
	}
	*t = Tokens(min(max(n, 0), math.MaxInt32))
	return nil
}

// OwnIDs gives calls ids of their own: one that is missing, or that this answer
// or the history has already, becomes call_1, call_2, … So a result belongs to
// one call for ever.
func OwnIDs(calls []model.ToolCall, history []model.Message) []model.ToolCall {
	taken := map[string]bool{}
	for _, m := range history {
		for _, c := range m.ToolCalls {
			taken[c.ID] = true
		}
	}
	n := 0 // up to here the numbers are taken
	for i := range calls {
		for id := calls[i].ID; id == "" || taken[id]; id = calls[i].ID {
			n++
			calls[i].ID = "call_" + strconv.Itoa(n)
		}
		taken[calls[i].ID] = true
	}
	return calls
}

// End emits what is known when an answer is complete.
func End(emit Emit, calls []model.ToolCall, usage *model.Usage, reason string) error {
	for _, c := range calls {
		if err := emit(model.Call{ToolCall: c}); err != nil {
			return err
		}
	}
	if usage != nil {
		if err := emit(*usage); err != nil {
			return err
		}
	}
	return emit(model.Finish{Reason: reason})
}
