package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

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
	finish string // why it ended, in words of chat completions
	begun  bool   // something of it was recorded
	byText bool   // tools are called by text
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
	a.t.invented = false
	err := a.stream(ctx, r, a.t.sizeOf(r))
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = a.show(a.filter.Write(a.invented.Rest()))
	}
	if err == nil {
		err = a.show(a.filter.Close())
	}
	if err == nil {
		a.dropTwins()
		err = a.atMost(model.MaxCalls)
	}
	if err != nil {
		a.calls = nil
		return err
	}
	return a.ended()
}

// dropTwins drops calls that were found in the text and came as calls too: some
// servers leave the text in that they made them from.
func (a *answer) dropTwins() {
	native := map[string]bool{}
	for _, c := range a.calls {
		native[a.t.sameCall(c)] = native[a.t.sameCall(c)] || c.lifted == ""
	}
	a.calls = slices.DeleteFunc(a.calls, func(c asked) bool { return c.lifted != "" && native[a.t.sameCall(c)] })
}

// sameCall is equal for calls of one tool with the same arguments.
func (t *turn) sameCall(c asked) string {
	call := t.unalias(c.ToolCall)
	name, ok := t.names.Find(call.Name)
	if !ok {
		name = call.Name
	}
	var args any
	if json.Unmarshal([]byte(call.Args), &args) != nil {
		args = call.Args
	}
	key, _ := json.Marshal([]any{name, args}) // what was read is written
	return string(key)
}

func (a *answer) stream(ctx context.Context, r model.Request, sent size) error {
	for ev, err := range a.t.Model.Stream(ctx, r) {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = a.take(ctx, ev, sent)
		}
		if err != nil || a.ends {
			return err
		}
	}
	return nil
}

func (a *answer) take(ctx context.Context, ev model.Event, sent size) error {
	switch ev := ev.(type) {
	case model.TextDelta:
		return a.takeText(ctx, ev.Text)
	case model.ReasoningDelta:
		a.repeats(&a.thought, ev.Text)
		return a.emit(session.ReasoningDelta{Text: ev.Text})
	case model.Call:
		return a.addCall(asked{ToolCall: ev.ToolCall})
	case model.Usage:
		return a.t.answeredUsage(ev, sent)
	case model.Retry:
		return a.t.emit(session.Retry{Attempt: ev.Attempt, AfterMS: ev.After.Milliseconds(), Reason: ev.Reason})
	case model.Finish:
		a.finish = ev.Reason
	}
	return nil
}

// maxPiece is how much text is taken at once: a server may send all of it in one
// event, and who reads wants to see it, or to stop it.
const maxPiece = 4 << 10

func (a *answer) takeText(ctx context.Context, text string) error {
	for text != "" && !a.ends {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := pieceOf(text, maxPiece)
		if err := a.takePiece(text[:n]); err != nil {
			return err
		}
		text = text[n:]
	}
	return nil
}

// pieceOf is the length of a first piece that cuts no character in two.
func pieceOf(text string, limit int) int {
	if len(text) <= limit {
		return len(text)
	}
	n := limit
	for n > limit-utf8.UTFMax && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}

func (a *answer) takePiece(text string) error {
	if a.byText {
		text, a.ends = a.invented.Before(text)
		a.t.invented = a.ends
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
	if out.Thought && a.text.Len() > 0 {
		a.text.Reset()
		if err := a.emit(session.Repair{Name: "answer", What: []string{"the text before </think> is thinking, and no answer"}, Thought: true}); err != nil {
			return err
		}
	}
	if out.Reasoning != "" {
		if err := a.emit(session.ReasoningDelta{Text: out.Reasoning}); err != nil {
			return err
		}
	}
	for _, c := range out.Calls {
		id := a.t.freshID(len(a.calls))
		if err := a.addCall(asked{ToolCall: model.ToolCall{ID: id, Name: c.Name, Args: c.Args}, cut: c.Cut, lifted: c.What}); err != nil {
			return err
		}
	}
	if out.Text == "" {
		return nil
	}
	a.text.WriteString(out.Text)
	return a.emit(session.TextDelta{Text: out.Text})
}

// addCall adds a call to the answer, as long as there are not too many; each may
// have a twin.
func (a *answer) addCall(c asked) error {
	a.calls = append(a.calls, c)
	return a.atMost(2 * model.MaxCalls)
}

func (a *answer) atMost(calls int) error {
	if len(a.calls) > calls {
		return &model.CutStreamError{Provider: a.t.ModelName, Err: model.ErrTooManyCalls}
	}
	return nil
}

func (a *answer) emit(body session.Body) error {
	a.begun = true
	return a.t.emit(body)
}

// ended tells what the reason of the end means. At the limit of its length the
// last call is marked as cut, since arguments that are empty there are no {}.
func (a *answer) ended() error {
	switch last := len(a.calls) - 1; {
	case a.finish == "content_filter":
		a.t.nudged = true // it would not say more
		return a.t.emit(session.Warning{Code: WarnFiltered, Text: "the server ended the answer because of its content: ask in another way, or use another model"})
	case a.finish != "length":
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
