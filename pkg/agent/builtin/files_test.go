package builtin_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

const reportSkill = "---\nname: report\ndescription: Write a report. Use when asked for one.\n---\n# Steps\n1. Read references/style.md\n"

func TestReadFile(t *testing.T) {
	t.Parallel()
	env := newEnv(t, map[string]string{
		"README.md": "# Hello\nsecond\nthird\n", "data/sales.csv": "a,b\n1,2\n", "empty.txt": "", "bin.dat": "PK\x00\x01",
		"latin.txt": "caf\xe9\n", "no-end.txt": "a\nb",
	})
	if err := os.Symlink("/etc/passwd", filepath.Join(env.Workspace, "out")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("README.md", filepath.Join(env.Workspace, "in")); err != nil {
		t.Fatal(err)
	}
	checkTexts(t, env, "read_file", []textTest{
		{"whole", args{"path": "README.md"}, "# Hello\nsecond\nthird\n", false},
		{"absolute", args{"path": env.Workspace + "/data/../README.md"}, "# Hello\nsecond\nthird\n", false},
		{"blanks around", args{"path": " ./README.md "}, "# Hello\nsecond\nthird\n", false},
		{"from a line", args{"path": "README.md", "offset": 3}, "third\n", false},
		{"some lines", args{"path": "README.md", "limit": 2}, "# Hello\nsecond\n[lines 1-2; more follow: call read_file(path=\"README.md\", offset=3)]\n", false},
		{"up to the end", args{"path": "README.md", "offset": 2, "limit": 2}, "second\nthird\n", false},
		{"negative numbers", args{"path": "README.md", "offset": -4, "limit": -1}, "# Hello\nsecond\nthird\n", false},
		{"no line feed at the end", args{"path": "no-end.txt", "offset": 2}, "b", false},
		{"a link inside", args{"path": "in", "limit": 9}, "# Hello\nsecond\nthird\n", false},
		{"empty", args{"path": "empty.txt"}, "(the file is empty)", false},
		{"other encoding", args{"path": "latin.txt"}, "caf\uFFFD\n", false},
		{"behind the end", args{"path": "README.md", "offset": 9}, `error: offset 9 is behind the end of "README.md": it has 3 lines.`, true},
		{"just behind the end", args{"path": "README.md", "offset": 4}, `error: offset 4 is behind the end of "README.md": it has 3 lines.`, true},
		{"no text", args{"path": "bin.dat"}, `error: "bin.dat" is not a text file. Use a program or a script that understands its format.`, true},
		{"a folder", args{"path": "data"}, `error: "data" is a folder. Call list_files(path="data").`, true},
		{"the workspace", args{"path": ""}, `error: "." is a folder. Call list_files(path=".").`, true},
		{"missing", args{"path": "data/sale.csv"}, `error: there is no "data/sale.csv". Did you mean "data/sales.csv"? Call list_files(path="data") to see what is there.`, true},
		{"missing at the top", args{"path": "READ.md"}, `error: there is no "READ.md". Did you mean "README.md"? Call list_files(path=".") to see what is there.`, true},
		{"missing folder", args{"path": "x/y/zzzz.txt"}, `error: there is no "x/y/zzzz.txt". Call list_files(path=".") to see what is there.`, true},
		{"outside", args{"path": "../secret"}, `error: "../secret" is outside the workspace. Give a path relative to the workspace WS.`, true},
		{"outside, absolute", args{"path": "/etc/passwd"}, `error: "/etc/passwd" is outside the workspace. Give a path relative to the workspace WS.`, true},
		{"the workspace taken for the root", args{"path": "/data/sales.csv"}, `error: "/data/sales.csv" is outside the workspace. Did you mean "data/sales.csv"? Give a path relative to the workspace WS.`, true},
		{"another root that models know", args{"path": "/workspace/README.md"}, `error: "/workspace/README.md" is outside the workspace. Did you mean "README.md"? Give a path relative to the workspace WS.`, true},
		{"a link outside", args{"path": "out"}, `error: "out" is a link out of the workspace and cannot be used. Work with files inside it.`, true},
		{"a file as a folder", args{"path": "README.md/x"}, `error: "README.md/x" cannot be opened: not a directory. Call list_files(path="README.md") to see what is there.`, true},
	})
}

func TestReadFileIsBounded(t *testing.T) {
	t.Parallel()
	var long strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&long, "line %05d ää\n", i+1)
	}
	env := newEnv(t, map[string]string{"long.txt": long.String(), "one.txt": strings.Repeat("ä", 40_000) + "\nnext\n"})
	var got strings.Builder
	for offset, calls := 1, 0; ; calls++ {
		out := run(t, env, "read_file", args{"path": "long.txt", "offset": offset})
		text, note, more := strings.Cut(out.Text, "[lines ")
		if n := utf8.RuneCountInString(text); n > 30_000 {
			t.Fatalf("%d characters, want at most 30,000", n)
		}
		got.WriteString(text)
		if !more {
			break
		}
		if _, err := fmt.Sscanf(note[strings.Index(note, "offset="):], "offset=%d", &offset); err != nil || calls > 9 {
			t.Fatalf("the note %q does not say how to go on", note)
		}
	}
	if got.String() != long.String() {
		t.Error("the parts are not the whole")
	}
	out := run(t, env, "read_file", args{"path": "one.txt"})
	want := strings.Repeat("ä", 30_000) + "\n[the last 20001 bytes of line 1 were cut]\n[lines 1-1; more follow: call read_file(path=\"one.txt\", offset=2)]\n"
	if out.Text != want {
		t.Errorf("a long line ends in %q", out.Text[len(out.Text)-200:])
	}
	if out := run(t, env, "read_file", args{"path": "one.txt", "offset": 2}); out.Text != "next\n" {
		t.Errorf("after a long line comes %q", out.Text)
	}
}

