// Package check asks a configured model a few questions and says whether it does
// what a chat needs: it can be reached, it streams, it calls a tool and uses the
// result, and how large its context window really is.
//
// Use [Run]. It asks through the same client and the same loop as a chat, so what
// it finds is what a chat will meet.
package check

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/agentctl/agentctl/internal/suggest"
	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/model/choose"
)

// Options say what is checked.
type Options struct {
	Choice *choose.Choice
	Now    func() time.Time
	// HTTPClient asks the server about its window; nil means one with Go's
	// defaults. Redirects are not followed, since the key goes along.
	HTTPClient *http.Client
	// Tell says what is being done, in a few words; nil means nobody listens. A
	// local server may take a minute to load a model.
	Tell func(text string)
}

// Report is what was found.
type Report struct {
	Streaming Streaming
	Tools     Tools
	Window    Window
	// Findings are what a user should know, the worst first.
	Findings []Finding
	// Config are lines for the configuration, "" when nothing is to be set.
	Config string
}

// Finding is one sentence.
type Finding struct {
	// Differs: the model works, but not as it is configured or as a chat wants it.
	Differs bool
	Text    string
}

// Differs tells whether any finding does.
func (r *Report) Differs() bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Differs })
}

// UnknownModelError reports a model that the server does not have.
type UnknownModelError struct {
	ID, Server string
	// Known are the models of the server, Nearest those with a similar name.
	Known, Nearest []string
	Err            error
}

func (e *UnknownModelError) Error() string {
	return fmt.Sprintf("the server of %s has no model %q", e.Server, e.ID)
}

// Unwrap returns what the server said.
func (e *UnknownModelError) Unwrap() error { return e.Err }

// Run asks the questions one after the other. The error is that of the model's
// client when it does not answer at all, an [*UnknownModelError], or ctx's.
func Run(ctx context.Context, o Options) (*Report, error) {
	r := &Report{}
	var err error
	o.tell("asking %s for a few words", o.Choice.Name)
	if r.Streaming, err = o.streaming(ctx); err != nil {
		return nil, o.known(ctx, err)
	}
	o.tell("asking it to call a tool")
	if r.Tools, err = o.tools(ctx); err != nil {
		return nil, err
	}
	o.tell("asking the server for the context window")
	r.Window = o.window(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r.judge(o.Choice)
	return r, nil
}

func (o Options) tell(format string, args ...any) {
	if o.Tell != nil {
		o.Tell(fmt.Sprintf(format, args...))
	}
}

// known explains a refusal by a name that the server does not list. Servers that
// take any name, or list none, never refuse for that.
func (o Options) known(ctx context.Context, err error) error {
	refused, ok := asServerError(err)
	if !ok || refused.Status < 400 || refused.Status >= 500 {
		return err
	}
	ids := o.client().models(ctx)
	id := o.Choice.Server.ID
	if len(ids) == 0 || slices.Contains(ids, id) || slices.Contains(ids, id+":latest") {
		return err
	}
	return &UnknownModelError{ID: id, Server: o.Choice.Provider, Known: ids, Nearest: suggest.Nearest(id, ids, 3), Err: err}
}

// Streaming is how an answer arrives.
type Streaming struct {
	// Pieces is how many came before enough was seen; First is the time until the
	// first one.
	Pieces int
	First  time.Duration
}

// OK tells whether an answer arrives while it is written.
func (s Streaming) OK() bool { return s.Pieces > 1 }

// enough pieces show that an answer streams; the rest need not be waited for.
const enough = 8

const wordsPrompt = "Write the numbers from one to twenty as words, separated by commas. Write nothing else."

func (o Options) streaming(ctx context.Context) (Streaming, error) {
	var s Streaming
	start := o.Now()
	request := model.Request{MaxOutput: o.Choice.MaxOutput, Messages: []model.Message{{Role: model.User, Content: wordsPrompt}}}
	for event, err := range o.Choice.Model.Stream(ctx, request) {
		if err != nil {
			return s, err
		}
		switch e := event.(type) {
		case model.Retry:
			o.tell("%s; trying again", e.Reason)
		case model.TextDelta, model.ReasoningDelta:
			if s.Pieces++; s.Pieces == 1 {
				s.First = o.Now().Sub(start)
			}
		}
		if s.Pieces == enough {
			return s, nil
		}
	}
	return s, nil
}
