package anthropic

import (
	"encoding/json"
	"math"
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
	blocks   []*block       // in the order in which they began
	last     map[int]*block // that began with an index
	tools    int            // blocks that are calls
	usage    usage
	counted  bool
	reason   string
	finished bool
	stop     func()
}

func (c *client) decode(answer *wire.Answer, emit wire.Emit, history []model.Message) error {
	d := &decoder{wire: &c.wire, emit: emit, answer: answer, last: map[int]*block{}, stop: func() {}}
	defer func() { d.stop() }()
	if err := d.read(); err != nil {
		return err
	}
	if !d.finished {
		return c.wire.Cut(wire.ErrNoEnd)
	}
	calls := wire.OwnIDs(d.calls(), history)
	c.remember(calls, d.thinking())
	return wire.End(emit, calls, d.used(), d.reason)
}

// read takes in the answer. A connection that breaks after the stop reason has
// lost nothing.
func (d *decoder) read() error {
	for e, err := range d.answer.Events() {
		if err != nil {
			if d.finished {
				return nil
			}
			return err
		}
		if !strings.HasPrefix(strings.TrimSpace(e.Data), "{") {
			continue // a keep-alive
		}
		done, err := d.event(e.Data)
		if err != nil || done {
			return err
		}
	}
	return nil
}

func (d *decoder) event(data string) (done bool, err error) {
	if !json.Valid([]byte(data)) {
		return false, d.wire.Unreadable(data)
	}
	var e event
	_ = json.Unmarshal([]byte(data), &e) // a field of an odd type is left out
	d.count(e.Usage)
	switch e.Type {
	case "message_start":
		if e.Message != nil {
			d.count(e.Message.Usage)
		}
	case "content_block_start":
		if e.ContentBlock != nil {
			e.ContentBlock.index = e.Index
			return false, d.begin(e.ContentBlock)
		}
	case "content_block_delta":
		if b := d.last[e.Index]; b != nil && e.Delta != nil {
			return false, d.extend(b, *e.Delta)
		}
	case "message_delta":
		if e.Delta != nil && e.Delta.StopReason != "" {
			d.finish(e.Delta.StopReason)
		}
	case "message_stop":
		d.finished = true
		return true, nil
	case "error":
		return false, d.wire.Refusal(errorStatus(e.Error), nil, []byte(data))
	case "message":
		return true, d.message(e)
	default:
		if d.answer.Whole() {
			return false, d.wire.Refusal(http.StatusOK, nil, []byte(data))
		}
	}
	return false, nil
}

func (d *decoder) finish(reason string) {
	if d.finished {
		return
	}
	d.reason, d.finished = chatReason(reason), true
	d.stop = d.answer.Ending()
}

// message is an answer that came at once.
func (d *decoder) message(e event) error {
	for i := range e.Content {
		if err := d.begin(&e.Content[i]); err != nil {
			return err
		}
	}
	d.reason, d.finished = chatReason(e.StopReason), true
	return nil
}

func (d *decoder) begin(b *block) error {
	if b.Type == toolUse {
		d.tools++
	}
	if d.tools > model.MaxCalls {
		return d.wire.TooManyCalls()
	}
	d.blocks = append(d.blocks, b)
	d.last[b.index] = b
	b.thinking.WriteString(b.Thinking)
	b.signature.WriteString(b.Signature)
	return d.show(b.Text, b.Thinking)
}

func (d *decoder) extend(b *block, part delta) error {
	b.thinking.WriteString(part.Thinking)
	b.signature.WriteString(part.Signature)
	b.args.WriteString(part.PartialJSON)
	return d.show(part.Text, part.Thinking)
}

func (d *decoder) show(text, thinking string) error {
	if thinking != "" {
		if err := d.emit(model.ReasoningDelta{Text: thinking}); err != nil {
			return err
		}
	}
	if text != "" {
		return d.emit(model.TextDelta{Text: text})
	}
	return nil
}

func (d *decoder) calls() []model.ToolCall {
	var out []model.ToolCall
	for _, b := range d.blocks {
		if b.Type != toolUse {
			continue
		}
		args := b.args.String()
		if args == "" && len(b.Input) > 2 { // more than {}: it came at once
			args = string(b.Input)
		}
		out = append(out, model.ToolCall{ID: b.ID, Name: b.Name, Args: args})
	}
	return out
}

// thinking returns the blocks in the form in which they go back.
func (d *decoder) thinking() []json.RawMessage {
	var out []json.RawMessage
	for _, b := range d.blocks {
		var back any
		switch {
		case b.Type == "thinking" && b.signature.Len() > 0:
			back = map[string]string{"type": b.Type, "thinking": b.thinking.String(), "signature": b.signature.String()}
		case b.Type == "redacted_thinking":
			back = map[string]string{"type": b.Type, "data": b.Data}
		default:
			continue
		}
		raw, _ := wire.Marshal(back) // texts always encode
		out = append(out, raw)
	}
	return out
}

func (d *decoder) count(u *usage) {
	if u == nil {
		return
	}
	d.counted = true
	d.usage.Input = max(d.usage.Input, u.Input)
	d.usage.Output = max(d.usage.Output, u.Output)
	d.usage.CacheRead = max(d.usage.CacheRead, u.CacheRead)
	d.usage.CacheCreation = max(d.usage.CacheCreation, u.CacheCreation)
}

// used counts all input, as chat completions do: the API counts cached tokens
// apart.
func (d *decoder) used() *model.Usage {
	if !d.counted {
		return nil
	}
	u := d.usage
	input := min(int64(u.Input)+int64(u.CacheRead)+int64(u.CacheCreation), math.MaxInt32)
	return &model.Usage{Input: int(input), Output: int(u.Output), Cached: int(u.CacheRead)}
}
