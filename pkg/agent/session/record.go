// Package session is the record of a chat: one JSON object a line, the same for
// the file of a session and for `chat --output stream-json`, so that resume,
// export, replay and tests share one reader.
package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/pkg/agent/model"
)

// Version is the version of the record format. A file with a newer one is refused.
const Version = 1

// Type names what a record says.
type Type string

// The types of records. Exactly one result ends each run.
const (
	TypeInit           Type = "init"
	TypeUser           Type = "user"
	TypeContext        Type = "context"
	TypeTextDelta      Type = "text_delta"
	TypeReasoningDelta Type = "reasoning_delta"
	TypeToolCall       Type = "tool_call"
	TypeApproval       Type = "approval"
	TypeToolOutput     Type = "tool_output"
	TypeToolResult     Type = "tool_result"
	TypeRepair         Type = "repair"
	TypeUsage          Type = "usage"
	TypeWarning        Type = "warning"
	TypeCompaction     Type = "compaction"
	TypeRetry          Type = "retry"
	TypeTitle          Type = "title"
	TypeResult         Type = "result"
)

// Header is what every record has.
type Header struct {
	Type Type `json:"type"`
	V    int  `json:"v"`
	// Seq counts from 1 within a session, over all its runs.
	Seq int `json:"seq"`
	// Session is the session's id, null when the run keeps none.
	Session *string   `json:"session"`
	Time    time.Time `json:"time"`
	// Step is the number of the model's answer within the turn, 0 outside one.
	Step int `json:"step,omitempty"`
}

// Record is one line.
type Record struct {
	Header
	Body Body
}

// Body is the part of a record that depends on its type.
type Body interface{ recordType() Type }

// TypeOf returns the type that a body gives its record.
func TypeOf(b Body) Type { return b.recordType() }

// Init begins each run. System and Tools are what every request of the session
// starts with; a resumed run keeps those of the first.
type Init struct {
	App       string           `json:"app"`
	Model     string           `json:"model"`
	Workspace string           `json:"workspace"`
	Sandbox   string           `json:"sandbox"`
	Resumed   bool             `json:"resumed"`
	System    string           `json:"system"`
	Tools     []model.ToolSpec `json:"tools"`
}

// User is what the user said.
type User struct {
	Text string `json:"text"`
	// Skill is the name of the skill that Text holds: the user invoked it.
	Skill string `json:"skill,omitempty"`
}

// Context is what was attached to the user's turn: workspace skills and context
// files that changed. It is never the user's words.
type Context struct {
	Text string `json:"text"`
	// Skills is the block of workspace skills in Text, "" when it is not in it.
	Skills string `json:"skills,omitempty"`
	// Files are the digests of the context files that the model now knows; ""
	// says that it was told of a file's removal.
	Files map[string]string `json:"files,omitempty"`
}

// TextDelta is a piece of the answer.
type TextDelta struct {
	Text string `json:"text"`
}

// ReasoningDelta is a piece of what the model thought.
type ReasoningDelta struct {
	Text string `json:"text"`
}

// ToolCall is a call as it will run: name and arguments after repair, always
// valid JSON.
type ToolCall struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// Approval is the decision on one call.
type Approval struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Key      string `json:"key"`      // what was decided on, e.g. exec:git or data-fetch:data-fetch
	Decision string `json:"decision"` // allow or deny
	By       string `json:"by"`       // default, flag, config, remembered, user, no-terminal
}

// ToolOutput is a piece of a running tool's output.
type ToolOutput struct {
	ID     string `json:"id"`
	Stream string `json:"stream"` // stdout or stderr
	Text   string `json:"text"`
}

// ToolResult is what the model is told about a call.
type ToolResult struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Status  string `json:"status"` // ok, error, denied or interrupted
	Content string `json:"content"`
	// ExitCode is that of a program that ran.
	ExitCode   *int  `json:"exit_code,omitempty"`
	DurationMS int64 `json:"duration_ms"`
}

