package builtin

import (
	"slices"

	"github.com/agentctl/agentctl/pkg/agent"
)

// Names are the built-in tools that an app can select, in the order in which a
// chat offers them. read_skill is not among them: it comes with the skill index.
func Names() []string {
	return []string{readFileName, listFilesName, writeFileName, execName, runSkillScriptName, saveSkillName, askUserName}
}

// ReadSkill is the name of the tool that comes with the skill index.
const ReadSkill = readSkillName

// Tools returns the built-in tools of names, and read_skill before them when
// withReadSkill is true. Names that are no built-ins are left out: they are
// packages.
func Tools(env *Env, names []string, withReadSkill bool) []agent.Tool {
	var tools []agent.Tool
	add := func(t agent.Tool) {
		tools = append(tools, t)
		env.register(t.Spec().Name)
	}
	if withReadSkill {
		add(env.readSkill())
	}
	for _, name := range Names() {
		if slices.Contains(names, name) {
			add(env.tool(name))
		}
	}
	return tools
}

func (e *Env) tool(name string) agent.Tool {
	switch name {
	case readFileName:
		return e.readFile()
	case listFilesName:
		return e.listFiles()
	case writeFileName:
		return e.writeFile()
	case execName:
		return e.exec()
	case runSkillScriptName:
		return e.runSkillScript()
	case saveSkillName:
		return e.saveSkill()
	}
	return askUser()
}
