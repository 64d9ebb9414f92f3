package check

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"strings"

	"github.com/agentctl/agentctl/pkg/agent"
	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/session"
)

// The ways in which a model calls a tool.
const (
	Native = "native" // by a function call
	Text   = "text"   // written into its answer
	None   = "none"
)

// Tools is how the model calls a tool.
type Tools struct {
	// Calls is native, text or none.
	Calls string
	// TextMode: it had to be asked in text mode, since the server takes no tools
	// or the model does not call them. Refused is the server's answer to tools.
	TextMode bool
	Refused  string
	// Used: the answer has what the tool said.
	Used bool
}

const (
	toolPrompt = "Call the tool get_code_word with the number 7341. Then answer with the code word that it gives, and nothing else."
	toolSystem = "You call tools to do what the user asks. Never make up a tool's result."
	codeWord   = "tangerine"
	toolSteps  = 4 // a call, an answer, and room for a mistake
)

// tools lets the model call a tool the way a chat would, then in text mode if it
// did not.
func (o Options) tools(ctx context.Context) (Tools, error) {
	t, err := o.try(ctx, o.Choice.ToolMode)
	if err != nil || t.Calls != None || t.TextMode {
		return t, err
	}
	o.tell("it did not; asking it in text mode")
	text, err := o.try(ctx, agent.ToolModeText)
	text.Refused = t.Refused
	return text, err
}

// try runs one turn. What the server refuses is a finding; only the end of ctx is
// an error, since the model has answered before.
func (o Options) try(ctx context.Context, mode string) (Tools, error) {
	spy := &spy{Model: o.Choice.Model}
	word := &codeTool{}
	a := &agent.Agent{
		Model: spy, ModelName: o.Choice.Name, System: toolSystem, Tools: []agent.Tool{word},
		Log: &session.Ephemeral{Now: o.Now}, MaxSteps: toolSteps, MaxOutput: o.Choice.MaxOutput, ToolMode: mode,
	}
	res, err := a.Turn(ctx, toolPrompt, session.Context{})
	if ctx.Err() != nil {
		return Tools{Calls: None}, ctx.Err()
	}
	t := Tools{Calls: None, TextMode: spy.text, Refused: spy.refused, Used: strings.Contains(strings.ToLower(res.Answer), codeWord)}
	if err != nil && t.Refused == "" {
		t.Refused = err.Error()
	}
	switch {
	case word.ran && spy.called && !spy.text:
		t.Calls = Native
	case word.ran:
		t.Calls = Text
	}
	return t, nil
}

// spy sees whether calls come as calls, and whether tools were offered.
type spy struct {
	model.Model
	called, text bool
	refused      string
}

func (s *spy) Stream(ctx context.Context, r model.Request) iter.Seq2[model.Event, error] {
	s.text = len(r.Tools) == 0
	return func(yield func(model.Event, error) bool) {
		for event, err := range s.Model.Stream(ctx, r) {
			if _, ok := event.(model.Call); ok {
				s.called = true
			}
			if e, ok := errors.AsType[*model.ToolsUnsupportedError](err); ok {
				s.refused = e.Detail
			}
			if !yield(event, err) {
				return
			}
		}
	}
}

// codeTool gives a word that no model would guess.
type codeTool struct{ ran bool }

func (*codeTool) Spec() model.ToolSpec {
	return model.ToolSpec{
		Name: "get_code_word", Description: "Returns the code word of a number.",
		Schema: json.RawMessage(`{"type":"object","properties":{"number":{"type":"integer","description":"The number."}},"required":["number"],"additionalProperties":false}`),
	}
}

func (c *codeTool) Run(context.Context, agent.Call) (agent.Output, error) {
	c.ran = true
	return agent.Output{Text: "The code word is " + codeWord + "."}, nil
}
