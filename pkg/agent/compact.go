package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/session"
)

// MaxKeptSkills is how many characters of skills survive a compaction word for
// word. What is over it goes by name, the one read first before the others.
const MaxKeptSkills = 50_000

// ErrNothingToCompact reports a history that has no answer yet.
var ErrNothingToCompact = errors.New("there is nothing to compact yet")

const compactRequest = `Write a summary of this conversation, so that you can go on with it after everything above is gone. Do not call a tool. Keep: what the user wants and decided, what was done and what came of it, names of files and exact values that are still needed, open questions, the next step. Plain text, at most 500 words.`

// Compact replaces the history by a summary that the model makes in one request.
// The system prompt stays, and what read_skill and the user's own invocations
// gave stays word for word: rules that a summary retells are rules no more.
//
// The error is [ErrNothingToCompact], or that of the model; then nothing changed.
func (a *Agent) Compact(ctx context.Context) (session.Compaction, error) {
	t := &turn{Agent: a}
	if err := t.compile(); err != nil {
		return session.Compaction{}, err
	}
	before := session.History(a.History)
	if !slices.ContainsFunc(before, func(m model.Message) bool { return m.Role == model.Assistant }) {
		return session.Compaction{}, ErrNothingToCompact
	}
	summary, err := t.summarise(ctx)
	if err != nil {
		return session.Compaction{}, err
	}
	text := "Summary of the conversation so far:\n\n" + summary
	if kept := keptSkills(a.History); kept != "" {
		text += "\n\n" + kept
	}
	body := session.Compaction{Before: len(before), After: 1, Summary: text}
	return body, t.emit(body)
}

// summarise asks for the summary. The tools stay in the request: without them
// the server's cache of the prompt would be worth nothing.
func (t *turn) summarise(ctx context.Context) (string, error) {
	req := t.request()
	if last := len(req.Messages) - 1; req.Messages[last].Role == model.User {
		req.Messages[last].Content = session.WithContext(req.Messages[last].Content, compactRequest)
	} else {
		req.Messages = append(req.Messages, model.Message{Role: model.User, Content: compactRequest})
	}
	var text strings.Builder
	for ev, err := range t.Model.Stream(ctx, req) {
		if err != nil {
			return "", err
		}
		switch ev := ev.(type) {
		case model.TextDelta:
			text.WriteString(ev.Text)
		case model.Usage:
			if err := t.usage(ev); err != nil {
				return "", err
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if strings.TrimSpace(text.String()) == "" {
		return "", errors.New("the model gave an empty summary, so nothing was compacted")
	}
	return strings.TrimSpace(text.String()), nil
}

// keptSkills are the texts of the skills that were read, each once, the last
// reading counting.
func keptSkills(records []session.Record) string {
	var texts []string
	for _, r := range records {
		text := ""
		switch b := r.Body.(type) {
		case session.ToolResult:
			if b.Name == "read_skill" && b.Status == statusOK {
				text = b.Content
			}
		case session.User:
			if b.Skill != "" {
				text = b.Text
			}
		case session.Compaction:
			_, kept, ok := strings.Cut(b.Summary, skillsKept)
			if ok {
				texts = strings.Split(kept, skillBreak)[1:]
			}
		}
		if text != "" && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	if len(texts) == 0 {
		return ""
	}
	return skillsKept + withinLimit(texts)
}

const (
	skillsKept = "Skills that were read, word for word:"
	skillBreak = "\n\n=====\n"
)

// withinLimit keeps the texts that were read last.
func withinLimit(texts []string) string {
	room := MaxKeptSkills
	from := len(texts)
	for from > 0 {
		n := utf8.RuneCountInString(texts[from-1])
		if n > room {
			break
		}
		room -= n
		from--
	}
	var b strings.Builder
	if from > 0 {
		fmt.Fprintf(&b, " (%d read earlier had no room; read them again when you need them)", from)
	}
	for _, text := range texts[from:] {
		b.WriteString(skillBreak + text)
	}
	return b.String()
}