// Repair says what was mended in a call or an answer.
type Repair struct {
	ID   string   `json:"id,omitempty"`
	Name string   `json:"name,omitempty"`
	What []string `json:"what"`
	// Dropped are calls, by the id in the history, that it tells as text from now on.
	Dropped []string `json:"dropped,omitempty"`
	// Thought: the text of this step so far is thinking, and no answer.
	Thought bool `json:"thought,omitempty"`
}

// Usage counts the tokens of one answer.
type Usage struct {
	model.Usage
}

// Warning is for the person, not for the model.
type Warning struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// Compaction replaced the history before it by a summary.
type Compaction struct {
	Before  int    `json:"before"` // messages before
	After   int    `json:"after"`  // messages after
	Summary string `json:"summary"`
}

// Retry is another attempt at a request.
type Retry struct {
	Attempt int    `json:"attempt"`
	AfterMS int64  `json:"after_ms"`
	Reason  string `json:"reason"`
}

// Title names the session.
type Title struct {
	Text string `json:"text"`
}

func (Init) recordType() Type           { return TypeInit }
func (User) recordType() Type           { return TypeUser }
func (Context) recordType() Type        { return TypeContext }
func (TextDelta) recordType() Type      { return TypeTextDelta }
func (ReasoningDelta) recordType() Type { return TypeReasoningDelta }
func (ToolCall) recordType() Type       { return TypeToolCall }
func (Approval) recordType() Type       { return TypeApproval }
func (ToolOutput) recordType() Type     { return TypeToolOutput }
func (ToolResult) recordType() Type     { return TypeToolResult }
func (Repair) recordType() Type         { return TypeRepair }
func (Usage) recordType() Type          { return TypeUsage }
func (Warning) recordType() Type        { return TypeWarning }
func (Compaction) recordType() Type     { return TypeCompaction }
func (Retry) recordType() Type          { return TypeRetry }
func (Title) recordType() Type          { return TypeTitle }
func (Result) recordType() Type         { return TypeResult }

// decoders make the body of each type.
var decoders = map[Type]func([]byte) (Body, error){
	TypeInit:           decode[Init],
	TypeUser:           decode[User],
	TypeContext:        decode[Context],
	TypeTextDelta:      decode[TextDelta],
	TypeReasoningDelta: decode[ReasoningDelta],
	TypeToolCall:       decode[ToolCall],
	TypeApproval:       decode[Approval],
	TypeToolOutput:     decode[ToolOutput],
	TypeToolResult:     decode[ToolResult],
	TypeRepair:         decode[Repair],
	TypeUsage:          decode[Usage],
	TypeWarning:        decode[Warning],
	TypeCompaction:     decode[Compaction],
	TypeRetry:          decode[Retry],
	TypeTitle:          decode[Title],
	TypeResult:         decode[Result],
}

func decode[B Body](data []byte) (Body, error) {
	var b B
	err := json.Unmarshal(data, &b)
	return b, err
}

// MarshalJSON writes header and body as one flat object, the header first.
func (r Record) MarshalJSON() ([]byte, error) {
	r.Type = TypeOf(r.Body)
	head, err := encode(r.Header)
	if err != nil {
		return nil, err
	}
	body, err := encode(r.Body)
	if err != nil {
		return nil, err
	}
	if bytes.Equal(body, []byte("{}")) {
		return head, nil
	}
	out := append(head[:len(head)-1], ',')
	return append(out, body[1:]...), nil
}

// Line is the record as one line of a session or of stream-json.
func (r Record) Line() ([]byte, error) {
	line, err := encode(r)
	return append(line, '\n'), err
}

// encode keeps <, > and & readable, and what a terminal would act upon as escapes.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return termtext.JSON(bytes.TrimSpace(b.Bytes())), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Record) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &r.Header); err != nil {
		return err
	}
	if r.V > Version {
		return &NewerError{Version: r.V}
	}
	dec := decoders[r.Type]
	if dec == nil {
		return fmt.Errorf("unknown record type %q", r.Type)
	}
	var err error
	r.Body, err = dec(data)
	return err
}

// NewerError reports a session that a newer agentctl wrote.
type NewerError struct {
	File    string
	Version int
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("session %s has record version %d, this agentctl reads up to %d: use a newer agentctl", e.File, e.Version, Version)
}
