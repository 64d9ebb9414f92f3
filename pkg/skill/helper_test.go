package skill

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// writeFiles puts files below dir; a text that starts with #! becomes executable.
func writeFiles(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o644)
		if strings.HasPrefix(text, "#!") {
			mode = 0o755
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
}

// manifest is a SKILL.md with these lines besides the name.
func manifest(name string, lines ...string) string {
	text := "---\nname: " + name + "\n"
	if len(lines) == 0 {
		lines = []string{"description: Does " + name + ". Use when asked."}
	}
	return text + strings.Join(lines, "\n") + "\n---\n\n# " + name + "\n\nSteps.\n"
}

// makeSkill makes a folder with one skill and opens it.
func makeSkill(t testing.TB, name string, files map[string]string) *Item {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if _, ok := files[ManifestName]; !ok {
		writeFiles(t, dir, map[string]string{ManifestName: manifest(name)})
	}
	writeFiles(t, dir, files)
	it, _, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return it
}

func loadDir(t testing.TB, dir string) *Listing {
	t.Helper()
	l, err := (&Library{Sources: []Source{{Name: SourceWorkspace, Root: dir}}}).Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func names(items []*Item) string {
	var out []string
	for _, it := range items {
		out = append(out, it.Name)
	}
	return strings.Join(out, " ")
}

func readFile(t testing.TB, parts ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func codesOf(ds []Diagnostic) string {
	var out []string
	for _, d := range ds {
		out = append(out, d.Code)
	}
	return strings.Join(out, " ")
}
