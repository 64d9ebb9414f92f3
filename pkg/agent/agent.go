package agent

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/repair"
	"github.com/agentctl/agentctl/pkg/agent/session"
	"github.com/agentctl/agentctl/pkg/agent/textmode"
)

// DefaultMaxSteps is how many answers of the model one turn may take.
const DefaultMaxSteps = 25

// Agent answers turns. Its fields do not change while a session lasts; the
// history does.
type Agent struct {
	Model model.Model
	// ModelName is what results say.
	ModelName string
	// System is the system prompt, byte for byte the same in every request.
	System string
	// Tools are offered in this order.
	Tools []Tool
	// Approver decides on [Approvable] tools.
	Approver Approver
	// Log keeps the records.
	Log Recorder
	// Watch sees every record as it happens; nil means nobody.
	Watch func(session.Record)
	// MaxSteps is the limit of a turn; 0 means [DefaultMaxSteps].
	MaxSteps int
	// MaxOutput is the limit of output tokens; 0 leaves it to the server.
	MaxOutput int
	// History are the records of earlier runs.
	History []session.Record

	// ToolMode says how the model calls tools: "native", "text" (see package
	// textmode), or "" and "auto": natively, until the server says that it takes
	// no tools.
	ToolMode string
	// ContextWindow is how many tokens a request and its answer may have; 0 is
	// unknown.
	ContextWindow int
	// WindowFix tells how to give a model of this server a larger window; "" tells
	// it for the usual servers.
	WindowFix string
	// Data has the texts by which refusals are told apart; nil means the builtin.
	Data *model.Data

	// SkillNames are the skills that a call by mistake may have meant; nil means
	// none.
	SkillNames func() []string

	schemas map[string]*schema.Schema
	names   *repair.Names
	meter   meter
}

// Recorder gives records their place in a session. [session.Log] and
// [session.Ephemeral] are the two.
type Recorder interface {
	Append(step int, body session.Body) (session.Record, error)
}

// Turn answers what the user said. attached is what goes with it (package
// prompt); an empty text attaches nothing.
//
// The result says why it ended. The error is what made it end when that was no
// decision of the loop: a model's, a sandbox's, the context's. The caller
// records the result, since only it knows the exit code.
func (a *Agent) Turn(ctx context.Context, text string, attached session.Context) (session.Result, error) {
	return a.Say(ctx, session.User{Text: text}, attached)
}

// Say is [Agent.Turn] with a whole record of the user's, such as a skill that
// the user invoked.
func (a *Agent) Say(ctx context.Context, user session.User, attached session.Context) (session.Result, error) {
	t := &turn{Agent: a, result: session.Result{Model: a.ModelName, ToolCalls: []session.CalledTool{}, SkillsRead: []string{}}}
	if user.Skill != "" {
		t.result.SkillsRead = append(t.result.SkillsRead, user.Skill)
	}
	err := t.run(ctx, user, attached)
	if err != nil {
		t.result.Stop = stopOf(err)
	}
	return t.result, err
}

// stopOf maps an error to the reason that a result gives.
func stopOf(err error) session.Stop {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return session.StopTimeout
	case errors.Is(err, context.Canceled):
		return session.StopInterrupted
	}
	if _, ok := errors.AsType[*model.OverflowError](err); ok {
		return session.StopOverflow
	}
	return session.StopError
}

// Note records something that belongs to no turn: the start of a run, its result.
func (a *Agent) Note(body session.Body) error {
	t := &turn{Agent: a}
	return t.emit(body)
}

// SetTools replaces the tools between two turns.
func (a *Agent) SetTools(tools []Tool) { a.Tools, a.schemas = tools, nil }

// turn is the state of one turn.
type turn struct {
	*Agent
	step   int
	result session.Result
	denied bool
	nudged bool
	// invented: the last answer went on with a result that the model made up.
	invented bool
	// seen counts equal calls with equal results, lost calls in a row that could
	// not run; looping ends the turn.
	seen    map[string]*repeats
	lost    repeats
	looping bool
	// most is the most that the server read of a request.
	most reading
	// made are the messages of the first madeOf records.
	made   []model.Message
	madeOf int
	// badArgs counts the refusals of a tool's arguments in a row.
	badArgs map[string]int
	// What is done at most once to get a request through: a turn compacts and
	// warns once, a request is untangled once.
	compacted, overflowed, warned, untangled bool

	mu sync.Mutex
}