func TestFilesOfSkills(t *testing.T) {
	t.Parallel()
	env := newEnv(t, nil)
	writeFiles(t, filepath.Join(env.Home, "shared"), map[string]string{
		"report/SKILL.md": reportSkill, "report/references/style.md": "be brief\n", "other/SKILL.md": strings.ReplaceAll(reportSkill, "report", "other"),
	})
	style := filepath.Join(env.Home, "shared/report/references/style.md")
	refused := fmt.Sprintf(`error: %q is outside the workspace. Give a path relative to the workspace WS.`, style)
	checkTexts(t, env, "read_file", []textTest{{"before the skill was read", args{"path": style}, refused, true}})
	run(t, env, "read_skill", args{"name": "report"})
	checkTexts(t, env, "read_file", []textTest{
		{"after", args{"path": style}, "be brief\n", false},
		{"relative to the skill", args{"path": "references/style.md"}, `error: "references/style.md" is not in the workspace, but the skill report has it. Call read_skill(name="report", path="references/style.md").`, true},
		{"missing in the skill", args{"path": filepath.Dir(style) + "/styl.md"}, fmt.Sprintf(`error: there is no "%s/styl.md". Did you mean "%s"? Call list_files(path="%s") to see what is there.`, filepath.Dir(style), style, filepath.Dir(style)), true},
		{"another skill", args{"path": filepath.Join(env.Home, "shared/other/SKILL.md")}, `error: "HOME/shared/other/SKILL.md" is outside the workspace. Give a path relative to the workspace WS.`, true},
	})
	checkTexts(t, env, "list_files", []textTest{{"its folder", args{"path": filepath.Dir(style)}, style + "\n", false}})
	checkTexts(t, env, "write_file", []textTest{{"not for writing", args{"path": style, "content": ""}, refused, true}})

	resumed := newEnv(t, nil)
	resumed.Skills, resumed.SkillsRead = env.Skills, []string{"report", "gone"}
	checkTexts(t, resumed, "read_file", []textTest{{"read by an earlier run", args{"path": style}, "be brief\n", false}})
}

