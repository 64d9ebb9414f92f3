package skill

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const examplesHead = "\n## Examples\n\n" +
	"A `⏎` is a line feed and `␣` a character that cannot be seen. Where no key or fence is shown, the text stands in the body.\n\n" +
	"| id | bad | good |\n|---|---|---|\n"

// example is a skill in which a rule finds something, or nothing.
type example struct {
	// text is lines of the front matter, in place of those with the same keys; a
	// whole file when it begins with a fence of its own, a body when body is set.
	text string
	body bool
	// show is what the page says instead of text.
	show string
	// files lie beside SKILL.md; "x:" before a name makes one executable.
	files map[string]string
	// folder is the skill's folder, manifest its file: "" is example and SKILL.md.
	folder, manifest string
}

type ruleExample struct{ bad, good example }

// cell is the example as the page shows it.
func (e example) cell() string {
	if e.show != "" {
		return e.show
	}
	text := strings.NewReplacer("\n", "⏎", "|", `\|`, "\u200b", "␣", "\u202e", "␣", "\x01", "␣").Replace(strings.TrimSuffix(e.text, "\n"))
	if strings.Contains(text, "`") {
		return "`` " + text + " ``"
	}
	return "`" + text + "`"
}

// manifestText is the SKILL.md of the example.
func (e example) manifestText() string {
	body, lines := "# Example\n", []string{"name: example", "description: Sums CSV. Use when asked."}
	switch {
	case e.body:
		body = e.text + "\n"
	case strings.HasPrefix(e.text, "---") || strings.HasPrefix(e.text, "\ufeff") || strings.HasPrefix(e.text, "#"), strings.HasPrefix(e.text, "<!--"):
		return e.text
	case e.text != "":
		key, _, _ := strings.Cut(e.text, ":")
		key = strings.TrimSpace(key)
		lines = slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, strings.ToLower(key)+":") })
		lines = append(lines, e.text)
	}
	return "---\n" + strings.Join(lines, "\n") + "\n---\n" + body
}

