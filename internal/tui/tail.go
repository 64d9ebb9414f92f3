package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/pkg/agent/session"
)

// lastTurn is the end of a session: what the user said last, and the answer.
type lastTurn struct {
	turns        int
	user, answer string
}

func lastTurnOf(records []session.Record) lastTurn {
	var t lastTurn
	step := 0
	var answer strings.Builder // it comes in many pieces
	for _, r := range records {
		switch b := r.Body.(type) {
		case session.User:
			t = lastTurn{turns: t.turns + 1, user: said(b)}
			answer.Reset()
		case session.TextDelta:
			if r.Step != step { // text before a call is no answer
				answer.Reset()
			}
			step = r.Step
			answer.WriteString(b.Text)
		case session.Result:
			if b.Question != nil {
				answer.Reset()
				answer.WriteString(questionText(*b.Question))
			}
		}
	}
	t.answer = answer.String()
	return t
}

// where says what is gone on with.
func (t lastTurn) where(id string) string {
	return fmt.Sprintf("session %s, %s until now", id, plural(t.turns, "turn"))
}

// said is what a user's turn looks like: of a skill only the call.
func said(u session.User) string {
	if u.Skill == "" {
		return u.Text
	}
	first, _, _ := strings.Cut(u.Text, "\n")
	return first
}

// tail shows where a session stands that goes on.
func (m *screen) tail() {
	records := m.con.cur.Chat.Records()
	t := lastTurnOf(records)
	m.note(t.where(m.con.cur.ID))
	if t.user != "" {
		m.out.add(block, m.echo(t.user))
	}
	if strings.TrimSpace(t.answer) != "" {
		m.out.add(block, m.render(t.answer))
	}
	if res, ok := lastBody[session.Result](records); ok {
		m.question = res.Question
	}
}

func lastBody[B session.Body](records []session.Record) (B, bool) {
	for _, r := range slices.Backward(records) {
		if b, ok := r.Body.(B); ok {
			return b, true
		}
	}
	var none B
	return none, false
}
