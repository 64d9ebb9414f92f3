package skill

import (
	"slices"
	"strings"
	"testing"
)

func TestDependenciesOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, requirements, script string
		want                       []string
		python, err                string
	}{
		{"nothing", "", "x = 1\n", nil, "", ""},
		{"lines", "# a list\nsix>=1.16  # why\n\nb[extra] @ https://x.test/b.whl#sha256=0\r\n", "", []string{"six>=1.16", "b[extra] @ https://x.test/b.whl#sha256=0"}, "", ""},
		{"both, each once", "requests\n", withMetadata, []string{"requests"}, ">=3.8", ""},
		{"inline", "", withMetadata, []string{"requests"}, ">=3.8", ""},
		{"an option", "six\n-r more.txt\n", "", nil, "", `line 2 of requirements.txt, "-r more.txt", is an option of pip`},
		{"hashes", "six==1 --hash=sha256:0\n", "", nil, "", "is an option of pip"},
		{"a line that goes on", "six==1 \\\n  --hash=sha256:0\n", "", nil, "", "line 1"},
		{"no TOML", "", "# /// script\n# dependencies = [\n# ///\n", nil, "", "the inline metadata of scripts/a.py"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"scripts/a.py": tt.script}
			if tt.requirements != "" {
				files[Requirements] = tt.requirements
			}
			got, err := DependenciesOf(t.Context(), makeSkill(t, "s", files))
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("got %v, want %s", err, tt.err)
				}
				return
			}
			if err != nil || !slices.Equal(got.Packages, tt.want) || got.RequiresPython != tt.python {
				t.Errorf("got %+v, %v, want %q, %q", got, err, tt.want, tt.python)
			}
		})
	}
}

func FuzzDependencies(f *testing.F) {
	f.Add([]byte("six>=1\n-r x\n"), []byte(withMetadata))
	f.Fuzz(func(t *testing.T, requirements, script []byte) {
		if lines, err := requirementLines(Requirements, requirements); err == nil {
			for _, l := range lines {
				if strings.TrimSpace(l) == "" || strings.HasPrefix(l, "-") {
					t.Errorf("%q is no requirement", l)
				}
			}
		}
		if block := scriptMetadata(script); block != nil {
			_, _ = inlineDependencies("a.py", block) // must not panic
		}
	})
}
