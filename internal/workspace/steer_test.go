package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestSteering(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		paths []string // a trailing slash makes a folder
		want  []string
	}{
		{"nothing", nil, nil},
		{"ordinary files", []string{"README.md", "src/main.go", ".git/config"}, nil},
		{"empty folders", []string{".skill/", "skills/", "tools/", ".agentctl/artifacts/x"}, nil},
		{"a skill", []string{".skill/a/SKILL.md"}, []string{".skill"}},
		{"of other clients", []string{".claude/skills/a/SKILL.md", ".agents/skills/b/SKILL.md"}, []string{".agents/skills", ".claude/skills"}},
		{
			"all else",
			[]string{"skills/a", "apps/a", "tools/a", ".agentctl/prebuilt/a", "AGENTS.md", "MEMORY.md", "agentctl.yaml"},
			[]string{"skills", "apps", "tools", ".agentctl/prebuilt", "AGENTS.md", "MEMORY.md", "agentctl.yaml"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for _, p := range tt.paths {
				full := filepath.Join(dir, p)
				if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
					t.Fatal(err)
				}
				if p[len(p)-1] == '/' {
					if err := os.MkdirAll(full, 0o755); err != nil {
						t.Fatal(err)
					}
				} else if err := os.WriteFile(full, []byte("x"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if got := Steering(dir); !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
