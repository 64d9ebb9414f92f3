package builtin_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/pkg/agent"
	"github.com/agentctl/agentctl/pkg/agent/builtin"
	"github.com/agentctl/agentctl/pkg/sandbox"
	"github.com/agentctl/agentctl/pkg/skill"
)

func TestReadSkill(t *testing.T) {
	t.Parallel()
	env := newEnv(t, map[string]string{
		".skill/report/SKILL.md":            strings.Replace(reportSkill, "---\n#", "allowed-tools: read_file no-such-tool\n---\n#", 1),
		".skill/report/references/style.md": "be brief\n",
	})
	checkTexts(t, env, "read_skill", []textTest{
		{"body", args{"name": "report", "args": "Q3"}, `Skill: report (workspace)
Folder: WS/.skill/report
Relative paths in this skill resolve there, not in the current folder.
Files: references/style.md
Warning: this skill asks for tools that this chat does not have: no-such-tool. Do these steps in another way, or say that they cannot be done.

# Steps
1. Read references/style.md

## Invocation Arguments

Q3
`, false},
		{"a file", args{"name": "report", "path": "references/style.md"}, "be brief\n", false},
		{"unknown", args{"name": "reprot"}, "error: skill \"reprot\" not found. Did you mean report?\nSkills: report", true},
		{"unknown file", args{"name": "report", "path": "style.md"}, "error: skill \"report\" has no file \"style.md\". Did you mean references/style.md?\nFiles: references/style.md\n", true},
		{"outside", args{"name": "report", "path": "../x"}, `error: path "../x" leaves the folder of skill "report"; give a path relative to it`, true},
	})
	if out := run(t, env, "read_skill", args{"name": "report"}); out.SkillRead != "report" {
		t.Errorf("read %q", out.SkillRead)
	}
	if out := run(t, env, "read_skill", args{"name": "report", "path": "references/style.md"}); out.SkillRead != "" {
		t.Errorf("a file alone is not the skill, got %q", out.SkillRead)
	}
}

func TestReadSkillKnowsAllToolsOfTheChat(t *testing.T) {
	t.Parallel()
	env := newEnv(t, map[string]string{
		".skill/report/SKILL.md": strings.Replace(reportSkill, "---\n#", "allowed-tools: read_file, python_exec, fetch, fetch:get-url, get_url\n---\n#", 1),
	})
	builtin.PackageTools(env, fetchFunctions(t))
	if out := run(t, env, "read_skill", args{"name": "report"}); strings.Contains(out.Text, "Warning") {
		t.Errorf("got %s", out.Text)
	}
}

func TestSkillNames(t *testing.T) {
	t.Parallel()
	env := scriptEnv(t)
	names, err := env.SkillNames(t.Context())
	if want := []string{"plain", "report", "tool-less"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("got %q, error %v, want %q", names, err, want)
	}
	env.Skills = nil
	if names, err := env.SkillNames(t.Context()); names != nil || err != nil {
		t.Errorf("without skills: %q, error %v", names, err)
	}
}

