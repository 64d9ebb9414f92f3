package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/agentctl/agentctl"

// source is one Go file of the program; tests are exempt from all rules.
type source struct {
	path    string // relative to the root of the module
	pkg     string // its folder, "" for the root
	file    *ast.File
	imports []string
}

// sources reads the files with go/parser. Asking `go list` would be shorter, but
// the test cache would then not see that an import changed.
func sources(t *testing.T) []source {
	t.Helper()
	root := os.DirFS(filepath.Join("..", ".."))
	var out []source
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return skipFolder(root, name)
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		out = append(out, parse(t, root, name))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 50 {
		t.Fatalf("read only %d files: the walk misses the program", len(out))
	}
	return out
}

// skipFolder leaves out what is no package of this module.
func skipFolder(root fs.FS, name string) error {
	base := path.Base(name)
	if name != "." && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata") {
		return fs.SkipDir
	}
	if _, err := fs.Stat(root, path.Join(name, "go.mod")); err == nil && name != "." {
		return fs.SkipDir
	}
	return nil
}

func parse(t *testing.T, root fs.FS, name string) source {
	t.Helper()
	data, err := fs.ReadFile(root, name)
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, data, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	s := source{path: name, pkg: strings.TrimPrefix(path.Dir(name), "."), file: file}
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		s.imports = append(s.imports, imported)
	}
	return s
}

// local returns the folder of a package of this module.
func local(imported string) (string, bool) { return strings.CutPrefix(imported, module+"/") }

func TestLayers(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		rank, known := ranks[s.pkg]
		if !known {
			t.Errorf("%s: package %q has no rank: give it one in rules_test.go", s.path, s.pkg)
			continue
		}
		for _, imported := range s.imports {
			to, ours := local(imported)
			if ours && ranks[to] >= rank {
				t.Errorf("%s: %s (rank %d) imports %s (rank %d), but may only import lower ranks", s.path, s.pkg, rank, to, ranks[to])
			}
		}
	}
}

// TestRanksExist keeps the table free of packages that are gone.
func TestRanksExist(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, s := range sources(t) {
		seen[s.pkg] = true
	}
	for pkg := range ranks {
		if !seen[pkg] {
			t.Errorf("rules_test.go ranks %q, which does not exist", pkg)
		}
	}
}

func TestImports(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		for _, imported := range s.imports {
			for _, rule := range imports {
				if within(imported, rule.module) && !slices.Contains(rule.allowed, s.pkg) {
					t.Errorf("%s imports %s: %s (allowed in: %s)", s.path, imported, rule.reason, strings.Join(rule.allowed, ", "))
				}
			}
		}
	}
}

func TestLeaves(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		for _, leaf := range leaves {
			if !within(s.pkg, leaf) {
				continue
			}
			for _, imported := range s.imports {
				if to, ours := local(imported); ours && !within(to, leaf) {
					t.Errorf("%s imports %s, but %s knows no other package of this module", s.path, to, leaf)
				}
			}
		}
	}
}

func TestStandardOnly(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		allowed, bound := standardOnly[s.pkg]
		if !bound {
			continue
		}
		for _, imported := range s.imports {
			if first, _, _ := strings.Cut(imported, "/"); strings.Contains(first, ".") && !slices.Contains(allowed, imported) {
				t.Errorf("%s imports %s, but %s may only import the standard library and %s", s.path, imported, s.pkg, strings.Join(allowed, ", "))
			}
		}
	}
}

// TestProcess keeps the streams and the exit of the process out of libraries.
func TestProcess(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if pkg, ok := sel.X.(*ast.Ident); ok {
				checkProcess(t, s, pkg.Name, sel.Sel.Name)
			}
			return true
		})
	}
}

func checkProcess(t *testing.T, s source, pkg, name string) {
	t.Helper()
	for _, rule := range process {
		if rule.pkg == pkg && rule.name == name && slices.Contains(s.imports, rule.pkg) && !slices.Contains(rule.allowed, s.pkg) {
			t.Errorf("%s uses %s.%s: streams and the exit code belong to internal/cli and internal/iostreams", s.path, pkg, name)
		}
	}
}

// within tells whether name is parent or lies below it.
func within(name, parent string) bool { return name == parent || strings.HasPrefix(name, parent+"/") }
