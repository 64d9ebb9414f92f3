package schema

import (
	"encoding/json"
	"math"
	"strings"
)

// Example makes a smallest valid value: required properties only, each from its
// default, examples, enum or type. It is checked against the schema; the error
// is a [*ValidationError] where no such simple value fits, a pattern above all,
// or what [Project] returns.
func Example(raw json.RawMessage) (json.RawMessage, error) {
	s, err := Compile(raw)
	if err != nil {
		return nil, err
	}
	doc, err := project(raw, Plain)
	if err != nil {
		return nil, err
	}
	args, err := s.ArgumentsOf(example(doc, 0))
	if err != nil {
		return nil, err
	}
	return args.JSON, nil
}

func example(s map[string]any, depth int) any {
	if v, ok := given(s); ok {
		return v
	}
	if depth > maxDepth {
		return nil
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if union := listOf(s[key]); len(union) > 0 {
			return example(union[0], depth+1)
		}
	}
	kind, _ := s["type"].(string)
	if types := stringsOf(s["type"]); len(types) > 0 {
		kind = types[0]
	}
	switch kind {
	case "object":
		return exampleObject(s, depth)
	case "array":
		return exampleArray(s, depth)
	case "integer", "number":
		return exampleNumber(s)
	case "boolean":
		return true
	case "null":
		return nil
	}
	return exampleString(s)
}

// given is a value that the schema itself proposes.
func given(s map[string]any) (any, bool) {
	if v, ok := s["default"]; ok {
		return v, true
	}
	for _, key := range []string{"examples", "enum"} {
		if list := listAny(s[key]); len(list) > 0 {
			return list[0], true
		}
	}
	return nil, false
}

func exampleObject(s map[string]any, depth int) any {
	out := map[string]any{}
	for _, name := range stringsOf(s["required"]) {
		out[name] = example(asObject(asObject(s["properties"])[name]), depth+1)
	}
	return out
}

func exampleArray(s map[string]any, depth int) any {
	out := []any{}
	for _, item := range listOf(s["prefixItems"]) {
		out = append(out, example(item, depth+1))
	}
	for n := min(toFloat(s["minItems"], 0), maxDepth); float64(len(out)) < n; {
		out = append(out, example(asObject(s["items"]), depth+1))
	}
	return out
}

func exampleNumber(s map[string]any) any {
	low := toFloat(s["minimum"], math.Inf(-1))
	if _, ok := s["exclusiveMinimum"]; ok {
		low = math.Max(low, toFloat(s["exclusiveMinimum"], 0)+1)
	}
	high := math.Min(toFloat(s["maximum"], math.Inf(1)), toFloat(s["exclusiveMaximum"], math.Inf(1))-1)
	n := math.Max(math.Min(1, high), low)
	if step := toFloat(s["multipleOf"], 0); step > 0 {
		n = math.Ceil(n/step) * step
	}
	if s["type"] == "integer" {
		n = math.Ceil(n)
	}
	text, _ := json.Marshal(n)
	return json.Number(text)
}

var formats = map[string]string{
	"date": "2026-01-31", "time": "12:00:00Z", "date-time": "2026-01-31T12:00:00Z", "email": "name@example.com",
	"uri": "https://example.com", "uuid": "123e4567-e89b-12d3-a456-426614174000", "ipv4": "192.0.2.1",
	"ipv6": "2001:db8::1", "hostname": "example.com",
}

func exampleString(s map[string]any) any {
	format, _ := s["format"].(string)
	text, ok := formats[format]
	if !ok {
		text = "text"
	}
	if n := int(min(toFloat(s["minLength"], 0), 1<<16)); len(text) < n {
		text += strings.Repeat("x", n-len(text))
	}
	if n := toFloat(s["maxLength"], math.Inf(1)); float64(len(text)) > n && n >= 0 {
		text = text[:int(n)]
	}
	return text
}

func toFloat(v any, missing float64) float64 {
	n, ok := v.(json.Number)
	if !ok {
		return missing
	}
	f, err := n.Float64()
	if err != nil {
		return missing
	}
	return f
}
