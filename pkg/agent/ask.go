package agent

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/repair"
	"github.com/agentctl/agentctl/pkg/agent/session"
	"github.com/agentctl/agentctl/pkg/agent/textmode"
)

// answer collects one answer of the model while it streams.
type answer struct {
	t      *turn
	filter *repair.Filter
	text   strings.Builder
	calls  []asked
	cut    bool
	begun  bool // something of it was recorded
	byText bool // tools are called by text
	// ends is set when the rest of the stream is not wanted: it repeats itself, or
	// goes on with results that the model made up.
	ends     bool
	said     repair.Repetition
	thought  repair.Repetition
	invented textmode.Results
}

// ask asks the model until it has an answer, or an error that no other request
// cures.
func (t *turn) ask(ctx context.Context) (text string, calls []asked, err error) {
	if err := t.makeRoom(ctx); err != nil {
		return "", nil, err
	}
	t.untangled = false
	for {
		a := &answer{t: t, filter: repair.NewFilter(t.known), byText: t.inText()}
		err := a.read(ctx, t.request())
		if err != nil && !a.begun {
			if err = t.recover(ctx, err); err == nil {
				continue
			}
		}
		return a.text.String(), a.calls, err
	}
}

// read streams one answer: what people may see, and its calls, also those that
// the model wrote into the text. After an error there are no calls.
func (a *answer) read(ctx context.Context, r model.Request) error {
	estimate := a.t.tokens(r)
	err := a.stream(ctx, r, estimate)
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = a.show(a.filter.Write(a.invented.Rest()))
	}
	if err == nil {
		err = a.show(a.filter.Close())
	}
	if err != nil {
		a.calls = nil
		return err
	}
	return a.markCut()
}

func (a *answer) stream(ctx context.Context, r model.Request, estimate int) error {
	for ev, err := range a.t.Model.Stream(ctx, r) {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = a.take(ev, estimate)
		}
		if err != nil || a.ends {
			return err
		}
	}
	return nil
}

func (a *answer) take(ev model.Event, estimate int) error {
	switch ev := ev.(type) {
	case model.TextDelta:
		return a.takeText(ev.Text)
	case model.ReasoningDelta:
		a.repeats(&a.thought, ev.Text)
		return a.emit(session.ReasoningDelta{Text: ev.Text})
	case model.Call:
		a.calls = append(a.calls, asked{ToolCall: ev.ToolCall})
	case model.Usage:
		return a.t.answeredUsage(ev, estimate)
	case model.Retry:
		return a.t.emit(session.Retry{Attempt: ev.Attempt, AfterMS: ev.After.Milliseconds(), Reason: ev.Reason})
	case model.Finish:
		a.cut = ev.Reason == "length"
	}
	return nil
}

func (a *answer) takeText(text string) error {
	if a.byText {
		text, a.ends = a.invented.Before(text)
	}
	a.repeats(&a.said, text)
	return a.show(a.filter.Write(text))
}

// repeats ends the answer, and the turn, when the model says the same again and
// again.
func (a *answer) repeats(r *repair.Repetition, text string) {
	if r.Write(text) {
		a.ends, a.t.looping = true, true
	}
}

// show emits what the filter lets through and keeps the calls that it found.
func (a *answer) show(out repair.Output) error {
	if out.Reasoning != "" {
		if err := a.emit(session.ReasoningDelta{Text: out.Reasoning}); err != nil {
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
	return a.emit(session.TextDelta{Text: out.Text})
}

func (a *answer) emit(body session.Body) error {
	a.begun = true
	return a.t.emit(body)
}

// markCut marks the last call of an answer that hit its length limit: arguments
// that are empty there are no {}. A text that ends there is told as such.
func (a *answer) markCut() error {
	switch last := len(a.calls) - 1; {
	case !a.cut:
	case last < 0:
		return a.t.emit(session.Warning{Code: WarnOutputLimit, Text: "the answer stops where the limit of output tokens was reached: raise max_output of the model, or the limit of the server"})
	case a.calls[last].lifted == "":
		a.calls[last].cut = true
	}
	return nil
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

// lift takes thinking and calls out of a text that is not an answer.
func (t *turn) lift(text string) string { return repair.Lift(text, t.known).Text }
