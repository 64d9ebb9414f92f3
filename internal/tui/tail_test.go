package tui

import (
	"strconv"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/pkg/agent/session"
)

// An answer in many pieces is put together once; text before a call is none of it.
func TestLastTurnOfManyPieces(t *testing.T) {
	const n = 20_000
	records := []session.Record{{Body: session.User{Text: "go"}}, {Header: session.Header{Step: 1}, Body: session.TextDelta{Text: "I look."}}}
	for i := range n {
		records = append(records, session.Record{Header: session.Header{Step: 2}, Body: session.TextDelta{Text: strconv.Itoa(i) + ","}})
	}
	var got lastTurn
	if made := testing.AllocsPerRun(1, func() { got = lastTurnOf(records) }); made > n/100 {
		t.Errorf("%.0f allocations", made)
	}
	if got.turns != 1 || !strings.HasPrefix(got.answer, "0,1,2,") || !strings.HasSuffix(got.answer, ",19999,") {
		t.Errorf("%d turns, an answer of %d bytes", got.turns, len(got.answer))
	}
}
