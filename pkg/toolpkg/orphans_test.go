package toolpkg

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOrphans(t *testing.T) {
	t.Parallel()
	ws := tempDir(t)
	out, shared := filepath.Join(ws, ".agentctl", "prebuilt"), filepath.Join(ws, "shared")
	frozen(t, out, "disk-use", cmd("use"))
	frozen(t, out, "disk-usage", cmd("use"))
	frozen(t, out, "typo", cmd("other"))
	frozen(t, shared, "more", cmd("use"))
	mustDo(t, os.MkdirAll(filepath.Join(out, "no-build"), 0o755))
	load := func() *Catalog {
		t.Helper()
		sources, err := LoadSources(t.Context(), SourceRoots(ws, nil))
		mustDo(t, err)
		c, err := LoadCatalog(t.Context(), []string{out, shared}, sources)
		mustDo(t, err)
		c.Out = out
		return c
	}
	// A workspace that has nothing but builds lives from them.
	if found := Orphans(out, load().Sources); len(found) > 0 {
		t.Errorf("without sources: %v", found)
	}
	if found := Orphans(out, nil); len(found) > 0 {
		t.Errorf("without a listing: %v", found)
	}
	writeTree(t, filepath.Join(ws, "tools"), map[string]string{"disk-usage/launch*": "#!/bin/sh\n", "typo/TOOL.md": "---\nx: 1\n---\n"})
	c := load()
	found := Orphans(out, c.Sources)
	if len(found) != 1 || found[0].File != filepath.Join(out, "disk-use") || found[0].Fix != "delete the folder "+filepath.Join(out, "disk-use") {
		t.Fatalf("got %v", found)
	}
	if found := Orphans(filepath.Join(ws, "nowhere"), c.Sources); len(found) > 0 {
		t.Errorf("without builds: %v", found)
	}
	for selectors, want := range map[string]string{
		"disk-usage disk-use": "delete the folder " + filepath.Join(out, "disk-use"),
		"disk-use more":       "delete the folder " + filepath.Join(out, "disk-use"),
		"disk-usage more":     "add to APP.md: aliases: {more_use: ", // one of a shared folder has its source elsewhere
	} {
		_, err := c.Select(Selection{Selectors: strings.Fields(selectors)})
		collision, ok := errors.AsType[*CollisionError](err)
		if !ok || !strings.HasPrefix(collision.Cure(), want) {
			t.Errorf("%s: got %v", selectors, err)
		}
	}
}

// A broken package may have the command that a bare name means.
func TestABareNameOfABrokenPackage(t *testing.T) {
	t.Parallel()
	out := filepath.Join(tempDir(t), "prebuilt")
	frozen(t, out, "other", cmd("probe"))
	frozen(t, out, "many", cmd("a"), cmd("b"))
	writeTree(t, filepath.Join(out, "probe"), map[string]string{currentName: "nonsense\n"})
	c, err := LoadCatalog(t.Context(), []string{out}, nil)
	mustDo(t, err)
	_, _, err = c.Find("probe")
	if _, ok := errors.AsType[*BrokenError](err); !ok {
		t.Errorf("got %v", err)
	}
	if p, _, err := c.Find("other:probe"); err != nil || p.Name != "other" {
		t.Errorf("got %v", err)
	}
	_, _, err = c.Find("many")
	if missing, ok := errors.AsType[*NotFoundError](err); !ok || strings.Join(missing.Available, " ") != "many:a many:b" {
		t.Errorf("got %v", err)
	}
}
