package agent

import (
	"context"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/session"
)

// The context guard. Some servers cut a prompt that is too long from the front
// and say nothing; the model then misses its rules and tools. What shows it is
// the number of tokens that they report.
const (
	// bytesPerToken is the usual rule for English text and JSON.
	bytesPerToken = 4
	// cutBelow is the share of the least estimate below which a prompt must have
	// been cut: no tokenizer is that much better than the rule.
	cutBelow = 0.6
	// grown is by how many tokens a request of a turn has to be larger than an
	// earlier one, so that it cannot be read as fewer.
	grown = 64
	// smallestWindow is the smallest window that servers start with. A shorter
	// prompt is not cut, whatever the numbers are.
	smallestWindow = 2048
	// largestWindow is the largest that a warning advises.
	largestWindow = 1 << 30
	// mostTokens is how many times the rule's number a prompt may have: four times is
	// a token for each byte, and what the server adds comes on top.
	mostTokens = 8
	// fullAt is the share of a known window from which on the history is
	// compacted before the next request: the answer needs room too.
	fullAt = 0.8
	// worthAt is the share of the window that the history must have for that: a
	// summary does not make the system prompt and the tools shorter.
	worthAt = 0.2
)

// The codes of the loop's warnings.
const (
	WarnPromptCut   = "model.prompt_cut"
	WarnPromptLarge = "model.prompt_large"
	WarnCompacted   = "model.compact_failed"
	WarnOutputLimit = "model.output_limit"
	WarnFiltered    = "model.filtered"
)

// meter is what is known about the server's way to count tokens.
type meter struct {
	// scale corrects the rule for texts and tokenizers that need more.
	scale float64
	told  bool // that the server cuts the prompt
}

// size is how large a request is.
type size struct {
	estimate int // in tokens, as the meter corrects it
	// least is an estimate that no tokenizer stays far below.
	least int
}

func (t *turn) sizeOf(r model.Request) size {
	return size{estimate: t.tokens(r), least: total(r, weight) / bytesPerToken}
}

// tokens estimates the size of a request.
func (t *turn) tokens(r model.Request) int {
	return int(math.Ceil(float64(length(r)) / bytesPerToken * max(t.meter.scale, 1)))
}

// length is the number of bytes of a request's texts.
func length(r model.Request) int { return total(r, func(text string) int { return len(text) }) }

// total adds up what its texts measure.
func total(r model.Request, measure func(string) int) int {
	n := 0
	for _, m := range r.Messages {
		n += measure(m.Content)
		for _, c := range m.ToolCalls {
			n += measure(c.Name) + measure(c.Args)
		}
	}
	for _, s := range r.Tools {
		n += measure(s.Name) + measure(s.Description) + measure(string(s.Schema))
	}
	return n
}

// firstCJK is where the scripts begin that have about a token for each character.
const firstCJK = 0x2E80

// weight is the length of a text without what good tokenizers make short: runs of
// one character, such as blanks and rulers, and the bytes of other alphabets.
func weight(text string) int {
	n, last := 0, rune(-1)
	for _, r := range text {
		switch {
		case r == last:
		case r >= firstCJK:
			n += utf8.RuneLen(r)
		default:
			n++
		}
		last = r
	}
	return n
}

// answeredUsage records what an answer cost, and compares it with the size of the
// request.
func (t *turn) answeredUsage(u model.Usage, sent size) error {
	if err := t.usage(u); err != nil || u.Input <= 0 || sent.estimate <= 0 {
		return err
	}
	scale := max(t.meter.scale, 1)
	counted := scale * float64(u.Input) / float64(sent.estimate)
	if counted > mostTokens {
		return nil // a count of something else, such as of all requests so far
	}
	cut := t.cuts(u.Input, sent.least)
	t.meter.scale = max(scale, counted)
	if !cut || t.meter.told {
		return nil
	}
	t.meter.told = true
	return t.emit(session.Warning{Code: WarnPromptCut, Text: fmt.Sprintf(
		"the server read %d tokens of a prompt of about %d: it cuts the prompt, and the model misses rules and tools. %s",
		u.Input, sent.estimate, t.windowFix(sent.estimate))})
}

// cuts tells whether a server that read so many tokens must have left some out:
// they are far too few, or no more than it read of a shorter request of the turn,
// which only grows.
func (t *turn) cuts(read, least int) bool {
	stuck := read <= t.most.read && least > t.most.least+grown
	if read > t.most.read {
		t.most = reading{read, least}
	}
	return least > smallestWindow && (stuck || float64(read) < cutBelow*float64(least))
}

// reading is what the server read of a request, and the least size of that.
type reading struct{ read, least int }

// windowFix says how to give the model room for a prompt, with an answer as long
// again.
func (t *turn) windowFix(estimate int) string {
	size := smallestWindow
	for size < largestWindow && size/2 < estimate {
		size *= 2
	}
	fix := t.WindowFix
	if fix == "" {
		fix = usualFix
	}
	return fmt.Sprintf(fix, size)
}

// usualFix names the switch of the usual local servers. %[1]d is the window.
const usualFix = "Give it a larger window: Ollama: OLLAMA_CONTEXT_LENGTH=%[1]d ollama serve, or num_ctx %[1]d in the Modelfile; llama.cpp: llama-server -c %[1]d; LM Studio: context length %[1]d when loading; vLLM: --max-model-len %[1]d"

// makeRoom compacts a history that comes close to the known window, and warns
// when a request will not fit all the same.
func (t *turn) makeRoom(ctx context.Context) error {
	if t.ContextWindow <= 0 {
		return nil
	}
	if t.full() && t.compactable() {
		if err := t.compactOnce(ctx); err != nil {
			return err
		}
	}
	n := t.tokens(t.request())
	if n <= t.ContextWindow || t.warned {
		return nil
	}
	t.warned = true
	return t.emit(session.Warning{Code: WarnPromptLarge, Text: fmt.Sprintf(
		"the prompt has about %d tokens, and the model's window is %d: expect an error, or a model that misses rules and tools. %s, and set context_window of the model to the same number; or use fewer tools and skills, or a new session",
		n, t.ContextWindow, t.windowFix(n))})
}

// full tells whether the next request comes close to the window, and the history
// is to blame.
func (t *turn) full() bool {
	window := float64(t.ContextWindow)
	history := model.Request{Messages: t.messages()}
	return float64(t.tokens(t.request())) > fullAt*window && float64(t.tokens(history)) > worthAt*window
}

// compactOnce compacts on the loop's own account, once a turn. A failure is told
// and is no reason to end the turn: the request may fit yet.
func (t *turn) compactOnce(ctx context.Context) error {
	t.compacted = true
	_, err := t.compact(ctx)
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	return t.emit(session.Warning{Code: WarnCompacted, Text: fmt.Sprintf("the history is nearly too long, and it could not be compacted: %v", err)})
}
