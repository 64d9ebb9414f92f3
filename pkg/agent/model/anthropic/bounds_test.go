package anthropic

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/model/internal/wire"
)

func newDecoder() *decoder {
	return &decoder{
		wire: &wire.Client{Provider: "fake"}, answer: &wire.Answer{}, last: map[int]*block{},
		emit: func(model.Event) error { return nil },
	}
}

// An answer has 128 calls and no more; what is no call does not count.
func TestTooManyCalls(t *testing.T) {
	t.Parallel()
	d := newDecoder()
	var err error
	for i := 0; err == nil && i <= model.MaxCalls; i++ {
		if _, err := d.event(fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":{"type":"text"}}`, 2*i)); err != nil {
			t.Fatal(err)
		}
		_, err = d.event(fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":{"type":"tool_use","name":"x"}}`, 2*i+1))
	}
	if !errors.Is(err, model.ErrTooManyCalls) || len(d.calls()) != model.MaxCalls {
		t.Errorf("%d calls were kept, %v", len(d.calls()), err)
	}
}

func TestUsageIsBounded(t *testing.T) {
	t.Parallel()
	d := newDecoder()
	_, err := d.event(`{"type":"message_start","message":{"usage":{"input_tokens":9e18,"cache_read_input_tokens":9e18,"cache_creation_input_tokens":9e18,"output_tokens":-1}}}`)
	if want := (model.Usage{Input: 1<<31 - 1, Cached: 1<<31 - 1}); err != nil || *d.used() != want {
		t.Errorf("got %+v, %v", d.used(), err)
	}
}

// A thought in many pieces is put together once, not anew with each.
func TestThinkingInManyPieces(t *testing.T) {
	const n = 20_000
	d := newDecoder()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := d.begin(&block{Type: "thinking"}); err != nil {
		t.Fatal(err)
	}
	for range n {
		if err := d.extend(d.blocks[0], delta{Thinking: "so ", Signature: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	back := string(d.thinking()[0])
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 10<<20 {
		t.Errorf("%d pieces took %d MiB", n, took>>20)
	}
	if !strings.Contains(back, strings.Repeat("so ", n)) || !strings.Contains(back, strings.Repeat("x", n)) {
		t.Errorf("got %.100s…", back)
	}
}
