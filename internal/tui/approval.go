package tui

import (
	"cmp"
	"context"
	"strings"

	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/pkg/agent"
)

// verdict is what a person answered to a request.
type verdict struct{ allow, session, always bool }

// verdicts are the keys of an approval.
var verdicts = map[string]verdict{
	"y": {allow: true},
	"s": {allow: true, session: true},
	"a": {allow: true, session: true, always: true},
	"n": {},
}

const (
	approvalKeys      = "y once · n no"
	approvalKeysMore  = approvalKeys + " · v view all"
	approvalKeysPlain = "y once · s this session · a always · n no · v view all"
	// shownDetail is how many lines of a request's detail stand below it at once.
	shownDetail = 12
	// maxRule is how many characters of what a longer decision covers are shown: a
	// path can be long.
	maxRule = 70
)

// asking is a request that waits for a person.
type asking struct {
	agent.ApprovalRequest
	answer chan verdict // has room for one
}

// newAsker returns the asker that shows requests by show. Always is kept by remember.
func newAsker(show func(asking), remember func(context.Context, string) error) agent.Asker {
	return func(ctx context.Context, r agent.ApprovalRequest) (allow, forSession bool, err error) {
		a := asking{ApprovalRequest: r, answer: make(chan verdict, 1)}
		show(a)
		select {
		case <-ctx.Done():
			return false, false, ctx.Err()
		case v := <-a.answer:
			if v.always {
				if err := remember(ctx, r.Key); err != nil {
					return false, false, err
				}
			}
			return v.allow, v.session, nil
		}
	}
}

// question is the request in full.
func (a asking) question() (summary, detail string) {
	summary = termtext.Line(a.Summary)
	if a.Network {
		summary += " (network)"
	}
	return summary, strings.TrimRight(termtext.Block(a.Detail), "\n")
}

// longer are the keys that decide for more than this once, each with all that it
// allows from then on.
func (a asking) longer() []string {
	rule := short(cmp.Or(a.Covers, a.Key), maxRule)
	return []string{"s this session: " + rule, "a always, in all workspaces: " + rule}
}

// rows draw a request: what will run, what it may touch, the keys.
func (a asking) rows(s style, width, height int) []string {
	summary, detail := a.question()
	rows := s.wrap(s.bold("Allow? ")+summary, width)
	longer := s.wrap(strings.Join(a.longer(), "\n"), width)
	more := 0
	if detail != "" {
		room := max(min(shownDetail, height-len(rows)-len(longer)-4), 1)
		lines := s.wrap(detail, width-2)
		if more = len(lines) - room; more > 0 {
			lines = lines[:room]
		}
		for l := range strings.SplitSeq(diffColors(s, strings.Join(lines, "\n")), "\n") {
			rows = append(rows, "  "+l)
		}
	}
	keys := approvalKeys
	if more > 0 {
		rows = append(rows, s.dim("  "+moreLines(more)))
		keys = approvalKeysMore
	}
	for _, l := range append(s.wrap(keys, width), longer...) {
		rows = append(rows, s.mark(l))
	}
	return rows
}