func TestReadSkillAliases(t *testing.T) {
	t.Parallel()
	tool, ok := find(t, newEnv(t, nil), builtin.ReadSkill).(agent.Aliased)
	if !ok {
		t.Fatal("read_skill has no alias")
	}
	want := []agent.Alias{{Name: "Skill", Args: map[string]string{"skill": "name", "arguments": "args"}}}
	if got := tool.Aliases(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestSaveSkill(t *testing.T) {
	t.Parallel()
	env := newEnv(t, map[string]string{".skill/report/SKILL.md": strings.Replace(reportSkill, "---\n#", "license: MIT # keep\n---\n#", 1)})
	checkTexts(t, env, "save_skill", []textTest{
		{"new", args{"name": "CSV Summary", "description": "Sums\nup.", "body": "Do it."}, "saved WS/.skill/csv-summary; load it with read_skill(csv-summary)", false},
		{"only the description", args{"name": "report", "description": "Better."}, "saved WS/.skill/report; load it with read_skill(report)", false},
		{"new without a body", args{"name": "x", "description": "d"}, `error: there is no skill "x" yet, so a body is needed. Nothing was saved. Call save_skill again.`, true},
		{"no name", args{"name": "!", "description": "d", "body": "b"}, `error: name "!" has no letter or digit; give one such as csv-summary. Nothing was saved. Call save_skill again.`, true},
	})
	for path, want := range map[string]string{
		"csv-summary": "---\nname: csv-summary\ndescription: Sums up.\n---\nDo it.\n",
		"report":      "---\nname: report\ndescription: Better.\nlicense: MIT # keep\n---\n# Steps\n1. Read references/style.md\n",
	} {
		if got := read(t, filepath.Join(env.Workspace, ".skill", path, "SKILL.md")); got != want {
			t.Errorf("%s has\n%s\nwant\n%s", path, got, want)
		}
	}
	if out := run(t, env, "read_skill", args{"name": "csv-summary"}); out.Failed {
		t.Errorf("the saved skill cannot be read: %s", out.Text)
	}
	env.SkillsDir = ""
	const none = "error: there is no workspace that can be written to, so nothing was saved. Show the user the text of the skill instead."
	call := args{"name": "x", "description": "d", "body": "b"}
	checkTexts(t, env, "save_skill", []textTest{{"no place", call, none, true}})
	if _, text := approval(t, env, "save_skill", call); text != none {
		t.Errorf("approval says %q", text)
	}
}

// A skill in the folder of another client is changed where it lies, and the person
// sees where.
func TestSaveSkillOfAnotherClient(t *testing.T) {
	t.Parallel()
	env := newEnv(t, map[string]string{".agents/skills/report/SKILL.md": reportSkill})
	call := args{"name": "report", "description": "Better."}
	req, text := approval(t, env, "save_skill", call)
	if text != "" || req.Summary != "change the skill report" || !strings.HasPrefix(req.Detail, "--- a/.agents/skills/report/SKILL.md\n") {
		t.Errorf("got %q\n%s\n%s", req.Summary, req.Detail, text)
	}
	checkTexts(t, env, "save_skill", []textTest{
		{"change", call, "saved WS/.agents/skills/report; load it with read_skill(report)", false},
	})
	if got := read(t, filepath.Join(env.Workspace, ".agents", "skills", "report", "SKILL.md")); !strings.Contains(got, "description: Better.") {
		t.Errorf("got %s", got)
	}
}

func TestSaveSkillApproval(t *testing.T) {
	t.Parallel()
	env := newEnv(t, map[string]string{".skill/Report/SKILL.md": reportSkill, ".skill/broken/SKILL.md": "---\nname: broken\n---\n"})
	tests := []struct {
		name                  string
		args                  args
		summary, detail, text string
	}{
		{"new", args{"name": "new", "description": "d", "body": "b"}, "create the skill new", "--- a/new/SKILL.md\n+++ b/new/SKILL.md\n@@ -0,0 +1,5 @@\n+---\n+name: new\n+description: d\n+---\n+b\n", ""},
		{"change", args{"name": "report", "description": "Better."}, "change the skill report", "--- a/Report/SKILL.md\n+++ b/Report/SKILL.md\n@@ -1,6 +1,6 @@\n ---\n name: report\n-description: Write a report. Use when asked for one.\n+description: Better.\n ---\n # Steps\n 1. Read references/style.md\n", ""},
		{"refused", args{"name": "n", "description": "", "body": "b"}, "", "", "error: the description is empty; say what the skill does and when to use it. Nothing was saved. Call save_skill again."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			req, text := approval(t, env, "save_skill", tt.args)
			if req.Summary != tt.summary || req.Detail != tt.detail || text != tt.text {
				t.Errorf("got %q\n%s\n%s", req.Summary, req.Detail, text)
			}
			if text == "" && (req.Key != "save_skill" || !req.Ask || !slices.Equal(req.Names, []string{"save_skill"})) {
				t.Errorf("request %+v", req)
			}
		})
	}
	writeFiles(t, env.SkillsDir, map[string]string{"other/SKILL.md": strings.Replace(reportSkill, "name: report", "name: other\naliases: second", 1)})
	if req, _ := approval(t, env, "save_skill", args{"name": "second", "description": "d", "body": "b"}); req.Summary != "create the skill second" {
		t.Errorf("an alias is no name: %+v", req)
	}
	if _, err := os.Stat(filepath.Join(env.SkillsDir, "new")); err == nil {
		t.Error("asking has saved the skill")
	}
}

const toolsYAML = `tools:
  - name: sum-up
    description: Sums up.
    script: scripts/sum.py
    parameters: schemas/sum.json
  - name: any
    description: Takes anything.
    script: scripts/run.sh
`

const sumSchema = `{"type":"object","properties":{"file":{"type":"string"},"rows":{"type":"integer"}},"required":["file"],"additionalProperties":false}`

func scriptEnv(t *testing.T) *builtin.Env {
	t.Helper()
	dir := ".skill/report/"
	return newEnv(t, map[string]string{
		dir + "SKILL.md": reportSkill, dir + "tools.yaml": toolsYAML, dir + "schemas/sum.json": sumSchema,
		dir + "scripts/sum.py": "print(1)\n", dir + "scripts/run.sh": "#!/bin/bash -e\n", dir + "scripts/env.txt": "#!/usr/bin/env -S python3 -u\r\n",
		dir + "scripts/data.bin": "x", ".skill/plain/SKILL.md": strings.ReplaceAll(reportSkill, "name: report", "name: plain"),
		".skill/tool-less/SKILL.md": strings.ReplaceAll(reportSkill, "name: report", "name: tool-less"), ".skill/tool-less/scripts/go.py": "",
	})
}

func TestRunSkillScript(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("x", 64<<10)
	tests := []struct {
		name  string
		args  args
		argv  []string
		stdin string
	}{
		{"by extension", args{"script": "scripts/sum.py", "args": []string{"-n", "a b"}}, []string{"python3", "scripts/sum.py", "-n", "a b"}, ""},
		{"by shebang", args{"script": "./scripts/run.sh"}, []string{"bash", "-e", "scripts/run.sh"}, ""},
		{"by shebang with env", args{"script": "scripts/env.txt"}, []string{"python3", "-u", "scripts/env.txt"}, ""},
		{"checked arguments", args{"tool": "sum-up", "arguments": map[string]any{"file": "a.csv", "rows": "12"}}, []string{"python3", "scripts/sum.py", `{"file":"a.csv","rows":12}`}, ""},
		{"tool in other spelling", args{"tool": "Sum_Up", "script": "scripts/sum.py", "arguments": map[string]any{"file": "a"}}, []string{"python3", "scripts/sum.py", `{"file":"a"}`}, ""},
		{"no arguments", args{"tool": "any"}, []string{"bash", "-e", "scripts/run.sh", `{}`}, ""},
		{"large numbers", args{"tool": "any", "arguments": map[string]any{"n": 9007199254740993}}, []string{"bash", "-e", "scripts/run.sh", `{"n":9007199254740993}`}, ""},
		{"large arguments", args{"tool": "any", "arguments": map[string]any{"x": big}}, []string{"bash", "-e", "scripts/run.sh", "-"}, `{"x":"` + big + `"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			env := scriptEnv(t)
			dir := filepath.Join(env.SkillsDir, "report")
			env.Backend = open(t, func(p sandbox.Policy, c sandbox.Command) (sandbox.Result, error) {
				for i, a := range c.Args {
					c.Args[i] = strings.TrimPrefix(a, dir+"/")
				}
				stdin, err := io.ReadAll(c.Stdin)
				if !slices.Equal(c.Args, tt.argv) || string(stdin) != tt.stdin || err != nil {
					t.Errorf("args %q, stdin %d bytes, error %v, want %q", c.Args, len(stdin), err, tt.argv)
				}
				if p.Dir != env.Workspace || len(p.ReadOnly) != 1 || p.ReadOnly[0].Host != dir || p.Network != sandbox.NetworkNone {
					t.Errorf("policy %+v", p)
				}
				out := p.Env["AGENTCTL_OUTPUT_DIR"]
				if p.Env["AGENTCTL_CONTRACT"] != "1" || p.ReadWrite[len(p.ReadWrite)-1].Host != out {
					t.Errorf("policy %+v", p)
				}
				return sandbox.Result{}, os.WriteFile(filepath.Join(out, "plot.png"), []byte("1234"), 0o600)
			})
			tt.args["skill"] = "report"
			out := run(t, env, "run_skill_script", tt.args)
			if !strings.HasPrefix(out.Text, fill(env, "exit_code: 0\nartifacts:\nWS/.agentctl/artifacts/call-")) || !strings.HasSuffix(out.Text, "/out/plot.png (4 bytes)\n") {
				t.Errorf("got %s", out.Text)
			}
		})
	}
}

func TestRunSkillScriptLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	env := scriptEnv(t)
	env.Backend = open(t, says("ok\n", "", 0))
	if out := run(t, env, "run_skill_script", args{"skill": "report", "script": "scripts/sum.py"}); out.Text != "exit_code: 0\nstdout:\nok\n" {
		t.Errorf("got %q", out.Text)
	}
	if left, _ := filepath.Glob(filepath.Join(env.Workspace, ".agentctl/artifacts/call-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	long := strings.Repeat("0123456789abcde\n", 4_000) // more than a model gets, less than the sandbox keeps
	env.Backend = open(t, says(long, "", 0))
	_, after, _ := strings.Cut(run(t, env, "run_skill_script", args{"skill": "report", "script": "scripts/sum.py"}).Text, "the whole is in ")
	path, _, found := strings.Cut(after, " ")
	if !found || read(t, path) != long {
		t.Errorf("the whole is in %q", path)
	}
}

func TestRunSkillScriptRefuses(t *testing.T) {
	t.Parallel()
	env := scriptEnv(t)
	checkTexts(t, env, "run_skill_script", []textTest{
		{"unknown skill", args{"skill": "reprot", "script": "x"}, `error: skill "reprot" not found. Did you mean report? Skills: plain, report, tool-less.`, true},
		{"nothing to run", args{"skill": "report"}, `error: neither script nor tool is given. Tools: sum-up, any. Scripts: scripts/data.bin, scripts/env.txt, scripts/run.sh, scripts/sum.py.`, true},
		{"no scripts", args{"skill": "plain"}, `error: neither script nor tool is given. The skill plain has no scripts. Call read_skill(name="plain") and follow it.`, true},
		{"unknown script", args{"skill": "report", "script": "sum.py"}, `error: the skill report has no script "sum.py". Did you mean scripts/sum.py? Files: schemas/sum.json, scripts/data.bin, scripts/env.txt, scripts/run.sh, scripts/sum.py, tools.yaml.`, true},
		{"script with a slip", args{"skill": "tool-less", "script": "scripts/gp.py"}, `error: the skill tool-less has no script "scripts/gp.py". Did you mean scripts/go.py? Files: scripts/go.py.`, true},
		{"outside", args{"skill": "report", "script": "../plain/SKILL.md"}, `error: path "../plain/SKILL.md" leaves the folder of skill "report"; give a path relative to it.`, true},
		{"a tool as script", args{"skill": "report", "script": "sum-up"}, `error: sum-up is a tool of the skill report, not a script. Call run_skill_script(skill="report", tool="sum-up", arguments={…}).`, true},
		{"unknown tool", args{"skill": "report", "tool": "sum"}, `error: the skill report has no tool "sum". Did you mean sum-up? Tools: sum-up, any.`, true},
		{"no tools", args{"skill": "tool-less", "tool": "sum"}, `error: the skill tool-less has no tools. Call run_skill_script(skill="tool-less", script="scripts/…") to run a script of it.`, true},
		{"both", args{"skill": "report", "tool": "any", "args": []string{"x"}}, `error: give tool and arguments, or script and args, not both.`, true},
		{"arguments for a script", args{"skill": "report", "script": "scripts/sum.py", "arguments": map[string]any{"x": 1}}, `error: arguments go with tool. For a script give args, a list of strings: run_skill_script(skill="report", script="scripts/sum.py", args=["…"]).`, true},
		{"unknown interpreter", args{"skill": "report", "script": "scripts/data.bin"}, `error: it is not known how to run "scripts/data.bin" of the skill report. Its first line must name a program, such as #!/usr/bin/env python3. Tell the user.`, true},
	})
	env.Skills = nil
	checkTexts(t, env, "run_skill_script", []textTest{{"no skills", args{"skill": "report"}, "error: there are no skills in this chat. Use exec to run a program.", true}})
}

func TestRunSkillScriptTeachesArguments(t *testing.T) {
	t.Parallel()
	env := scriptEnv(t)
	out := run(t, env, "run_skill_script", args{"skill": "report", "tool": "sum-up", "arguments": map[string]any{"fiel": "a", "rows": "x"}})
	for _, want := range []string{
		"error: the arguments of sum-up were refused; nothing ran.\n- ", "file", "rows",
		"\nCall run_skill_script again with tool=\"sum-up\" and arguments={\"file\":",
	} {
		if !strings.Contains(out.Text, want) {
			t.Errorf("%q is missing in\n%s", want, out.Text)
		}
	}
	if !out.BadArgs || !out.Failed {
		t.Errorf("got %+v", out)
	}
	if req, _ := approval(t, env, "run_skill_script", args{"skill": "report", "tool": "sum-up", "arguments": map[string]any{"rows": 1}}); req.Key != "" {
		t.Errorf("the user is asked about %+v", req)
	}
}

func TestRunSkillScriptApproval(t *testing.T) {
	t.Parallel()
	env := scriptEnv(t)
	req, _ := approval(t, env, "run_skill_script", args{"skill": "report", "tool": "sum-up", "arguments": map[string]any{"file": "a"}})
	want := agent.ApprovalRequest{
		Key: "run_skill_script:report/scripts/sum.py", Covers: "scripts/sum.py of a skill named report", Names: []string{"run_skill_script"}, Ask: true,
		Summary: `run of the skill report: scripts/sum.py '{"file":"a"}'`,
		Detail:  fill(env, "in the sandbox: no network; it can read and write in WS\n"),
	}
	if !reflect.DeepEqual(req, want) {
		t.Errorf("got  %+v\nwant %+v", req, want)
	}
}

func TestRunSkillScriptWithAnEnvironmentOfItsOwn(t *testing.T) {
	t.Parallel()
	env := scriptEnv(t)
	env.Python = func(_ context.Context, it *skill.Item) (builtin.Python, error) {
		if it.Name != "report" {
			return builtin.Python{}, nil
		}
		return builtin.Python{Interpreter: "/cache/env/bin/python", ReadOnly: []string{"/cache/env"}}, nil
	}
	var got []string
	env.Backend = open(t, func(p sandbox.Policy, c sandbox.Command) (sandbox.Result, error) {
		got = append(got, fmt.Sprintf("%s %d", c.Args[0], len(p.ReadOnly)))
		return sandbox.Result{}, nil
	})
	run(t, env, "run_skill_script", args{"skill": "report", "script": "scripts/sum.py"})
	run(t, env, "run_skill_script", args{"skill": "report", "script": "scripts/run.sh"})
	run(t, env, "run_skill_script", args{"skill": "tool-less", "script": "scripts/go.py"})
	if want := []string{"/cache/env/bin/python 2", "bash 1", "python3 1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRunSkillScriptWithoutItsEnvironment(t *testing.T) {
	t.Parallel()
	env := scriptEnv(t)
	env.Python = func(context.Context, *skill.Item) (builtin.Python, error) {
		return builtin.Python{Unprepared: "agentctl skill prepare report"}, nil
	}
	exit := 1
	env.Backend = open(t, func(sandbox.Policy, sandbox.Command) (sandbox.Result, error) {
		return sandbox.Result{Exit: exit}, nil
	})
	const note = "\nnote: the Python packages of the skill report are not installed. Tell the user to run: agentctl skill prepare report"
	if out := run(t, env, "run_skill_script", args{"skill": "report", "script": "scripts/sum.py"}); !strings.HasSuffix(out.Text, note) {
		t.Errorf("the note is missing in\n%s", out.Text)
	}
	if out := run(t, env, "run_skill_script", args{"skill": "report", "script": "scripts/run.sh"}); strings.Contains(out.Text, "note:") {
		t.Errorf("a shell script needs no packages, got\n%s", out.Text)
	}
	exit = 0
	if out := run(t, env, "run_skill_script", args{"skill": "report", "script": "scripts/sum.py"}); strings.Contains(out.Text, "note:") {
		t.Errorf("it worked all the same, got\n%s", out.Text)
	}
}

func TestRunSkillScriptForReal(t *testing.T) {
	t.Parallel()
	env := scriptEnv(t)
	backend, err := sandbox.Open(t.Context(), sandbox.Options{Home: env.Home, Dir: env.Workspace})
	if err != nil {
		skip(t, fmt.Sprintf("no sandbox on this machine: %v", err))
	}
	env.Backend = func(context.Context) (sandbox.Backend, error) { return backend, nil }
	script := filepath.Join(env.SkillsDir, "report/scripts/run.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\npwd\necho \"$1\" > \"$AGENTCTL_OUTPUT_DIR/args.json\"\ntouch \"$(dirname \"$0\")/x\" 2>/dev/null || echo read-only\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := run(t, env, "run_skill_script", args{"skill": "report", "tool": "any", "arguments": map[string]any{"a": 1}})
	if !strings.HasPrefix(out.Text, fill(env, "exit_code: 0\nstdout:\nWS\nread-only\nartifacts:\n")) || !strings.HasSuffix(out.Text, "/out/args.json (8 bytes)\n") {
		t.Errorf("got %s", out.Text)
	}
}

// A fault of reading skills is no answer for the model.
func TestSkillsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	env := newEnv(t, nil)
	broken := errors.New("disk")
	env.Skills = func(context.Context) (*skill.Listing, error) { return nil, broken }
	for name, a := range map[string]args{
		"read_skill": {"name": "x"}, "run_skill_script": {"skill": "x"}, "exec": {"argv": []string{"no-such"}},
	} {
		if _, err := find(t, env, name).Run(t.Context(), newCall(t, a)); !errors.Is(err, broken) {
			t.Errorf("%s: %v", name, err)
		}
	}
	env.SkillsRead = []string{"x"}
	if _, err := find(t, env, "read_file").Run(t.Context(), newCall(t, args{"path": "/x"})); !errors.Is(err, broken) {
		t.Errorf("read_file: %v", err)
	}
}
