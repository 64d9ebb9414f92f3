package toolpkg

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/agentctl/agentctl/internal/diag"
)

// Orphans warns about each build in out whose source is gone: it stays in the
// catalog, and prebuild says nothing about it. A workspace without any source lives
// from its builds, and none of them is one.
func Orphans(out string, sources *Sources) []diag.Diagnostic {
	if !hasSources(sources) {
		return nil
	}
	entries, _ := os.ReadDir(out) // no folder, no build
	var found []diag.Diagnostic
	for _, e := range entries {
		root := filepath.Join(out, e.Name())
		if _, err := os.Lstat(filepath.Join(root, currentName)); err != nil || hasSource(sources, e.Name()) {
			continue
		}
		found = append(found, diag.Diagnostic{
			File: root, Severity: diag.Warning, Code: "tool.no-source",
			Message: fmt.Sprintf("tool package %q has a build and no source any more, and is still offered; delete this folder if the package is gone or has another name: a chat with two tools of one name does not start", e.Name()),
			Fix:     "delete the folder " + root,
		})
	}
	return found
}

func hasSources(sources *Sources) bool {
	return sources != nil && len(sources.Items)+len(sources.Broken) > 0
}

func hasSource(sources *Sources, name string) bool {
	for _, it := range sources.Items {
		if it.Name == name {
			return true
		}
	}
	for _, b := range sources.Broken {
		if b.Name == name {
			return true
		}
	}
	return false
}

// Orphan is the folder of a build in Out whose source is gone, "" for any other.
func (c *Catalog) Orphan(p *Package) string {
	if c.Out == "" || filepath.Dir(p.Root) != filepath.Clean(c.Out) || !hasSources(c.Sources) || hasSource(c.Sources, p.Name) {
		return ""
	}
	return p.Root
}
