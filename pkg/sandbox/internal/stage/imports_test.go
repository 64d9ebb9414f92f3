package stage

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Every import of this package is paid for by every run: see the package comment.
func TestImportsStayLight(t *testing.T) {
	allowed := []string{
		"encoding/binary", "encoding/json", "errors", "os", "path", "path/filepath", "strconv", "strings", "sync/atomic",
		"syscall", "time", "unicode/utf8", "unsafe",
		"github.com/agentctl/agentctl/pkg/sandbox/internal/rawtext", // looked at too
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("../rawtext/*.go")
	if err != nil || len(more) == 0 {
		t.Fatal(more, err)
	}
	for _, name := range append(files, more...) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range f.Imports {
			if path, _ := strconv.Unquote(spec.Path.Value); !slices.Contains(allowed, path) {
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
}
