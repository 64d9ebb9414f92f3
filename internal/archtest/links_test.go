package archtest

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	// code holds examples, whose links lead elsewhere.
	code = regexp.MustCompile("(?ms)^```.*?^```|`[^`\n]+`|^    [^\n]*$")
)

// TestLinks follows the relative links of the project's documents.
func TestLinks(t *testing.T) {
	t.Parallel()
	root := os.DirFS(filepath.Join("..", ".."))
	for _, name := range documents(t, root) {
		page, err := fs.ReadFile(root, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(string(page), ""), -1) {
			target, _, _ := strings.Cut(m[1], "#")
			if target == "" || strings.Contains(target, ":") {
				continue // a heading, or another site
			}
			if _, err := fs.Stat(root, path.Join(path.Dir(name), target)); err != nil {
				t.Errorf("%s links to %s, which does not exist", name, m[1])
			}
		}
	}
}

func documents(t *testing.T, root fs.FS) []string {
	t.Helper()
	var out []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/decisions/*.md", "docs/commands/*.md"} {
		names, err := fs.Glob(root, pattern)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, names...)
	}
	if len(out) < 10 {
		t.Fatalf("found only %d documents", len(out))
	}
	return out
}
