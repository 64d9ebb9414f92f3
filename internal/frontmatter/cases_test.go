package frontmatter

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/diag"
)

// folderKinds are the kinds of cases that take a look at the folder, at the file
// name or at what is allowed in a name or description. They are tested where
// that is known; here it is enough that the parser has nothing to say.
var folderKinds = map[string]bool{
	"name-not-dir": true, "name-not-slug": true, "file-case": true, "invisible": true, "too-long": true,
}

type expectation struct {
	folder, kind, verdict, where, name, description string
	line                                            int
}

func readExpectations(t *testing.T) []expectation {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(casesDir, "EXPECT.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var all []expectation
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || f[0] == "case" || len(f) < 7 {
			continue
		}
		e := expectation{folder: f[0], kind: f[1], verdict: f[2], where: f[3]}
		if err := errors.Join(json.Unmarshal([]byte(f[4]), &e.name), json.Unmarshal([]byte(f[5]), &e.description)); err != nil {
			t.Fatalf("%s: %v", e.folder, err)
		}
		if e.line, err = strconv.Atoi(f[6]); err != nil {
			t.Fatalf("%s: %v", e.folder, err)
		}
		all = append(all, e)
	}
	if len(all) < 30 {
		t.Fatalf("only %d cases were read", len(all))
	}
	return all
}

const casesDir = "../../testdata/cases"

func readCase(t *testing.T, folder string) (file string, data []byte) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(casesDir, folder, "[Ss][Kk][Ii][Ll][Ll].md"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v, %v", folder, found, err)
	}
	data, err = os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return found[0], data
}

func TestCases(t *testing.T) {
	t.Parallel()
	for _, want := range readExpectations(t) {
		t.Run(want.folder, func(t *testing.T) {
			t.Parallel()
			file, data := readCase(t, want.folder)
			d, err := Decode(file, data)
			if want.verdict == "skip-with-warning" {
				checkSkip(t, d, err, file, want)
				return
			}
			if err != nil {
				t.Fatalf("Decode: %v", err)
			}
			checkLoad(t, d, file, want)
		})
	}
}

func checkSkip(t *testing.T, d *Document, err error, file string, want expectation) {
	t.Helper()
	var skip *SkipError
	if d != nil || !errors.As(err, &skip) {
		t.Fatalf("got %v, %v, want a SkipError", d, err)
	}
	if !near(skip.Diagnostics[0], file, want.line) {
		t.Errorf("got %v, want line %d", skip.Diagnostics[0], want.line)
	}
	if skip.Diagnostics[0].Severity != diag.Error {
		t.Errorf("a skip has severity %s", skip.Diagnostics[0].Severity)
	}
}

func checkLoad(t *testing.T, d *Document, file string, want expectation) {
	t.Helper()
	if d.Has("name") && d.Text("name") != want.name {
		t.Errorf("name = %q, want %q", d.Text("name"), want.name)
	}
	if got := squeeze(d.Text("description")); got != want.description {
		t.Errorf("description = %q, want %q", got, want.description)
	}
	listed, linted := want.where == "list", want.where == "lint" && !folderKinds[want.kind]
	checkDiagnostics(t, "list", d.Diagnostics, listed, file, want.line)
	var loud []diag.Diagnostic
	for _, f := range d.Findings {
		if f.Severity != diag.Info {
			loud = append(loud, f)
		}
	}
	checkDiagnostics(t, "lint", loud, linted, file, want.line)
	if strings.Contains(d.Body, "\r") {
		t.Errorf("a CR stayed in the body: %q", d.Body)
	}
	if string(d.Encode()) != d.src.text {
		t.Error("an untouched document does not encode to its source")
	}
}

func checkDiagnostics(t *testing.T, where string, got []diag.Diagnostic, wanted bool, file string, line int) {
	t.Helper()
	if wanted != (len(got) > 0) {
		t.Errorf("%s: got %v, wanted some: %v", where, got, wanted)
	}
	for _, d := range got {
		if !near(d, file, line) {
			t.Errorf("%s: got %v, want line %d", where, d, line)
		}
	}
}

func near(d diag.Diagnostic, file string, line int) bool {
	return d.File == file && d.Message != "" && d.Line >= line-2 && d.Line <= line+2
}

// TestCaseValues pins what EXPECT.tsv says in its notes.
func TestCaseValues(t *testing.T) {
	t.Parallel()
	decode := func(folder string) *Document {
		file, data := readCase(t, folder)
		d, err := Decode(file, data)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	d := decode("2048")
	if d.Text("version") != "1.10" || d.Text("updated") != "2026-01-02" {
		t.Errorf("scalars changed: %q %q", d.Text("version"), d.Text("updated"))
	}
	if v, ok := d.Bool("user-invocable", false); !v || !ok {
		t.Errorf("user-invocable: yes is %v, %v", v, ok)
	}
	words, ok := decode("tool-belt").Words("allowed-tools")
	want := "Read|Grep|Bash(git log:*)|Bash(ls -la, pwd)|mcp__files__read"
	if got := strings.Join(words, "|"); got != want || !ok {
		t.Errorf("allowed-tools = %s, %v, want %s", got, ok, want)
	}
	if got := decode("ferry-times"); got.Body != "# Ferry times\n\nAsk for the harbour first.\n\n---\n\nThen the day.\n" || got.BodyLine != 4 {
		t.Errorf("ferry-times: body %q from line %d", got.Body, got.BodyLine)
	}
	if got := decode("rule-lines").Body; strings.Count(got, "---\n") != 3 {
		t.Errorf("rule-lines lost a rule: %q", got)
	}
	if got := decode("post-card").Text("argument-hint"); got != "[place] [mood]" {
		t.Errorf("argument-hint = %q", got)
	}
	if got := decode("bird-calls").Children("metadata"); len(got) != 1 || got[0].Text != "🐦" {
		t.Errorf("metadata = %v", got)
	}
	if got := decode("bus-radar"); got.Has("metadata") || len(got.Keys()) != 2 {
		t.Errorf("bus-radar has the keys %q", got.Keys())
	}
}
