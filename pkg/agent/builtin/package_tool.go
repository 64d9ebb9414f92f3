package builtin

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/pkg/agent"
	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/agent/session"
	"github.com/agentctl/agentctl/pkg/sandbox"
	"github.com/agentctl/agentctl/pkg/toolpkg"
)

// PackageTools makes a function tool of each selected command.
func PackageTools(env *Env, fns []toolpkg.Function) []agent.Tool {
	tools := make([]agent.Tool, len(fns))
	for i, f := range fns {
		env.register(f.Name, f.Key(), f.Package.Name, f.Command.Name)
		tools[i] = packageTool{env, f}
	}
	return tools
}

// packageTool is one command of a tool package.
type packageTool struct {
	env *Env
	f   toolpkg.Function
}

// Spec implements [agent.Tool].
func (t packageTool) Spec() model.ToolSpec {
	s := t.f.Spec()
	return model.ToolSpec{Name: s.Name, Description: s.Description, Schema: s.Parameters}
}

// Approval implements [agent.Approvable]: a sandboxed command without network
// needs no decision.
func (t packageTool) Approval(_ context.Context, c agent.Call) (agent.ApprovalRequest, error) {
	p := t.f.Package
	summary, detail := shown("run "+t.f.Key()+" ", string(c.Args))
	return agent.ApprovalRequest{
		Key: t.f.Key(), Covers: "every call of " + t.f.Key(), Names: []string{t.f.Key(), p.Name, t.f.Name},
		Network: p.Network, Ask: t.env.Unconfined,
		Summary: summary, Detail: detail + t.env.reach(sandbox.WorkspaceAccess(p.Workspace), p.Network),
	}, nil
}

// Run implements [agent.Tool].
func (t packageTool) Run(ctx context.Context, c agent.Call) (agent.Output, error) {
	if t.env.Backend == nil {
		return agent.Output{}, refuse("tools cannot be run in this chat. Go on without.")
	}
	var fault error
	v := t.env.invoker(&fault)
	res := v.Invoke(ctx, toolpkg.Call{
		Function: t.f, Args: c.Args, Granted: t.env.Grants[t.f.Package.Name], ForModel: true,
		Stdout: &live{show: c.Output, name: "stdout"}, Stderr: &live{show: c.Output, name: "stderr"},
	})
	if fault != nil {
		return agent.Output{}, fault
	}
	if err := ctx.Err(); err != nil {
		return agent.Output{}, err
	}
	return t.output(res), nil
}

// invoker runs commands of packages. What ends the turn is put into fault.
func (e *Env) invoker(fault *error) *toolpkg.Invoker {
	root, rel := e.artifacts()
	artifacts := ""
	if root != "" {
		artifacts = filepath.Join(root, rel)
	}
	return &toolpkg.Invoker{
		Run: func(ctx context.Context, p sandbox.Policy, c sandbox.Command) (sandbox.Result, error) {
			backend, err := e.Backend(ctx)
			if err != nil {
				*fault = err
				return sandbox.Result{}, err
			}
			res, err := backend.Run(ctx, p, c)
			if _, ok := errors.AsType[*sandbox.Fault](err); ok {
				*fault = err
			}
			return res, err
		},
		Workspace: e.workspace(),
		Artifacts: artifacts,
		LookupEnv: e.LookupEnv,
	}
}

// output is what the model is told, and what only the user is.
func (t packageTool) output(res toolpkg.InvokeResult) agent.Output {
	out := agent.Output{
		Text: res.ForModel(), Failed: res.ExitCode != 0, ExitCode: &res.ExitCode,
		BadArgs: res.Kind == toolpkg.KindInvalidArguments,
	}
	for _, d := range res.Findings {
		out.Warnings = append(out.Warnings, warning(d))
	}
	switch res.Kind {
	case toolpkg.KindConfiguration:
		out.Text = fmt.Sprintf("exit_code: %d\nstderr:\n%s is not set up here. The user was told what is missing. Go on without it, or say that it needs to be set up.\n", res.ExitCode, t.f.Name)
	case toolpkg.KindBroken, toolpkg.KindNotBuilt:
		out.Text = fmt.Sprintf("exit_code: %d\nstderr:\n%s is damaged and cannot run. The user was told. Go on without it.\n", res.ExitCode, t.f.Name)
	default:
		out.Same = t.env.same(out.Text)
		return out
	}
	out.Warnings = append(out.Warnings, session.Warning{
		Code: "tool." + res.Kind,
		Text: t.f.Key() + ": " + clauses(res.Message, res.Stderr, res.Hint),
	})
	return out
}

// clauses puts texts that stand alone into one sentence.
func clauses(texts ...string) string {
	var out []string
	for _, text := range texts {
		if text = strings.TrimRight(strings.Join(strings.Fields(text), " "), ".;"); text != "" {
			out = append(out, text)
		}
	}
	return strings.Join(out, "; ")
}

func warning(d diag.Diagnostic) session.Warning {
	return session.Warning{Code: d.Code, Text: strings.TrimSpace(d.File + " " + d.Message)}
}
