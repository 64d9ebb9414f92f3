package toolpkg

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

func describedPackage(t *testing.T) *Package {
	t.Helper()
	out := tempDir(t)
	frozen(t, out, "pkg", Command{
		Name: "count-rows", Description: "Count\nrows.", Annotations: []byte(`{"readOnlyHint":true}`), OutputSchema: []byte(`{"type":"object"}`),
		Params: []byte(`{"title":"A","type":"object","required":["path"],"properties":{"limit":{"anyOf":[{"type":"integer"},{"type":"null"}],"default":5},"path":{"type":"string","description":"The file."},"kind":{"enum":["a","b"]}}}`),
	}, cmd("no-args"))
	p, err := LoadPackage(filepath.Join(out, "pkg"))
	if err != nil {
		t.Fatal(err)
	}
	p.Env = []EnvVar{{"KEY", true, true, "A key."}, {Name: "OTHER"}}
	return p
}

func TestFormat(t *testing.T) {
	t.Parallel()
	fns := functions(describedPackage(t))
	const params = `{"properties":{"kind":{"enum":["a","b"],"type":"string"},"limit":{"default":5,"type":"integer"},"path":{"description":"The file.","type":"string"}},"required":["path"],"type":"object"}`
	const none = `{"properties":{},"type":"object"}`
	tests := map[string]string{
		"openai":    `[{"type":"function","function":{"name":"count_rows","description":"Count\nrows.","parameters":` + params + `}},{"type":"function","function":{"name":"no_args","description":"Does no-args.","parameters":` + none + `}}]`,
		"anthropic": `[{"name":"count_rows","description":"Count\nrows.","input_schema":` + params + `},{"name":"no_args","description":"Does no-args.","input_schema":` + none + `}]`,
		"gemini":    `[{"functionDeclarations":[{"name":"count_rows","description":"Count\nrows.","parameters":` + params + `},{"name":"no_args","description":"Does no-args.","parameters":` + none + `}]}]`,
	}
	for format, want := range tests {
		got, err := Format(format, fns)
		if err != nil || string(compact(got)) != string(compact(json.RawMessage(want))) {
			t.Errorf("%s: %v\n got %s\nwant %s", format, err, got, want)
		}
	}
	got, err := Format("mcp", fns)
	if err != nil || !strings.Contains(string(got), `"anyOf"`) || !strings.Contains(string(got), `"readOnlyHint": true`) || !strings.Contains(string(got), `"outputSchema"`) {
		t.Errorf("mcp: %v, %s", err, got)
	}
	if _, err := Format("xml", fns); err == nil || !strings.Contains(err.Error(), `unknown format "xml"; choose one of openai, anthropic, gemini, mcp`) {
		t.Errorf("got %v", err)
	}
}

func TestInventory(t *testing.T) {
	t.Parallel()
	if got := Inventory(nil); got != "" {
		t.Errorf("without functions: %q", got)
	}
	got := Inventory([]Spec{
		{"count_rows", "Count\n rows.", []byte(`{"type":"object","additionalProperties":false,"properties":{"path":{"type":"string","title":"Path"}}}`)},
		{"bare", "", []byte(`{"broken"`)},
	})
	want := inventoryHead + `
- count_rows: Count rows.
  arguments: {"properties":{"path":{"type":"string"}},"type":"object"}

- bare
  arguments: {"broken"
`
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestDescribeText(t *testing.T) {
	t.Parallel()
	p := describedPackage(t)
	p.Version, p.Description, p.Runtime = "1.0", "Counts.", Runtime{Interpreter: "python3"}
	got := DescribeText(p, functions(p))
	for _, want := range []string{
		"pkg 1.0\nCounts.\n", ", needs python3\n", "network    none\n", "env        KEY (required, secret): A key.\nenv        OTHER\n",
		"pkg:count-rows (function count_rows)\n  Count rows.\n  --arg path=STRING  required\n        The file.\n  --arg kind=STRING  one of a, b\n  --arg limit=INTEGER  default 5\n",
		"pkg:no-args (function no_args)\n  Does no-args.\n  takes no arguments\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%s\nlacks %q", got, want)
		}
	}
}

func TestDescribeTextOfOddSchemas(t *testing.T) {
	t.Parallel()
	p := describedPackage(t)
	p.Network = true
	p.Commands = []Command{
		{Name: "odd", Params: []byte(`{"type":"object","properties":{"a":{"type":["string","integer"]},"b":{},"c":{"anyOf":[{"type":"number"},{"type":"array","items":{}},{"type":"null"}]},"d":{"enum":[1,"a",null]}}}`)},
		{Name: "broken", Params: []byte(`{"$ref":"#/nowhere"}`)},
	}
	got := DescribeText(p, functions(p))
	for _, want := range []string{"network    full\n", "--arg a=STRING|INTEGER\n", "--arg b=VALUE\n", "--arg c=NUMBER|ARRAY\n", "  one of 1, a, null\n", "broken (function broken)\n  (invalid schema: $ref \"#/nowhere\" does not lead to a part of the same document)\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%s\nlacks %q", got, want)
		}
	}
}

