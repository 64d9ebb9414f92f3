package repair_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/pkg/agent/repair"
)

const wcSchema = `{"type":"object","properties":{
	"path":{"type":"string"},"limit":{"type":"integer"},"all":{"type":"boolean"},
	"names":{"type":"array","items":{"type":"string"}},"mode":{"type":"string","enum":["lines","words"]}
},"required":["path"],"additionalProperties":false}`

func compile(t testing.TB, text string) *schema.Schema {
	t.Helper()
	s, err := schema.Compile(json.RawMessage(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Cases 11, 12 and 14: what is mended, and how it is reported.
func TestArguments(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want, what string }{
		{"as they should be", `{"path":"a","limit":3}`, `{"limit":3,"path":"a"}`, ""},
		{"trailing comma", `{"path":"a","names":["x",],}`, `{"names":["x"],"path":"a"}`, "trailing comma"},
		{"single quotes", `{'path': 'it"s', 'all': True}`, `{"all":true,"path":"it\"s"}`, "single quotes, True to true"},
		{"a quote in single quotes", `{'path': 'it\'s'}`, `{"path":"it's"}`, "single quotes"},
		{"fence", "```json\n{\"path\":\"a\"}\n```", `{"path":"a"}`, "a fence around the arguments"},
		{"prose after", `{"path":"a"} I hope this helps`, `{"path":"a"}`, "text after the arguments left out"},
		{"prose before", `Arguments: {"path":"a"}`, `{"path":"a"}`, "text before the arguments left out"},
		{"one bracket too many", `{"path":"a"}}`, `{"path":"a"}`, "text after the arguments left out"},
		{"raw line breaks", "{\"path\":\"a\nb\"}", `{"path":"a\nb"}`, "raw line break in a text"},
		{"encoded twice", `"{\"path\":\"a\"}"`, `{"path":"a"}`, "arguments: string to object"},
		{"numbers, booleans and lists as texts", `{"path":"a","limit":"3","all":"true","names":"[\"x\"]"}`, `{"all":true,"limit":3,"names":["x"],"path":"a"}`, "all: string to boolean, limit: string to integer, names: string to array"},
		{"text stays text", `{"path":"3"}`, `{"path":"3"}`, ""},
		{"wrapper", `{"arguments":{"path":"a"}}`, `{"path":"a"}`, "unwrapped arguments"},
		{"wrapper as text", `{"parameters":"{\"path\":\"a\"}"}`, `{"path":"a"}`, "unwrapped parameters"},
		{"wrapper as a text to mend", `{"arguments":"{'path':'a',}"}`, `{"path":"a"}`, "unwrapped arguments, single quotes, trailing comma"},
		{"the whole call as arguments", `{"name":"wc","arguments":{"path":"a"}}`, `{"path":"a"}`, "unwrapped arguments"},
	}
	s := compile(t, wcSchema)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, what, err := repair.Arguments(s, tt.in, false)
			if err != nil || string(got.JSON) != tt.want || strings.Join(what, ", ") != tt.what {
				t.Errorf("got %s, %q, %v; want %s, %q", got.JSON, what, err, tt.want, tt.what)
			}
		})
	}
}

func TestEmptyArguments(t *testing.T) {
	t.Parallel()
	s := compile(t, `{"type":"object","properties":{"n":{"type":"integer"}}}`)
	for _, in := range []string{"", " ", "null", "{}", `""`} {
		got, _, err := repair.Arguments(s, in, false)
		if err != nil || string(got.JSON) != "{}" {
			t.Errorf("%q: got %s, %v", in, got.JSON, err)
		}
	}
	if got, what, err := repair.Arguments(compile(t, `{"type":"object","properties":{},"additionalProperties":false}`), `{"arguments":{}}`, false); err != nil || string(got.JSON) != "{}" {
		t.Errorf("got %s, %v, %v", got.JSON, what, err)
	}
}

// An argument that is really called like a wrapper is none.
func TestWrapperThatIsAnArgument(t *testing.T) {
	t.Parallel()
	s := compile(t, `{"type":"object","properties":{"input":{"type":"object"}}}`)
	got, what, err := repair.Arguments(s, `{"input":{"a":1}}`, false)
	if err != nil || string(got.JSON) != `{"input":{"a":1}}` || what != nil {
		t.Errorf("got %s, %v, %v", got.JSON, what, err)
	}
}

