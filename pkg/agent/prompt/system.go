// Package prompt makes the texts that frame a chat: the system prompt, which
// does not change while a session lasts, and what goes with a turn because the
// workspace changed.
package prompt

import (
	"strings"

	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/toolpkg"
)

// Parts are what a system prompt is made of, in this order.
type Parts struct {
	// Body is the text of app and profile, and of --system.
	Body string
	// Index is the block of skills, "" when the chat has no skills.
	Index string
	// Skills: the chat has skills, in the index or in the workspace.
	Skills bool
	// Inventory is the list of tools, "" when it is left out.
	Inventory string
	// Tools: the chat has tools at all.
	Tools bool
}

const toolRules = `- Tools are functions: call them by name with JSON arguments. They are not programs for a shell.
- When a tool reports an error, read it, correct the arguments and call again. Do not invent results.
- Paths are relative to the workspace, the folder that the user works in.
- When you have what you need, answer the user in plain text.`

const skillRules = `- Skills are instructions for certain tasks. When a skill fits the task, call read_skill with its name first, then follow it.
- Lists named workspace_skills may come with the user's messages: those skills are read in the same way.`

// System composes the system prompt.
func System(p Parts) string {
	var rules []string
	if p.Tools {
		rules = append(rules, toolRules)
	}
	if p.Skills {
		rules = append(rules, skillRules)
	}
	parts := []string{strings.TrimSpace(p.Body)}
	if len(rules) > 0 {
		parts = append(parts, "# Rules\n"+strings.Join(rules, "\n"))
	}
	parts = append(parts, p.Index, p.Inventory)
	return strings.Join(nonEmpty(parts), "\n\n") + "\n"
}

func nonEmpty(parts []string) []string {
	var out []string
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}

// Inventory lists tools with their argument schemas, for models that do better
// when they also read them. No tools make no text.
func Inventory(tools []model.ToolSpec) string {
	specs := make([]toolpkg.Spec, len(tools))
	for i, t := range tools {
		specs[i] = toolpkg.Spec{Name: t.Name, Description: t.Description, Parameters: t.Schema}
	}
	return toolpkg.Inventory(specs)
}

// The values of an app's or a model's inventory setting.
const (
	InventoryAuto   = "auto"
	InventoryAlways = "always"
	InventoryNever  = "never"
)

// BigWindow is the context window, in tokens, from which on a model with native
// tool calls needs no inventory in the prompt.
const BigWindow = 100_000

// WantsInventory decides whether the prompt lists the tools. The first setting
// that is not empty counts: the model's, then the app's; auto lists them unless
// the model calls tools natively and has a known large window.
func WantsInventory(modelSetting, appSetting string, native bool, window int) bool {
	for _, setting := range []string{modelSetting, appSetting} {
		switch setting {
		case InventoryAlways:
			return true
		case InventoryNever:
			return false
		case InventoryAuto:
			return !native || window < BigWindow
		}
	}
	return !native || window < BigWindow
}
