package dispatch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"
	"time"
)

type testArgs struct {
	Path  string `json:"path" jsonschema_description:"File, or folder."`
	Limit int    `json:"limit,omitempty" jsonschema:"minimum=1"`
	Deep  struct {
		On bool `json:"on,omitempty"`
	} `json:"deep,omitempty"` //nolint:modernize // omitempty is what makes it optional in the schema
}

func testSet(run func(ctx context.Context, a testArgs) (any, error)) *set {
	s := &set{}
	s.add("count-rows", "Count rows.", reflect.TypeFor[testArgs](), func(ctx context.Context, text []byte) (any, error) {
		var a testArgs
		if err := decode(text, &a); err != nil {
			return nil, err
		}
		return run(ctx, a)
	})
	s.add("no-args", "", reflect.TypeFor[struct{}](), func(context.Context, []byte) (any, error) { return "fine", nil })
	return s
}

const countSchema = `{"properties":{"path":{"type":"string","description":"File, or folder."},"limit":{"type":"integer","minimum":1},"deep":{"properties":{"on":{"type":"boolean"}},"additionalProperties":false,"type":"object"}},"additionalProperties":false,"type":"object","required":["path"]}`

func TestServe(t *testing.T) {
	t.Parallel()
	echo := func(_ context.Context, a testArgs) (any, error) { return a, nil }
	give := func(v any, err error) func(context.Context, testArgs) (any, error) {
		return func(context.Context, testArgs) (any, error) { return v, err }
	}
	const ok = `{"path":"a<b"}`
	tests := []struct {
		name   string
		run    func(context.Context, testArgs) (any, error)
		args   []string
		stdin  string
		code   int
		stdout string
		stderr string
	}{
		{name: "list", run: echo, stdout: `[{"name":"count-rows","description":"Count rows."},{"name":"no-args","description":""}]` + "\n"},
		{name: "describe", run: echo, args: []string{"count-rows"}, stdout: `{"name":"count-rows","description":"Count rows.","params_json_schema":` + countSchema + "}\n"},
		{name: "describe all", run: echo, args: []string{"--describe-all"}, stdout: `[{"name":"count-rows","description":"Count rows.","params_json_schema":` + countSchema + `},{"name":"no-args","description":"","params_json_schema":{"properties":{},"additionalProperties":false,"type":"object"}}]` + "\n"},
		{name: "a result is JSON", run: echo, args: []string{"count-rows", ok}, stdout: `{"path":"a<b","deep":{}}` + "\n"},
		{name: "stdin", run: echo, args: []string{"count-rows", "-"}, stdin: ok, stdout: `{"path":"a<b","deep":{}}` + "\n"},
		{name: "a text is printed as it is", run: give("three rows", nil), args: []string{"count-rows", ok}, stdout: "three rows\n"},
		{name: "bytes too", run: give([]byte("a\n"), nil), args: []string{"count-rows", ok}, stdout: "a\n"},
		{name: "nothing prints nothing", run: give(nil, nil), args: []string{"count-rows", ok}},
		{name: "no arguments", run: echo, args: []string{"no-args", ""}, stdout: "fine\n"},
		{name: "null is no arguments", run: echo, args: []string{"no-args", "null"}, stdout: "fine\n"},
		{name: "unknown command", run: echo, args: []string{"cont"}, code: 2, stderr: `unknown command "cont"; commands: count-rows, no-args` + "\n"},
		{name: "too many", run: echo, args: []string{"a", "b", "c"}, code: 2, stderr: "usage: launch [COMMAND [JSON or -]], got 3 arguments\n"},
		{name: "bad JSON", run: echo, args: []string{"count-rows", "{"}, code: 2, stderr: `agentctl-error: {"field":"","kind":"invalid_arguments","message":"arguments must be one JSON object: unexpected end of JSON input"}`},
		{name: "an array", run: echo, args: []string{"count-rows", "[1]"}, code: 2, stderr: "arguments must be one JSON object"},
		{name: "missing", run: echo, args: []string{"count-rows", "{}"}, code: 2, stderr: "path: is required\nagentctl-error: " + `{"field":"path","kind":"invalid_arguments","message":"is required"}` + "\n"},
		{name: "unknown property", run: echo, args: []string{"count-rows", `{"path":"a","x":1}`}, code: 2, stderr: `"field":"x"`},
		{name: "wrong type", run: echo, args: []string{"count-rows", `{"path":"a","deep":{"on":1}}`}, code: 2, stderr: "deep.on: expected bool, got number"},
		{name: "invalid argument", run: give(nil, InvalidArgs("path", "does not exist")), args: []string{"count-rows", ok}, code: 2, stderr: `"field":"path","kind":"invalid_arguments","message":"does not exist"`},
		{name: "invalid arguments as a whole", run: give(nil, InvalidArgs("", "nothing to do")), args: []string{"count-rows", ok}, code: 2, stderr: "nothing to do\nagentctl-error: "},
		{name: "failure", run: give(nil, errors.New("disk full")), args: []string{"count-rows", ok}, code: 1, stderr: "disk full\n"},
		{name: "not configured", run: give(nil, NotConfigured("no API key")), args: []string{"count-rows", ok}, code: 3, stderr: "no API key\n"},
		{name: "transient", run: give(nil, Transient(errors.New("busy"))), args: []string{"count-rows", ok}, code: 4, stderr: "busy\n"},
		{name: "no JSON form", run: give(math.NaN(), nil), args: []string{"count-rows", ok}, code: 1, stderr: "write the result as JSON: json: unsupported value: NaN"},
		{name: "panic", run: func(context.Context, testArgs) (any, error) { panic("oh") }, args: []string{"count-rows", ok}, code: 1, stderr: "panic: oh\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			code := testSet(tt.run).serve(t.Context(), tt.args, strings.NewReader(tt.stdin), &stdout, &stderr)
			if code != tt.code || stdout.String() != tt.stdout {
				t.Errorf("exit %d, stdout %q\nwant %d, %q", code, stdout.String(), tt.code, tt.stdout)
			}
			if !strings.Contains(stderr.String(), tt.stderr) || tt.stderr == "" && stderr.Len() > 0 {
				t.Errorf("stderr %q lacks %q", stderr.String(), tt.stderr)
			}
		})
	}
}

