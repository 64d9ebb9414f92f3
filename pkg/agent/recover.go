package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/session"
)

// The values of [Agent.ToolMode].
const (
	ToolModeNative = "native"
	ToolModeText   = "text"
	ToolModeAuto   = "auto"
)

// WarnTextMode is the code of the warning that a chat went over to text mode.
// Later runs of the session read it, and start there.
const WarnTextMode = "model.text_mode"

// recover does what makes a refused request worth repeating, each only once. It
// returns the error that is left.
func (t *turn) recover(ctx context.Context, err error) error {
	if e, ok := errors.AsType[*model.ToolsUnsupportedError](err); ok && !t.inText() && t.auto() {
		return t.emit(session.Warning{Code: WarnTextMode, Text: fmt.Sprintf(
			"%v. Tools are called by text from now on; to start like that, set tool_mode: text in the entry of this model under models (agentctl config path)", e)})
	}
	if _, ok := errors.AsType[*model.OverflowError](err); ok && t.compactable() {
		return t.afterOverflow(ctx, err)
	}
	if e, ok := errors.AsType[*model.ServerError](err); ok && !t.untangled && t.data().BlamesHistory(e.Detail) {
		return t.untangle(err)
	}
	return err
}

func (t *turn) auto() bool { return t.ToolMode == "" || t.ToolMode == ToolModeAuto }

// inText tells whether requests go out in text mode.
func (t *turn) inText() bool {
	if !t.auto() {
		return t.ToolMode == ToolModeText
	}
	for _, r := range slices.Backward(t.History) {
		switch b := r.Body.(type) {
		case session.Warning:
			if b.Code == WarnTextMode {
				return true
			}
		case session.Init:
			if b.Model != t.ModelName {
				return false // another model was asked then
			}
		}
	}
	return false
}

func (t *turn) data() *model.Data {
	if t.Data == nil {
		return model.Builtin()
	}
	return t.Data
}

// afterOverflow compacts, so that the request can be made again.
func (t *turn) afterOverflow(ctx context.Context, overflow error) error {
	t.compacted, t.overflowed = true, true
	if _, err := t.compact(ctx); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("%w; the history could not be compacted: %w", overflow, err)
	}
	return nil
}

// untangle takes the last calls out of the history: the server cannot read one
// of them, and would refuse every later request. What they came to is told as
// text.
func (t *turn) untangle(err error) error {
	t.untangled = true
	t.most = reading{} // what comes is told in another way
	for _, m := range slices.Backward(t.messages()) {
		if len(m.ToolCalls) == 0 {
			continue
		}
		rec := session.Repair{What: []string{"left out of the history, because the server cannot read it"}}
		for _, c := range m.ToolCalls {
			rec.Name = c.Name
			rec.Dropped = append(rec.Dropped, c.ID)
		}
		return t.emit(rec)
	}
	return err
}
