package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/fspath"
	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/internal/suggest"
	"github.com/agentctl/agentctl/pkg/agent"
	"github.com/agentctl/agentctl/pkg/sandbox"
	"github.com/agentctl/agentctl/pkg/skill"
	"github.com/agentctl/agentctl/pkg/toolpkg"
)

const runSkillScriptName = "run_skill_script"

type runSkillScriptArgs struct {
	Skill     string                     `json:"skill"`
	Script    string                     `json:"script,omitempty" jsonschema_description:"a file of the skill"`
	Args      []string                   `json:"args,omitempty"`
	Tool      string                     `json:"tool,omitempty" jsonschema_description:"or a tool that read_skill listed"`
	Arguments map[string]json.RawMessage `json:"arguments,omitempty" jsonschema_description:"of the tool"`
}

func (e *Env) runSkillScript() agent.Tool {
	return asking[runSkillScriptArgs]{
		tool: newTool(runSkillScriptName, "Run a script of a skill, in the workspace.", func(ctx context.Context, c agent.Call, args runSkillScriptArgs) (agent.Output, error) {
			s, err := e.script(ctx, args)
			if err != nil {
				return agent.Output{}, err
			}
			return e.runScript(ctx, c, s)
		}),
		ask: func(ctx context.Context, args runSkillScriptArgs) (agent.ApprovalRequest, error) {
			s, err := e.script(ctx, args)
			if err != nil {
				return agent.ApprovalRequest{}, err
			}
			summary, detail := shown("run of the skill "+s.item.Name+": ", shellLine(append([]string{s.path}, s.args...)))
			return agent.ApprovalRequest{
				Key: runSkillScriptName + ":" + s.item.Name + "/" + s.path, Covers: fmt.Sprintf("%s of a skill named %s", s.path, s.item.Name),
				Names: []string{runSkillScriptName}, Ask: true,
				Summary: summary, Detail: detail + e.reach(sandbox.WorkspaceRW, false),
			}, nil
		},
	}
}

// script is a call that makes sense.
type script struct {
	item  *skill.Item
	dir   string   // of the skill, free of links
	path  string   // of the script in it
	args  []string // for the script
	stdin string
	start []string // the interpreter
	needs []string // what it has to see
	// prepare is the command that installs the packages which the skill wants; ""
	// when they are there.
	prepare string
}

// script finds what a call means: a file of a skill, or an entry of its
// tools.yaml with arguments that fit.
func (e *Env) script(ctx context.Context, args runSkillScriptArgs) (script, error) {
	item, err := e.skill(ctx, args.Skill)
	if err != nil {
		return script{}, err
	}
	dir, err := skill.Dir(ctx, item)
	if err != nil {
		return script{}, err
	}
	s := script{item: item, dir: fspath.Real(dir), path: args.Script, args: args.Args}
	tools, _ := skill.ScriptTools(item)
	switch {
	case args.Tool != "":
		err = s.tool(tools, args)
	case args.Script == "":
		err = refuse("neither script nor tool is given. %s", e.offer(ctx, item, tools))
	case len(args.Arguments) > 0:
		err = refuse("arguments go with tool. For a script give args, a list of strings: %s.", call(runSkillScriptName, "skill", item.Name, "script", args.Script, "args", verbatim(`["…"]`)))
	}
	if err != nil {
		return s, err
	}
	err = e.interpreter(ctx, &s, tools)
	return s, err
}

// skill finds the skill of a name among those that the model may see.
func (e *Env) skill(ctx context.Context, name string) (*skill.Item, error) {
	if e.Skills == nil {
		return nil, refuse("there are no skills in this chat. Use exec to run a program.")
	}
	view, err := e.Skills(ctx)
	if err != nil {
		return nil, err
	}
	res, err := view.Resolve(strings.TrimSpace(name))
	if err == nil {
		return res.Winner, nil
	}
	text := err.Error() + "."
	if nf, ok := errors.AsType[*skill.NotFoundError](err); ok {
		if len(nf.Nearest) > 0 {
			text += fmt.Sprintf(" Did you mean %s?", nf.Nearest[0])
		}
		text += " Skills: " + strings.Join(nf.Available, ", ") + "."
	}
	return nil, refuse("%s", text)
}