type selfRef struct {
	Next *selfRef `json:"next,omitempty"`
}

func TestRegistrationFaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, command string
		args          reflect.Type
		want          string
	}{
		{"a cycle", "a", reflect.TypeFor[selfRef](), `command "a": field Next: the type contains itself`},
		{"no struct", "a", reflect.TypeFor[int](), "arguments must be a struct, got int"},
		{"a name", "Count", reflect.TypeFor[struct{}](), `command "Count": a name has up to 64 of`},
		{"twice", "no-args", reflect.TypeFor[struct{}](), `command "no-args": registered twice`},
		{"a duration", "a", reflect.TypeFor[struct{ D time.Duration }](), "nanoseconds"},
		{"a channel", "a", reflect.TypeFor[struct{ C chan int }](), "a chan has no JSON form"},
		{"a cut description", "a", reflect.TypeFor[struct {
			A string `jsonschema:"description=one, two"`
		}](), "cut at its comma before two"},
		{"omitzero", "a", reflect.TypeFor[struct {
			A string `json:"a,omitzero"`
		}](), "write omitempty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := testSet(nil)
			s.add(tt.command, "", tt.args, nil)
			var stdout, stderr bytes.Buffer
			code := s.serve(t.Context(), nil, strings.NewReader(""), &stdout, &stderr)
			if code != exitFailed || !strings.Contains(stderr.String(), tt.want) || stdout.Len() > 0 {
				t.Errorf("exit %d, %q, want 1, %q", code, stderr.String(), tt.want)
			}
		})
	}
}

func TestWritingToAClosedPipeIsAFailure(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	code := testSet(nil).serve(t.Context(), nil, strings.NewReader(""), closedPipe{}, &stderr)
	if code != exitFailed || !strings.Contains(stderr.String(), "write the result: closed") {
		t.Errorf("exit %d, %q", code, stderr.String())
	}
}

type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) { return 0, errors.New("closed") }

// TestMain lets the test binary stand in for a launcher, so that Register and
// Main are tested as authors use them.
func TestMain(m *testing.M) {
	if os.Getenv("DISPATCH_TEST_MAIN") == "1" {
		Register("greet", "Greet somebody.", func(_ context.Context, a struct {
			Name string `json:"name"`
		},
		) (any, error) {
			return map[string]string{"greeting": "hello " + a.Name}, nil
		})
		Main()
	}
	os.Exit(m.Run())
}

func TestMainServesOneCall(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "greet", `{"name":"Ada"}`)
	cmd.Env = []string{"DISPATCH_TEST_MAIN=1", "GOCOVERDIR=" + t.TempDir()}
	out, err := cmd.CombinedOutput()
	if want := `{"greeting":"hello Ada"}` + "\n"; err != nil || string(out) != want {
		t.Errorf("got %s, %v, want %s", out, err, want)
	}
	cmd = exec.CommandContext(t.Context(), os.Args[0], "greet", `{"name":1}`)
	cmd.Env = []string{"DISPATCH_TEST_MAIN=1", "GOCOVERDIR=" + t.TempDir()}
	out, _ = cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 2 || !json.Valid([]byte(strings.TrimPrefix(lastLine(out), "agentctl-error: "))) {
		t.Errorf("exit %d, %s", cmd.ProcessState.ExitCode(), out)
	}
}

func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}

func FuzzServe(f *testing.F) {
	for _, seed := range []string{`{}`, `{"path":"a"}`, `[`, `null`, `{"path":1}`, `{"path":"a","limit":"x"}`} {
		f.Add(seed)
	}
	s := testSet(func(_ context.Context, a testArgs) (any, error) { return a, nil })
	f.Fuzz(func(t *testing.T, text string) {
		var stdout, stderr bytes.Buffer
		code := s.serve(t.Context(), []string{"count-rows", "-"}, strings.NewReader(text), &stdout, &stderr)
		if code != 0 && code != 2 {
			t.Errorf("exit %d for %q: %s", code, text, stderr.String())
		}
	})
}
