package builtin_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/pkg/agent"
	"github.com/agentctl/agentctl/pkg/agent/builtin"
	"github.com/agentctl/agentctl/pkg/sandbox"
	"github.com/agentctl/agentctl/pkg/skill"
)

// fake is a sandbox that does what the test says.
type fake func(sandbox.Policy, sandbox.Command) (sandbox.Result, error)

func (fake) Name() string                         { return "fake" }
func (fake) Probe(context.Context) sandbox.Report { return sandbox.Report{} }
func (f fake) Run(_ context.Context, p sandbox.Policy, c sandbox.Command) (sandbox.Result, error) {
	return f(p, c)
}

// open makes a backend available; a nil one fails the test when it is opened.
func open(t *testing.T, f fake) func(context.Context) (sandbox.Backend, error) {
	t.Helper()
	return func(context.Context) (sandbox.Backend, error) {
		if f == nil {
			t.Error("the sandbox was opened")
		}
		return f, nil
	}
}

// newEnv is a chat in a fresh workspace, with the skills that lie in its .skill
// folder. Files are "path: text"; a path that ends in / is a folder.
func newEnv(t *testing.T, files map[string]string) *builtin.Env {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	env := &builtin.Env{Home: home, Workspace: filepath.Join(home, "ws"), Backend: open(t, nil)}
	if err := os.Mkdir(env.Workspace, 0o755); err != nil {
		t.Fatal(err)
	}
	writeFiles(t, env.Workspace, files)
	env.SkillsDir = filepath.Join(env.Workspace, ".skill")
	lib := &skill.Library{CacheDir: filepath.Join(home, "cache"), Sources: []skill.Source{
		{Name: skill.SourceWorkspace, Rank: 1, Root: env.SkillsDir},
		{Name: skill.SourceShared, Rank: 3, Root: filepath.Join(home, "shared")},
	}}
	env.Skills = func(ctx context.Context) (*skill.Listing, error) {
		l, err := lib.Load(ctx)
		if err != nil {
			return nil, err
		}
		return skill.ModelView(l, nil), nil
	}
	return env
}

func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			text = ""
			path = filepath.Join(path, ".keep")
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func find(t *testing.T, env *builtin.Env, name string) agent.Tool {
	t.Helper()
	for _, tool := range builtin.Tools(env, builtin.Names(), true) {
		if tool.Spec().Name == name {
			return tool
		}
	}
	t.Fatalf("there is no tool %s", name)
	return nil
}

// args are arguments as the loop hands them over.
type args map[string]any

// run calls a tool and returns what the model gets.
func run(t *testing.T, env *builtin.Env, name string, a args) agent.Output {
	t.Helper()
	return runTool(t, find(t, env, name), a)
}

func runTool(t *testing.T, tool agent.Tool, a args) agent.Output {
	t.Helper()
	out, err := tool.Run(t.Context(), newCall(t, a))
	if bad, ok := errors.AsType[*agent.ModelError](err); ok {
		return agent.Output{Text: bad.Text, Failed: true, BadArgs: bad.BadArgs}
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func newCall(t *testing.T, a args) agent.Call {
	t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	if a == nil {
		raw = []byte("{}")
	}
	return agent.Call{ID: "call_1", Args: raw, Output: func(string, string) {}}
}

// approval is what the person sees, or the text that the model gets instead.
func approval(t *testing.T, env *builtin.Env, name string, a args) (agent.ApprovalRequest, string) {
	t.Helper()
	asks, ok := find(t, env, name).(agent.Approvable)
	if !ok {
		t.Fatalf("%s asks for nothing", name)
	}
	req, err := asks.Approval(t.Context(), newCall(t, a))
	if bad, ok := errors.AsType[*agent.ModelError](err); ok {
		return req, bad.Text
	}
	if err != nil {
		t.Fatal(err)
	}
	return req, ""
}

// textTest calls a tool and compares the whole text. WS and HOME in want stand
// for the folders.
type textTest struct {
	name string
	args args
	want string
	fail bool
}

func checkTexts(t *testing.T, env *builtin.Env, tool string, tests []textTest) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := run(t, env, tool, tt.args)
			if want := fill(env, tt.want); out.Text != want || out.Failed != tt.fail {
				t.Errorf("failed %v, text\n%s\nwant %v\n%s", out.Failed, out.Text, tt.fail, want)
			}
		})
	}
}

func fill(env *builtin.Env, text string) string {
	return strings.NewReplacer("WS", env.Workspace, "HOME", env.Home).Replace(text)
}