func (t *turn) run(ctx context.Context, user session.User, attached session.Context) error {
	if err := t.compile(); err != nil {
		return err
	}
	if attached.Text != "" {
		if err := t.emit(attached); err != nil {
			return err
		}
	}
	if err := t.emit(user); err != nil {
		return err
	}
	limit := t.MaxSteps
	if limit <= 0 {
		limit = DefaultMaxSteps
	}
	for t.step = 1; t.step <= limit; t.step++ {
		if done, err := t.oneStep(ctx); done || err != nil {
			return err
		}
	}
	t.step = limit
	t.result.Stop = session.StopLimit
	return nil
}

// oneStep asks the model once and runs what it calls.
func (t *turn) oneStep(ctx context.Context) (done bool, err error) {
	answer, calls, err := t.ask(ctx)
	t.result.Steps = t.step
	if err != nil {
		t.result.Answer = answer // what was shown before it broke off
		return true, err
	}
	if t.looping {
		t.result.Answer, t.result.Stop = repair.WithoutRepetition(answer), session.StopLoop
		return true, nil
	}
	if len(calls) == 0 {
		return t.finish(answer)
	}
	for _, c := range calls {
		question, err := t.call(ctx, c)
		if err != nil {
			return true, err
		}
		if question != nil {
			t.result.Question, t.result.Stop = question, session.StopNeedsInput
			return true, nil
		}
		if t.looping {
			t.result.Stop = session.StopLoop
			return true, nil
		}
	}
	return false, nil
}

// finish ends the turn with an answer. An empty one gets one nudge.
func (t *turn) finish(answer string) (done bool, err error) {
	t.result.Answer = answer
	empty := strings.TrimSpace(termtext.Strip(answer)) == "" // also what nobody sees
	switch {
	case empty && !t.nudged:
		t.nudged = true
		if t.invented {
			return false, t.emit(session.Context{Text: inventedNudge})
		}
		return false, t.emit(session.Context{Text: emptyNudge})
	case empty:
		t.result.Stop = session.StopEmpty
	case t.denied:
		t.result.Stop = session.StopDenied
	default:
		t.result.Stop = session.StopAnswer
	}
	return true, nil
}

// emptyNudge asks once more: small models end after thinking, or after a tool's
// result, without a word.
const emptyNudge = "(Your last answer was empty. Answer the user now in plain text, or call a tool.)"

// inventedNudge is for an answer that was nothing but a result that the model made
// up: it did write something, and has to know why that does not count.
const inventedNudge = "(Your last answer was a result that no tool gave; it was dropped. Call the tool, or answer the user in plain text.)"

func (t *turn) usage(u model.Usage) error {
	t.result.Usage.Input += u.Input
	t.result.Usage.Output += u.Output
	t.result.Usage.Cached += u.Cached
	return t.emit(session.Usage{Usage: u})
}

// request is built from the records alone, so that a resumed session sends the
// same bytes as one that never stopped.
func (t *turn) request() model.Request {
	r := t.nativeRequest()
	if t.inText() {
		return textmode.Request(r)
	}
	return r
}

func (t *turn) nativeRequest() model.Request {
	r := model.Request{MaxOutput: t.MaxOutput, Tools: Specs(t.Tools)}
	if t.System != "" {
		r.Messages = append(r.Messages, model.Message{Role: model.System, Content: t.System})
	}
	r.Messages = append(r.Messages, t.messages()...)
	return r
}

// messages are the history as a request has it. They are made once for each state of
// it: a turn only adds records.
func (t *turn) messages() []model.Message {
	if n := len(t.History); t.madeOf != n {
		t.made, t.madeOf = session.History(t.History), n
	}
	return t.made
}

// emit records what happened and shows it. A running tool's output arrives
// from other goroutines.
func (t *turn) emit(body session.Body) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	rec, err := t.Log.Append(t.step, body)
	if err != nil {
		return err
	}
	t.History = append(t.History, rec)
	if t.Watch != nil {
		t.Watch(rec)
	}
	return nil
}

// Specs are the tools as a request offers them.
func Specs(tools []Tool) []model.ToolSpec {
	specs := make([]model.ToolSpec, len(tools))
	for i, tool := range tools {
		specs[i] = tool.Spec()
	}
	return specs
}
