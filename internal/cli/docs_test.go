package cli

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/iostreams"
)

func testRoot() *cobra.Command {
	f := &Factory{Getenv: func(string) string { return "" }}
	f.IO, _, _, _ = iostreams.Test()
	f.fill()
	return newRootCmd(f)
}

// TestDocs compares docs/ with what the command tree and the shapes say. With
// -update it writes the pages instead: that is `make docs`. Living in a test, the
// generator and its libraries cost the program's start-up nothing.
func TestDocs(t *testing.T) {
	want, err := pages(testRoot())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join("..", "..", "docs")
	for _, name := range committedPages(t, dir) {
		if _, ok := want[name]; !ok {
			checkPage(t, dir, name, nil)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		checkPage(t, dir, name, want[name])
	}
}

// checkPage compares or, with -update, writes one page; no content means that
// there must be none.
func checkPage(t *testing.T, dir, name string, want []byte) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	got, err := os.ReadFile(file)
	switch {
	case err == nil && want != nil && string(got) == string(want):
	case !*update:
		t.Errorf("docs/%s is not what the program says now: run make docs", name)
	case want == nil:
		err = os.Remove(file)
	default:
		err = writePage(file, want)
	}
	if *update && err != nil {
		t.Error(err)
	}
}

func writePage(file string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, content, 0o644)
}

// committedPages lists the files in the folders of generated pages.
func committedPages(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	for _, folder := range []string{commandPages, manPages, schemaPages} {
		entries, err := os.ReadDir(filepath.Join(dir, folder))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		for _, e := range entries {
			out = append(out, folder+"/"+e.Name())
		}
	}
	return out
}

func TestDocsAreDeterministic(t *testing.T) {
	t.Parallel()
	root := testRoot()
	first, err := pages(root)
	if err != nil {
		t.Fatal(err)
	}
	again, err := pages(root)
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := pages(testRoot())
	if err != nil {
		t.Fatal(err)
	}
	for name, page := range first {
		if string(page) != string(again[name]) || string(page) != string(fresh[name]) {
			t.Errorf("%s differs from run to run", name)
		}
		if strings.Contains(string(page), "1970") {
			t.Errorf("%s has a date", name)
		}
	}
}

func TestCodeBlocks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"prose stays", "one\ntwo", "one\ntwo"},
		{"a table", "codes:\n  0  done\n  1  failed\nmore", "codes:\n\n    0  done\n    1  failed\nmore"},
		{"a blank line before", "codes:\n\n  0  done", "codes:\n\n\n    0  done"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := codeBlocks(tt.text); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestEveryVerbHasAShape holds shapes.go and the tree together.
func TestEveryVerbHasAShape(t *testing.T) {
	t.Parallel()
	verbs := map[string]bool{"error": true}
	for _, cmd := range documented(testRoot()) {
		if cmd.Flags().Lookup("json") != nil {
			verbs[strings.TrimPrefix(cmd.CommandPath(), "agentctl ")] = true
		}
	}
	for _, s := range slices.Backward(shapes()) { // a flag's shape comes after its verb's
		verb, flag, _ := strings.Cut(s.Verb, " --")
		if !verbs[verb] {
			t.Errorf("shapes.go lists %q, which has no --json", s.Verb)
		}
		if flag == "" {
			delete(verbs, verb)
		}
	}
	for verb := range verbs {
		t.Errorf("%s has --json but no line in shapes.go", verb)
	}
}
