package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/diag"
)

const filterSchema = `{
  "type": "object", "additionalProperties": false, "required": ["table"],
  "properties": {
    "table": {"type": "string", "minLength": 2},
    "limit": {"type": "integer", "minimum": 1, "maximum": 5000},
    "ratio": {"type": "number"},
    "verbose": {"type": "boolean"},
    "columns": {"type": "array", "items": {"type": "string"}, "maxItems": 3, "uniqueItems": true},
    "sort": {"enum": ["asc", "desc"]},
    "code": {"type": "string", "pattern": "^[a-z]+$"},
    "filters": {"type": "array", "items": {"$ref": "#/$defs/filter"}},
    "since": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    "size": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": null}
  },
  "$defs": {"filter": {"type": "object", "required": ["column", "op"], "additionalProperties": false,
    "properties": {"column": {"type": "string"}, "op": {"type": "string"}}}}
}`

func mustCompile(t *testing.T, raw string) *Schema {
	t.Helper()
	s, err := Compile(json.RawMessage(raw))
	if err != nil {
		t.Fatalf("Compile: %v", err)
	}
	return s
}

func TestArguments(t *testing.T) {
	t.Parallel()
	s := mustCompile(t, filterSchema)
	tests := []struct {
		name, in, want string
		coerced        string
		wantErr        string
	}{
		{name: "as it is", in: `{"table":"rides","limit":3}`, want: `{"limit":3,"table":"rides"}`},
		{name: "large numbers keep their digits", in: `{"table":"rides","ratio":0.10000000000000000001}`, want: `{"ratio":0.10000000000000000001,"table":"rides"}`},
		{name: "markup is not escaped", in: `{"table":"a<b&c"}`, want: `{"table":"a<b&c"}`},
		{name: "integer as text", in: `{"table":"rides","limit":"7"}`, want: `{"limit":7,"table":"rides"}`, coerced: "limit: string to integer"},
		{name: "number as text", in: `{"table":"rides","ratio":"0.5"}`, want: `{"ratio":0.5,"table":"rides"}`, coerced: "ratio: string to number"},
		{name: "boolean as text", in: `{"table":"rides","verbose":"True"}`, want: `{"table":"rides","verbose":true}`, coerced: "verbose: string to boolean"},
		{name: "array as text", in: `{"table":"rides","columns":"[\"a\",\"b\"]"}`, want: `{"columns":["a","b"],"table":"rides"}`, coerced: "columns: string to array"},
		{name: "objects in an array as text", in: `{"table":"rides","filters":["{\"column\":\"a\",\"op\":\"=\"}"]}`, want: `{"filters":[{"column":"a","op":"="}],"table":"rides"}`, coerced: "filters[0]: string to object"},
		{name: "the whole as text", in: `"{\"table\":\"rides\"}"`, want: `{"table":"rides"}`, coerced: "(root): string to object"},
		{name: "encoded twice", in: `{"table":"rides","limit":"\"7\""}`, want: `{"limit":7,"table":"rides"}`, coerced: "limit: string to integer"},
		{name: "optional null is left out", in: `{"table":"rides","limit":null}`, want: `{"table":"rides"}`, coerced: "limit: null to absent"},
		{name: "null stays where it is allowed", in: `{"table":"rides","size":null}`, want: `{"size":null,"table":"rides"}`},
		{name: "text stays where text is allowed", in: `{"table":"12","since":"5"}`, want: `{"since":"5","table":"12"}`},
		{name: "a whole number with a point", in: `{"table":"rides","limit":7.0}`, want: `{"limit":7,"table":"rides"}`},
		{name: "a whole number with an exponent", in: `{"table":"rides","limit":"1.5e1"}`, want: `{"limit":15,"table":"rides"}`, coerced: "limit: string to integer"},
		{name: "a number that is none", in: `{"table":"rides","ratio":1.0}`, want: `{"ratio":1.0,"table":"rides"}`},
		{name: "a union without text", in: `{"table":"rides","size":"5"}`, want: `{"size":5,"table":"rides"}`, coerced: "size: string to integer"},
		{name: "empty", in: ``, wantErr: "(root): missing required table"},
		{name: "null", in: `null`, wantErr: "(root): missing required table"},
		{name: "an empty string", in: `""`, wantErr: "(root): missing required table"},
		{name: "not JSON", in: `{"table":`, wantErr: "not valid JSON at byte 9: it ends too early"},
		{name: "two documents", in: `{"table":"ab"} {}`, wantErr: "not valid JSON at byte 14: there is more after the end of the value"},
		{name: "text that is no number", in: `{"table":"rides","limit":"many"}`, wantErr: "limit: expected integer, got string"},
		{name: "a fraction where an integer is wanted", in: `{"table":"rides","limit":"1.5"}`, wantErr: "limit: expected integer, got number"},
		{name: "an array is no object", in: `[1]`, wantErr: "(root): expected object, got array"},
		{name: "all at once", in: `{"table":"x","limit":0,"colums":[]}`, wantErr: "(root): unknown property \"colums\" (did you mean \"columns\"?)\nlimit: must be at least 1, got 0\ntable: must have at least 2 characters, got 1"},
		{name: "nested", in: `{"table":"ab","filters":[{"column":"a","op":"="},{"op":1}]}`, wantErr: "filters[1]: missing required column\nfilters[1].op: expected string, got number"},
		{name: "nothing near", in: `{"table":"ab","filters":[{"column":"a","op":"=","zzzzzz":1}]}`, wantErr: `filters[0]: unknown property "zzzzzz" (known: column, op)`},
		{name: "enum", in: `{"table":"ab","sort":"dsc"}`, wantErr: `sort: must be one of "asc", "desc", got "dsc" (did you mean "asc"?)`},
		{name: "union", in: `{"table":"ab","size":true}`, wantErr: "size: expected integer or null, got boolean"},
		{name: "pattern", in: `{"table":"ab","code":"A1"}`, wantErr: `code: must match the pattern ^[a-z]+$, got "A1"`},
		{name: "maximum without a thousands separator", in: `{"table":"ab","limit":70000}`, wantErr: "limit: must be at most 5000, got 70000"},
		{name: "too many items", in: `{"table":"ab","columns":["a","b","c","d"]}`, wantErr: "columns: must have at most 3 items, got 4"},
		{name: "the same item", in: `{"table":"ab","columns":["a","a"]}`, wantErr: "columns: items 0 and 1 are the same; each may occur once"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := s.Arguments([]byte(tt.in))
			if text := errText(err); text != tt.wantErr {
				t.Fatalf("error:\n got %q\nwant %q", text, tt.wantErr)
			}
			if string(got.JSON) != tt.want && err == nil {
				t.Errorf("JSON:\n got %s\nwant %s", got.JSON, tt.want)
			}
			if err == nil && coercions(got.Coerced) != tt.coerced {
				t.Errorf("coerced: got %q, want %q", coercions(got.Coerced), tt.coerced)
			}
		})
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func coercions(cs []Coercion) string {
	var out []string
	for _, c := range cs {
		out = append(out, c.String())
	}
	return strings.Join(out, "; ")
}

func TestValidationErrorNamesTheField(t *testing.T) {
	t.Parallel()
	s := mustCompile(t, filterSchema)
	for in, want := range map[string]string{
		`{}`:                              "table",
		`{"table":"ab","filters":[{}]}`:   "filters",
		`{"table":"ab","colums":["a"]}`:   "colums",
		`{"table":"ab","limit":"plenty"}`: "limit",
	} {
		_, err := s.Arguments([]byte(in))
		verr, ok := errors.AsType[*ValidationError](err)
		if !ok || verr.Field() != want {
			t.Errorf("%s: got %v, want the field %q", in, err, want)
		}
	}
}

// pets is how pydantic writes a union with a discriminator, and one without.
const pets = `{"type":"object","$defs":{
"Cat":{"type":"object","additionalProperties":false,"required":["kind"],"properties":{"kind":{"const":"cat"},"lives":{"type":"integer"}}},
"Dog":{"type":"object","additionalProperties":false,"required":["kind"],"properties":{"kind":{"$ref":"#/$defs/DogKind"},"good":{"type":"boolean"}}},
"DogKind":{"enum":["dog","puppy"],"type":"string"},
"Tree":{"type":"object","additionalProperties":false,"properties":{"height":{"type":"number"}}}},
"properties":{
"pet":{"oneOf":[{"$ref":"#/$defs/Cat"},{"$ref":"#/$defs/Dog"}],"discriminator":{"propertyName":"kind"}},
"thing":{"anyOf":[{"$ref":"#/$defs/Cat"},{"$ref":"#/$defs/Tree"},{"type":"null"}]},
"word":{"anyOf":[{"enum":["a","b"]},{"const":"c"}]}}}`

// A union is read, and explained, by the form that was meant.
func TestUnions(t *testing.T) {
	t.Parallel()
	s := mustCompile(t, pets)
	for in, want := range map[string]string{
		`{"pet":{"kind":"dog","good":"false"}}`:       `{"pet":{"good":false,"kind":"dog"}}`,
		`{"pet":{"kind":"cat","lives":"3"}}`:          `{"pet":{"kind":"cat","lives":3}}`,
		`{"pet":"{\"kind\":\"dog\",\"good\":1}"}`:     "pet.good: expected boolean, got number",
		`{"pet":{"kind":"puppy","god":true}}`:         `pet: unknown property "god" (did you mean "good"?)`,
		`{"pet":{"kind":"bird"}}`:                     `pet.kind: must be one of "cat", "dog", "puppy", got "bird"`,
		`{"pet":{}}`:                                  "pet: missing required kind",
		`{"pet":7}`:                                   "pet: expected object, got number",
		`{"thing":{"height":"3"}}`:                    `{"thing":{"height":3}}`,
		`{"thing":{"height":"tall"}}`:                 "thing.height: expected number, got string",
		`{"thing":{"kind":"cat","lives":"x"}}`:        "thing.lives: expected integer, got string",
		`{"word":"d"}`:                                `word: must be one of "a", "b", "c", got "d"`,
		`{"word":"a","pet":{"kind":"dog","lives":1}}`: `pet: unknown property "lives" (known: good, kind)`,
	} {
		got, err := s.Arguments([]byte(in))
		text := string(got.JSON)
		if err != nil {
			text = err.Error()
		}
		if text != want {
			t.Errorf("%s\n got %s\nwant %s", in, text, want)
		}
	}
}

func TestSentences(t *testing.T) {
	t.Parallel()
	tests := []struct{ schema, value, want string }{
		{`{"const":"a"}`, `"b"`, `(root): must be "a", got "b"`},
		{`{"exclusiveMinimum":0.5}`, `0.5`, `(root): must be more than 0.5, got 0.5`},
		{`{"exclusiveMaximum":3}`, `3`, `(root): must be less than 3, got 3`},
		{`{"multipleOf":2}`, `3`, `(root): must be a multiple of 2, got 3`},
		{`{"maxLength":1}`, `"ab"`, `(root): must have at most 1 character, got 2`},
		{`{"minItems":2}`, `[]`, `(root): must have at least 2 items, got 0`},
		{`{"minProperties":2}`, `{}`, `(root): must have at least 2 properties, got 0`},
		{`{"maxProperties":0}`, `{"a":1}`, `(root): must have at most 0 properties, got 1`},
		{`{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, `(root): with a it also needs b`},
		{`{"properties":{"a":false}}`, `{"a":1}`, `a: no value is allowed here`},
		{`{"not":{"type":"string"}}`, `"a"`, `(root): this value is excluded`},
		{`{"oneOf":[{"type":"string"},{"minLength":1}]}`, `"a"`, `(root): fits more than one of the allowed forms; make it fit exactly one`},
		{`{"anyOf":[{"type":"string","maxLength":1},{"type":"integer"}]}`, `"ab"`, `(root): must have at most 1 character, got 2`},
		{`{"additionalProperties":false}`, `{"a":1}`, `(root): unknown property "a" (it takes none)`},
		{`{"propertyNames":{"maxLength":1}}`, `{"ab":1}`, `(root): property name "ab" is not allowed`},
		{`{"allOf":[{"type":"string"},{"type":"integer"}]}`, `true`, "(root): expected integer, got boolean\n(root): expected string, got boolean"},
		{`{"contains":{"type":"string"}}`, `[1]`, `(root): holds no item of the form that it must contain`},
		{`{"enum":["` + strings.Repeat("x", 200) + `"]}`, `1`, `(root): must be one of "` + strings.Repeat("x", 79) + `…, got 1`},
	}
	for _, tt := range tests {
		v, err := Decode([]byte(tt.value))
		if err != nil {
			t.Fatal(err)
		}
		if got := errText(mustCompile(t, tt.schema).Validate(v)); got != tt.want {
			t.Errorf("%s with %s:\n got %q\nwant %q", tt.schema, tt.value, got, tt.want)
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"not JSON", `{`, "not valid JSON at byte 1: it ends too early"},
		{"not an object", `true`, "invalid schema: a schema must be a JSON object, got boolean"},
		{"a file", `{"$ref":"file:///etc/passwd"}`, `invalid schema: $ref "file:///etc/passwd" is outside the document`},
		{"a URL", `{"$ref":"https://example.com/s.json"}`, `invalid schema: $ref "https://example.com/s.json" is outside the document`},
		{"a dead reference", `{"$ref":"#/$defs/nope"}`, `invalid schema: $ref "#/$defs/nope" leads nowhere`},
		{"a wrong type", `{"type":"int"}`, "invalid schema: type: must be one of"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := Compile(json.RawMessage(tt.in)); !strings.HasPrefix(errText(err), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestPatterns(t *testing.T) {
	t.Parallel()
	read, skipped := "read", "not checked"
	for pattern, want := range map[string]string{
		`^[a-z]+$`: read, `^\d{3}-\d{4}$`: read, `a\/b`: read, `\p{L}`: read, `(?<year>\d{4})`: read, `{`: read,
		`^(?=x)`: skipped, `(?<!a)b`: skipped, `(a)\1`: skipped, `\u00e9`: skipped, `[\u0041-Z]`: skipped, `\u{1F600}`: skipped,
		`\p{Script=Greek}`: skipped, `a{2000}`: skipped, `(?<y>a)\k<y>`: skipped, `\cA`: skipped, `[]`: skipped, `[^]`: skipped,
		`(?<año>\d+)`: skipped, `(?<$x>a)`: skipped, `(?<π_1>a)b`: skipped, `(?<\u0061b>a)`: skipped, `(?<y>a)|(?<y>b)`: read,
		`(?<año>\d+`: "missing closing )", `(?<a-b>x)`: "invalid named capture", `(?<>x)`: "invalid named capture",
		`(`: "missing closing )", `a)`: "unexpected )", `[a`: "missing closing ]", `*a`: "missing argument to repetition operator",
		`[z-a]`: "invalid character class range", `a\`: "trailing backslash at end of expression", `a**`: "invalid nested repetition operator",
		`(?=(x)`: "missing closing )", `(?!a)[b`: "missing closing ]", `(a)\1(`: "missing closing )",
	} {
		raw, err := json.Marshal(map[string]any{"type": "object", "properties": map[string]any{"a": map[string]any{"type": "string", "pattern": pattern, "description": "x"}}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = Compile(raw)
		findings := fmt.Sprint(Lint(raw))
		unchecked := strings.Contains(findings, "does not check it")
		switch want {
		case read, skipped:
			if err != nil || unchecked != (want == skipped) {
				t.Errorf("%s is not %s: %v, %s", pattern, want, err, findings)
			}
		default:
			if !strings.HasSuffix(errText(err), "is not valid regex: "+want) || !strings.Contains(findings, "schema.invalid") {
				t.Errorf("%s: got %v, %s, want %q", pattern, err, findings, want)
			}
		}
	}
	raw := json.RawMessage(`{"type":"object","properties":{"a":{"type":"object","description":"x","patternProperties":{"^(?=x)":{},"y":{}}}}}`)
	if got := fmt.Sprint(Lint(raw)); strings.Count(got, `agentctl cannot read "^(?=x)" of patternProperties`) != 1 {
		t.Errorf("got %s", got)
	}
}

func TestUnreadablePatternPassesAll(t *testing.T) {
	t.Parallel()
	s := mustCompile(t, `{"type":"object","properties":{"a":{"type":"string","pattern":"^(?=x)"}}}`)
	if err := s.Validate(map[string]any{"a": "y"}); err != nil {
		t.Errorf("got %v, want no error: the tool checks what Go cannot", err)
	}
}

type inner struct {
	Args string `json:"args"`
}

type anyHolder struct {
	Value any             `json:"value"`
	Raw   json.RawMessage `json:"raw,omitempty"`
	List  []any           `json:"list,omitempty"`
	Map   map[string]any  `json:"map,omitempty"`
}

type cycle struct {
	Next *cycle `json:"next,omitempty"`
}

type listCycle struct {
	Children []listCycle `json:"children,omitempty"`
}

type embeddedCycle struct{ *embeddedCycle }

type sliceCycle []sliceCycle

func TestReflect(t *testing.T) {
	t.Parallel()
	type Args struct {
		Name  string `json:"name" jsonschema:"enum=b,enum=a" jsonschema_description:"First, second."`
		Limit int    `json:"limit,omitempty" jsonschema:"minimum=1"`
		inner `json:"-"`
		Deep  inner     `json:"deep"`
		When  time.Time `json:"when,omitempty"` //nolint:modernize // omitempty is what makes it optional in the schema
		Skip  string    `json:"-"`
	}
	tests := []struct {
		name string
		in   any
		want string
	}{
		{"fields in order", Args{}, `{"properties":{"name":{"type":"string","enum":["b","a"],"description":"First, second."},"limit":{"type":"integer","minimum":1},"deep":{"properties":{"args":{"type":"string"}},"additionalProperties":false,"type":"object","required":["args"]},"when":{"type":"string","format":"date-time"}},"additionalProperties":false,"type":"object","required":["name","deep"]}`},
		{"a pointer", &struct{}{}, `{"properties":{},"additionalProperties":false,"type":"object"}`},
		{"any is the empty schema", anyHolder{}, `{"properties":{"value":{},"raw":{},"list":{"items":{},"type":"array"},"map":{"type":"object"}},"additionalProperties":false,"type":"object","required":["value"]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := Reflect(tt.in)
			if err != nil || string(got) != tt.want {
				t.Errorf("got %s, %v\nwant %s", got, err, tt.want)
			}
		})
	}
}

func TestReflectKeepsTheRootWhenATypeBelowHasItsName(t *testing.T) {
	t.Parallel()
	got, err := ReflectType(rootNamedTwice())
	want := `{"properties":{"below":{"properties":{"deep":{"type":"boolean"}},"additionalProperties":false,"type":"object","required":["deep"]}},"additionalProperties":false,"type":"object","required":["below"]}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
}

func TestReflectRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		in   any
		want string
	}{
		{"nil", nil, "arguments must be a struct"},
		{"no struct", 3, "arguments must be a struct"},
		{"a pointer cycle", cycle{}, "field Next: the type contains itself"},
		{"a slice cycle", listCycle{}, "field Children: the type contains itself"},
		{"an embedded cycle", embeddedCycle{}, "the type contains itself"},
		{"a slice of itself", struct{ S sliceCycle }{}, "field S: the type contains itself"},
		{"a function", struct{ F func() }{}, "field F: a func has no JSON form"},
		{"a duration", struct{ D time.Duration }{}, "field D: time.Duration would become a number of nanoseconds"},
		{"a comma in a description", struct {
			A string `jsonschema:"description=First, second"`
		}{}, "cut at its comma before second"},
		{"omitzero", struct {
			A string `json:"a,omitzero"`
		}{}, "omitzero alone leaves the field required"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := Reflect(tt.in)
			if _, ok := errors.AsType[*TypeError](err); !ok || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want a TypeError with %q", err, tt.want)
			}
		})
	}
}

// pydantic's form of a model with an Optional and a nested model.
const pydantic = `{"$defs":{"Filter":{"properties":{"column":{"title":"Column","type":"string"}},"required":["column"],"title":"Filter","type":"object"}},
"properties":{"title":{"title":"Title","type":"string","description":"the heading"},
"limit":{"anyOf":[{"type":"integer"},{"type":"null"}],"default":null,"title":"Limit"},
"must":{"anyOf":[{"$ref":"#/$defs/Filter"},{"type":"null"}],"description":"a filter"},
"filters":{"items":{"$ref":"#/$defs/Filter"},"title":"Filters","type":"array"}},
"required":["title","must"],"title":"Args","type":"object"}`

func TestProject(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		profile Profile
		in      string
		want    string
	}{
		{"pydantic", OpenAI, pydantic, `{"properties":{"filters":{"items":{"properties":{"column":{"type":"string"}},"required":["column"],"type":"object"},"type":"array"},"limit":{"type":"integer"},"must":{"description":"a filter","properties":{"column":{"type":"string"}},"required":["column"],"type":"object"},"title":{"description":"the heading","type":"string"}},"required":["title"],"type":"object"}`},
		{"properties are always there", OpenAI, `{"type":"object"}`, `{"properties":{},"type":"object"}`},
		{"a nullable type list", Anthropic, `{"type":"object","properties":{"a":{"type":["string","null"],"enum":["x",null]}},"required":["a"]}`, `{"properties":{"a":{"enum":["x"],"type":"string"}},"type":"object"}`},
		{"const", OpenAI, `{"type":"object","properties":{"a":{"const":"x"}}}`, `{"properties":{"a":{"enum":["x"],"type":"string"}},"type":"object"}`},
		{"true as a schema", OpenAI, `{"type":"object","properties":{"a":true,"b":{"type":"array"},"c":false}}`, `{"properties":{"a":{},"b":{"items":{},"type":"array"},"c":{"not":{}}},"type":"object"}`},
		{"a lookaround", OpenAI, `{"type":"object","properties":{"a":{"type":"string","pattern":"^(?!x)","description":"A code."}}}`, `{"properties":{"a":{"description":"A code; must match the pattern ^(?!x)","type":"string"}},"type":"object"}`},
		{"closed objects stay closed", OpenAI, `{"type":"object","additionalProperties":false}`, `{"additionalProperties":false,"properties":{},"type":"object"}`},
		{"plain leaves that out", Plain, `{"type":"object","additionalProperties":false}`, `{"properties":{},"type":"object"}`},
		{"a root reference", OpenAI, `{"$ref":"#/$defs/A","$defs":{"A":{"type":"object","properties":{"x":{"type":"string"}}}}}`, `{"properties":{"x":{"type":"string"}},"type":"object"}`},
		{"an OpenAPI nullable in a union", OpenAI, `{"type":"object","properties":{"a":{"anyOf":[{"type":["string","null"]},{"type":"integer"}]}},"required":["a"]}`, `{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"integer"}]}},"type":"object"}`},
		{"gemini keeps known keys", Gemini, `{"type":"object","additionalProperties":false,"properties":{"a":{"type":"string","format":"email","default":"x"},"b":{"type":"integer","enum":[1,2]},"c":{"type":"array"},"d":{"type":["string","integer"]}}}`, `{"properties":{"a":{"default":"x","description":"format: email","type":"string"},"b":{"description":"one of 1, 2","type":"integer"},"c":{"items":{"type":"string"},"type":"array"},"d":{"anyOf":[{"type":"string"},{"type":"integer"}]}},"type":"object"}`},
		{"gemini's unions stand alone", Gemini, `{"type":"object","properties":{"a":{"title":"A","description":"either","oneOf":[{"type":"string"},{"type":"object","properties":{"x":{"type":"string"}}}]}}}`, `{"properties":{"a":{"anyOf":[{"description":"either","type":"string"},{"description":"either","properties":{"x":{"type":"string"}},"type":"object"}]}},"type":"object"}`},
		{"gemini gets a type for everything", Gemini, `{"type":"object","properties":{"a":{"description":"Anything."},"b":{"properties":{"x":{"type":"string"}}},"c":{"items":{"type":"string"}}}}`, `{"properties":{"a":{"anyOf":[{"description":"Anything.","type":"string"},{"description":"Anything.","type":"number"},{"description":"Anything.","type":"boolean"},{"description":"Anything.","items":{"type":"string"},"type":"array"},{"description":"Anything.","type":"object"}]},"b":{"properties":{"x":{"type":"string"}},"type":"object"},"c":{"items":{"type":"string"},"type":"array"}},"type":"object"}`},
		{"gemini is told what it has no field for", Gemini, `{"type":"object","properties":{"a":{"type":"integer","description":"Percent.","exclusiveMinimum":0,"multipleOf":5},"b":{"type":"object","additionalProperties":{"type":"integer"}},"c":{"type":"array","uniqueItems":true,"items":{"type":"string"}},"d":{"type":"array","prefixItems":[{"type":"integer"},{"type":"object","properties":{"x":{"type":"number"}}}]}}}`, `{"properties":{"a":{"description":"Percent; more than 0; a multiple of 5","type":"integer"},"b":{"description":"names of your choice, each with an integer","type":"object"},"c":{"description":"each item once","items":{"type":"string"},"type":"array"},"d":{"description":"in this order: an integer, an object of x","items":{"type":"string"},"type":"array"}},"type":"object"}`},
		{"pydantic's discriminator", OpenAI, `{"type":"object","$defs":{"A":{"type":"object","properties":{"k":{"const":"a"}}}},"properties":{"p":{"oneOf":[{"$ref":"#/$defs/A"}],"discriminator":{"propertyName":"k","mapping":{"a":"#/$defs/A"}}}}}`, `{"properties":{"p":{"properties":{"k":{"enum":["a"],"type":"string"}},"type":"object"}},"type":"object"}`},
		{"gemini merges allOf", Gemini, `{"type":"object","properties":{"a":{"allOf":[{"type":"object","properties":{"x":{"type":"string"}},"required":["x"]},{"type":"object","properties":{"y":{"type":"string"}}}]}}}`, `{"properties":{"a":{"properties":{"x":{"type":"string"},"y":{"type":"string"}},"required":["x"],"type":"object"}},"type":"object"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := Project(json.RawMessage(tt.in), tt.profile)
			if err != nil || string(got) != tt.want {
				t.Errorf("error %v\n got %s\nwant %s", err, got, tt.want)
			}
		})
	}
}

func TestProjectedNullIsFilledInAgain(t *testing.T) {
	t.Parallel()
	args, err := mustCompile(t, pydantic).Arguments([]byte(`{"title":"x"}`))
	if want := `{"must":null,"title":"x"}`; err != nil || string(args.JSON) != want {
		t.Errorf("got %s, %v, want %s", args.JSON, err, want)
	}
}

func TestProjectRefuses(t *testing.T) {
	t.Parallel()
	bomb := `{"type":"object","properties":{"a":{"$ref":"#/$defs/a0"}},"$defs":{`
	for i := range 20 {
		bomb += `"a` + string(rune('a'+i)) + `":{},`
	}
	bomb = bomb[:len(bomb)-1] + `}}`
	tests := []struct{ name, profile, in, want string }{
		{"an unknown profile", "mistral", `{}`, `unknown schema profile "mistral"`},
		{"a cycle", "openai", `{"type":"object","properties":{"a":{"$ref":"#"}}}`, `$ref "#" is part of a cycle`},
		{"a dead reference", "openai", bomb, `$ref "#/$defs/a0" does not lead`},
		{"exponential growth", "openai", doubling(20), "more than 10000 parts"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := Project(json.RawMessage(tt.in), Profile(tt.profile)); !strings.Contains(errText(err), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// doubling is a schema that doubles n times when its references are inlined.
func doubling(n int) string {
	defs := map[string]any{"d0": map[string]any{"type": "string"}}
	for i := 1; i <= n; i++ {
		ref := map[string]any{"$ref": "#/$defs/d" + string(rune('0'+(i-1)/10)) + string(rune('0'+(i-1)%10))}
		if i == 1 {
			ref = map[string]any{"$ref": "#/$defs/d0"}
		}
		defs["d"+string(rune('0'+i/10))+string(rune('0'+i%10))] = map[string]any{"anyOf": []any{ref, map[string]any{"type": "array", "items": ref}}}
	}
	text, _ := Encode(map[string]any{"type": "object", "$defs": defs, "properties": map[string]any{"a": map[string]any{"$ref": "#/$defs/d" + string(rune('0'+n/10)) + string(rune('0'+n%10))}}})
	return string(text)
}

func TestLint(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		want     []string
	}{
		{"clean", `{"type":"object","properties":{"a":{"type":"string","description":"x"}}}`, nil},
		{"pydantic is clean but for texts", pydantic, []string{"info schema.no-description filters", "info schema.no-description limit"}},
		{"not an object", `[]`, []string{"error schema.invalid (root)"}},
		{"no type", `{}`, []string{"error schema.root-not-object (root)"}},
		{"root union", `{"type":"object","properties":{},"anyOf":[{"required":["a"]}]}`, []string{"error schema.root-combinator (root)"}},
		{"cycle", `{"type":"object","properties":{"a":{"$ref":"#"}}}`, []string{"error schema.ref-cycle (root)"}},
		{"remote", `{"type":"object","properties":{"a":{"$ref":"https://example.com/x"}}}`, []string{"error schema.invalid (root)"}},
		{"no properties", `{"type":"object"}`, []string{"warning schema.no-properties (root)"}},
		{"types", `{"type":"object","properties":{"a":{"type":["string","integer","null"],"description":"x"},"b":{"type":"array","description":"x"},"c":{"enum":[1],"description":"x"},"d":true}}`, []string{"warning schema.boolean-subschema d", "warning schema.enum-not-strings c", "warning schema.no-items b", "warning schema.type-union a"}},
		{"keywords", `{"type":"object","properties":{"a":{"type":"string","pattern":"(?=x)","description":"x","not":{"const":"q"}},"b":{"oneOf":[{"type":"string"},{"type":"integer"}],"description":"x"},"c":{"type":"object","description":"x","patternProperties":{"^x":{}}}}}`, []string{"warning schema.combinator b", "warning schema.keyword a", "warning schema.keyword c", "warning schema.pattern-lookaround a"}},
		{"a property called definitions", `{"type":"object","properties":{"definitions":{"type":"array","description":"x"}}}`, []string{"warning schema.no-items definitions"}},
		{"deep", `{"type":"object","properties":{"a":` + strings.Repeat(`{"type":"object","description":"x","properties":{"a":`, 6) + `{"type":"string"}` + strings.Repeat(`}}`, 6) + `}}`, []string{"warning schema.nesting a.a.a.a.a.a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := findings(Lint(json.RawMessage(tt.in)))
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("got %q\nwant %q", got, tt.want)
			}
		})
	}
}

func findings(ds []diag.Diagnostic) []string {
	var out []string
	for _, d := range ds {
		path, _, _ := strings.Cut(d.Message, ":")
		out = append(out, string(d.Severity)+" "+d.Code+" "+path)
	}
	return out
}

func TestExample(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want, wantErr string }{
		{"required only", filterSchema, `{"table":"text"}`, ""},
		{"pydantic", pydantic, `{"must":null,"title":"text"}`, ""},
		{"numbers", `{"type":"object","required":["a","b","c"],"properties":{"a":{"type":"integer","minimum":5},"b":{"type":"number","exclusiveMinimum":2,"multipleOf":4},"c":{"type":"number","maximum":0.5}}}`, `{"a":5,"b":4,"c":0.5}`, ""},
		{"strings", `{"type":"object","required":["a","b","c","d"],"properties":{"a":{"type":"string","format":"date"},"b":{"type":"string","minLength":6},"c":{"type":"string","maxLength":2},"d":{"enum":["q"]}}}`, `{"a":"2026-01-31","b":"textxx","c":"te","d":"q"}`, ""},
		{"arrays and unions", `{"type":"object","required":["a","b","c"],"properties":{"a":{"type":"array","minItems":2,"items":{"type":"boolean"}},"b":{"anyOf":[{"type":"integer"},{"type":"string"}]},"c":{"type":["string","integer"]}}}`, `{"a":[true,true],"b":1,"c":"text"}`, ""},
		{"a pattern", `{"type":"object","required":["a"],"properties":{"a":{"type":"string","pattern":"^[0-9]$"}}}`, "", "a: must match the pattern"},
		{"a broken schema", `{"type":"x"}`, "", "invalid schema"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := Example(json.RawMessage(tt.in))
			if string(got) != tt.want || !strings.HasPrefix(errText(err), tt.wantErr) || (err == nil) != (tt.wantErr == "") {
				t.Errorf("got %s, %v\nwant %s, %s", got, err, tt.want, tt.wantErr)
			}
		})
	}
}

func TestProperties(t *testing.T) {
	t.Parallel()
	if got := strings.Join(mustCompile(t, pydantic).Properties(), " "); got != "filters limit must title" {
		t.Errorf("got %s", got)
	}
}

func TestProjectKeywords(t *testing.T) {
	t.Parallel()
	in := `{"type":"object","properties":{
"a":{"type":"object","patternProperties":{"^x":{"title":"X","type":"string"}},"dependentSchemas":{"a":{"title":"T"}},"propertyNames":{"title":"N","minLength":1}},
"b":{"type":"array","prefixItems":[{"title":"P","type":"string"}],"contains":{"const":1},"items":false},
"c":{"anyOf":[{"$ref":"#/x-parts/0"},{"$ref":"#/x~1y"}],"not":{"title":"N"}}},
"x-parts":[{"title":"Z","type":"string"}],"x/y":{"type":"integer"}}`
	want := `{"properties":{"a":{"dependentSchemas":{"a":{}},"patternProperties":{"^x":{"type":"string"}},"propertyNames":{"minLength":1},"type":"object"},"b":{"contains":{"enum":[1],"type":"integer"},"items":{"not":{}},"prefixItems":[{"type":"string"}],"type":"array"},"c":{"anyOf":[{"type":"string"},{"type":"integer"}],"not":{}}},"type":"object","x-parts":[{"title":"Z","type":"string"}],"x/y":{"type":"integer"}}`
	got, err := Project(json.RawMessage(in), OpenAI)
	if err != nil || string(got) != want {
		t.Errorf("error %v\n got %s\nwant %s", err, got, want)
	}
	got, err = Project(json.RawMessage(`{"type":"object","properties":{"a":{"type":["array","string"],"items":{"type":"integer"}},"b":{"type":["array","string"]}}}`), Gemini)
	want = `{"properties":{"a":{"anyOf":[{"items":{"type":"integer"},"type":"array"},{"type":"string"}]},"b":{"anyOf":[{"items":{"type":"string"},"type":"array"},{"type":"string"}]}},"type":"object"}`
	if err != nil || string(got) != want {
		t.Errorf("gemini: error %v\n got %s\nwant %s", err, got, want)
	}
}

func TestRefsThatLeadNowhere(t *testing.T) {
	t.Parallel()
	for _, ref := range []string{"#/a/b", "#/list/9", "#/list/x", "#/text/0", "#anchor", "other.json"} {
		raw := `{"type":"object","list":[{}],"text":"x","properties":{"p":{"$ref":"` + ref + `"}}}`
		if _, err := Project(json.RawMessage(raw), Plain); err == nil || !strings.Contains(err.Error(), "does not lead to a part") {
			t.Errorf("%s: got %v", ref, err)
		}
	}
}

func FuzzArguments(f *testing.F) {
	for _, seed := range []string{`{}`, `{"table":"a"}`, `"{\"table\":\"ab\"}"`, `{"filters":"[{}]"}`, `[`, `{"limit":"1e999"}`, `{"size":null}`} {
		f.Add(seed)
	}
	s, err := Compile(json.RawMessage(filterSchema))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, in string) {
		args, err := s.Arguments([]byte(in))
		if err != nil {
			return
		}
		again, err := s.Arguments(args.JSON)
		if err != nil || string(again.JSON) != string(args.JSON) || len(again.Coerced) > 0 {
			t.Errorf("not stable: %s then %s, %v", args.JSON, again.JSON, err)
		}
	})
}

func FuzzSchema(f *testing.F) {
	for _, seed := range []string{filterSchema, pydantic, `{"$ref":"#"}`, `{"type":["object","null"],"anyOf":[{"type":"null"}]}`, `{"allOf":[{"$ref":"#/x"}],"x":true}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		raw := json.RawMessage(in)
		Lint(raw)
		for _, p := range []Profile{OpenAI, Anthropic, Gemini, Plain} {
			out, err := Project(raw, p)
			if err == nil && !json.Valid(out) {
				t.Errorf("%s: not JSON: %s", p, out)
			}
		}
		if _, err := Example(raw); err != nil {
			return
		}
	})
}