// Arguments that stop in the middle never run, wherever they stop.
func TestTruncatedArgumentsNeverRun(t *testing.T) {
	t.Parallel()
	s := compile(t, `{"type":"object"}`)
	for _, text := range []string{
		`{"path":"a","names":["x","y"],"limit":12,"o":{"p":null}}`,
		`{'path': 'a', 'names': ['x', 'y',], 'limit': 12,}`,
		`"{\"path\":\"a\",\"n\":{\"m\":1}}"`,
		`{"arguments":{"path":"a"}}`,
	} {
		for n := range len(text) {
			if n == 0 {
				continue // nothing at all is {}, unless the answer was cut
			}
			got, _, err := repair.Arguments(s, text[:n], false)
			if err == nil {
				t.Errorf("%s became %s", text[:n], got.JSON)
			}
		}
	}
	if _, _, err := repair.Arguments(s, "", true); err == nil {
		t.Error("nothing of a cut answer became {}")
	}
}

func TestRefusal(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		want     []string
	}{
		{"12 cut", `{"path":"a`, []string{
			"error: the arguments of wc were refused; nothing ran.", "- the arguments were cut off: a text has no closing quote",
			`Their schema: {"type":"object"`, "Send the whole call again.", `Call wc again with arguments such as {"path":`,
		}},
		{"12 malformed", `{path: a}`, []string{"- the arguments are no valid JSON: invalid character 'p'", "Their schema: "}},
		{"12 no object", `hello`, []string{`expected an object, got "hello"`}},
		{"12 two objects", `{"path":"a"} {"path":"b"}`, []string{`more than one value; the second begins with "{`}},
		{"15 missing", `{"limit":1}`, []string{"missing required path", "again with arguments such as"}},
		{"15 wrong type", `{"path":"a","limit":"many"}`, []string{"limit: expected integer, got string", `arguments such as {"path":"a"}`}},
		{"15 wrapped", `{"arguments":{"path":"a.txt","limit":"many","mode":"words"}}`, []string{`arguments such as {"mode":"words","path":"a.txt"}`}},
		{"15 long", `{"path":"` + strings.Repeat("a", 300) + `","limit":"many","mode":"words"}`, []string{`arguments such as {"mode":"words","path":"text"}`}},
		{"15 enum", `{"path":"a","mode":"line"}`, []string{`must be one of "lines", "words", got "line" (did you mean "lines"?)`}},
		{"15 a list instead of an object", `[1]`, []string{"expected object, got array"}},
	}
	s := compile(t, wcSchema)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := repair.Arguments(s, tt.in, false)
			if err == nil {
				t.Fatal("got no error")
			}
			text := repair.Refusal("wc", json.RawMessage(wcSchema), tt.in, err)
			for _, want := range tt.want {
				if !strings.Contains(text, want) {
					t.Errorf("got\n%s\nwant it to contain %q", text, want)
				}
			}
		})
	}
}

// Cases 8, 9 and 10.
func TestNames(t *testing.T) {
	t.Parallel()
	names := repair.NewNames([]string{"read_file", "csv_column_summary", "a_b", "ab"})
	tests := []struct {
		in, want string
		ok       bool
	}{
		{"read_file", "read_file", true},
		{"Read_File", "read_file", true},
		{"read-file", "read_file", true},
		{"readFile", "read_file", true},
		{"functions.read_file", "read_file", true},
		{"data:csv-column-summary", "csv_column_summary", true},
		{"read_file()", "read_file", true},
		{"a_b", "a_b", true},
		{"a-b", "", false}, // two tools have this form
		{"read", "", false},
		{"", "", false},
		{"_", "", false},
	}
	for _, tt := range tests {
		if got, ok := names.Find(tt.in); got != tt.want || ok != tt.ok || names.Known(tt.in) != tt.ok {
			t.Errorf("%q: got %q, %v; want %q, %v", tt.in, got, ok, tt.want, tt.ok)
		}
	}
}

