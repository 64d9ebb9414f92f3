package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/iostreams"
	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/internal/userdirs"
)

// story uses every verb once, each after what it needs. {} stands for the
// workspace, {session} for the session that the chat made.
var story = []struct {
	verb string
	args string // after the verb
	exit int
	// needs is a program without which the step is left out.
	needs string
}{
	{verb: "version"},
	{verb: "completion", args: "bash"},
	{verb: "config path"},
	{verb: "config show"},
	{verb: "trust"},
	{verb: "error", args: "version now", exit: exitUsage},
	{verb: "error", args: "skill read nothing", exit: exitUsage},

	{verb: "skill new", args: "sample -d checks-tables"},
	{verb: "skill save", args: "other -d checks-more --body {}/body.md"},
	{verb: "skill list"},
	{verb: "skill index"},
	{verb: "skill read", args: "other"},
	{verb: "skill lint", args: "other"},
	{verb: "skill export", args: "other -o {}/other.zip"},
	{verb: "skill import", args: "{}/other.zip --force"},
	{verb: "skill disable", args: "other"},
	{verb: "skill enable", args: "other"},
	{verb: "skill promote", args: "other --to {}/shared"},
	{verb: "skill sync", args: "{}/checkout", exit: exitFailed}, // no checkout: a result all the same

	{verb: "skill prepare", args: "prepared", needs: "uv"},

	{verb: "app list"},
	{verb: "app show", args: "default"},
	{verb: "app prompt", args: "default"},
	{verb: "app lint", args: "default"},

	{verb: "sandbox run", args: "--sandbox none -- true"},
	{verb: "sandbox doctor", exit: anyExit}, // whatever this machine has

	{verb: "tool new", args: "second --lang sh"},
	{verb: "tool prebuild", args: "--sandbox none"},
	{verb: "tool list"},
	{verb: "tool prebuild --key"},
	{verb: "tool describe", args: "greet"},
	{verb: "tool describe --prompt", args: "greet"},
	{verb: "tool invoke", args: "greet:hello --sandbox none"},
	{verb: "tool lint", args: "greet --sandbox none", exit: exitCheck}, // it accepts what no launcher may
	{verb: "tool invoke", args: "nothing", exit: exitUsage},

	{verb: "chat", args: "--model scripted:demo -p hello"},
	{verb: "chat --check", args: "--model scripted:{}/check.yaml"},
	{verb: "session list"},
	{verb: "session rename", args: "{session} greeting"},
	{verb: "session show", args: "{session}"},
	{verb: "session export", args: "{session}"},
	{verb: "session rm", args: "{session}"},
}

const anyExit = -1

// TestJSONMatchesSchemas runs the story with --json and validates what each verb
// prints.
func TestJSONMatchesSchemas(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	storyFiles(t, dir)
	covered := map[string]bool{}
	for _, step := range story {
		covered[step.verb] = true
		if step.needs != "" && missing(t, step.needs) {
			continue
		}
		line := strings.ReplaceAll(step.args, "{}", dir)
		if strings.Contains(line, "{session}") {
			line = strings.ReplaceAll(line, "{session}", onlySession(t, dir))
		}
		if step.verb != "error" {
			line = step.verb + " --json " + line
		} else {
			line += " --json"
		}
		out, errOut, exit := runHere(t, dir, strings.Fields(line)...)
		if exit != step.exit && step.exit != anyExit {
			t.Errorf("agentctl %s: exit code %d, want %d; stderr: %s", line, exit, step.exit, errOut)
			continue
		}
		matchesSchema(t, step.verb, out)
	}
	for _, s := range shapes() {
		if !covered[s.Verb] {
			t.Errorf("the story does not use %q", s.Verb)
		}
	}
}

// onlySession is the ID of the one session of a workspace.
func onlySession(t *testing.T, dir string) string {
	t.Helper()
	out, errOut, exit := runHere(t, dir, "session", "list")
	id, _, ok := strings.Cut(string(out), "\t")
	if exit != exitOK || !ok || bytes.Count(out, []byte("\n")) != 1 {
		t.Fatalf("session list: exit code %d, %s%s", exit, out, errOut)
	}
	return id
}

// missing tells whether a program is not there. CI has all of them.
func missing(t *testing.T, program string) bool {
	t.Helper()
	_, err := exec.LookPath(program)
	if err == nil {
		return false
	}
	if os.Getenv("AGENTCTL_TEST_NO_SKIP") == "1" {
		t.Errorf("%s is not installed", program)
	}
	t.Logf("left out what needs %s: it is not installed", program)
	return true
}

// storyFiles are what the story needs to begin.
func storyFiles(t *testing.T, dir string) {
	t.Helper()
	for name, text := range map[string]string{
		"body.md": "Read the table.\n",
		"check.yaml": `version: 1
steps:
  - reply: {text: "one, two, three", chunk: 3}
  - reply: {tool_calls: [{name: get_code_word, args: {number: 7341}}]}
  - reply: {text: tangerine}
`,
		".skill/prepared/SKILL.md":         "---\nname: prepared\ndescription: Has a script.\n---\nRun it.\n",
		".skill/prepared/requirements.txt": "# nothing but Python\n",
		"tools/greet/launch": `#!/bin/sh
case "$#" in
0) echo '[{"name":"hello","description":"Says hello."}]' ;;
1) echo '{"name":"hello","description":"Says hello.","params_json_schema":{"type":"object","properties":{},"additionalProperties":false}}' ;;
*) echo hello ;;
esac
`,
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// runHere runs one command line in dir, with a home folder of its own.
func runHere(t *testing.T, dir string, args ...string) (out []byte, errOut string, exit int) {
	t.Helper()
	return runWith(t, dir, "", args...)
}

// runWith is runHere with text on stdin.
func runWith(t *testing.T, dir, input string, args ...string) (out []byte, errOut string, exit int) {
	t.Helper()
	home := filepath.Join(dir, ".home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		t.Fatal(err)
	}
	streams, stdin, stdout, stderr := iostreams.Test()
	stdin.WriteString(input)
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
