package scripted

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/pkg/agent/model"
)

// next takes the step that answers r.
func (s *Script) next(r model.Request) (int, *MismatchError) {
	if s.spec.Strict == nil || *s.spec.Strict {
		return s.inOrder(r)
	}
	return s.firstMatch(r)
}

func (s *Script) inOrder(r model.Request) (int, *MismatchError) {
	i := s.firstUnused()
	if i < 0 && s.spec.Loop {
		clear(s.used)
		i = 0
	}
	if i < 0 {
		problem := fmt.Sprintf("a request came after the last of %s", steps(len(s.used)))
		return 0, &MismatchError{File: s.file, Problem: problem, Diff: []string{"the request: " + summary(r)}}
	}
	if diff := s.spec.Steps[i].When.differs(r); len(diff) > 0 {
		diff = append(diff, "the request: "+summary(r))
		return 0, &MismatchError{File: s.file, Step: i + 1, Problem: "the request is not the expected one", Diff: diff}
	}
	s.used[i]++
	return i, nil
}

func (s *Script) firstUnused() int {
	for i, st := range s.spec.Steps {
		if s.used[i] < st.times() {
			return i
		}
	}
	return -1
}

func (s *Script) firstMatch(r model.Request) (int, *MismatchError) {
	i, diff := s.scan(r)
	if i < 0 && s.spec.Loop {
		clear(s.used)
		i, diff = s.scan(r)
	}
	if i < 0 {
		diff = append(diff, "the request: "+summary(r))
		return 0, &MismatchError{File: s.file, Problem: "no unused step matches the request", Diff: diff}
	}
	s.used[i]++
	return i, nil
}

// scan looks for the first unused step that matches; diff says why the others
// do not.
func (s *Script) scan(r model.Request) (found int, diff []string) {
	for i, st := range s.spec.Steps {
		if s.used[i] >= st.times() {
			continue
		}
		why := st.When.differs(r)
		if len(why) == 0 {
			return i, nil
		}
		diff = append(diff, fmt.Sprintf("step %d: %s", i+1, strings.Join(why, "; ")))
	}
	return -1, diff
}

// differs says in what r is not the expected request.
func (w when) differs(r model.Request) []string {
	var diff []string
	add := func(ok bool, format string, args ...any) {
		if !ok {
			diff = append(diff, fmt.Sprintf(format, args...))
		}
	}
	user := lastUser(r.Messages)
	add(regexp.MustCompile(w.User).MatchString(user), "user: want a match of /%s/, got %q", w.User, short(user))
	add(strings.Contains(system(r.Messages), w.SystemContains), "system: want a prompt that contains %q, got %q", w.SystemContains, short(system(r.Messages)))
	if w.ToolResult != nil {
		add(w.ToolResult.in(r.Messages), "tool_result: want one of %q that contains %q, got %s", w.ToolResult.Name, w.ToolResult.Contains, results(r.Messages))
	}
	if w.Messages != nil {
		add(*w.Messages == len(r.Messages), "messages: want %d, got %d", *w.Messages, len(r.Messages))
	}
	return append(diff, w.toolsDiffer(r.Tools)...)
}

func (w when) toolsDiffer(specs []model.ToolSpec) []string {
	got := make([]string, 0, len(specs))
	for _, t := range specs {
		got = append(got, t.Name)
	}
	missing := without(slices.Concat(w.Tools, w.ToolsInclude), got)
	var extra []string
	if w.Tools != nil {
		extra = without(got, w.Tools)
	}
	var diff []string
	for _, name := range missing {
		diff = append(diff, fmt.Sprintf("tools: - %s (expected, not offered)", name))
	}
	for _, name := range extra {
		diff = append(diff, fmt.Sprintf("tools: + %s (offered, not expected)", name))
	}
	return diff
}

// without returns the sorted elements of a that b lacks.
func without(a, b []string) []string {
	left := slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
	slices.Sort(left)
	return slices.Compact(left)
}

// lastUser is what the user said last: all user messages since the last answer.
func lastUser(messages []model.Message) string {
	var texts []string
	for _, m := range slices.Backward(messages) {
		if m.Role == model.User {
			texts = append(texts, m.Content)
		} else if len(texts) > 0 {
			break
		}
	}
	slices.Reverse(texts)
	return strings.Join(texts, "\n")
}

func system(messages []model.Message) string {
	var texts []string
	for _, m := range messages {
		if m.Role == model.System {
			texts = append(texts, m.Content)
		}
	}
	return strings.Join(texts, "\n")
}

// lastResults are the tool messages since the last answer.
func lastResults(messages []model.Message) []model.Message {
	var out []model.Message
	for _, m := range slices.Backward(messages) {
		if m.Role == model.Assistant {
			break
		}
		if m.Role == model.Tool {
			out = append(out, m)
		}
	}
	slices.Reverse(out)
	return out
}

func (t *toolResult) in(messages []model.Message) bool {
	return slices.ContainsFunc(lastResults(messages), func(m model.Message) bool {
		return (t.Name == "" || m.Name == t.Name) && strings.Contains(m.Content, t.Contains)
	})
}

func results(messages []model.Message) string {
	var out []string
	for _, m := range lastResults(messages) {
		out = append(out, fmt.Sprintf("%s %q", m.Name, short(m.Content)))
	}
	if out == nil {
		return "none"
	}
	return strings.Join(out, ", ")
}

// summary describes a request in one line.
func summary(r model.Request) string {
	if len(r.Messages) == 0 {
		return "no messages"
	}
	last := r.Messages[len(r.Messages)-1]
	return fmt.Sprintf("%d messages, the last from %s: %q", len(r.Messages), last.Role, short(last.Content))
}

func short(text string) string {
	const show = 300
	if runes := []rune(text); len(runes) > show {
		return string(runes[:show]) + "…"
	}
	return text
}

func steps(n int) string {
	if n == 1 {
		return "1 step"
	}
	return fmt.Sprintf("%d steps", n)
}
