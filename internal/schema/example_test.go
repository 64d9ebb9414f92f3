package schema_test

import (
	"encoding/json"
	"fmt"

	"github.com/agentctl/agentctl/internal/schema"
)

func ExampleSchema_Arguments() {
	s, err := schema.Compile(json.RawMessage(`{
		"type": "object", "required": ["table"], "additionalProperties": false,
		"properties": {"table": {"type": "string"}, "limit": {"type": "integer"}}
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	args, err := s.Arguments([]byte(`{"table": "rides", "limit": "5"}`))
	fmt.Println(string(args.JSON), args.Coerced, err)
	_, err = s.Arguments([]byte(`{"tabel": "rides", "limit": "many"}`))
	fmt.Println(err)
	// Output:
	// {"limit":5,"table":"rides"} [limit: string to integer] <nil>
	// (root): missing required table
	// (root): unknown property "tabel" (did you mean "table"?)
	// limit: expected integer, got string
}

func ExampleProject() {
	out, err := schema.Project(json.RawMessage(`{
		"title": "Args", "type": "object", "$defs": {"F": {"title": "F", "type": "string"}},
		"properties": {"a": {"$ref": "#/$defs/F"}, "b": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": null}}
	}`), schema.OpenAI)
	fmt.Println(string(out), err)
	// Output:
	// {"properties":{"a":{"type":"string"},"b":{"type":"integer"}},"type":"object"} <nil>
}
