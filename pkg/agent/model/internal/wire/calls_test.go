package wire

import (
	"encoding/json"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/pkg/agent/model"
)

// Calls without ids get them in one pass: three texts a call at most.
func TestOwnIDs(t *testing.T) {
	const n = 2000
	history := []model.Message{{ToolCalls: []model.ToolCall{{ID: "call_2"}}}}
	calls := make([]model.ToolCall, n)
	if made := testing.AllocsPerRun(1, func() {
		clear(calls)
		OwnIDs(calls, history)
	}); made > 3*n {
		t.Errorf("%.0f allocations for %d calls", made, n)
	}
	if calls[0].ID != "call_1" || calls[1].ID != "call_3" || calls[n-1].ID != "call_2001" {
		t.Errorf("got %q, %q, …, %q", calls[0].ID, calls[1].ID, calls[n-1].ID)
	}
	calls = OwnIDs([]model.ToolCall{{ID: "a"}, {ID: "a"}, {ID: "call_1"}, {ID: "call_2"}}, history)
	if got := calls[1].ID + " " + calls[2].ID + " " + calls[3].ID; got != "call_1 call_3 call_4" {
		t.Errorf("got %s", got)
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]Tokens{
		"12": 12, "12.0": 12, "0": 0, "-5": 0, "null": 0, `"12"`: 0, "true": 0,
		"2147483647": math.MaxInt32, "3e18": math.MaxInt32, "1e999": math.MaxInt32, "-1e999": 0,
	} {
		var got Tokens
		if err := json.Unmarshal([]byte(raw), &got); err != nil || got != want {
			t.Errorf("%s: got %d, %v, want %d", raw, got, err, want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, value string
		want        time.Duration
	}{
		{"Retry-After-Ms", "1500", 1500 * time.Millisecond},
		{"Retry-After-Ms", "1e300", 1e6 * time.Second},
		{"Retry-After-Ms", "+Inf", 1e6 * time.Second},
		{"Retry-After", "1e300", 1e6 * time.Second},
		{"Retry-After", "NaN", 0},
	} {
		h := http.Header{}
		h.Set(tt.name, tt.value)
		if got := retryAfter(h); got != tt.want {
			t.Errorf("%s: %s: got %s, want %s", tt.name, tt.value, got, tt.want)
		}
	}
}

// A secret is taken out before the text is cut, so no part of it is left.
func TestUnreadableShowsNoPartOfASecret(t *testing.T) {
	t.Parallel()
	c := &Client{Provider: "p", Secrets: []string{"sk-0123456789abcdef"}}
	for _, before := range []int{55, 75, 79, 80, 200} {
		err := c.Unreadable("{" + strings.Repeat("é", before) + c.Secrets[0] + strings.Repeat(" more", 10)).Error()
		if strings.Contains(err, "sk-") || !strings.HasSuffix(err, `…"`) {
			t.Errorf("after %d characters: got %s", before, err)
		}
	}
}
