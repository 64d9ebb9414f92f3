package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/iostreams"
	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/internal/userdirs"
)

// TestJSONMatchesSchemas runs verbs and validates what they print with --json
// against the schemas of docs/schemas.
func TestJSONMatchesSchemas(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		verb string
		args []string
		exit int
	}{
		{verb: "version"},
		{verb: "config path"},
		{verb: "config show"},
		{verb: "trust"},
		{verb: "error", args: []string{"version", "now"}, exit: exitUsage},
		{verb: "error", args: []string{"config", "show", "--nope"}, exit: exitUsage},
	} {
		args := append(tt.args, "--json")
		if tt.args == nil {
			args = append(strings.Fields(tt.verb), args...)
		}
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			out, errOut, exit := runHere(t, t.TempDir(), args...)
			if exit != tt.exit {
				t.Fatalf("exit code %d, want %d; stderr: %s", exit, tt.exit, errOut)
			}
			matchesSchema(t, tt.verb, out)
		})
	}
}

// runHere runs one command line in dir, with a home folder of its own.
func runHere(t *testing.T, dir string, args ...string) (out []byte, errOut string, exit int) {
	t.Helper()
	home := filepath.Join(dir, ".home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		t.Fatal(err)
	}
	streams, _, stdout, stderr := iostreams.Test()
	f := &Factory{
		IO:     streams,
		Getenv: func(string) string { return "" },
		Dirs: userdirs.Dirs{
			Home: home, Config: filepath.Join(home, "config"),
			State: filepath.Join(home, "state"), Cache: filepath.Join(home, "cache"),
		},
		Cwd: func() (string, error) { return dir, nil },
		Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) },
	}
	f.fill()
	exit = Run(t.Context(), f, args)
	return stdout.Bytes(), stderr.String(), exit
}

// matchesSchema validates the output of a verb against the schema that docs/schemas
// has for it (TestDocs compares the file).
func matchesSchema(t *testing.T, verb string, out []byte) {
	t.Helper()
	all := shapes()
	i := slices.IndexFunc(all, func(s shape) bool { return s.Verb == verb })
	if i < 0 {
		t.Fatalf("shapes.go has no %q", verb)
	}
	page, err := schemaPage(all[i])
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.Compile(page)
	if err != nil {
		t.Fatal(err)
	}
	value, err := schema.Decode(bytes.TrimSpace(out))
	if err != nil {
		t.Fatalf("%s printed no JSON document: %v\n%s", verb, err, out)
	}
	if err := s.Validate(value); err != nil {
		t.Errorf("%s: %v\n%s", verb, err, out)
	}
}
