package skill

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/diag"
)

// expectation is one line of testdata/cases/EXPECT.tsv.
type expectation struct {
	folder, verdict, where, name, description string
	line                                      int
}

func expectations(t *testing.T, dir string) []expectation {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "EXPECT.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var out []expectation
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || f[0] == "case" {
			continue
		}
		e := expectation{folder: f[0], verdict: f[2], where: f[3]}
		for i, to := range []*string{&e.name, &e.description} {
			if err := json.Unmarshal([]byte(f[4+i]), to); err != nil {
				t.Fatal(err)
			}
		}
		if e.line, err = strconv.Atoi(f[6]); err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

// TestCases lists and lints the sample skills and compares what was said with
// what EXPECT.tsv asks for.
func TestCases(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("..", "..", "testdata", "cases")
	lib := &Library{Sources: []Source{{Name: SourcePath, Root: dir}}}
	l, err := lib.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range expectations(t, dir) {
		t.Run(e.folder, func(t *testing.T) {
			t.Parallel()
			listed := about(l.Diagnostics, e.folder)
			i := slices.IndexFunc(l.Items, func(it *Item) bool { return it.Folder() == e.folder })
			if e.verdict == "skip-with-warning" {
				if i >= 0 || !near(listed, e.line) || !diag.HasErrors(listed) {
					t.Errorf("got item %d, diagnostics %v, want it left out with an error near line %d", i, listed, e.line)
				}
				return
			}
			if i < 0 {
				t.Fatalf("not listed: %v", listed)
			}
			it := l.Items[i]
			if it.Name != e.name || squeeze(it.Value.Description) != squeeze(e.description) {
				t.Errorf("got %q, %q, want %q, %q", it.Name, it.Value.Description, e.name, e.description)
			}
			checkWarnings(t, e, it, listed)
		})
	}
}

func checkWarnings(t *testing.T, e expectation, it *Item, listed []Diagnostic) {
	t.Helper()
	linted := lintWarnings(t, it)
	switch e.where {
	case "list":
		if !near(listed, e.line) {
			t.Errorf("list says %v, want a warning near line %d", listed, e.line)
		}
	case "lint":
		if len(listed) > 0 {
			t.Errorf("list says %v, want it quiet", listed)
		}
		if !near(linted, e.line) {
			t.Errorf("lint says %v, want a warning near line %d", linted, e.line)
		}
	default:
		if len(listed)+len(linted) > 0 {
			t.Errorf("list says %v, lint %v, want both quiet", listed, linted)
		}
	}
}

func lintWarnings(t *testing.T, it *Item) []Diagnostic {
	t.Helper()
	ds, err := Lint(t.Context(), it, LintOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(ds, func(d Diagnostic) bool { return d.Severity == diag.Info })
}

func about(ds []Diagnostic, folder string) []Diagnostic {
	var out []Diagnostic
	for _, d := range ds {
		if filepath.Base(filepath.Dir(d.File)) == folder {
			out = append(out, d)
		}
	}
	return out
}

// near tells whether a finding lies within two lines of where it should.
func near(ds []Diagnostic, line int) bool {
	return slices.ContainsFunc(ds, func(d Diagnostic) bool {
		return line == 0 || d.Line >= line-2 && d.Line <= line+2
	})
}

func TestCaseDetails(t *testing.T) {
	t.Parallel()
	load := func(folder string) *Skill {
		it, _, err := Open(t.Context(), filepath.Join("..", "..", "testdata", "cases", folder))
		if err != nil {
			t.Fatal(err)
		}
		return it.Value
	}
	if got, want := load("tool-belt").AllowedTools, []string{"Read", "Grep", "Bash(git log:*)", "Bash(ls -la, pwd)", "mcp__files__read"}; !slices.Equal(got, want) {
		t.Errorf("tools: got %q, want %q", got, want)
	}
	if s := load("2048"); s.Doc.Text("version") != "1.10" || !s.UserInvocable {
		t.Errorf("2048: version %q, user-invocable %v", s.Doc.Text("version"), s.UserInvocable)
	}
	if body := load("ferry-times").Body; !strings.HasPrefix(body, "# Ferry times\n") || !strings.Contains(body, "\n---\n") {
		t.Errorf("ferry-times: body %q", body)
	}
	if body := load("route-planner").Body; strings.ContainsRune(body, '\r') {
		t.Errorf("route-planner: a CR stayed in %q", body)
	}
	if hint := load("post-card").ArgumentHint; hint != "[place] [mood]" {
		t.Errorf("post-card: hint %q", hint)
	}
}
