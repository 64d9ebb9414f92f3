package skill

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/diag"
)

// lintText is the findings as "line:column severity code", one a line.
func lintText(t *testing.T, it *Item, o LintOptions) string {
	t.Helper()
	ds, err := Lint(t.Context(), it, o)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range ds {
		place := fmt.Sprintf("%d:%d", d.Line, d.Column)
		if rel, err := filepath.Rel(it.Dir, d.File); err == nil && rel != it.Manifest {
			place = filepath.ToSlash(rel) + ":" + place
		}
		out = append(out, fmt.Sprintf("%s %s %s", place, d.Severity, d.Code))
	}
	return strings.Join(out, "\n")
}

// skillText is a SKILL.md named s with extra front matter lines and a body.
func skillText(extra, body string) string {
	return "---\nname: s\ndescription: Does. Use when asked.\n" + extra + "---\n" + body
}

func TestLintRules(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 65)
	tests := []struct {
		name   string
		folder string // "" is s
		files  map[string]string
		opts   LintOptions
		want   string
	}{
		{"clean", "", map[string]string{ManifestName: skillText("", "# S\n")}, LintOptions{}, ""},
		{"name empty", "", map[string]string{ManifestName: "---\nname:\ndescription: Use when x.\n---\nb\n"}, LintOptions{}, "2:1 warning frontmatter.no-name\n2:1 error name.empty"},
		{"name too long", long, map[string]string{ManifestName: "---\nname: " + long + "\ndescription: Use when x.\n---\nb\n"}, LintOptions{}, "2:1 error name.too-long"},
		{"name of 64", long[1:], map[string]string{ManifestName: "---\nname: " + long[1:] + "\ndescription: Use when x.\n---\nb\n"}, LintOptions{}, ""},
		{"zero-width name", "", map[string]string{ManifestName: "---\nname: \"s\\u200b\"\ndescription: Use when x.\n---\nb\n"}, LintOptions{}, "2:1 error name.character"},
		{"bidi name", "", map[string]string{ManifestName: "---\nname: \"s\\u202e\"\ndescription: Use when x.\n---\nb\n"}, LintOptions{}, "2:1 error name.character"},
		{"control name", "", map[string]string{ManifestName: "---\nname: \"s\\e[31m\"\ndescription: Use when x.\n---\nb\n"}, LintOptions{}, "2:1 error name.character"},
		{"path name", "", map[string]string{ManifestName: "---\nname: ../s\ndescription: Use when x.\n---\nb\n"}, LintOptions{}, "2:1 error name.character"},
		{"dots name", "", map[string]string{ManifestName: "---\nname: ..\ndescription: Use when x.\n---\nb\n"}, LintOptions{}, "2:1 error name.character"},
		{"title name", "my-skill", map[string]string{ManifestName: "---\nname: My Skill\ndescription: Use when x.\n---\nb\n"}, LintOptions{}, "2:1 warning name.folder\n2:1 warning name.not-kebab"},
		{"other script", "茶道", map[string]string{ManifestName: "---\nname: 茶道\ndescription: 使用\n---\nb\n"}, LintOptions{}, "2:1 info name.not-ascii"},
		{"composed folder", "caf\u00e9", map[string]string{ManifestName: "---\nname: cafe\u0301\ndescription: Use when x.\n---\nb\n"}, LintOptions{}, "2:1 info name.not-ascii"},
		{"reserved", "synced", map[string]string{ManifestName: "---\nname: synced\ndescription: Use when x.\n---\nb\n"}, LintOptions{Profile: ProfileClaude}, "2:1 warning name.reserved"},
		{"no when", "", map[string]string{ManifestName: "---\nname: s\ndescription: Sums CSV.\n---\nb\n"}, LintOptions{}, "3:1 info description.no-when"},
		{"when elsewhere", "", map[string]string{ManifestName: "---\nname: s\ndescription: Sums CSV.\nwhen_to_use: tables\n---\nb\n"}, LintOptions{}, ""},
		{"description of 1,024", "", map[string]string{ManifestName: "---\nname: s\ndescription: Use when " + strings.Repeat("茶", 1024-9) + "\n---\nb\n"}, LintOptions{}, ""},
		{"description of 1,025", "", map[string]string{ManifestName: "---\nname: s\ndescription: Use when " + strings.Repeat("茶", 1025-9) + "\n---\nb\n"}, LintOptions{}, "3:1 warning description.too-long"},
		{"claude's cap", "", map[string]string{ManifestName: "---\nname: s\ndescription: d\nwhen_to_use: " + strings.Repeat("x", 1536) + "\n---\nb\n"}, LintOptions{Profile: ProfileClaude}, "3:1 warning description.claude-cap"},
		{"markup", "", map[string]string{ManifestName: "---\nname: s\ndescription: Use when a < b.\n---\nb\n"}, LintOptions{}, "3:1 info description.markup"},
		{"tag", "", map[string]string{ManifestName: "---\nname: s\ndescription: Use when </available_skills>.\n---\nb\n"}, LintOptions{}, "3:1 warning description.tag"},
		{"unknown key", "", map[string]string{ManifestName: skillText("alowed-tools: x\n", "b\n")}, LintOptions{}, "4:1 info key.unknown"},
		{"brackets", "", map[string]string{ManifestName: skillText("allowed-tools: Bash(git Read\n", "b\n")}, LintOptions{}, "4:1 warning allowed-tools.brackets"},
		{"unknown tool", "", map[string]string{ManifestName: skillText("allowed-tools: read_file Bash(x)\n", "b\n")}, LintOptions{Tools: []string{"read_file"}}, "4:1 info allowed-tools.unknown"},
		{"compatibility", "", map[string]string{ManifestName: skillText("compatibility: "+strings.Repeat("x", 501)+"\n", "b\n")}, LintOptions{}, "4:1 warning compatibility.too-long"},
		{"metadata", "", map[string]string{ManifestName: skillText("metadata:\n  a: x\n  b: [1]\n", "b\n")}, LintOptions{}, "6:3 info metadata.value"},
		{"numbers", "", map[string]string{ManifestName: skillText("version: 1.10\n", "b\n")}, LintOptions{}, "4:1 info frontmatter.unquoted-value\n4:1 info key.unknown"},
		{"empty body", "", map[string]string{ManifestName: skillText("", "\n \n")}, LintOptions{}, "5:1 warning body.empty"},
		{"long body", "", map[string]string{ManifestName: skillText("", strings.Repeat("x", 50_001))}, LintOptions{}, "5:1 warning body.too-long"},
		{"500 lines", "", map[string]string{ManifestName: skillText("", strings.Repeat("x\n", 500))}, LintOptions{}, ""},
		{"5,000 tokens", "", map[string]string{ManifestName: skillText("", strings.Repeat("x", 20_003))}, LintOptions{}, ""},
		{"5,001 tokens", "", map[string]string{ManifestName: skillText("", strings.Repeat("x", 20_004))}, LintOptions{}, "5:1 info body.tokens"},
		{"program of 30 lines", "", map[string]string{ManifestName: skillText("", "```python\n"+strings.Repeat("x\n", 30)+"```\n")}, LintOptions{}, ""},
		{"program of 31 lines", "", map[string]string{ManifestName: skillText("", "a\n~~~ {.py}\n"+strings.Repeat("x\n", 31)+"~~~\n")}, LintOptions{}, "6:1 info body.code-block"},
		{"long example", "", map[string]string{ManifestName: skillText("", "```json\n"+strings.Repeat("x\n", 31)+"```\n")}, LintOptions{}, ""},
		{
			"secrets", "",
			map[string]string{
				ManifestName: skillText("", "茶 AKIA"+strings.Repeat("Q7", 8)+" AKIAIOSFODNN7EXAMPLE\n```\napi_key = \"a1b2c3d4e5f6g7\" password: 'your-password1' token: \"justwordshere\"\n```\n"),
				"a.env":      "x\nghp_" + strings.Repeat("a1", 18) + "\n-----BEGIN OPENSSH PRIVATE KEY-----\n", "b.bin": "\x00ghp_" + strings.Repeat("a1", 18),
			},
			LintOptions{},
			"5:3 warning body.secret\n7:12 warning body.secret\na.env:2:1 warning file.secret\na.env:3:1 warning file.secret",
		},
		{"501 lines", "", map[string]string{ManifestName: skillText("", strings.Repeat("x\n", 501))}, LintOptions{}, "5:1 info body.lines"},
		{"invisible", "", map[string]string{ManifestName: skillText("", "a\nab\u200bc\u2066\n")}, LintOptions{}, "6:3 warning body.invisible"},
		{"tag characters", "", map[string]string{ManifestName: skillText("", "x\U000e0041\n")}, LintOptions{}, "5:2 warning body.invisible"},
		{"emoji are fine", "", map[string]string{ManifestName: skillText("", "👩‍🔧 ✔️ नमस्ते\n")}, LintOptions{}, ""},
		{"todo", "", map[string]string{ManifestName: skillText("", "x TODO y\n")}, LintOptions{}, "5:3 info body.todo"},
		{"inline shell", "", map[string]string{ManifestName: skillText("", "run !`date` now\n")}, LintOptions{}, "5:5 info body.inline-shell"},
		{
			"links", "",
			map[string]string{"references/a.md": "x", ManifestName: skillText("",
				"[a](references/a.md#x) [b](references/b.md) [c](../c.md) [w](https://x/y) [m](mailto:a@b) [t]({x}/y) ![i](<i.png>)\n")},
			LintOptions{},
			"5:28 warning link.missing\n5:49 warning link.outside\n5:108 warning link.missing",
		},
		{
			"link definitions", "",
			map[string]string{"a.md": "x", ManifestName: skillText("", "[a]: a.md\n [b]: <b.md> \"B\"\n[c]: ../c.md\n[w]: https://x/y\n[^1]: no.link\n[note]: word\n")},
			LintOptions{},
			"6:8 warning link.missing\n7:6 warning link.outside",
		},
		{
			"paths in code", "",
			map[string]string{"scripts/a.sh": "#!/bin/sh\n", ManifestName: skillText("",
				"茶 `scripts/a.sh` and `python3 ./scripts/none.py --x`, `scripts/*.py`, `[x](y)`, \"`assets/x`\"\n")},
			LintOptions{},
			"5:31 warning link.missing\n5:83 warning link.missing",
		},
		{
			"scripts in prose and commands", "",
			map[string]string{"scripts/a.sh": "#!/bin/sh\n", ManifestName: skillText("",
				"Run scripts/a.sh, then scripts/none.py.\n```sh\npython ./scripts/gone.py x; build/scripts/x.py scripts/\n```\n```python\nopen('scripts/other.py')\n```\n")},
			LintOptions{},
			"5:24 warning link.missing\n7:8 warning link.missing",
		},
		{
			"programs without #!", "",
			map[string]string{"scripts/a.py": "print()\n", "scripts/lib/b.py": "x", "scripts/__init__.py": "x", "scripts/c.txt": "x", "d.py": "x", ManifestName: skillText("", "b\n")},
			LintOptions{},
			"scripts/a.py:1:1 info file.no-shebang",
		},
		{
			"nothing in code blocks", "",
			map[string]string{ManifestName: skillText("", "```sh\n[a](b.md) `scripts/x` TODO\n````\n~~~\n[a](b.md)\n~~~\n")},
			LintOptions{},
			"",
		},
		{
			"personal path", "",
			map[string]string{ManifestName: skillText("", "open /home/me/x and C:\\Users\\me\\y or D:/Users/me/z\n")},
			LintOptions{},
			"5:6 warning link.absolute\n5:21 warning link.absolute\n5:38 warning link.absolute",
		},
		{
			"files", "",
			map[string]string{
				"skill/SKILL.md": "x", "a.sh": "#!/bin/sh\r\nx\n", "b.sh": "#!/bin/sh\n", "empty": "", "node_modules/SKILL.md": "x",
				ManifestName: skillText("", "b\n"), "con.txt": "x",
			},
			LintOptions{},
			"1:1 warning file.export\na.sh:1:1 warning file.shebang-crlf\nskill/SKILL.md:1:1 info file.nested-skill",
		},
		{"tools.yaml", "", map[string]string{ManifestName: skillText("", "b\n"), ToolsFile: "tools: 1\n"}, LintOptions{}, "tools.yaml:1:8 error frontmatter.wrong-type"},
		{"BOM and CRLF", "", map[string]string{ManifestName: "\ufeff" + strings.ReplaceAll(skillText("", "b\n"), "\n", "\r\n")}, LintOptions{}, "1:1 info file.bom\n1:1 info file.crlf"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			folder := tt.folder
			if folder == "" {
				folder = "s"
			}
			if got := lintText(t, makeSkill(t, folder, tt.files), tt.opts); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestLintLinks(t *testing.T) {
	t.Parallel()
	it := makeSkill(t, "s", map[string]string{"a.md": "x"})
	for from, to := range map[string]string{"l1": "a.md", "l2": "/etc/passwd"} {
		if err := os.Symlink(to, filepath.Join(it.Dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	if got := lintText(t, it, LintOptions{}); got != "l1:0:0 error file.symlink\nl2:0:0 error file.symlink" {
		t.Errorf("got %s", got)
	}
	pipe := makeSkill(t, "s", map[string]string{ManifestName: skillText("", "[p](pipe)\n")})
	makePipe(t, filepath.Join(pipe.Dir, "pipe"))
	if got := lintText(t, pipe, LintOptions{}); got != "1:1 warning file.export" {
		t.Errorf("got %s", got)
	}
	exec := makeSkill(t, "s", map[string]string{"a.txt": "x", "prog": "\x7fELF\x00"})
	for _, f := range []string{"a.txt", "prog"} {
		if err := os.Chmod(filepath.Join(exec.Dir, f), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if got := lintText(t, exec, LintOptions{}); got != "a.txt:1:1 info file.exec" {
		t.Errorf("got %s", got)
	}
}

// The same skill in the eyes of four clients.
func TestLintProfiles(t *testing.T) {
	t.Parallel()
	it := makeSkill(t, "other", map[string]string{ManifestName: "---\nname: My Skill\ndescription: Use when: a < b.\naliases: x\nmodel: opus\n---\nb\n"})
	for profile, want := range map[string]string{
		"":              "2:1 warning name.folder\n2:1 warning name.not-kebab\n3:1 info description.markup\n3:1 warning frontmatter.read-verbatim\n5:1 info key.unknown",
		ProfileAgentctl: "2:1 warning name.folder\n2:1 warning name.not-kebab\n3:1 info description.markup\n3:1 warning frontmatter.read-verbatim\n5:1 info key.unknown",
		ProfileSpec:     "2:1 error name.folder\n2:1 error name.not-kebab\n3:1 info description.markup\n3:1 error frontmatter.read-verbatim\n4:1 error key.unknown\n5:1 error key.unknown",
		ProfileUpload:   "2:1 error name.folder\n2:1 error name.not-kebab\n3:1 error description.markup\n3:1 error frontmatter.read-verbatim\n4:1 error key.unknown\n5:1 error key.unknown",
		ProfileClaude:   "2:1 info name.folder\n2:1 warning name.not-kebab\n3:1 info description.markup\n3:1 warning frontmatter.read-verbatim\n4:1 info key.unknown",
	} {
		if got := lintText(t, it, LintOptions{Profile: profile}); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", profile, got, want)
		}
	}
}

func TestLintAll(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"a/SKILL.md": manifest("a"), "b/SKILL.md": manifest("x"), "c/SKILL.md": "no"})
	l := loadDir(t, dir)
	res, err := LintAll(t.Context(), l.Items, l.Broken, LintOptions{})
	if err != nil || res.Summary != (LintSummary{Errors: 1, Warnings: 1, Files: 3}) || !res.HasErrors() {
		t.Errorf("got %+v, %v", res, err)
	}
	if got := codesOf(res.Diagnostics); got != "name.folder frontmatter.missing" {
		t.Errorf("got %s", got)
	}
}

// Every finding has a rule, so that it is documented and its severity known.
func TestEveryCodeIsARule(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for n, r := range Rules() {
		if known[r.ID] || r.Text == "" || n > 0 && Rules()[n-1].ID > r.ID {
			t.Errorf("rule %s is there twice, has no text, or is out of order", r.ID)
		}
		known[r.ID] = true
		for p := range r.Profiles {
			if !slices.Contains(Profiles(), p) {
				t.Errorf("rule %s names profile %s", r.ID, p)
			}
		}
	}
	dir := filepath.Join("..", "..", "testdata", "cases")
	l := loadDir(t, dir)
	res, err := LintAll(t.Context(), l.Items, l.Broken, LintOptions{Tools: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range append(res.Diagnostics, l.Diagnostics...) {
		if !known[d.Code] {
			t.Errorf("%s is no rule", d)
		}
	}
}

func TestFix(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, folder, file, before, after string
	}{
		{"colon", "s", "SKILL.md", "---\nname: s\ndescription: Use this: now\n---\nb\n", "---\nname: s\ndescription: 'Use this: now'\n---\nb\n"},
		{"BOM, CRLF", "s", "SKILL.md", "\ufeff---\r\nname: s\r\ndescription: d\r\n---\r\nb\r\n", "---\nname: s\ndescription: d\n---\nb\n"},
		{"glued fence", "s", "SKILL.md", "---\nname: s\ndescription: d\n---# B\n", "---\nname: s\ndescription: d\n---\n# B\n"},
		{"comment first", "s", "SKILL.md", "<!-- c -->\n---\nname: s\ndescription: d\n---\nb\n", "---\n# c\nname: s\ndescription: d\n---\nb\n"},
		{"no name", "s", "SKILL.md", "---\ndescription: d\n---\nb\n", "---\nname: s\ndescription: d\n---\nb\n"},
		{"title", "my-skill", "SKILL.md", "---\nname: My Skill # mine\ndescription: d\n---\nb\n", "---\nname: my-skill # mine\ndescription: d\n---\nb\n"},
		{"number", "s", "SKILL.md", "---\nname: s\ndescription: d\nversion: 1.10\n---\nb\n", "---\nname: s\ndescription: d\nversion: '1.10'\n---\nb\n"},
		{"file name", "s", "skill.md", "---\nname: s\ndescription: d\n---\nb\n", "---\nname: s\ndescription: d\n---\nb\n"},
		{"nothing", "s", "SKILL.md", "---\nname: s\ndescription: d\n---\nb", ""},
		{"number below a new name", "s", "SKILL.md", "---\ndescription: d\nversion: 1.0 # v\nlicense: 2026-01-01\n...\nb\n", "---\nname: s\ndescription: d\nversion: '1.0' # v\nlicense: '2026-01-01'\n---\nb\n"},
		{"number in braces", "s", "SKILL.md", "---\n{name: S, description: d, version: 1.0}\n---\nb\n", "---\nname: s\ndescription: d\nversion: '1.0'\n---\nb\n"},
		{"key twice", "s", "SKILL.md", "---\nname: s\ndescription: d\nversion: 1.10\nversion: 1.20 # newer\nwhen_to_use: a: b\nwhen_to_use: c\n---\nb\n", "---\nname: s\ndescription: d\nversion: '1.10'\nversion: 1.20 # newer\nwhen_to_use: 'a: b'\nwhen_to_use: c\n---\nb\n"},
		{"JSON escapes", "s", "SKILL.md", "---\nname: s\ndescription: \"a \\ud83d\\udc26\" # bird\nmetadata: {e: \"\\ud83d\\udc26\"}\n---\nb\n", "---\nname: s\ndescription: \"a 🐦\" # bird\nmetadata: {e: \"🐦\"}\n---\nb\n"},
		{"not by machine", "s", "SKILL.md", "---\nname: other\ndescription: d # cut\nunknown: x\n---\nb\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), tt.folder)
			writeFiles(t, dir, map[string]string{tt.file: tt.before})
			it, _, err := Open(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			f, err := FixOf(it)
			if err != nil || (f == nil) != (tt.after == "") {
				t.Fatalf("got %v, %v", f, err)
			}
			if f == nil {
				return
			}
			if tt.before != tt.after && !strings.Contains(f.Diff(), "@@") {
				t.Errorf("diff %q", f.Diff())
			}
			if err := f.Apply(); err != nil {
				t.Fatal(err)
			}
			if got := readFile(t, dir, ManifestName); got != tt.after {
				t.Errorf("got\n%q\nwant\n%q", got, tt.after)
			}
			if it, _, err = Open(t.Context(), dir); err != nil {
				t.Fatal(err)
			}
			if again, err := FixOf(it); err != nil || again != nil {
				t.Errorf("a second fix: %v, %v", again, err)
			}
		})
	}
}

// A fix never loses a sample skill, nor changes what a reader makes of it.
func TestFixOfAllCases(t *testing.T) {
	t.Parallel()
	l := loadDir(t, filepath.Join("..", "..", "testdata", "cases"))
	for _, it := range l.Items {
		f, err := FixOf(it)
		if err != nil {
			t.Errorf("%s: %v", it.Name, err)
		}
		if f == nil {
			continue
		}
		s, ds, err := Parse(f.NewFile, it.Folder(), f.After)
		if err != nil || s.Description != it.Value.Description || !strings.HasSuffix(s.Body, it.Value.Body) {
			t.Errorf("%s: %v, %v", it.Name, ds, err)
		}
	}
}

func TestReports(t *testing.T) {
	t.Parallel()
	ds := []Diagnostic{
		{File: "/w/a b/SKILL.md", Line: 2, Column: 3, Severity: diag.Error, Code: "name.empty", Message: "one: two, 100%\nthree"},
		{File: "/x/SKILL.md", Severity: diag.Info, Code: "key.unknown", Message: "m"},
	}
	var b strings.Builder
	if err := WriteGitHub(&b, ds, "/w"); err != nil {
		t.Fatal(err)
	}
	want := "::error file=a b/SKILL.md,line=2,col=3,title=name.empty::one: two, 100%25%0Athree\n::notice file=/x/SKILL.md,title=key.unknown::m\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	b.Reset()
	if err := WriteSARIF(&b, ds, "/w", "v1"); err != nil {
		t.Fatal(err)
	}
	var log sarifLog
	if err := json.Unmarshal([]byte(b.String()), &log); err != nil {
		t.Fatal(err)
	}
	res := log.Runs[0].Results
	if uri := uriOf("/w/茶:%/a.md", "/w"); uri != "./%E8%8C%B6:%25/a.md" {
		t.Errorf("got %s", uri)
	}
	if log.Runs[0].Columns != "unicodeCodePoints" || len(res) != 2 || res[0].Level != "error" || res[0].Locations[0].Physical.Artifact.URI != "a%20b/SKILL.md" || res[0].Locations[0].Physical.Region.StartColumn != 3 ||
		res[1].Level != "note" || res[1].Locations[0].Physical.Region != nil || len(log.Runs[0].Tool.Driver.Rules) != len(Rules()) {
		t.Errorf("got %s", b.String()[:400])
	}
}

func BenchmarkLint1000(b *testing.B) {
	dir := b.TempDir()
	for n := range 1000 {
		name := fmt.Sprintf("skill-%d", n)
		writeFiles(b, dir, map[string]string{name + "/SKILL.md": manifest(name) + strings.Repeat("Some `scripts/a.py` text with [a link](references/x.md).\n", 80), name + "/references/x.md": "x", name + "/scripts/a.py": "x"})
	}
	l := loadDir(b, dir)
	for b.Loop() {
		if _, err := LintAll(b.Context(), l.Items, l.Broken, LintOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
