package openai

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/model/internal/wire"
)

// decoder is the state of one answer.
type decoder struct {
	wire     *wire.Client
	emit     wire.Emit
	answer   *wire.Answer
	calls    assembler
	usage    *model.Usage
	reason   string
	finished bool // a finish_reason came, or [DONE]
	stop     func()
}

func (c *client) decode(answer *wire.Answer, emit wire.Emit, r model.Request) error {
	d := &decoder{wire: &c.wire, emit: emit, answer: answer, calls: assembler{tools: r.Tools}, stop: func() {}}
	defer func() { d.stop() }()
	if err := d.read(); err != nil {
		return err
	}
	if !d.finished {
		return c.wire.Cut(wire.ErrNoEnd)
	}
	return d.end(r.Messages)
}

// read takes in the answer. A connection that breaks after the finish reason
// has lost nothing but the usage.
func (d *decoder) read() error {
	for e, err := range d.answer.Events() {
		if err != nil {
			if d.finished {
				return nil
			}
			return err
		}
		done, err := d.event(e)
		if err != nil || done {
			return err
		}
	}
	return nil
}

// event takes one event. Its data is one JSON object; a server that leaves out
// the blank lines between events gets them joined, one a line.
func (d *decoder) event(e wire.Event) (done bool, err error) {
	if e.Type == "error" && !d.finished {
		return false, d.refused(e.Data)
	}
	lines := []string{e.Data}
	if !json.Valid([]byte(e.Data)) {
		lines = strings.Split(e.Data, "\n")
	}
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if line == "[DONE]" {
			d.finished = true
			return true, nil
		}
		if !strings.HasPrefix(line, "{") {
			continue // a keep-alive
		}
		if err := d.object(line); err != nil {
			return false, err
		}
	}
	return false, nil
}

func (d *decoder) object(data string) error {
	var c chunk
	if !json.Valid([]byte(data)) {
		return d.wire.Unreadable(data)
	}
	// A field of an odd type is left out, and the others are read all the same.
	_ = json.Unmarshal([]byte(data), &c)
	if failed(c.Error) && !d.finished {
		return d.refused(data)
	}
	if d.answer.Whole() && len(c.Choices) == 0 {
		return d.wire.Refusal(http.StatusOK, nil, []byte(data))
	}
	if c.Usage != nil {
		d.usage = &model.Usage{Input: int(c.Usage.PromptTokens), Output: int(c.Usage.CompletionTokens), Cached: int(max(c.Usage.Details.Cached, c.Usage.CacheHit))}
	}
	for _, choice := range c.Choices {
		if asIndex(choice.Index) > 0 {
			continue // an alternative that nobody asked for
		}
		if err := d.choice(choice); err != nil {
			return err
		}
	}
	return nil
}

// refused is an error inside the stream: {"error": …}, or an event of that type.
func (d *decoder) refused(data string) error {
	var c chunk
	if json.Unmarshal([]byte(data), &c) != nil || !failed(c.Error) {
		c.Error = json.RawMessage(data)
	}
	return d.wire.Refusal(errorStatus(c.Error), nil, []byte(data))
}

func (d *decoder) choice(c choice) error {
	part := c.Delta
	if part == nil {
		part = c.Message
	}
	if part != nil {
		if err := d.delta(part); err != nil {
			return err
		}
	}
	if reason := asString(c.FinishReason); reason != "" && !d.finished {
		d.reason, d.finished = reason, true
		d.stop = d.answer.Ending()
	}
	if d.answer.Whole() {
		d.finished = true
	}
	return nil
}

func (d *decoder) delta(part *delta) error {
	text, reasoning := part.parts()
	if reasoning != "" {
		if err := d.emit(model.ReasoningDelta{Text: reasoning}); err != nil {
			return err
		}
	}
	if text != "" {
		if err := d.emit(model.TextDelta{Text: text}); err != nil {
			return err
		}
	}
	if !d.calls.add(part.fragments()) {
		return d.wire.TooManyCalls()
	}
	return nil
}

// end emits what is only known when the answer is complete.
func (d *decoder) end(history []model.Message) error {
	return wire.End(d.emit, wire.OwnIDs(d.calls.finished(), history), d.usage, d.reason)
}

func failed(raw json.RawMessage) bool {
	return len(raw) > 0 && string(raw) != "null" && string(raw) != `""` && string(raw) != "{}" && string(raw) != "false"
}

// errorStatus is the HTTP status that an error inside a stream names, 500 when
// it names none: the server has failed, whatever the reason.
func errorStatus(raw json.RawMessage) int {
	var e struct {
		Code   json.RawMessage `json:"code"`
		Status json.RawMessage `json:"status"`
	}
	if json.Unmarshal(raw, &e) == nil {
		for _, field := range []json.RawMessage{e.Code, e.Status} {
			if n := asIndex(field); n >= 400 && n < 600 {
				return n
			}
		}
	}
	return http.StatusInternalServerError
}
