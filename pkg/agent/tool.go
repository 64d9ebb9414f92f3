package agent

import (
	"context"
	"encoding/json"

	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/session"
)

// Tool is one function that a model can call.
type Tool interface {
	// Spec is name, description and schema. It does not change while a session lasts.
	Spec() model.ToolSpec
	// Run does the call. The error is for what the model cannot mend, such as a
	// cancelled context or a sandbox that does not work; everything else is an
	// [Output] that says how to do better.
	Run(ctx context.Context, c Call) (Output, error)
}

// Approvable is a tool that does not run without a decision. Tools without it run
// unless the [Approver] denies their name.
type Approvable interface {
	// Approval says what the call would do. It fails like Run for arguments that
	// make no sense, before anybody is asked.
	Approval(ctx context.Context, c Call) (ApprovalRequest, error)
}

// Call is one call with arguments that fit the tool's schema.
type Call struct {
	ID   string
	Args json.RawMessage // always an object
	// Output receives pieces of the output while the tool runs; never nil.
	Output func(stream, text string)
}

// Output is what a call came to.
type Output struct {
	// Text is what the model reads.
	Text string
	// Failed marks an error of the tool or of its arguments.
	Failed bool
	// Same is what the loop guard compares instead of Text, for a text that names
	// a file or folder of this call alone; "" means Text itself.
	Same string
	// BadArgs: the arguments were refused; another try may succeed. After three
	// in a row the tool is not run again in this turn.
	BadArgs bool
	// ExitCode is that of a program that ran.
	ExitCode *int
	// Question ends the turn: the user must answer first.
	Question *session.Question
	// SkillRead is the name of a skill that this call loaded.
	SkillRead string
	// Warnings are for the person; the model does not see them.
	Warnings []session.Warning
}
