package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/model/internal/wire"
)

// A call is complete when its arguments are one JSON object, however they came.
func TestComplete(t *testing.T) {
	t.Parallel()
	for _, args := range []string{
		"", "{}", "{", "}", "{}{}", "{} ", "{}}", "[{}]", `{"a":"}"}`, `{"a":"}`, `{"a":"\"}"}`, `{"a":[1,{"b":{}}]}`, "{]}", `{"a":1}}`, `x{}`, `"{}`,
	} {
		c := &call{}
		for i := range len(args) {
			c.write(args[i : i+1])
			so := args[:i+1]
			if want := strings.HasSuffix(so, "}") && json.Valid([]byte(so)); c.complete() != want {
				t.Errorf("%q: complete = %t", so, !want)
			}
		}
		if c.args.String() != args {
			t.Errorf("got %q, want %q", c.args.String(), args)
		}
	}
}

// An answer has 128 calls and no more.
func TestTooManyCalls(t *testing.T) {
	t.Parallel()
	for _, n := range []int{model.MaxCalls, model.MaxCalls + 1, 60_000} {
		one := `{"function":{"name":"x","arguments":"{}"}}`
		d := &decoder{wire: &wire.Client{Provider: "fake"}, answer: &wire.Answer{}}
		err := d.object(fmt.Sprintf(`{"choices":[{"delta":{"tool_calls":[%s]}}]}`, strings.Repeat(one+",", n-1)+one))
		if errors.Is(err, model.ErrTooManyCalls) != (n > model.MaxCalls) || len(d.calls.calls) > model.MaxCalls {
			t.Errorf("%d calls: %d were kept, %v", n, len(d.calls.calls), err)
		}
		if _, typed := errors.AsType[*model.CutStreamError](err); err != nil && !typed {
			t.Errorf("got %T", err)
		}
	}
}

// A number of tokens that cannot be is none that overflows later.
func TestUsageIsBounded(t *testing.T) {
	t.Parallel()
	d := &decoder{wire: &wire.Client{}, answer: &wire.Answer{}}
	err := d.object(`{"choices":[],"usage":{"prompt_tokens":3000000000000000000,"completion_tokens":-4,"prompt_tokens_details":{"cached_tokens":1e40}}}`)
	if want := (model.Usage{Input: 1<<31 - 1, Cached: 1<<31 - 1}); err != nil || d.usage == nil || *d.usage != want {
		t.Errorf("got %+v, %v", d.usage, err)
	}
}

// A content in very many parts is put together once.
func TestContentInManyParts(t *testing.T) {
	const n = 20_000
	thought := `{"type":"thinking","thinking":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},`
	raw := json.RawMessage("[" + strings.Repeat(thought+`{"type":"text","text":"x"},{"type":"thinking","thinking":"c"},`, n) + `{"type":"text","text":"y"}]`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	text, reasoning := contentParts(raw)
	runtime.ReadMemStats(&after)
	if text != strings.Repeat("x", n)+"y" || reasoning != strings.Repeat("abc", n) {
		t.Errorf("got %d and %d bytes", len(text), len(reasoning))
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 100<<20 {
		t.Errorf("%d parts took %d MiB", n, took>>20)
	}
	// What is deeper inside is no part of it.
	if _, deep := contentParts(json.RawMessage(`[{"thinking":[{"thinking":"no","text":"yes"}]}]`)); deep != "yes" {
		t.Errorf("got %q", deep)
	}
}
