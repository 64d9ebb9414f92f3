package agent

import (
	"encoding/json"

	"github.com/agentctl/agentctl/pkg/agent/model"
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
func unalias(tools []Tool, c model.ToolCall) model.ToolCall {
	for _, tool := range tools {
		if normal(tool.Spec().Name) == normal(c.Name) {
			return c
		}
	}
	for _, tool := range tools {
		aliased, ok := tool.(Aliased)
		if !ok {
			continue
		}
		for _, a := range aliased.Aliases() {
			if normal(a.Name) == normal(c.Name) {
				return model.ToolCall{ID: c.ID, Name: tool.Spec().Name, Args: renamed(c.Args, a.Args)}
			}
		}
	}
	return c
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