func TestListFiles(t *testing.T) {
	t.Parallel()
	env := newEnv(t, map[string]string{
		"b.txt": "", "a/x.txt": "", "a/sub/y.txt": "", "node_modules/m/z.js": "", " odd\n.txt": "",
	})
	if err := os.Symlink("a", filepath.Join(env.Workspace, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(env.Workspace, "void"), 0o755); err != nil {
		t.Fatal(err)
	}
	checkTexts(t, env, "list_files", []textTest{
		{"the workspace", nil, "\" odd\\n.txt\"\na/\nb.txt\nlink -> a\nnode_modules/\nvoid/\n", false},
		{"everything", args{"recursive": true}, "\" odd\\n.txt\"\na/\na/sub/\na/sub/y.txt\na/x.txt\nb.txt\nlink -> a\nnode_modules/ (not searched)\nvoid/\n", false},
		{"a folder", args{"path": "a"}, "a/sub/\na/x.txt\n", false},
		{"through a link", args{"path": "link/"}, "link/sub/\nlink/x.txt\n", false},
		{"from an entry", args{"offset": 5}, "node_modules/\nvoid/\n", false},
		{"empty", args{"path": "void"}, "(the folder void is empty)", false},
		{"behind the end", args{"offset": 9}, `error: offset 9 is behind the end: there are 6 entries in ".".`, true},
		{"a file", args{"path": "b.txt"}, `error: "b.txt" is a file. Call read_file(path="b.txt").`, true},
		{"missing", args{"path": "c"}, `error: there is no "c". Call list_files(path=".") to see what is there.`, true},
		{"outside", args{"path": ".."}, `error: ".." is outside the workspace. Give a path relative to the workspace WS.`, true},
	})
}

func TestListFilesIsBounded(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 1203 {
		files[fmt.Sprintf("d/%04d", i)] = ""
	}
	env := newEnv(t, files)
	out := run(t, env, "list_files", args{"path": "d", "recursive": true})
	if n := strings.Count(out.Text, "\n"); n != 1001 {
		t.Errorf("%d lines, want 1001", n)
	}
	if want := "d/0999\n[entries 1-1000; more follow: call list_files(path=\"d\", recursive=true, offset=1001), or list a folder below]\n"; !strings.HasSuffix(out.Text, want) {
		t.Errorf("the list ends in %q, want %q", out.Text[len(out.Text)-200:], want)
	}
	out = run(t, env, "list_files", args{"path": "d", "offset": 1001})
	if !strings.HasPrefix(out.Text, "d/1000\n") || !strings.HasSuffix(out.Text, "d/1202\n") {
		t.Errorf("the rest is %q", out.Text)
	}
}

func TestNoFiles(t *testing.T) {
	t.Parallel()
	const none = "error: there is no workspace, so there are no files here. Tell the user to start agentctl in a project folder."
	const home = "error: the current folder HOME is the home folder or above it, so its files are not available. Tell the user to start agentctl in a project folder."
	for tool, a := range map[string]args{"read_file": {"path": "x"}, "list_files": {}, "write_file": {"path": "x", "content": ""}} {
		env := newEnv(t, nil)
		env.Workspace = ""
		checkTexts(t, env, tool, []textTest{{"no workspace", a, none, true}})
		env.Workspace = env.Home
		checkTexts(t, env, tool, []textTest{{"home", a, home, true}})
	}
}

func TestWriteFile(t *testing.T) {
	t.Parallel()
	env := newEnv(t, map[string]string{"old.txt": "one\ntwo\n", "d/x": "", ".git/config": "", ".skill/report/SKILL.md": reportSkill, "apps/web/main.js": ""})
	env.Protect = []string{filepath.Join(env.Workspace, "team/skills")}
	for link, to := range map[string]string{"link.txt": "old.txt", "vcs": ".git", "out": "/tmp"} {
		if err := os.Symlink(to, filepath.Join(env.Workspace, link)); err != nil {
			t.Fatal(err)
		}
	}
	protected := func(path, dir string) string {
		return fmt.Sprintf(`error: %q is protected: nothing in %s may be written here. Choose another path, or tell the user what to write there.`, path, dir)
	}
	write := func(path string) args { return args{"path": path, "content": "new\n"} }
	checkTexts(t, env, "write_file", []textTest{
		{"new", write("a/b/new.txt"), "created a/b/new.txt (4 bytes)", false},
		{"replaced", write(env.Workspace + "/old.txt"), "replaced old.txt (4 bytes)", false},
		{"an app of something else", write("apps/web/main.js"), "replaced apps/web/main.js (4 bytes)", false},
		{"beside a skill's text", write(".skill/report/references/a.md"), "created .skill/report/references/a.md (4 bytes)", false},
		{"in a folder of a skill to come", write(".skill/later/scripts/x.py"), "created .skill/later/scripts/x.py (4 bytes)", false},
		{"a skill's text", write(".skill/report/SKILL.md"), `error: ".skill/report/SKILL.md" is written by save_skill alone. Call save_skill(name="report", description="…", body="…").`, true},
		{"a skill's text in other case, deeper", write(".skill/group/x/Skill.md"), `error: ".skill/group/x/Skill.md" is written by save_skill alone. Call save_skill(name="x", description="…", body="…").`, true},
		{"directly in .skill", write(".skill/x.md"), protected(".skill/x.md", ".skill"), true},
		{"version control", write(".git/hooks/pre-commit"), protected(".git/hooks/pre-commit", ".git"), true},
		{"in other case", write(".GIT/config"), protected(".GIT/config", ".git"), true},
		{"through a link", write("vcs/config"), protected("vcs/config", ".git"), true},
		{"configuration", write("agentctl.yaml"), protected("agentctl.yaml", "agentctl.yaml"), true},
		{"shared skills", write("skills/x/SKILL.md"), protected("skills/x/SKILL.md", "skills"), true},
		{"own folder", write(".agentctl/prebuilt/x"), protected(".agentctl/prebuilt/x", ".agentctl"), true},
		{"a root of the configuration", write("team/skills/x/SKILL.md"), protected("team/skills/x/SKILL.md", "team/skills"), true},
		{"an app that would be the default", write("apps/default/APP.md"), protected("apps/default/APP.md", "apps/default/APP.md"), true},
		{"another app", write("apps/rca/app.md"), `error: "apps/rca/app.md" is protected: it would make an app of its folder. Choose another path, or tell the user what to write there.`, true},
		{"no app", write("apps/web/docs/APP.md"), "created apps/web/docs/APP.md (4 bytes)", false},
		{"a link", write("link.txt"), `error: "link.txt" is a link to "old.txt". Write to the file itself.`, true},
		{"through a link out", write("out/x"), `error: "out/x" is a link out of the workspace and cannot be used. Work with files inside it.`, true},
		{"a folder", write("d"), `error: "d" is a folder. Give the path of a file in it.`, true},
		{"the workspace", write("."), `error: path is the workspace itself. Give the path of a file in it.`, true},
		{"outside", write("../x"), `error: "../x" is outside the workspace. Give a path relative to the workspace WS.`, true},
		{"below a file", write("old.txt/x"), `error: "old.txt/x" cannot be opened: not a directory. Call list_files(path="old.txt") to see what is there.`, true},
	})
	if got := read(t, filepath.Join(env.Workspace, "old.txt")); got != "new\n" {
		t.Errorf("the file has %q", got)
	}
	if left, _ := filepath.Glob(filepath.Join(env.Workspace, "*", ".agentctl-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestWriteFileWhereSkillsAreSaved(t *testing.T) {
	t.Parallel()
	env := newEnv(t, nil)
	env.SkillsDir = filepath.Join(env.Workspace, "skills")
	checkTexts(t, env, "write_file", []textTest{
		{"beside a skill's text", args{"path": "skills/x/references/a.md", "content": ""}, "created skills/x/references/a.md (0 bytes)", false},
		{"a skill's text", args{"path": "skills/x/SKILL.md", "content": ""}, `error: "skills/x/SKILL.md" is written by save_skill alone. Call save_skill(name="x", description="…", body="…").`, true},
		{"the folder of skills", args{"path": "skills/x.md", "content": ""}, `error: "skills/x.md" is protected: nothing in skills may be written here. Choose another path, or tell the user what to write there.`, true},
	})
}

func TestWriteFileKeepsTheMode(t *testing.T) {
	t.Parallel()
	env := newEnv(t, map[string]string{"run.sh": "echo 1\n"})
	path := filepath.Join(env.Workspace, "run.sh")
	if err := os.Chmod(path, 0o750); err != nil {
		t.Fatal(err)
	}
	run(t, env, "write_file", args{"path": "run.sh", "content": "echo 2\n"})
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("mode %v, error %v, want 0750", info.Mode(), err)
	}
}

func TestWriteFileApproval(t *testing.T) {
	t.Parallel()
	env := newEnv(t, map[string]string{"old.txt": "one\ntwo\n"})
	tests := []struct {
		name                  string
		args                  args
		summary, detail, text string
	}{
		{"change", args{"path": "old.txt", "content": "one\n2\n"}, "replace old.txt", "--- a/old.txt\n+++ b/old.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n", ""},
		{"new", args{"path": "n.txt", "content": "x\n"}, "create n.txt", "--- a/n.txt\n+++ b/n.txt\n@@ -0,0 +1 @@\n+x\n", ""},
		{"same", args{"path": "old.txt", "content": "one\ntwo\n"}, "replace old.txt", "no change\n", ""},
		{"binary", args{"path": "n.txt", "content": strings.Repeat("x", 2<<20)}, "create n.txt", "2097152 bytes, too much or too binary to show\n", ""},
		{"nobody is asked about what is refused", args{"path": ".git/x", "content": ""}, "", "", `error: ".git/x" is protected: nothing in .git may be written here. Choose another path, or tell the user what to write there.`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			req, text := approval(t, env, "write_file", tt.args)
			if req.Summary != tt.summary || req.Detail != tt.detail || text != tt.text {
				t.Errorf("got %q\n%s\n%s", req.Summary, req.Detail, text)
			}
			if text == "" && (req.Key != "write_file" || !req.Ask || req.Network || len(req.Names) != 1 || req.Names[0] != "write_file") {
				t.Errorf("request %+v", req)
			}
		})
	}
	req, _ := approval(t, env, "write_file", args{"path": "n.txt", "content": strings.Repeat("line\n", 500)})
	if !strings.HasSuffix(req.Detail, "+line\n… 304 more lines\n") {
		t.Errorf("a long diff ends in %q", req.Detail[len(req.Detail)-40:])
	}
}
