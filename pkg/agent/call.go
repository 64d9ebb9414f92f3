package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/repair"
	"github.com/agentctl/agentctl/pkg/agent/session"
)

// The states of a call in its result. One that was cut off has no result of its
// own; it is interrupted in that of the run.
const (
	statusOK          = "ok"
	statusError       = "error"
	statusDenied      = "denied"
	statusInterrupted = "interrupted"
)

// compile prepares the schemas of all tools once.
func (t *turn) compile() error {
	if t.schemas != nil {
		return nil
	}
	t.schemas = map[string]*schema.Schema{}
	t.names = repair.NewNames(t.toolNames())
	for _, tool := range t.Tools {
		spec := tool.Spec()
		s, err := schema.Compile(spec.Schema)
		if err != nil {
			return fmt.Errorf("schema of tool %s: %w", spec.Name, err)
		}
		t.schemas[spec.Name] = s
	}
	return nil
}

// asked is one call as the model made it.
type asked struct {
	model.ToolCall
	cut    bool   // the answer ended before the call was known to be complete
	lifted string // how it was written, for a call that was found in the text
}

// ready is a call that may run, or what the model is told instead.
type ready struct {
	tool    Tool // nil for an unknown one
	name    string
	args    json.RawMessage
	mended  []string
	problem string // "" when the call may run
	badArgs bool   // the problem is one of the arguments
}

// call runs one call and records call, decision and result. It returns the
// question that ends the turn, if there is one.
func (t *turn) call(ctx context.Context, c asked) (*session.Question, error) {
	r := t.prepare(c)
	if err := t.emit(session.ToolCall{ID: c.ID, Name: r.name, Args: r.args}); err != nil {
		return nil, err
	}
	if len(r.mended) > 0 {
		if err := t.emit(session.Repair{ID: c.ID, Name: r.name, What: r.mended}); err != nil {
			return nil, err
		}
	}
	done := outcome{status: statusError, out: Output{Text: r.problem, Failed: true, BadArgs: r.badArgs}}
	if r.problem == "" {
		var err error
		if done, err = t.perform(ctx, r.tool, Call{ID: c.ID, Args: r.args, Output: t.output(c.ID)}); err != nil {
			// It may have had effects, so the result of the run names it.
			t.result.ToolCalls = append(t.result.ToolCalls, session.CalledTool{ID: c.ID, Name: r.name, Args: r.args, Status: statusInterrupted})
			return nil, err
		}
	}
	if r.tool != nil && !t.spent(r.name) {
		t.count(r.name, &done.out)
	}
	t.guard(r, &done)
	return done.out.Question, t.answered(c.ID, r.name, r.args, done)
}

// outcome is what came of a call.
type outcome struct {
	status string
	out    Output
	took   time.Duration // of the tool alone: a person may think for long
}

// prepare finds the tool and makes the arguments fit its schema. A call that
// cannot run is kept in the history with arguments that are valid JSON.
func (t *turn) prepare(c asked) ready {
	r := ready{name: c.Name, args: asSent(c.Args)}
	if c.lifted != "" {
		r.mended = append(r.mended, c.lifted)
	}
	call := t.unalias(c.ToolCall)
	name, ok := t.names.Find(call.Name)
	if !ok {
		r.problem = repair.UnknownTool(call.Name, t.toolNames(), t.skillNames())
		return r
	}
	r.name, r.tool = name, t.tool(name)
	if name != c.Name {
		r.mended = append(r.mended, fmt.Sprintf("name %q to %q", c.Name, name))
	}
	if t.spent(name) {
		r.problem = spentText(name)
		return r
	}
	args, what, err := repair.Arguments(t.schemas[name], call.Args, c.cut)
	if c.cut && c.lifted != "" { // whatever its arguments look like
		err = &repair.SyntaxError{Cut: true, Detail: "the end of the call did not come"}
	}
	if args.JSON != nil && err == nil {
		r.args = args.JSON
	}
	if err != nil {
		r.problem, r.badArgs = repair.Refusal(name, r.tool.Spec().Schema, call.Args, err), true
		return r
	}
	r.mended = append(r.mended, what...)
	return r
}

// asSent are the arguments of a call that will not run, for the history: the
// model should see what it wrote. Servers want an object.
func asSent(args string) json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(args), &object) != nil || object == nil {
		return json.RawMessage("{}")
	}
	var compact bytes.Buffer // as it comes back from the session's file
	_ = json.Compact(&compact, []byte(args))
	return compact.Bytes()
}

func (t *turn) tool(name string) Tool {
	i := slices.IndexFunc(t.Tools, func(tool Tool) bool { return tool.Spec().Name == name })
	return t.Tools[i] // the names come from there
}

