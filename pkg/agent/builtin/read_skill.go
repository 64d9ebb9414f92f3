package builtin

import (
	"context"
	"errors"

	"github.com/agentctl/agentctl/pkg/agent"
	"github.com/agentctl/agentctl/pkg/skill"
)

const readSkillName = "read_skill"

type readSkillArgs struct {
	Name   string `json:"name"`
	Path   string `json:"path,omitempty" jsonschema_description:"a file of the skill instead of its text"`
	Args   string `json:"args,omitempty" jsonschema_description:"what the skill should work on"`
	Offset int    `json:"offset,omitempty" jsonschema_description:"first line, from 1"`
}

// readSkillTool answers to the name that other agents use, too.
type readSkillTool struct{ tool[readSkillArgs] }

// Aliases implements [agent.Aliased].
func (readSkillTool) Aliases() []agent.Alias {
	return []agent.Alias{{Name: "Skill", Args: map[string]string{"skill": "name", "arguments": "args"}}}
}

func (e *Env) readSkill() agent.Tool {
	return readSkillTool{newTool(readSkillName, "Load a skill before you do what it is for, then follow it.", func(ctx context.Context, _ agent.Call, args readSkillArgs) (agent.Output, error) {
		view, err := e.Skills(ctx)
		if err != nil {
			return agent.Output{}, err
		}
		text, it, err := skill.ReadForModel(ctx, view, skill.ReadRequest{
			Name: args.Name, Path: args.Path, Args: args.Args, Offset: args.Offset, Tools: e.ToolNames(),
		})
		if bad, ok := errors.AsType[*skill.ReadError](err); ok {
			return agent.Output{}, refuse("%s", bad.Text)
		}
		if err != nil {
			return agent.Output{}, err
		}
		dir, err := skill.Dir(ctx, it)
		if err != nil {
			return agent.Output{}, err
		}
		e.MarkRead(it.Name, dir)
		out := agent.Output{Text: text}
		if args.Path == "" {
			out.SkillRead = it.Name
		}
		return out, nil
	})}
}
