package wire

import (
	"errors"
	"strconv"

	"github.com/agentctl/agentctl/pkg/agent/model"
)

// ErrNoEnd is the cause of a [model.CutStreamError] when a stream just stopped.
var ErrNoEnd = errors.New("the stream ended without a finish reason")

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
	for i := range calls {
		if id := calls[i].ID; id == "" || taken[id] {
			calls[i].ID = freeID(taken)
		}
		taken[calls[i].ID] = true
	}
	return calls
}

func freeID(taken map[string]bool) string {
	for n := 1; ; n++ {
		if id := "call_" + strconv.Itoa(n); !taken[id] {
			return id
		}
	}
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
