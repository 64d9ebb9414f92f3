package skill

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/diag"
)

var update = flag.Bool("update", false, "rewrite generated pages and golden files")

const rulesHead = `# Lint rules

What ` + "`agentctl skill lint`" + ` looks for. Each finding has a file, a line, a column and one of the ids below, which
never change their meaning. An **error** makes the exit code 3; a **warning** says that something is not as it
was written, or will not work elsewhere; an **info** is worth knowing. ` + "`—`" + ` means that the rule is off.

A profile holds skills to the rules of one client:

- ` + "`agentctl`" + ` (the default): what this program needs, and what is portable.
- ` + "`spec`" + `: what the reference validator of the Agent Skills standard accepts.
- ` + "`claude-code`" + `: what Claude Code reads.
- ` + "`upload`" + `: what claude.ai and its API take as an upload.

Rules ` + "`frontmatter.*`" + ` and ` + "`skill.*`" + ` come from the reader. Those of them that are about a repair or about a file that does
not load are said by ` + "`skill list`" + ` as well; everything else is said by the linter alone. tools.yaml is read strictly: its
findings carry the reader's ids for strict files, such as ` + "`frontmatter.unknown-key`" + `, and are errors.

` + "`skill lint --fix`" + ` mends what can be mended without touching the meaning: quotes around values that were read as text
anyway, JSON escapes, fences, byte order mark, line ends, a missing or badly spelled name, quotes around numbers, the
file's own name. Comments, unknown keys and keys that are there twice stay. ` + "`--diff`" + ` shows the changes and writes nothing.

| id | agentctl | spec | claude-code | upload | what is wrong |
|---|---|---|---|---|---|
`

// TestRulesPage compares docs/lint-rules.md with the rules; -update rewrites it.
func TestRulesPage(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(rulesHead)
	tables := map[string]map[string]diag.Severity{}
	for _, p := range Profiles() {
		tables[p] = severities(p)
	}
	for _, r := range Rules() {
		fmt.Fprintf(&b, "| `%s`", r.ID)
		for _, p := range Profiles() {
			s := string(tables[p][r.ID])
			if s == "" {
				s = "—"
			}
			fmt.Fprintf(&b, " | %s", s)
		}
		fmt.Fprintf(&b, " | %s |\n", r.Text)
	}
	b.WriteString(examplesHead)
	for _, r := range Rules() {
		e := ruleExamples[r.ID]
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.ID, e.bad.cell(), e.good.cell())
	}
	file := filepath.Join("..", "..", "docs", "lint-rules.md")
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != b.String() {
		t.Errorf("%s is not what the rules say now (%v): run go test ./pkg/skill -update", file, err)
	}
}

// TestSharedSkillsAreClean lints the skills that come with the program with
// every profile.
func TestSharedSkillsAreClean(t *testing.T) {
	t.Parallel()
	l := loadDir(t, filepath.Join("..", "..", "skills"))
	if len(l.Items) == 0 {
		t.Fatal("there are none")
	}
	for _, p := range Profiles() {
		res, err := LintAll(t.Context(), l.Items, l.Broken, LintOptions{Profile: p})
		if err != nil || len(res.Diagnostics) > 0 {
			t.Errorf("%s: %v, %v", p, res.Diagnostics, err)
		}
	}
}
