package skill

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestNew(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), ".skill")
	res, err := New(t.Context(), NewRequest{Dir: dir, Name: "Release Notes", Description: "Writes notes: short ones. Use when releasing.", With: Parts()})
	if err != nil || res.Name != "release-notes" || res.File != filepath.Join(dir, "release-notes", ManifestName) {
		t.Fatalf("got %+v, %v", res, err)
	}
	it, ds, err := Open(t.Context(), res.Dir)
	if err != nil || len(ds) > 0 {
		t.Fatalf("does not load: %v, %v", err, ds)
	}
	for _, heading := range []string{"# Release notes", "## When to use", "## Inputs", "## Steps", "## Review", "## Tools and scripts", "## Outputs", "## Forbidden"} {
		if !strings.Contains(it.Value.Body, heading+"\n") {
			t.Errorf("no heading %q", heading)
		}
	}
	for finding := range strings.SplitSeq(lintText(t, it, LintOptions{Profile: ProfileUpload}), "\n") {
		if !strings.HasSuffix(finding, " info body.unfilled") {
			t.Errorf("a new skill has another finding than what is left to write: %s", finding)
		}
	}
	if tools, ds := ScriptTools(it); len(tools) != 1 || len(ds) > 0 {
		t.Errorf("tools.yaml: %v, %v", tools, ds)
	}
	if info, err := os.Stat(filepath.Join(res.Dir, "scripts", "main.py")); err != nil || info.Mode().Perm()&0o111 == 0 {
		t.Errorf("the script is not executable: %v, %v", info, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"there/SKILL.md": manifest("there"), "notes/x": "mine", "g/named/SKILL.md": manifest("called"), "bad/SKILL.md": "x"})
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"there", "notes", "called", "Named"} {
		if _, err := New(t.Context(), NewRequest{Dir: dir, Name: name, Description: "d"}); !isType[*ExistsError](err) {
			t.Errorf("%s: got %v, want it to exist", name, err)
		}
	}
	for name, req := range map[string]NewRequest{
		"no description": {Name: "x"}, "no name": {Name: "!", Description: "d"}, "unknown part": {Name: "x", Description: "d", With: []string{"script"}},
		"broken": {Name: "bad", Description: "d"},
	} {
		req.Dir = dir
		if _, err := New(t.Context(), req); !isType[*RefusedError](err) {
			t.Errorf("%s: got %v, want a refusal", name, err)
		}
	}
	if _, err := New(t.Context(), NewRequest{Dir: dir, Name: "empty", Description: "d"}); err != nil {
		t.Errorf("an empty folder is in the way: %v", err)
	}
}