// offer lists what can be run of a skill.
func (e *Env) offer(ctx context.Context, item *skill.Item, tools []skill.ScriptTool) string {
	var parts []string
	if len(tools) > 0 {
		parts = append(parts, "Tools: "+strings.Join(toolNames(tools), ", ")+".")
	}
	files, err := skill.Files(ctx, item)
	if err != nil {
		files = nil
	}
	files = slices.DeleteFunc(files, func(f string) bool { return !strings.HasPrefix(f, "scripts/") })
	if len(files) > 0 {
		parts = append(parts, "Scripts: "+strings.Join(files, ", ")+".")
	}
	if len(parts) == 0 {
		return fmt.Sprintf("The skill %s has no scripts. Call %s and follow it.", item.Name, call(readSkillName, "name", item.Name))
	}
	return strings.Join(parts, " ")
}

func toolNames(tools []skill.ScriptTool) []string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
	}
	return names
}

// tool checks the arguments and passes them as the contract of tool packages
// does: one JSON argument, or - and stdin when they are long.
func (s *script) tool(tools []skill.ScriptTool, args runSkillScriptArgs) error {
	i := slices.IndexFunc(tools, func(t skill.ScriptTool) bool { return normal(t.Name) == normal(args.Tool) })
	if i < 0 {
		return noTool(s.item.Name, args.Tool, toolNames(tools))
	}
	t := tools[i]
	if len(args.Args) > 0 || args.Script != "" && args.Script != t.Script {
		return refuse("give tool and arguments, or script and args, not both.")
	}
	checked, err := checkArguments(t, args.Arguments)
	if err != nil {
		return err
	}
	s.path, s.args = t.Script, []string{string(checked)}
	if len(checked) >= toolpkg.ArgvLimit {
		s.args, s.stdin = []string{"-"}, string(checked)
	}
	return nil
}

func noTool(skillName, name string, names []string) error {
	if len(names) == 0 {
		return refuse("the skill %s has no tools. Call %s to run a script of it.", skillName, call(runSkillScriptName, "skill", skillName, "script", "scripts/…"))
	}
	text := ""
	if near := suggest.Nearest(name, names, 1); len(near) > 0 {
		text = fmt.Sprintf(" Did you mean %s?", near[0])
	}
	return refuse("the skill %s has no tool %q.%s Tools: %s.", skillName, name, text, strings.Join(names, ", "))
}

// checkArguments makes the arguments fit the tool's schema.
func checkArguments(t skill.ScriptTool, given map[string]json.RawMessage) (json.RawMessage, error) {
	sch, err := schema.Compile(t.Schema)
	if err != nil {
		return nil, refuse("the schema of %s cannot be used: %v. Tell the user.", t.Name, err)
	}
	raw, err := json.Marshal(given)
	if err != nil {
		return nil, refuse("the arguments of %s are no JSON: %v.", t.Name, err)
	}
	args, err := sch.Arguments(raw)
	if err == nil {
		return args.JSON, nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "the arguments of %s were refused; nothing ran.\n", t.Name)
	for l := range strings.Lines(err.Error()) {
		fmt.Fprintf(&b, "- %s\n", strings.TrimSpace(l))
	}
	if example, err := schema.Example(t.Schema); err == nil {
		fmt.Fprintf(&b, "Call %s again with tool=%q and arguments=%s", runSkillScriptName, t.Name, example)
	}
	return nil, &agent.ModelError{Text: "error: " + strings.TrimRight(b.String(), "\n"), BadArgs: true}
}

// runScript runs a script in the workspace; the skill's folder is read-only.
func (e *Env) runScript(ctx context.Context, c agent.Call, s script) (agent.Output, error) {
	p := e.policy()
	for _, path := range append([]string{s.dir}, s.needs...) {
		p.ReadOnly = append(p.ReadOnly, sandbox.Mount{Host: path})
	}
	argv := append(slices.Clone(s.start), filepath.Join(s.dir, filepath.FromSlash(s.path)))
	out, err := e.run(ctx, c, command{policy: p, argv: append(argv, s.args...), stdin: s.stdin, artifacts: true})
	if err == nil && out.Failed && s.prepare != "" {
		out.Text = strings.TrimRight(out.Text, "\n") + fmt.Sprintf("\nnote: the Python packages of the skill %s are not installed. Tell the user to run: %s", s.item.Name, s.prepare)
	}
	return out, err
}
