package repair

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/suggest"
)

// Names finds tools by the names that models give them.
type Names struct {
	exact  []string
	normal map[string][]string
}

// NewNames returns the finder for these tools.
func NewNames(tools []string) *Names {
	n := &Names{exact: slices.Clone(tools), normal: map[string][]string{}}
	for _, name := range tools {
		n.normal[fold(name)] = append(n.normal[fold(name)], name)
	}
	return n
}

// Find returns the tool called name, else the only one whose name differs by
// case, by - _ and blanks, or by a prefix such as functions. or pkg: alone.
func (n *Names) Find(name string) (string, bool) {
	if slices.Contains(n.exact, name) {
		return name, true
	}
	tail := name[strings.LastIndexAny(name, ".:/")+1:]
	for _, form := range []string{fold(name), fold(tail)} {
		if found := n.normal[form]; len(found) == 1 && form != "" {
			return found[0], true
		}
	}
	return "", false
}

// Known is Find for [NewFilter].
func (n *Names) Known(name string) bool {
	_, ok := n.Find(name)
	return ok
}

// fold drops what names of the same tool differ by.
func fold(name string) string {
	name = strings.TrimSuffix(strings.TrimSpace(name), "()")
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(name))
}

// runner is the tool that runs programs.
const runner = "exec"

// maxShownName is how much of a name that is none is repeated, in characters.
const maxShownName = 100

// UnknownTool is the answer to a call of a tool that does not exist: what was
// meant, all names, and the next step. For a skill it says how to read it.
func UnknownTool(name string, tools, skills []string) string {
	text := fmt.Sprintf("error: there is no tool %q.", short(name, maxShownName))
	if len(tools) == 0 {
		return text + " There are no tools in this chat; answer without them."
	}
	near := suggest.Nearest(name, tools, 1)
	if skill, ok := NewNames(skills).Find(name); ok {
		text += fmt.Sprintf(" It is a skill: call read_skill(name=%q) and follow what it says; if you have read it, call the tool that its next step names.", skill)
	} else if len(near) > 0 {
		text += fmt.Sprintf(" Did you mean %s?", near[0])
	} else if similar := suggest.Nearest(name, skills, 1); len(similar) > 0 {
		text += fmt.Sprintf(" Did you mean the skill %s? Call read_skill(name=%q) and follow what it says.", similar[0], similar[0])
	} else if slices.Contains(tools, runner) {
		text += fmt.Sprintf(` To run a program, call %s(argv=["ls", "-l"]).`, runner)
	}
	return text + " Tools: " + strings.Join(tools, ", ") + "."
}
