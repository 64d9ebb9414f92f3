package toolpkg

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/frontmatter"
	"github.com/agentctl/agentctl/internal/registry"
)

// Source is a package's source folder.
type Source struct {
	// Name is the folder's name; Dir is absolute.
	Name, Dir string
	Manifest  Manifest
	// Builder is the name of the builder that the folder asks for.
	Builder string
}

// markers make a folder a package, in the order in which they win.
var markers = []string{launchName, "go.mod", "pyproject.toml", "package.json", ManifestName}

var markerBuilders = map[string]string{
	launchName: "exec", "go.mod": "go", "pyproject.toml": "python", "package.json": "node",
}

// Sources is a listing of source packages.
type Sources = registry.Listing[*Source]

// sourceKind is how the registry finds source packages: direct children of a
// root that hold a marker.
func sourceKind() registry.Kind[*Source] {
	return registry.Kind[*Source]{Name: "tool package", Depth: 1, Detect: detectSource, Parse: parseSource}
}

// detectSource finds TOOL.md, else the same in other case, which is an error: a
// policy that is not read would change rights.
func detectSource(entries []fs.DirEntry) (manifest string, ok bool) {
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		ok = ok || slices.Contains(markers, e.Name())
		if manifest != ManifestName && strings.EqualFold(e.Name(), ManifestName) {
			manifest = e.Name()
		}
	}
	return manifest, ok || manifest != ""
}

func parseSource(_ context.Context, l registry.Location) (registry.Parsed[*Source], []diag.Diagnostic, error) {
	src, err := readSource(l.FS, l.Dir, l.Manifest)
	if strict, ok := errors.AsType[*frontmatter.StrictError](err); ok {
		return registry.Parsed[*Source]{}, strict.Diagnostics, err
	}
	if err != nil {
		d := diag.Diagnostic{File: l.File(), Severity: diag.Error, Code: "tool.no-builder", Message: err.Error()}
		return registry.Parsed[*Source]{}, []diag.Diagnostic{d}, err
	}
	return registry.Parsed[*Source]{Value: src, Name: src.Name}, nil, nil
}

func readSource(fsys fs.FS, dir, manifest string) (*Source, error) {
	src := &Source{Name: filepath.Base(dir), Dir: dir, Manifest: defaultManifest()}
	if !ValidName(src.Name) {
		return nil, fmt.Errorf("folder %q is no package name; use lower-case words joined by hyphens", src.Name)
	}
	if manifest != "" && manifest != ManifestName {
		return nil, &frontmatter.StrictError{Diagnostics: []diag.Diagnostic{{
			File: filepath.Join(dir, manifest), Severity: diag.Error, Code: "tool.manifest-case",
			Message: fmt.Sprintf("the file is called %s and is not read; it must be called %s", manifest, ManifestName), Fix: "rename it to " + ManifestName,
		}}}
	}
	if manifest != "" {
		data, err := fs.ReadFile(fsys, ManifestName)
		if err != nil {
			return nil, err
		}
		if src.Manifest, err = ParseManifest(filepath.Join(dir, ManifestName), data); err != nil {
			return nil, err
		}
	}
	var err error
	src.Builder, err = chooseBuilder(fsys, src.Manifest)
	return src, err
}

// chooseBuilder is what TOOL.md says, else what the folder shows.
func chooseBuilder(fsys fs.FS, m Manifest) (string, error) {
	if m.Builder != "" {
		return m.Builder, nil
	}
	if info, err := fs.Stat(fsys, launchName); err == nil && info.Mode().IsRegular() {
		if info.Mode()&0o111 != 0 {
			return "exec", nil
		}
	}
	var found []string
	for _, marker := range markers[1:] {
		if _, err := fs.Stat(fsys, marker); err == nil && markerBuilders[marker] != "" {
			found = append(found, marker)
		}
	}
	switch len(found) {
	case 1:
		return markerBuilders[found[0]], nil
	case 0:
		if _, err := fs.Stat(fsys, launchName); err == nil {
			return "", errors.New("launch cannot be executed; run chmod +x on it")
		}
		return "", errors.New("nothing says how to build this package; add builder to TOOL.md, or an executable file launch")
	}
	return "", fmt.Errorf("both %s are there; say which builder to use: builder: %s",
		strings.Join(found, " and "), strings.Join(buildersOf(found), " or builder: "))
}

func buildersOf(found []string) []string {
	names := make([]string, len(found))
	for i, m := range found {
		names[i] = markerBuilders[m]
	}
	return names
}

// SourceRoots are the places where source packages are looked for: tools/ of
// the workspace, then each further path, which is a package or a folder of
// packages.
func SourceRoots(workspace string, more []string) []registry.Source {
	roots := []registry.Source{{Name: "workspace", Root: filepath.Join(workspace, "tools")}}
	for _, path := range more {
		entries, _ := os.ReadDir(path) // one that cannot be read is reported by the scan
		_, single := detectSource(entries)
		roots = append(roots, registry.Source{Name: "shared", Rank: 1, Root: path, Single: single})
	}
	return roots
}

// LoadSources finds the source packages below the roots.
func LoadSources(ctx context.Context, roots []registry.Source) (*Sources, error) {
	l, err := sourceKind().Load(ctx, roots, registry.Options{})
	if err == nil {
		l.Diagnostics = append(l.Diagnostics, missingRoots(roots)...)
	}
	return l, err
}

// missingRoots warns about configured folders that do not exist. The first root
// is the workspace's own, which need not be there.
func missingRoots(roots []registry.Source) []diag.Diagnostic {
	var out []diag.Diagnostic
	for i, root := range roots {
		if _, err := os.Stat(root.Root); i > 0 && errors.Is(err, fs.ErrNotExist) {
			out = append(out, diag.Diagnostic{
				File: root.Root, Severity: diag.Warning, Code: "tool.no-root",
				Message: "does not exist; create it, or take it out of the configuration",
			})
		}
	}
	return out
}

// ReadSource reads one source folder that was named by its path. The error is a
// [*frontmatter.StrictError], or says why the folder is no package.
func ReadSource(dir string) (*Source, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	manifest, ok := detectSource(entries)
	if !ok {
		return nil, fmt.Errorf("%q is no tool package: it has none of %s", dir, strings.Join(markers, ", "))
	}
	return readSource(registry.Folder(dir), dir, manifest)
}
