package agent

import (
	"encoding/json"
	"slices"

	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/repair"
)

// Aliased is a tool that models of other agents know by another name.
type Aliased interface {
	Aliases() []Alias
}

// Alias is such a name. Args maps its names of arguments to the tool's own.
type Alias struct {
	Name string
	Args map[string]string
}

// unalias turns a call by an alias into one by the tool's own name. A tool that
// really has the name goes first.
func (t *turn) unalias(c model.ToolCall) model.ToolCall {
	if t.names.Known(c.Name) {
		return c
	}
	for _, tool := range t.Tools {
		for _, a := range aliases(tool) {
			if repair.NewNames([]string{a.Name}).Known(c.Name) {
				return model.ToolCall{ID: c.ID, Name: tool.Spec().Name, Args: renamed(c.Args, a.Args)}
			}
		}
	}
	return c
}

func aliases(tool Tool) []Alias {
	if aliased, ok := tool.(Aliased); ok {
		return aliased.Aliases()
	}
	return nil
}

// known tells whether a name that stands in a text is one of a tool, or that of a
// skill: small models call skills like tools, and are told then how to read one.
func (t *turn) known(name string) bool {
	return t.names.Known(t.unalias(model.ToolCall{Name: name}).Name) || slices.Contains(t.skillNames(), name)
}

// renamed gives the arguments their own names. One that is there by its own name
// stays; what is no object is left to the schema's check.
func renamed(text string, names map[string]string) string {
	var args map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &args) != nil {
		return text
	}
	for theirs, ours := range names {
		value, ok := args[theirs]
		if _, taken := args[ours]; ok && !taken {
			args[ours] = value
			delete(args, theirs)
		}
	}
	out, err := json.Marshal(args)
	if err != nil {
		return text
	}
	return string(out)
}
