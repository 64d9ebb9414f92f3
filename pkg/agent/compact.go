package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/prompt"
	"github.com/agentctl/agentctl/pkg/agent/session"
)

// MaxKeptSkills is how many characters of skills survive a compaction word for
// word. What is over it goes by name, the one read first before the others.
const MaxKeptSkills = 50_000

// ErrNothingToCompact reports a history that has no answer yet.
var ErrNothingToCompact = errors.New("there is nothing to compact yet")

const compactSystem = "You summarise a conversation between a user and an assistant with tools, so that the assistant can go on with it after everything else is gone."

const compactRequest = `Write the summary now. Keep: what the user wants and decided, what was done and what came of it, names of files and exact values that are still needed, open questions, the next step. Plain text, at most 500 words. Do not call tools and do not answer the user.`

// Compact replaces the history by a summary that the model makes in one request
// without tools. The system prompt stays, and what read_skill and the user's own
// invocations gave stays word for word: rules that a summary retells are rules
// no more. Skills of the workspace and context files are attached anew.
//
// The error is [ErrNothingToCompact], or that of the model; then nothing changed.
func (a *Agent) Compact(ctx context.Context) (session.Compaction, error) {
	t := &turn{Agent: a}
	if err := t.compile(); err != nil {
		return session.Compaction{}, err
	}
	if !t.compactable() {
		return session.Compaction{}, ErrNothingToCompact
	}
	return t.compact(ctx)
}

// compactable tells whether there is something that a summary would shorten, and
// this turn has not done it yet.
func (t *turn) compactable() bool {
	return !t.compacted && slices.ContainsFunc(t.messages(), func(m model.Message) bool { return m.Role == model.Assistant })
}

func (t *turn) compact(ctx context.Context) (session.Compaction, error) {
	before := t.messages()
	summary, err := t.summarise(ctx, before)
	if err != nil {
		return session.Compaction{}, err
	}
	parts := []string{summaryHead + summary}
	if t.step > 0 { // in the middle of a turn: what it is about must not get lost
		parts = append(parts, "The user's last message, word for word:\n\n"+headTail(lastUser(t.History), maxLastUser))
	}
	if kept := keptSkills(t.History); kept != "" {
		parts = append(parts, kept)
	}
	attached := attachments(t.History)
	body := session.Compaction{Before: len(before), After: 1, Summary: strings.Join(parts, "\n\n")}
	if err := t.emit(body); err != nil {
		return body, err
	}
	t.most = reading{} // what comes is another text
	if t.step == 0 {
		return body, nil // the next turn attaches them
	}
	for _, c := range attached {
		if err := t.emit(c); err != nil {
			return body, err
		}
	}
	return body, nil
}

const (
	summaryHead = "Summary of the conversation so far:\n\n"
	skillsKept  = "Skills that were read, word for word:"
	// maxLastUser bounds the words of the running turn that are kept, in
	// characters: a prompt can be a whole file.
	maxLastUser = 8_000
	// maxToolText is how much of a tool's result the summary is made from.
	maxToolText = 2_000
	// maxTranscript bounds what is summarised when no window is known.
	maxTranscript = 60_000
)

var inConversation = prompt.Inside("conversation")

// summarise asks for the summary. The conversation is told as text, shortened
// where that costs little, so that the request fits where the last one did not.
func (t *turn) summarise(ctx context.Context, messages []model.Message) (string, error) {
	room := maxTranscript
	if t.ContextWindow > 0 {
		room = min(t.ContextWindow, largestWindow) * bytesPerToken / 2
	}
	if t.overflowed { // the window is smaller than anybody said
		room = min(room, max(length(t.nativeRequest())/2, maxToolText))
	}
	req := model.Request{MaxOutput: t.MaxOutput, Messages: []model.Message{
		{Role: model.System, Content: compactSystem},
		{Role: model.User, Content: "<conversation>\n" + inConversation(transcript(messages, room)) + "\n</conversation>\n\n" + compactRequest},
	}}
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
	return t.summaryOf(text.String())
}

// summaryOf drops what is not meant for the history.
func (t *turn) summaryOf(text string) (string, error) {
	text = strings.TrimSpace(t.lift(text))
	if text == "" {
		return "", errors.New("the model gave an empty summary, so nothing was compacted")
	}
	return text, nil
}

// transcript tells messages as text, in room characters: of one that is too long
// the first message and the last ones.
func transcript(messages []model.Message, room int) string {
	var lines []string
	for _, m := range messages {
		lines = append(lines, told(m)...)
	}
	total := 0
	from := len(lines)
	for from > 1 && total+len(lines[from-1]) <= room-len(lines[0]) {
		from--
		total += len(lines[from])
	}
	if from == 1 || len(lines) <= 1 {
		return headTail(strings.Join(lines, "\n\n"), room)
	}
	note := fmt.Sprintf("(%d messages left out here)", from-1)
	return headTail(strings.Join(append([]string{lines[0], note}, lines[from:]...), "\n\n"), room)
}

func told(m model.Message) []string {
	var lines []string
	add := func(who, text string, limit int) {
		if text = strings.TrimSpace(text); text != "" {
			lines = append(lines, who+": "+headTail(text, limit))
		}
	}
	switch m.Role {
	case model.User:
		text, _, _ := strings.Cut(m.Content, skillsKept) // they are kept anyway
		add("user", text, maxLastUser)
	case model.Assistant:
		add("assistant", m.Content, maxLastUser)
		for _, c := range m.ToolCalls {
			add("assistant called "+c.Name, c.Args, maxToolText)
		}
	case model.Tool:
		if m.Name == readSkill {
			m.Content = "(the text of the skill, which is kept)"
		}
		add("result of "+m.Name, m.Content, maxToolText)
	}
	return lines
}

// headTail shortens a text to about limit bytes.
func headTail(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	half := limit / 2
	return strings.ToValidUTF8(text[:half], "") + "\n[…]\n" + strings.ToValidUTF8(text[len(text)-half:], "")
}

func lastUser(records []session.Record) string {
	for _, r := range slices.Backward(records) {
		if b, ok := r.Body.(session.User); ok && b.Skill != "" {
			call, _, _ := strings.Cut(b.Text, "\n") // the skill itself is kept anyway
			return call
		} else if ok {
			return b.Text
		}
	}
	return ""
}

// attachments are what the workspace attached since the last compaction.
func attachments(records []session.Record) []session.Context {
	var out []session.Context
	for _, r := range records {
		switch b := r.Body.(type) {
		case session.Compaction:
			out = nil
		case session.Context:
			if b.Skills != "" || len(b.Files) > 0 {
				out = append(out, b)
			}
		}
	}
	return out
}

// keptSkills are the texts of all skills that the session read, within the limit.
func keptSkills(records []session.Record) string {
	reads := session.SkillReads(records)
	room := MaxKeptSkills
	from := len(reads)
	for from > 0 {
		n := utf8.RuneCountInString(reads[from-1].Text)
		if n > room {
			break
		}
		room -= n
		from--
	}
	if len(reads) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(skillsKept)
	if from > 0 {
		var names []string
		for _, r := range reads[:from] {
			names = append(names, r.Label())
		}
		fmt.Fprintf(&b, " (no room for %s; read them again when you need them)", strings.Join(names, ", "))
	}
	for _, r := range reads[from:] {
		fmt.Fprintf(&b, "\n\n===== %s\n%s", r.Label(), r.Text)
	}
	return b.String()
}

const readSkill = "read_skill"
