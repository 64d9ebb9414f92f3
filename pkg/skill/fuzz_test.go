package skill

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/agentctl/agentctl/internal/frontmatter"
)

// Whatever a SKILL.md holds: it loads or says why, the linter survives it, and a
// fix changes nothing that it says.
func FuzzLintAndFix(f *testing.F) {
	cases := filepath.Join("..", "..", "testdata", "cases")
	entries, err := os.ReadDir(cases)
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range entries {
		if data, err := os.ReadFile(filepath.Join(cases, e.Name(), ManifestName)); err == nil {
			f.Add(data, "tools: []\n")
		}
	}
	f.Add([]byte("---\nname: s\ndescription: d\n---\n[a](b) `scripts/x` !`y`\n```\n"), "tools:\n  - {name: a, description: b, script: SKILL.md}\n")
	f.Fuzz(func(t *testing.T, data []byte, tools string) {
		fsys := fstest.MapFS{"s/" + ManifestName: {Data: data}, "s/" + ToolsFile: {Data: []byte(tools)}}
		l, err := (&Library{Sources: []Source{{Name: SourcePath, Root: "/r", FS: fsys}}}).Load(t.Context())
		if err != nil || len(l.Items)+len(l.Broken) != 1 {
			t.Fatalf("neither loaded nor broken: %v", err)
		}
		for _, b := range l.Broken {
			if len(b.Diagnostics) == 0 || b.Diagnostics[0].Severity != "error" || b.Diagnostics[0].Message == "" {
				t.Errorf("broken without a reason: %v", b.Diagnostics)
			}
		}
		for _, it := range l.Items {
			if _, err := Lint(t.Context(), it, LintOptions{}); err != nil {
				t.Errorf("lint: %v", err)
			}
			doc, err := frontmatter.Decode(it.File(), data)
			if err != nil {
				t.Fatal(err)
			}
			fix := &Fix{File: it.File(), After: mend(doc, it)}
			if err := fix.prove(it); err != nil {
				t.Errorf("%q became %q: %v", data, fix.After, err)
			}
		}
	})
}
