package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/repair"
	"github.com/agentctl/agentctl/pkg/agent/session"
)

// answer collects one answer of the model while it streams.
type answer struct {
	t      *turn
	filter *repair.Filter
	text   strings.Builder
	calls  []asked
	cut    bool
}

// ask streams one answer of the model: what people may see, and its calls,
// also those that it wrote into the text.
func (t *turn) ask(ctx context.Context) (text string, calls []asked, err error) {
	a := &answer{t: t, filter: repair.NewFilter(t.known)}
	for ev, err := range t.Model.Stream(ctx, t.request()) {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = a.take(ev)
		}
		if err != nil {
			return a.text.String(), nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return a.text.String(), nil, err
	}
	if err := a.show(a.filter.Close()); err != nil {
		return a.text.String(), nil, err
	}
	a.markCut()
	return a.text.String(), a.calls, nil
}

func (a *answer) take(ev model.Event) error {
	switch ev := ev.(type) {
	case model.TextDelta:
		return a.show(a.filter.Write(ev.Text))
	case model.ReasoningDelta:
		return a.t.emit(session.ReasoningDelta{Text: ev.Text})
	case model.Call:
		a.calls = append(a.calls, asked{ToolCall: ev.ToolCall})
	case model.Usage:
		return a.t.usage(ev)
	case model.Retry:
		return a.t.emit(session.Retry{Attempt: ev.Attempt, AfterMS: ev.After.Milliseconds(), Reason: ev.Reason})
	case model.Finish:
		a.cut = ev.Reason == "length"
	}
	return nil
}

// show emits what the filter lets through and keeps the calls that it found.
func (a *answer) show(out repair.Output) error {
	if out.Reasoning != "" {
		if err := a.t.emit(session.ReasoningDelta{Text: out.Reasoning}); err != nil {
			return err
		}
	}
	for _, c := range out.Calls {
		a.calls = append(a.calls, asked{
			ToolCall: model.ToolCall{ID: a.t.freshID(len(a.calls)), Name: c.Name, Args: c.Args}, cut: c.Cut, lifted: c.What,
		})
	}
	if out.Text == "" {
		return nil
	}
	a.text.WriteString(out.Text)
	return a.t.emit(session.TextDelta{Text: out.Text})
}

// markCut marks the last call of an answer that hit its length limit: its
// arguments may be complete JSON and still not be what the model meant to send.
func (a *answer) markCut() {
	if a.cut && len(a.calls) > 0 && a.calls[len(a.calls)-1].lifted == "" {
		a.calls[len(a.calls)-1].cut = true
	}
}

// freshID is an id that no call of the session has; before is the number of
// calls of this answer so far.
func (t *turn) freshID(before int) string {
	n := before + 1
	for _, r := range t.History {
		if _, ok := r.Body.(session.ToolCall); ok {
			n++
		}
	}
	return fmt.Sprintf("text_%d", n)
}

// The loop guard: equal calls with equal results. Repeating is sometimes right
// (a build until it is done), so the model is told before it is stopped.
const (
	nudgeAt = 3
	stopAt  = 5
)

// guard counts a call and its result, warns the model and finally ends the turn.
func (t *turn) guard(r ready, done *outcome) {
	key, err := json.Marshal([]string{r.name, string(r.args), done.out.Text})
	if err != nil {
		return
	}
	if t.seen == nil {
		t.seen = map[string]int{}
	}
	t.seen[string(key)]++
	switch n := t.seen[string(key)]; {
	case n >= stopAt:
		t.looping = true
	case n >= nudgeAt:
		done.out.Text += fmt.Sprintf("\n\n(This is call number %d with the same arguments and the same result. Do something else, or answer the user.)", n)
	}
}
