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
		Slug: func(name string) string {
			return strings.NewReplacer(" ", "-", "é", "e", "步", "steps").Replace(strings.ToLower(name))
		},
		Detect: func(entries []fs.DirEntry) (string, bool) { return "M", len(entries) > 0 && entries[0].Name() == "M" },
		Parse: func(_ context.Context, l Location) (Parsed[string], []diag.Diagnostic, error) {
			return Parsed[string]{Aliases: []string{"nick-name", "Milk Steps 2", "茶道"}, Given: "茶道"}, nil, nil
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
	for name, found := range map[string]bool{"Tea Steps": true, "TÉA steps": true, "茶道": true, "tea 步": false} {
		if _, err := l.Resolve(name); (err == nil) != found {
			t.Errorf("%s: %v, want it found: %t", name, err, found)
		}
	}
}
