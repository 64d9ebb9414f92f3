package builtin

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/suggest"
	"github.com/agentctl/agentctl/pkg/skill"
)

// interpreter says how a script is started: by its first line, then by its
// extension, never by its x bit, which archives lose.
func (e *Env) interpreter(ctx context.Context, s *script, tools []skill.ScriptTool) error {
	data, err := skill.ReadFile(ctx, s.item, s.path)
	if err != nil {
		return noScript(s, tools, err)
	}
	if s.start, err = skill.InterpreterOf(s.path, data); err != nil {
		return refuse("it is not known how to run %q of the skill %s. Its first line must name a program, such as #!/usr/bin/env python3. Tell the user.", s.path, s.item.Name)
	}
	if e.Python == nil || !skill.IsPython(s.start[0]) {
		return nil
	}
	python, err := e.Python(ctx, s.item)
	if err == nil && python.Interpreter != "" {
		s.start[0], s.needs = python.Interpreter, python.ReadOnly
	}
	s.prepare = python.Unprepared
	return err
}

// noScript says what can be run instead of a script that is not there.
func noScript(s *script, tools []skill.ScriptTool, err error) error {
	if slices.ContainsFunc(tools, func(t skill.ScriptTool) bool { return normal(t.Name) == normal(s.path) }) {
		return refuse("%s is a tool of the skill %s, not a script. Call %s.", s.path, s.item.Name, call(runSkillScriptName, "skill", s.item.Name, "tool", s.path, "arguments", verbatim("{…}")))
	}
	if bad, ok := errors.AsType[*skill.RefusedError](err); ok {
		return refuse("%s.", bad.Message)
	}
	nf, ok := errors.AsType[*skill.FileNotFoundError](err)
	if !ok {
		return err
	}
	text := ""
	if near := sameBase(nf.Files, s.path); near != "" {
		text = " Did you mean " + near + "?"
	} else if near := suggest.Nearest(s.path, nf.Files, 1); len(near) > 0 {
		text = " Did you mean " + near[0] + "?"
	}
	return refuse("the skill %s has no script %q.%s Files: %s.", s.item.Name, s.path, text, strings.Join(nf.Files, ", "))
}

// sameBase finds the file that is called like the last part of a path.
func sameBase(files []string, name string) string {
	i := slices.IndexFunc(files, func(f string) bool { return path.Base(f) == path.Base(filepath.ToSlash(name)) })
	if i < 0 {
		return ""
	}
	return files[i]
}
