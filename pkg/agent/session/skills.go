package session

import (
	"encoding/json"
	"fmt"
	"slices"
)

// SkillRead is a text of a skill that the model has: its body, or a part or file
// of it.
type SkillRead struct {
	// Name is the skill as it was called by.
	Name string
	// Path is the file of the skill, "" for its body; Offset is the line that a
	// long body was read from.
	Path   string
	Offset int
	Text   string
}

// Label names the text for a note.
func (r SkillRead) Label() string {
	switch {
	case r.Path != "":
		return fmt.Sprintf("%s (%s)", r.Name, r.Path)
	case r.Offset > 0:
		return fmt.Sprintf("%s (from line %d)", r.Name, r.Offset)
	}
	return r.Name
}

// SkillReads are the texts of skills in the records, each once: what was read
// anew counts as read then. Whoever read them does not matter, the model by
// read_skill or the user by an invocation, nor whether the run ended well.
func SkillReads(records []Record) []SkillRead {
	var reads []SkillRead
	asked := map[string]SkillRead{} // by the id of the call
	add := func(r SkillRead) {
		reads = slices.DeleteFunc(reads, func(old SkillRead) bool {
			return old.Name == r.Name && old.Path == r.Path && old.Offset == r.Offset
		})
		reads = append(reads, r)
	}
	for _, rec := range records {
		switch b := rec.Body.(type) {
		case ToolCall:
			var args struct {
				Name   string `json:"name"`
				Path   string `json:"path"`
				Offset int    `json:"offset"`
			}
			if b.Name == "read_skill" && json.Unmarshal(b.Args, &args) == nil {
				asked[b.ID] = SkillRead{Name: args.Name, Path: args.Path, Offset: args.Offset}
			}
		case ToolResult:
			if r, ok := asked[b.ID]; ok && b.Name == "read_skill" && b.Status == "ok" {
				r.Text = b.Content
				add(r)
			}
		case User:
			if b.Skill != "" {
				add(SkillRead{Name: b.Skill, Text: b.Text})
			}
		}
	}
	return reads
}
