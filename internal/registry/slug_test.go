package registry

import (
	"context"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/agentctl/agentctl/internal/diag"
)

// A name that nothing has is tried as the folder that it would have been saved to.
func TestResolveBySlugOfTheName(t *testing.T) {
	t.Parallel()
	kind := Kind[string]{
		Name: "thing", Depth: 2,
		Slug:   func(name string) string { return strings.ReplaceAll(strings.ToLower(name), " ", "-") },
		Detect: func(entries []fs.DirEntry) (string, bool) { return "M", len(entries) > 0 && entries[0].Name() == "M" },
		Parse: func(_ context.Context, l Location) (Parsed[string], []diag.Diagnostic, error) {
			return Parsed[string]{Aliases: []string{"nick-name", "Tea Steps"}}, nil, nil
		},
	}
	files := fstest.MapFS{"milk-steps/M": {}, "tea-steps/M": {}}
	l, err := kind.Load(t.Context(), []Source{{Name: "x", Root: "embedded", FS: files}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := l.Resolve("Milk Steps")
	if err != nil || res.Winner.Name != "milk-steps" || res.By != BySlug {
		t.Errorf("got %+v, %v", res, err)
	}
	if _, err := l.Resolve("Nick Name"); err == nil {
		t.Error("an alias must be typed as it is")
	}
	if _, err := l.Resolve("tea  STEPS"); err == nil {
		t.Error("a package that was saved as Tea Steps is not meant by another name of that sound")
	}
}
