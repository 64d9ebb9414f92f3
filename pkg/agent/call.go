package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/internal/suggest"
	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/session"
)

// The states of a call in its result.
const (
	statusOK     = "ok"
	statusError  = "error"
	statusDenied = "denied"
)

// compile prepares the schemas of all tools once.
func (t *turn) compile() error {
	if t.schemas != nil {
		return nil
	}
	t.schemas = map[string]*schema.Schema{}
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

// call runs one call and records call, decision and result. It returns the
// question that ends the turn, if there is one.
func (t *turn) call(ctx context.Context, c model.ToolCall) (*session.Question, error) {
	tool, args, problem := t.prepare(unalias(t.Tools, c))
	name := c.Name
	if tool != nil {
		name = tool.Spec().Name
	}
	if args.JSON == nil {
		args.JSON = json.RawMessage("{}")
	}
	if err := t.emit(session.ToolCall{ID: c.ID, Name: name, Args: args.JSON}); err != nil {
		return nil, err
	}
	if err := t.repaired(c, name, args); err != nil {
		return nil, err
	}
	done := outcome{status: statusError, out: Output{Text: problem, Failed: true}}
	start := time.Now()
	if problem == "" {
		var err error
		if done, err = t.perform(ctx, tool, Call{ID: c.ID, Args: args.JSON, Output: t.output(c.ID)}); err != nil {
			return nil, err
		}
	}
	return done.out.Question, t.answered(c.ID, name, args.JSON, done, time.Since(start))
}

// outcome is what came of a call.
type outcome struct {
	status string
	out    Output
}

// prepare finds the tool and makes the arguments fit its schema. problem is what
// the model is told instead when that fails.
func (t *turn) prepare(c model.ToolCall) (tool Tool, args schema.Arguments, problem string) {
	tool = t.find(c.Name)
	if tool == nil {
		return nil, args, t.unknownTool(c.Name)
	}
	name := tool.Spec().Name
	args, err := t.schemas[name].Arguments([]byte(c.Args))
	if err != nil {
		return tool, args, badArguments(tool.Spec(), err)
	}
	return tool, args, ""
}

// find returns the tool of a name, or the only one whose name differs by case,
// by - and _, or by a prefix that models put before it.
func (t *turn) find(name string) Tool {
	var near []Tool
	for _, tool := range t.Tools {
		switch got := tool.Spec().Name; {
		case got == name:
			return tool
		case normal(got) == normal(name):
			near = append(near, tool)
		}
	}
	if len(near) == 1 {
		return near[0]
	}
	return nil
}

func normal(name string) string {
	name = strings.ToLower(name)
	if i := strings.LastIndexAny(name, ".:"); i >= 0 {
		name = name[i+1:]
	}
	return strings.ReplaceAll(name, "-", "_")
}

func (t *turn) unknownTool(name string) string {
	var names []string
	for _, tool := range t.Tools {
		names = append(names, tool.Spec().Name)
	}
	text := fmt.Sprintf("error: there is no tool %q.", name)
	if near := suggest.Nearest(name, names, 1); len(near) > 0 {
		text += fmt.Sprintf(" Did you mean %s?", near[0])
	}
	return text + " Tools: " + strings.Join(names, ", ") + "."
}

// badArguments teaches: what is wrong, and a call that would be right.
func badArguments(spec model.ToolSpec, err error) string {
	var b strings.Builder
	fmt.Fprintf(&b, "error: the arguments of %s were refused; nothing ran.\n", spec.Name)
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintf(&b, "- %s\n", strings.TrimSpace(line))
	}
	if example, err := schema.Example(spec.Schema); err == nil {
		fmt.Fprintf(&b, "Call %s again with arguments such as %s", spec.Name, example)
	}
	return strings.TrimRight(b.String(), "\n")
}

func (t *turn) repaired(c model.ToolCall, name string, args schema.Arguments) error {
	var what []string
	if name != c.Name {
		what = append(what, fmt.Sprintf("name %q to %q", c.Name, name))
	}
	for _, coercion := range args.Coerced {
		what = append(what, coercion.String())
	}
	if len(what) == 0 {
		return nil
	}
	return t.emit(session.Repair{ID: c.ID, Name: name, What: what})
}

// perform asks for approval where the tool wants it, then runs the tool.
func (t *turn) perform(ctx context.Context, tool Tool, c Call) (outcome, error) {
	allowed, refusal, err := t.approve(ctx, tool, c)
	if err != nil {
		return failed(ctx, err)
	}
	if !allowed {
		t.denied = true
		return outcome{statusDenied, Output{Text: refusal, Failed: true}}, nil
	}
	out, err := tool.Run(ctx, c)
	if err != nil {
		return failed(ctx, err)
	}
	if out.Failed {
		return outcome{statusError, out}, nil
	}
	return outcome{statusOK, out}, nil
}

// failed tells the model about an error that it can do something about; others
// end the turn.
func failed(ctx context.Context, err error) (outcome, error) {
	if ctx.Err() != nil {
		return outcome{}, ctx.Err()
	}
	if bad, ok := errors.AsType[*ModelError](err); ok {
		return outcome{statusError, Output{Text: bad.Text, Failed: true, BadArgs: bad.BadArgs}}, nil
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
		return true, "", nil
	}
	req, err := asks.Approval(ctx, c)
	if err != nil {
		return false, "", err
	}
	d, err := t.Approver.Approve(ctx, req)
	if err != nil {
		return false, "", err
	}
	decision := "deny"
	if d.Allow {
		decision = "allow"
	}
	err = t.emit(session.Approval{ID: c.ID, Name: tool.Spec().Name, Key: req.Key, Decision: decision, By: d.By})
	return d.Allow, refusalText(req, d), err
}

// refusalText says who denied and what still helps.
func refusalText(r ApprovalRequest, d Decision) string {
	reason := "the user denied it"
	switch d.By {
	case "no-terminal":
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

func (t *turn) answered(id, name string, args json.RawMessage, done outcome, took time.Duration) error {
	t.result.ToolCalls = append(t.result.ToolCalls, session.CalledTool{
		ID: id, Name: name, Args: args, Status: done.status, ExitCode: done.out.ExitCode,
	})
	if s := done.out.SkillRead; s != "" {
		t.result.SkillsRead = append(t.result.SkillsRead, s)
	}
	for _, w := range done.out.Warnings {
		if err := t.emit(w); err != nil {
			return err
		}
	}
	return t.emit(session.ToolResult{
		ID: id, Name: name, Status: done.status, Content: done.out.Text,
		ExitCode: done.out.ExitCode, DurationMS: took.Milliseconds(),
	})
}