func (t *turn) toolNames() []string {
	names := make([]string, len(t.Tools))
	for i, tool := range t.Tools {
		names[i] = tool.Spec().Name
	}
	return names
}

func (t *turn) skillNames() []string {
	if t.SkillNames == nil {
		return nil
	}
	return t.SkillNames()
}

// perform asks for approval where the tool wants it, then runs the tool.
func (t *turn) perform(ctx context.Context, tool Tool, c Call) (outcome, error) {
	allowed, refusal, err := t.approve(ctx, tool, c)
	if err != nil {
		return failed(ctx, err)
	}
	if !allowed {
		t.denied = true
		return outcome{status: statusDenied, out: Output{Text: refusal, Failed: true}}, nil
	}
	start := time.Now()
	out, err := tool.Run(ctx, c)
	done := outcome{status: statusOK, out: out}
	if out.Failed {
		done.status = statusError
	}
	if err != nil {
		done, err = failed(ctx, err)
	}
	done.took = time.Since(start)
	return done, err
}

// failed tells the model about an error that it can do something about; others
// end the turn.
func failed(ctx context.Context, err error) (outcome, error) {
	if ctx.Err() != nil {
		return outcome{}, ctx.Err()
	}
	if bad, ok := errors.AsType[*ModelError](err); ok {
		return outcome{status: statusError, out: Output{Text: bad.Text, Failed: true, BadArgs: bad.BadArgs}}, nil
	}
	return outcome{}, err
}

// ModelError is an error that the model is told instead of ending the turn.
type ModelError struct {
	Text string
	// BadArgs is as in [Output].
	BadArgs bool
}

func (e *ModelError) Error() string { return e.Text }

func (t *turn) approve(ctx context.Context, tool Tool, c Call) (bool, string, error) {
	asks, ok := tool.(Approvable)
	if !ok {
		return t.permitted(ctx, tool, c)
	}
	req, err := asks.Approval(ctx, c)
	if err != nil {
		return false, "", err
	}
	d, err := t.Approver.Approve(ctx, req)
	if err != nil {
		return false, "", err
	}
	return t.decided(tool, c, req, d)
}

// permitted asks whether the configuration denies a tool that asks nobody. That it
// may run is no event.
func (t *turn) permitted(ctx context.Context, tool Tool, c Call) (bool, string, error) {
	if t.Approver == nil {
		return true, "", nil
	}
	req := ApprovalRequest{Key: tool.Spec().Name, Names: []string{tool.Spec().Name}}
	d, err := t.Approver.Approve(ctx, req)
	if err != nil || d.Allow {
		return d.Allow, "", err
	}
	return t.decided(tool, c, req, d)
}

func (t *turn) decided(tool Tool, c Call, req ApprovalRequest, d Decision) (bool, string, error) {
	decision := "deny"
	if d.Allow {
		decision = "allow"
	} else if d.By == ByNobody && !slices.Contains(t.result.Denied, req.Key) {
		t.result.Denied = append(t.result.Denied, req.Key)
	}
	err := t.emit(session.Approval{ID: c.ID, Name: tool.Spec().Name, Key: req.Key, Decision: decision, By: d.By})
	return d.Allow, refusalText(req, d), err
}

// refusalText says who denied and what still helps.
func refusalText(r ApprovalRequest, d Decision) string {
	reason := "the user denied it"
	switch d.By {
	case ByNobody:
		reason = "it needs approval and nobody can be asked here"
	case "config":
		reason = "the configuration denies it"
	}
	return fmt.Sprintf("denied: %s did not run, because %s. Do not try it again in another way. Go on without it, or tell the user what you would have done.", r.Key, reason)
}

func (t *turn) output(id string) func(stream, text string) {
	return func(stream, text string) {
		// A record that cannot be written shows again at the result.
		_ = t.emit(session.ToolOutput{ID: id, Stream: stream, Text: text})
	}
}

func (t *turn) answered(id, name string, args json.RawMessage, done outcome) error {
	t.result.ToolCalls = append(t.result.ToolCalls, session.CalledTool{
		ID: id, Name: name, Args: args, Status: done.status, ExitCode: done.out.ExitCode,
	})
	if s := done.out.SkillRead; s != "" && !slices.Contains(t.result.SkillsRead, s) {
		t.result.SkillsRead = append(t.result.SkillsRead, s)
	}
	for _, w := range done.out.Warnings {
		if err := t.emit(w); err != nil {
			return err
		}
	}
	return t.emit(session.ToolResult{
		ID: id, Name: name, Status: done.status, Content: done.out.Text,
		ExitCode: done.out.ExitCode, DurationMS: done.took.Milliseconds(),
	})
}