// codes are the rules that find something in the example.
func (e example) codes(t *testing.T, o LintOptions) []string {
	t.Helper()
	folder, name := e.folder, e.manifest
	if folder == "" {
		folder = "example"
	}
	if name == "" {
		name = ManifestName
	}
	dir := filepath.Join(t.TempDir(), folder)
	writeFiles(t, dir, map[string]string{name: e.manifestText()})
	for f, text := range e.files {
		plain, exec := strings.CutPrefix(f, "x:")
		if to, link := strings.CutPrefix(text, "-> "); link {
			if err := os.Symlink(to, filepath.Join(dir, plain)); err != nil {
				t.Fatal(err)
			}
			continue
		}
		writeFiles(t, dir, map[string]string{plain: text})
		if exec {
			if err := os.Chmod(filepath.Join(dir, plain), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	l := loadDir(t, filepath.Dir(dir))
	res, err := LintAll(t.Context(), l.Items, l.Broken, o)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(codesOf(res.Diagnostics))
}

// TestRuleExamples: every rule has a bad example, in which it finds something,
// and a good one, in which it does not.
func TestRuleExamples(t *testing.T) {
	t.Parallel()
	for _, r := range Rules() {
		t.Run(r.ID, func(t *testing.T) {
			t.Parallel()
			e, ok := ruleExamples[r.ID]
			if !ok {
				t.Fatal("the rule has no examples")
			}
			o := LintOptions{Tools: []string{"read_file", "exec"}}
			if r.Severity == off {
				o.Profile = ProfileClaude
			}
			if got := e.bad.codes(t, o); !slices.Contains(got, r.ID) {
				t.Errorf("the bad example gives %v", got)
			}
			if got := e.good.codes(t, o); slices.Contains(got, r.ID) {
				t.Errorf("the good example gives %v", got)
			}
		})
	}
	if len(ruleExamples) != len(Rules()) {
		t.Errorf("%d examples for %d rules", len(ruleExamples), len(Rules()))
	}
}

func key(text string) example  { return example{text: text} }
func file(text string) example { return example{text: text} }
func body(text string) example { return example{text: text, body: true} }

// shown is an example that is described instead of shown.
func (e example) shown(format string, args ...any) example {
	e.show = fmt.Sprintf(format, args...)
	return e
}

func with(files ...string) example {
	e := example{files: map[string]string{}}
	for i := 0; i < len(files); i += 2 {
		e.files[files[i]] = files[i+1]
	}
	return e
}

var (
	wordy   = "Use when " + strings.Repeat("x", MaxDescription)
	plainOK = key("description: Sums CSV files. Use when a user asks what is in a table.")
	fmOK    = file("---\nname: example\ndescription: Use when asked.\n---\n# Example\n").shown("`---⏎name: example⏎description: …⏎---⏎# Example`")
)

var ruleExamples = map[string]ruleExample{
	"allowed-tools.brackets": {key("allowed-tools: Bash(git log Read"), key("allowed-tools: Bash(git log) Read")},
	"allowed-tools.unknown":  {key("allowed-tools: read_fiel"), key("allowed-tools: read_file exec")},
	"body.code-block": {
		body("```python\n"+strings.Repeat("x = 1\n", maxCode+1)+"```").shown("a block of %d lines of Python", maxCode+1),
		body("Run `scripts/sum.py FILE`.").withFiles("scripts/sum.py", "#!/usr/bin/env python3\n").shown("`` Run `scripts/sum.py FILE`. ``"),
	},
	"body.empty":        {body("").shown("nothing below the second `---`"), body("1. Read the header.")},
	"body.inline-shell": {body("Today is !`date`."), body("Ask for the date.")},
	"body.invisible":    {body("Read the\u200b file."), body("Read the file.")},
	"body.lines":        {body(strings.Repeat("x\n", maxLines+1)).shown("%d lines", maxLines+1), body("See [formats](references/formats.md).").withFiles("references/formats.md", "x")},
	"body.secret":       {body("Call it with ghp_" + strings.Repeat("a1", 18)).shown("`Call it with ghp_a1a1a1…`"), body("Call it with the token in $GITHUB_TOKEN.")},
	"body.todo":         {body("TODO: describe the output"), body("Write the result to out.csv.")},
	"body.tokens":       {body(strings.Repeat("word ", 4*maxTokens/5+1)).shown("20,000 bytes and more"), body("See [formats](references/formats.md).").withFiles("references/formats.md", "x")},
	"body.too-long":     {body(strings.Repeat("x", MaxBody+1)).shown("50,001 characters"), body("See [formats](references/formats.md).").withFiles("references/formats.md", "x")},
	"body.unfilled": {
		body("## Inputs\n\n<!-- What must be at hand? -->\n\n## Steps\n\nRead it."),
		body("## Inputs\n\n<!-- kept from an older version -->\nA CSV file.\n\n```html\n# x\n<!-- a comment -->\n```\n\n## Steps"),
	},

	"compatibility.too-long": {key("compatibility: " + strings.Repeat("x", maxCompatibility+1)).shown("501 characters"), key("compatibility: Needs Python 3.11.")},
	"description.claude-cap": {key("when_to_use: " + strings.Repeat("x", claudeCap)).shown("1,537 characters with `when_to_use`"), plainOK},
	"description.invisible":  {key("description: Sums\u200b CSV. Use when asked."), plainOK},
	"description.markup":     {key("description: Use when a < b."), key("description: Use when a is less than b.")},
	"description.no-when":    {key("description: Sums CSV files."), plainOK},
	"description.tag":        {key("description: Use when a page lacks </body>."), key("description: Use when a page lacks its closing body tag.")},
	"description.too-long":   {key("description: " + wordy).shown("1,025 characters and more"), plainOK},

	"file.bom":          {file("\ufeff" + fmOK.text).shown("the bytes EF BB BF before `---`"), fmOK},
	"file.crlf":         {file(strings.ReplaceAll(fmOK.text, "\n", "\r\n")).shown("lines that end in CR LF"), fmOK},
	"file.exec":         {with("x:data.csv", "a,b\n").shown("`data.csv` with mode 0755"), with("data.csv", "a,b\n").shown("`data.csv` with mode 0644")},
	"file.export":       {with("aux.md", "x").shown("a file called `aux.md`, which Windows cannot make"), with("extra.md", "x").shown("`extra.md`")},
	"file.name-case":    {example{manifest: "skill.md"}.shown("`skill.md`"), example{}.shown("`SKILL.md`")},
	"file.nested-skill": {with("parts/SKILL.md", "x").shown("`parts/SKILL.md`"), with("references/parts.md", "x").shown("`references/parts.md`")},
	"file.no-shebang":   {with("scripts/sum.py", "print(1)\n").shown("`scripts/sum.py` begins with `print(1)`"), with("scripts/sum.py", "#!/usr/bin/env python3\nprint(1)\n").shown("it begins with `#!/usr/bin/env python3`")},
	"file.secret":       {with("config.json", `{"api_key": "a1b2c3d4e5f6"}`).shown("`{\"api_key\": \"a1b2c3d4e5f6\"}` in config.json"), with("config.json", `{"api_key_env": "EXAMPLE_API_KEY"}`).shown("`{\"api_key_env\": \"EXAMPLE_API_KEY\"}`")},
	"file.shebang-crlf": {with("scripts/a.sh", "#!/bin/sh\r\n").shown("`#!/bin/sh` and CR LF"), with("scripts/a.sh", "#!/bin/sh\n").shown("`#!/bin/sh` and LF")},
	"file.symlink":      {with("data.csv", "-> /etc/hostname").shown("`data.csv` → `/etc/hostname`"), with("data.csv", "a,b\n").shown("the file itself")},
	"skill.unreadable":  {example{manifest: "other.md", files: map[string]string{ManifestName: "-> ../../other.md"}}.shown("`SKILL.md` → `../other.md`"), example{}.shown("the file itself")},
	"tools-yaml.entry":  {with(ToolsFile, "tools:\n  - name: sum\n    description: Sums.\n    script: scripts/none.py\n").shown("`script: scripts/none.py`, which is not there"), with(ToolsFile, "tools:\n  - name: sum\n    description: Sums.\n    script: scripts/sum.py\n", "scripts/sum.py", "#!/bin/sh\n").shown("`script: scripts/sum.py`, which is there")},

	"frontmatter.anchor-dropped":       {key("description: &sum Use when asked."), key("description: '&sum Use when asked.'")},
	"frontmatter.bad-utf8":             {file("---\nname: example\ndescription: caf\xe9\n---\nx\n").shown("the byte E9, an é of Latin-1"), key("description: Use for a café.")},
	"frontmatter.comment-cut":          {key("description: Use when asked for C # code."), key("description: 'Use when asked for C # code.'")},
	"frontmatter.conflict-marker":      {key("<<<<<<< HEAD\nlicense: MIT\n=======\nlicense: BSD\n>>>>>>> x").shown("`<<<<<<< HEAD`"), key("license: MIT")},
	"frontmatter.conflicting-key":      {key("description: Sums.\ndescription: Adds."), key("description: Sums.")},
	"frontmatter.control-character":    {key("description: Sums\x01 CSV."), key("description: Sums CSV.")},
	"frontmatter.description-not-text": {key("description: [sums, adds]"), key("description: '[sums, adds]'")},
	"frontmatter.dots-closer":          {file("---\nname: example\ndescription: Use when asked.\n...\n# Example\n").shown("`---⏎name: …⏎...`"), fmOK},
	"frontmatter.duplicate-key":        {key("license: MIT\nlicense: BSD"), key("license: MIT")},
	"frontmatter.glued-closer":         {file("---\nname: example\ndescription: Use when asked.\n---# Example\n").shown("`---# Example`"), fmOK},
	"frontmatter.joined-lines":         {key("description: Use when\n  asked: often"), key("description: >-\n  Use when\n  asked: often")},
	"frontmatter.key-case":             {key("Description: Use when asked."), key("description: Use when asked.")},
	"frontmatter.key-spelling":         {key("user_invokable: false"), key("user-invocable: false")},
	"frontmatter.leading-lines":        {file("<!-- draft -->\n" + fmOK.text).shown("`<!-- draft -->⏎---⏎name: …`"), fmOK},
	"frontmatter.left-out":             {key("metadata: {team: data"), key("metadata: {team: data}")},
	"frontmatter.missing":              {file("# Example\n\nText.\n").shown("`# Example` on line 1"), fmOK},
	"frontmatter.name-not-text":        {key("name: [example]"), key("name: example")},
	"frontmatter.no-blank-after-colon": {key("description:Use when asked."), key("description: Use when asked.")},
	"frontmatter.no-description":       {file("---\nname: example\n---\n# Example\n").shown("`---⏎name: example⏎---`"), fmOK},
	"frontmatter.no-name":              {file("---\ndescription: Use when asked.\n---\n# Example\n").shown("`---⏎description: …⏎---`"), fmOK},
	"frontmatter.not-a-mapping":        {file("---\n- name\n- description\n---\n# Example\n").shown("`---⏎- name⏎- description⏎---`"), fmOK},
	"frontmatter.not-boolean":          {key("user-invocable: maybe"), key("user-invocable: false")},
	"frontmatter.not-closed":           {file("---\nname: example\ndescription: Use when asked.\n\n# Example\n").shown("`---⏎name: …⏎⏎# Example`"), fmOK},
	"frontmatter.not-yaml":             {file("---\n%a\nname: example\ndescription: Use when asked.\n---\n# Example\n").shown("`---⏎%%a⏎name: …`"), fmOK},
	"frontmatter.nul-byte":             {file("---\nname: example\ndescription: d\x00\n---\nx\n").shown("a byte 00"), fmOK},
	"frontmatter.open-quote":           {key(`description: "Use when asked.`), key(`description: "Use when asked."`)},
	"frontmatter.read-verbatim":        {key("description: Use when: asked"), key("description: 'Use when: asked'")},
	"frontmatter.runs-on":              {key("notes: a: b\nmore of it"), key("notes: |\n  a: b\n  more of it")},
	"frontmatter.surrogate-escape":     {key(`description: "Use for a \ud83d\udc26."`), key(`description: "Use for a 🐦."`)},
	"frontmatter.tag-dropped":          {key("description: !important Use when asked."), key("description: '!important Use when asked.'")},
	"frontmatter.too-large":            {file(fmOK.text + strings.Repeat("x", 1<<20)).shown("more than 1 MiB"), fmOK},
	"frontmatter.too-long":             {key("metadata: " + strings.Repeat("x", 64<<10)).shown("more than 64 KiB above the second `---`"), fmOK},
	"frontmatter.unclear-description":  {key("description: Use: when\n  \"asked"), key("description: 'Use: when'")},
	"frontmatter.unquoted-value":       {key("version: 1.10"), key("version: '1.10'")},

	"key.unknown":    {key("alowed-tools: exec"), key("allowed-tools: exec")},
	"link.absolute":  {body("Open /home/me/data.csv."), body("Open data.csv in the workspace.")},
	"link.missing":   {body("See [formats](references/none.md)."), body("See [formats](references/formats.md).").withFiles("references/formats.md", "x")},
	"link.outside":   {body("See [formats](../formats.md)."), body("See [formats](references/formats.md).").withFiles("references/formats.md", "x")},
	"metadata.value": {key("metadata: {tags: [a, b]}"), key("metadata: {tags: 'a, b'}")},

	"name.character": {key("name: ../example"), key("name: example")},
	"name.empty":     {key("name:"), key("name: example")},
	"name.folder":    {key("name: other").shown("`name: other` in the folder example"), key("name: example").shown("`name: example` in the folder example")},
	"name.not-ascii": {key("name: 茶道"), key("name: cha-dao")},
	"name.not-kebab": {key("name: My Example"), key("name: my-example")},
	"name.reserved":  {example{folder: "synced", text: "name: synced"}.shown("a folder called `synced`"), key("name: example")},
	"name.too-long":  {key("name: " + strings.Repeat("a", MaxName+1)).shown("65 characters"), key("name: example")},

	"tools-yaml.unreadable": {with(ToolsFile, "-> /etc/hostname").shown("`tools.yaml` → `/etc/hostname`"), with(ToolsFile, "tools: []\n").shown("the file itself")},
}

// withFiles is the example with files beside it.
func (e example) withFiles(files ...string) example {
	e.files = with(files...).files
	return e
}
