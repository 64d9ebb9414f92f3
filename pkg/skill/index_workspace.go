package skill

import (
	"fmt"
	"slices"
	"strings"
)

// WorkspaceIndex builds the block that tells a model about the skills of the
// workspace: now are the skills, session those of the session's index, before
// is the text of the block that the model saw last ("" = none). It says what
// the block adds, replaces and removes.
//
// Text is "" when the model already knows all of it: then nothing has to be
// attached to the turn.
func WorkspaceIndex(now, session []*Item, before string, budget int) IndexResult {
	same := buildIndex(now, WorkspaceTag, prefaceOf(before), budget)
	if same.Text == before {
		same.Text, same.Used = "", 0
		return same
	}
	// Names stay in every budget, so what changed does not depend on the room
	// that the preface takes.
	preface := changes(skillLines(same.Text), skillLines(before), itemNames(session))
	return buildIndex(now, WorkspaceTag, preface, budget)
}

// prefaceOf is the text of a block between its tag and its skills.
func prefaceOf(block string) string {
	_, rest, ok := strings.Cut(block, "<"+WorkspaceTag+">\n")
	if !ok {
		return ""
	}
	end := strings.IndexByte(rest, '<')
	return rest[:max(end, 0)]
}

// changes is the sentence about what is new for the model.
func changes(now, before map[string]string, session map[string]bool) string {
	var added, replaced, removed []string
	for name, line := range now {
		old, known := before[name]
		switch {
		case known && !sameSkill(old, line), !known && session[name]:
			replaced = append(replaced, name)
		case !known:
			added = append(added, name)
		}
	}
	for name := range before {
		if _, still := now[name]; !still {
			removed = append(removed, name)
		}
	}
	if len(added) == len(now) && len(removed) == 0 {
		return "Adds these skills of the workspace to " + SessionTag + ".\n"
	}
	text := clause("Adds", added) + clause("Replaces", replaced) + clause("Removes", removed)
	return text + "These are all skills of the workspace; where " + SessionTag + " has the same name, the one here is meant.\n"
}

func clause(verb string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return fmt.Sprintf("%s: %s. ", verb, strings.Join(names, ", "))
}

func itemNames(items []*Item) map[string]bool {
	names := make(map[string]bool, len(items))
	for _, it := range items {
		names[escape(oneLine(it.Name))] = true
	}
	return names
}

// skillLines are the lines of a block by (escaped) name.
func skillLines(block string) map[string]string {
	lines := map[string]string{}
	for line := range strings.Lines(block) {
		if rest, ok := strings.CutPrefix(line, "<skill><name>"); ok {
			name, _, _ := strings.Cut(rest, "</name>")
			lines[name] = line
		}
	}
	return lines
}

// sameSkill compares two lines of one name; that a budget cut them differently
// is no change.
func sameSkill(a, b string) bool {
	a, cutA := strings.CutSuffix(a, "…</description></skill>\n")
	b, cutB := strings.CutSuffix(b, "…</description></skill>\n")
	return a == b || cutA && strings.HasPrefix(b, a) || cutB && strings.HasPrefix(a, b)
}