func TestUnknownTool(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in      string
		tools, skills []string
		want          string
	}{
		{"near", "read_fil", []string{"read_file", "exec"}, nil, `error: there is no tool "read_fil". Did you mean read_file? Tools: read_file, exec.`},
		{"a skill", "report", []string{"read_skill"}, []string{"report"}, `error: there is no tool "report". It is a skill: call read_skill(name="report") and follow what it says; if you have read it, call the tool that its next step names. Tools: read_skill.`},
		{"a skill, nearly", "Csv_Summary", []string{"read_skill"}, []string{"csv-summary"}, `error: there is no tool "Csv_Summary". It is a skill: call read_skill(name="csv-summary") and follow what it says; if you have read it, call the tool that its next step names. Tools: read_skill.`},
		{"like a skill", "csv-sumary", []string{"read_skill"}, []string{"csv-summary"}, `error: there is no tool "csv-sumary". Did you mean the skill csv-summary? Call read_skill(name="csv-summary") and follow what it says. Tools: read_skill.`},
		{"a shell", "bash", []string{"read_file", "exec"}, nil, `error: there is no tool "bash". To run a program, call exec(argv=["ls", "-l"]). Tools: read_file, exec.`},
		{"like nothing", "bash", []string{"read_file"}, nil, `error: there is no tool "bash". Tools: read_file.`},
		{"no tools", "x", nil, nil, `error: there is no tool "x". There are no tools in this chat; answer without them.`},
	}
	for _, tt := range tests {
		if got := repair.UnknownTool(tt.in, tt.tools, tt.skills); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func FuzzArguments(f *testing.F) {
	f.Add(`{"path":"a",}`)
	f.Add(`{'a': True, "b": [1,]} tail`)
	f.Add("```\n{\"a\":\"x\ny\"}```")
	s := compile(f, `{"type":"object"}`)
	f.Fuzz(func(t *testing.T, in string) {
		got, _, err := repair.Arguments(s, in, false)
		if err != nil {
			if _, ok := errors.AsType[*repair.SyntaxError](err); ok && got.JSON != nil {
				t.Errorf("got %s with %v", got.JSON, err)
			}
			return
		}
		if !json.Valid(got.JSON) || got.JSON[0] != '{' {
			t.Errorf("%q became %s", in, got.JSON)
		}
	})
}

// However many mistakes a call makes, and however long they are, a refusal is a text
// that a model can read; what was right is found among them.
func TestRefusalIsBounded(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, schema string
		keys, long   int
		want         []string
	}{
		{"20 problems", wcSchema, 19, 0, []string{`unknown property "zz"`, `{"limit":3,"path":"text"}`}},
		{"21 problems", wcSchema, 20, 0, []string{`unknown property "a018"`, "\n- and 1 more\n", `{"limit":3,"path":"text"}`}},
		{"many", wcSchema, 20_000, 0, []string{"\n- and 19981 more\n", `{"limit":3,"path":"text"}`}},
		{"long names", wcSchema, 30, 10_000, []string{"\n- and 11 more\n", `{"limit":3,"path":"text"}`}},
		{"allowed ones", `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`, 20_000, 0, []string{`"a049":49,"path":"text"}`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			given := `{"limit":3,"zz":1`
			args := []string{given}
			for i := range tt.keys - 1 {
				args = append(args, fmt.Sprintf(`"a%03d%s":%d`, i, strings.Repeat("x", tt.long), i))
			}
			text := strings.Join(args, ",") + "}"
			_, _, err := repair.Arguments(compile(t, tt.schema), text, false)
			if err == nil {
				t.Fatal("they fit")
			}
			got := repair.Refusal("wc", json.RawMessage(tt.schema), text, err)
			if len(got) > 30_000 {
				t.Errorf("%d bytes", len(got))
			}
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("no %q in:\n%.3000s", want, got)
				}
			}
		})
	}
}

// What was coerced is told, the first of it.
func TestMendedIsBounded(t *testing.T) {
	t.Parallel()
	args, what, err := repair.Arguments(compile(t, `{"type":"object","properties":{"n":{"type":"array","items":{"type":"integer"}}}}`),
		`{"n":[`+strings.Repeat(`"1",`, 999)+`"1"]}`, false)
	if err != nil || len(args.Coerced) != 1000 || len(what) != 21 || what[20] != "and 980 more values" {
		t.Errorf("%d were coerced, %v; told: %q", len(args.Coerced), err, what)
	}
}

func TestUnknownToolIsBounded(t *testing.T) {
	t.Parallel()
	if got := repair.UnknownTool(strings.Repeat("x", 1<<20), []string{"wc"}, nil); len(got) > 300 {
		t.Errorf("%d bytes", len(got))
	}
}
