package app

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/agentctl/agentctl/internal/frontmatter"
)

// Format returns the app as one APP.md, its profile merged in: what is printed
// can be saved as an app of its own.
func (a *App) Format() string {
	var b strings.Builder
	line := func(key, value string) { b.WriteString(key + ": " + value + "\n") }
	b.WriteString("---\n")
	line("name", flowText(a.Name))
	for _, s := range []struct{ key, value string }{
		{"description", a.Description}, {"model", a.Model}, {"inventory", a.Inventory},
	} {
		if s.value != "" {
			line(s.key, frontmatter.Quote(s.value))
		}
	}
	selection := func(key string, s Selection) {
		if s.Set {
			b.WriteString(flowLine(key, replaced(s, nil)) + "\n")
		}
	}
	selection("skills", a.Skills)
	b.WriteString(flowLine("skill-sources", a.SkillSources) + "\n")
	selection("tools", a.Tools)
	if len(a.Aliases) > 0 {
		b.WriteString(aliasLine(a.Aliases) + "\n")
	}
	b.WriteString(flowLine("context-files", a.ContextFiles) + "\n")
	b.WriteString("---\n" + a.Prompt + "\n")
	return b.String()
}

// quoted writes a text so that YAML reads it back: JSON is YAML.
func quoted(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return strings.TrimSpace(b.String())
}
