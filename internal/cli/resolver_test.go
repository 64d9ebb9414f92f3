package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/agentctl/agentctl/internal/iostreams"
	"github.com/agentctl/agentctl/internal/userdirs"
	"github.com/agentctl/agentctl/pkg/skill"
)

// testFactory returns a factory over buffers and folders of the test.
func testFactory(t *testing.T) (f *Factory, out, errOut func() string) {
	t.Helper()
	ws, home := t.TempDir(), t.TempDir()
	io, _, stdout, stderr := iostreams.Test()
	f = &Factory{
		IO: io, Getenv: func(string) string { return "" }, Now: time.Now,
		Cwd: func() (string, error) { return ws, nil },
		Dirs: userdirs.Dirs{
			Home: home, Config: filepath.Join(home, "config"),
			State: filepath.Join(home, "state"), Cache: filepath.Join(home, "cache"),
		},
	}
	f.fill()
	take := func(b interface {
		String() string
		Reset()
	},
	) func() string {
		return func() string { s := b.String(); b.Reset(); return s }
	}
	return f, take(stdout), take(stderr)
}

// TestOneResolver swaps the resolver and sees all that name skills change: list,
// index, read, and what a model gets in a chat.
func TestOneResolver(t *testing.T) {
	t.Parallel()
	f, out, errOut := testFactory(t)
	files := fstest.MapFS{"swapped-in/SKILL.md": {Data: []byte(
		"---\nname: swapped-in\ndescription: Proves who resolves names. Use when testing.\n---\nThe body of the swapped skill.\n")}}
	f.Skills = func(SkillScope) (skill.Resolver, error) {
		return &skill.Library{Sources: []skill.Source{{Name: skill.SourcePackage, Root: "embedded", FS: files}}, CacheDir: f.Dirs.Cache}, nil
	}
	cwd, _ := f.Cwd()
	script := filepath.Join(cwd, "script.yaml")
	if err := os.WriteFile(script, []byte(`version: 1
steps:
  - when: {system_contains: "<name>swapped-in</name>", tools_include: [read_skill]}
    reply: {tool_calls: [{name: read_skill, args: {name: swapped-in}}]}
  - when: {tool_result: {name: read_skill, contains: The body of the swapped skill.}}
    reply: {text: read by the model}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"list", []string{"skill", "list"}, "swapped-in\tactive\tpackage"},
		{"index", []string{"skill", "index"}, "<name>swapped-in</name>"},
		{"read", []string{"skill", "read", "swapped-in"}, "The body of the swapped skill."},
		{"read for a model", []string{"skill", "read", "--for-model", "swapped-in"}, "The body of the swapped skill."},
		{"chat", []string{"chat", "--model", "scripted:script.yaml", "-p", "go"}, "read by the model"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code := Run(context.Background(), f, tt.args)
			got, said := out(), errOut()
			if code != 0 || !strings.Contains(got, tt.want) {
				t.Errorf("exit %d, stdout %q, stderr %q, want %q", code, got, said, tt.want)
			}
		})
	}
}