func TestMergeArgs(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	writeTree(t, dir, map[string]string{"text.txt": "from a file", "bytes": "\xff"})
	c := Command{Params: []byte(`{"type":"object","properties":{"list":{"type":"array","items":{"type":"string"}},"n":{"type":"integer"}}}`)}
	tests := []struct {
		name, base string
		args       []string
		want       string
		wantErr    string
	}{
		{"text", "", []string{"a=b=c"}, `{"a":"b=c"}`, ""},
		{"over the object", `{"a":1,"b":2}`, []string{"a=x"}, `{"a":"x","b":2}`, ""},
		{"raw", "", []string{`a:={"x":[1]}`, "b:=null"}, `{"a":{"x":[1]},"b":null}`, ""},
		{"file", "", []string{"a@text.txt"}, `{"a":"from a file"}`, ""},
		{"repeated", "", []string{"a=1", "a=2"}, `{"a":["1","2"]}`, ""},
		{"one of a list", "", []string{"list=x"}, `{"list":["x"]}`, ""},
		{"a whole list as text", "", []string{`list=["x","y"]`}, `{"list":["x","y"]}`, ""},
		{"a number as text", `{"n":"1"}`, []string{"n=2", "m=3"}, `{"m":"3","n":2}`, ""},
		{"a number as JSON text stays for the call to report", "", []string{`n:="2"`}, `{"n":"2"}`, ""},
		{"null as JSON", "", []string{`n:=null`}, `{"n":null}`, ""},
		{"no number", "", []string{"n=two"}, `{"n":"two"}`, ""},
		{"a raw list", "", []string{`list:=["x"]`}, `{"list":["x"]}`, ""},
		{"an encoded object", `"{\"a\":1}"`, []string{"b=2"}, `{"a":1,"b":"2"}`, ""},
		{"null", `null`, []string{"b=2"}, `{"b":"2"}`, ""},
		{"several lines", "", []string{"a=x\ny"}, `{"a":"x\ny"}`, ""},
		{"letters of any script", "", []string{"größe=3", "名:=1", "หน่วย=x"}, `{"größe":"3","หน่วย":"x","名":1}`, ""},
		{"no UTF-8", "", []string{"a=\xff"}, "", `argument "a=\xff" is no UTF-8`},
		{"without an end", "", []string{"a@/dev/zero"}, "", `argument "a@/dev/zero" cannot be read: /dev/zero has more than 64 MiB`},
		{"no key", "", []string{"=x"}, "", `argument "=x" has no key; write key=text, key:=JSON or key@file`},
		{"bad JSON", "", []string{"a:={"}, "", `argument "a:={" after := is not valid JSON`},
		{"no file", "", []string{"a@none"}, "", `argument "a@none" cannot be read`},
		{"no text", "", []string{"a@bytes"}, "", `argument "a@bytes" is no UTF-8 text`},
		{"no object", `[1]`, []string{"a=1"}, "", `argument "[1]" is no JSON object, so --arg cannot add to it`},
		{"bad base", `{`, []string{"a=1"}, "", "not valid JSON"},
		{"bad encoded base", `"{"`, []string{"a=1"}, "", "not valid JSON"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := MergeArgs(t.Context(), c, []byte(tt.base), tt.args, dir)
			if err != nil || tt.wantErr != "" {
				if !strings.HasPrefix(errText(err), tt.wantErr) || tt.wantErr == "" {
					t.Errorf("got %v, want %s", err, tt.wantErr)
				}
				return
			}
			if text, _ := json.Marshal(got); string(text) != tt.want {
				t.Errorf("got %s, want %s", text, tt.want)
			}
		})
	}
}

func TestReadArgsAtTheLimit(t *testing.T) {
	t.Parallel()
	if data, err := ReadArgs("stdin", strings.NewReader(strings.Repeat("x", ArgsLimit))); err != nil || len(data) != ArgsLimit {
		t.Errorf("at the limit: %d bytes, %v", len(data), err)
	}
	if _, err := ReadArgs("stdin", strings.NewReader(strings.Repeat("x", ArgsLimit+1))); errText(err) != "stdin has more than 64 MiB, the limit of arguments; give the tool a path instead" {
		t.Errorf("above it: %v", err)
	}
}
