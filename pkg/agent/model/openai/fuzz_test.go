package openai_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/pkg/agent/agenttest"
	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/model/openai"
)

var discard = log.New(io.Discard, "", 0)

// canned answers every request with the same bytes, n at a time.
type canned struct {
	body string
	n    int
}

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	body := io.NopCloser(&pieces{rest: c.body, n: c.n})
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: body, Request: r}, nil
}

type pieces struct {
	rest string
	n    int
}

func (p *pieces) Read(buf []byte) (int, error) {
	if p.rest == "" {
		return 0, io.EOF
	}
	n := copy(buf, p.rest[:min(p.n, len(p.rest))])
	p.rest = p.rest[n:]
	return n, nil
}

func play(ctx context.Context, body string, n int) agenttest.Answer {
	return agenttest.Collect(ctx, openai.New(openai.Config{
		BaseURL: "http://x/v1", HTTPClient: &http.Client{Transport: canned{body, max(n, 1)}},
		Wait: func(context.Context, time.Duration) error { return nil },
	}), model.Request{})
}

// Whatever a server sends, and however it is cut: no panic, one end, and the
// same answer.
func FuzzStream(f *testing.F) {
	f.Add("data: {\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", 3)
	f.Add("data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"n\",\"arguments\":\"{}\"}}]}}]}\r\n\r\n", 1)
	f.Add("{\"choices\":[{\"message\":{\"content\":[{\"text\":\"a\"}]}}]}", 2)
	f.Add("data: {\"error\":{\"code\":\"400\"}}\n\n", 5)
	f.Add("<html>", 5)
	f.Fuzz(func(t *testing.T, body string, n int) {
		whole, cut := play(t.Context(), body, len(body)), play(t.Context(), body, n)
		if (whole.Err == nil) == (whole.Events == 0) && whole.Err == nil {
			t.Error("neither an event nor an error")
		}
		if fmt.Sprint(whole.Err) != fmt.Sprint(cut.Err) || whole.Text != cut.Text || whole.Reasoning != cut.Reasoning ||
			whole.Finish != cut.Finish || !slices.Equal(whole.Calls, cut.Calls) {
			t.Errorf("whole %+v\nin pieces of %d %+v", whole, n, cut)
		}
		if whole.Err != nil && len(whole.Calls) > 0 {
			t.Errorf("calls of an answer that failed: %+v", whole.Calls)
		}
		ids := map[string]bool{}
		for _, c := range whole.Calls {
			if c.ID == "" || ids[c.ID] {
				t.Errorf("id %q is empty or taken twice", c.ID)
			}
			ids[c.ID] = true
		}
	})
}

// habits are what servers do with ids, names and indexes; a mix of them is a
// style.
const (
	noID = 1 << iota
	noIndex
	indexZero
	idEverywhere
	nameEverywhere
	oneEvent
	allHabits = 1<<iota - 1
)

// Calls that a server sends in any style come out as they are: none lost, none
// invented, none mixed up.
func FuzzCalls(f *testing.F) {
	f.Add(2, 0, 3, 7, `a"b\c`)
	f.Add(3, indexZero, 100, 1, "x")
	f.Add(2, noID|noIndex, 1, 5, "")
	f.Add(4, idEverywhere|nameEverywhere|indexZero, 2, 2, "ü")
	f.Add(3, noID|nameEverywhere|oneEvent, 2, 2, "{}")
	f.Fuzz(func(t *testing.T, count, style, piece, cut int, text string) {
		count, style, piece = 1+abs(count)%5, abs(style)&allHabits, 1+abs(piece)%50
		var want []model.ToolCall
		for i := range count {
			args, err := json.Marshal(map[string]any{"n": i, "text": text})
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, model.ToolCall{ID: fmt.Sprintf("id%d", i), Name: fmt.Sprintf("tool%d", i%2), Args: string(args)})
		}
		got := play(t.Context(), encodeCalls(want, style, piece), 1+abs(cut)%40)
		if got.Err != nil {
			t.Fatal(got.Err)
		}
		for i := range want {
			if style&noID != 0 {
				want[i].ID = fmt.Sprintf("call_%d", i+1)
			}
		}
		if !slices.Equal(got.Calls, want) {
			t.Errorf("style %06b:\n got %+v\nwant %+v", style, got.Calls, want)
		}
	})
}

func abs(n int) int { return max(n, -n, 0) }

// encodeCalls writes calls as a server of that style does.
func encodeCalls(calls []model.ToolCall, style, piece int) string {
	var out bytes.Buffer
	for i, c := range calls {
		var fragments []string
		for k, args := range split(c.Args, piece) {
			fn := map[string]any{"arguments": args}
			f := map[string]any{"function": fn}
			if k == 0 || style&nameEverywhere != 0 {
				fn["name"] = c.Name
			}
			if style&noID == 0 && (k == 0 || style&idEverywhere != 0) {
				f["id"] = c.ID
			}
			if style&indexZero != 0 {
				f["index"] = 0
			} else if style&noIndex == 0 {
				f["index"] = i
			}
			text, _ := json.Marshal(f)
			fragments = append(fragments, string(text))
		}
		if style&oneEvent != 0 && style&nameEverywhere == 0 {
			fragments = []string{strings.Join(fragments, ",")}
		}
		for _, f := range fragments {
			fmt.Fprintf(&out, "%s\n\n", tool(f))
		}
	}
	return out.String() + finish("tool_calls") + "\n\n"
}

// tool is calls, where a variable has that name.
func tool(fragment string) string { return calls(fragment) }

// split cuts text into pieces of n characters, at least one piece.
func split(text string, n int) []string {
	runes := []rune(text)
	var out []string
	for len(runes) > n {
		out = append(out, string(runes[:n]))
		runes = runes[n:]
	}
	return append(out, string(runes))
}
