package session

import (
	"encoding/json"

	"github.com/agentctl/agentctl/pkg/agent/model"
)

// Stop says why a run ended.
type Stop string

// The reasons. Only answer is a success.
const (
	StopAnswer      Stop = "answer"
	StopLimit       Stop = "limit"
	StopLoop        Stop = "loop"
	StopEmpty       Stop = "empty"
	StopNeedsInput  Stop = "needs_input"
	StopDenied      Stop = "denied"
	StopError       Stop = "error"
	StopOverflow    Stop = "overflow"
	StopTimeout     Stop = "timeout"
	StopInterrupted Stop = "interrupted"
)

// Result ends a run. `chat --output json` prints it with the session's id.
type Result struct {
	Answer     string       `json:"answer"`
	Stop       Stop         `json:"stop"`
	Steps      int          `json:"steps"`
	ToolCalls  []CalledTool `json:"tool_calls"`
	SkillsRead []string     `json:"skills_read"`
	Usage      model.Usage  `json:"usage"`
	Model      string       `json:"model"`
	Exit       int          `json:"exit"`
	Question   *Question    `json:"question,omitempty"`
	Error      *Error       `json:"error,omitempty"`
	// Denied are the names by which --allow would have let run what nobody could be
	// asked about.
	Denied []string `json:"-"`
}

// CalledTool is one call of the run, in short.
type CalledTool struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Args     json.RawMessage `json:"args"`
	Status   string          `json:"status"` // ok, error, denied or interrupted
	ExitCode *int            `json:"exit_code,omitempty"`
}

// Question is what the model asked the user.
type Question struct {
	Text    string   `json:"text"`
	Choices []string `json:"choices"`
}

// Error is a failure of the host, in the shape that every verb prints.
type Error struct {
	Origin  string `json:"origin"`
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
	Exit    int    `json:"exit"`
}
