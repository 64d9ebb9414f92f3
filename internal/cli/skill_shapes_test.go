package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const shapeSkill = "---\nname: a\ndescription: Use when a.\naliases: b\n---\nx\n"

// TestSkillJSONMatchesSchemas runs every skill verb with --json.
func TestSkillJSONMatchesSchemas(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		verb string
		args string
		exit int
	}{
		{verb: "skill list"},
		{verb: "skill list", args: "skill list --why a"},
		{verb: "skill index"},
		{verb: "skill lint", args: "skill lint", exit: exitCheck},
		{verb: "skill lint", args: "skill lint a --diff"},
		{verb: "skill read", args: "skill read a"},
		{verb: "skill read", args: "skill read a --for-model"},
		{verb: "skill new", args: "skill new n -d d"},
		{verb: "skill save", args: "skill save a -d d"},
		{verb: "skill enable", args: "skill enable a"},
		{verb: "skill disable", args: "skill disable --all"},
		{verb: "skill export", args: "skill export a -o OUT/a.zip"},
		{verb: "skill import", args: "skill import .skill/a --dir OUT --dry-run"},
		{verb: "skill promote", args: "skill promote a --to OUT"},
		{verb: "skill sync", args: "skill sync OUT/nowhere", exit: exitFailed},
		{verb: "error", args: "skill read nowhere", exit: exitUsage},
		{verb: "error", args: "skill read broken", exit: exitFailed},
	} {
		args := strings.Fields(tt.args)
		if tt.args == "" {
			args = strings.Fields(tt.verb)
		}
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, text := range map[string]string{"a": shapeSkill, "broken": "x"} {
				folder := filepath.Join(dir, ".skill", name)
				if err := os.MkdirAll(folder, 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(folder, "SKILL.md"), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			for i, a := range args {
				args[i] = strings.Replace(strings.Replace(a, "OUT", filepath.Join(dir, "out"), 1), ".skill/", filepath.Join(dir, ".skill")+"/", 1)
			}
			if err := os.Mkdir(filepath.Join(dir, "out"), 0o755); err != nil {
				t.Fatal(err)
			}
			out, errOut, exit := runHere(t, dir, append(args, "--json")...)
			if exit != tt.exit {
				t.Fatalf("exit code %d, want %d; stderr: %s", exit, tt.exit, errOut)
			}
			matchesSchema(t, tt.verb, out)
		})
	}
}
