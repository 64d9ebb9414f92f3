package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/pkg/agent"
	"github.com/agentctl/agentctl/pkg/agent/model"
)

// tool is a built-in with typed arguments.
type tool[A any] struct {
	spec model.ToolSpec
	run  func(ctx context.Context, c agent.Call, args A) (agent.Output, error)
}

// newTool describes a tool by the type of its arguments.
func newTool[A any](name, description string, run func(context.Context, agent.Call, A) (agent.Output, error)) tool[A] {
	raw, err := schema.Reflect(new(A))
	if err != nil {
		panic(err) // the types are in this package; a test makes all of them
	}
	return tool[A]{model.ToolSpec{Name: name, Description: description, Schema: raw}, run}
}

// Spec implements [agent.Tool].
func (t tool[A]) Spec() model.ToolSpec { return t.spec }

// Run implements [agent.Tool].
func (t tool[A]) Run(ctx context.Context, c agent.Call) (agent.Output, error) {
	args, err := decode[A](c)
	if err != nil {
		return agent.Output{}, err
	}
	return t.run(ctx, c, args)
}

// asking is a tool that needs a decision before it runs.
type asking[A any] struct {
	tool[A]
	ask func(ctx context.Context, args A) (agent.ApprovalRequest, error)
}

// Approval implements [agent.Approvable].
func (t asking[A]) Approval(ctx context.Context, c agent.Call) (agent.ApprovalRequest, error) {
	args, err := decode[A](c)
	if err != nil {
		return agent.ApprovalRequest{}, err
	}
	return t.ask(ctx, args)
}

func decode[A any](c agent.Call) (A, error) {
	var args A
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return args, refuse("the arguments do not fit: %v.", err)
	}
	return args, nil
}

// refuse is an error that the model reads. format is whole sentences: what is
// wrong, and what to do next.
func refuse(format string, args ...any) error {
	return &agent.ModelError{Text: "error: " + fmt.Sprintf(format, args...)}
}

// verbatim is an argument of [call] that is no string.
type verbatim string

// call writes a call as models are told to make one: f(a="x", b=3).
func call(function string, args ...any) string {
	var b strings.Builder
	for i := 0; i+1 < len(args); i += 2 {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%v=", args[i])
		if s, ok := args[i+1].(string); ok {
			fmt.Fprintf(&b, "%q", s)
		} else {
			fmt.Fprintf(&b, "%v", args[i+1])
		}
	}
	return function + "(" + b.String() + ")"
}
