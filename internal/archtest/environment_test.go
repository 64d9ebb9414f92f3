package archtest

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var variable = regexp.MustCompile(`^AGENTCTL_[A-Z_]+$`)

// TestEnvironmentIsDocumented finds variables that the program knows and no page
// explains.
func TestEnvironmentIsDocumented(t *testing.T) {
	t.Parallel()
	var docs strings.Builder
	for _, name := range []string{"configuration.md", "tool-authoring.md"} {
		page, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		docs.Write(page)
	}
	for _, s := range sources(t) {
		if strings.HasSuffix(s.pkg, "test") {
			continue // suites for tests have switches of their own
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			if name, err := strconv.Unquote(lit.Value); err == nil && variable.MatchString(name) && !strings.Contains(docs.String(), name) {
				t.Errorf("%s knows %s, which neither docs/configuration.md nor docs/tool-authoring.md explains", s.path, name)
			}
			return true
		})
	}
}
