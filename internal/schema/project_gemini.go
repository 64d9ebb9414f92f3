package schema

import (
	"fmt"
	"slices"
	"strings"
)

// geminiKeys are the fields of Gemini's Schema message; any other field fails
// the whole request.
var geminiKeys = []string{
	"anyOf", "default", "description", "enum", "format", "items", "maxItems", "maxLength", "maxProperties", "maximum",
	"minItems", "minLength", "minProperties", "minimum", "pattern", "properties", "required", "type",
}

var geminiFormats = []string{"date-time", "enum", "int32", "int64", "float", "double"}

// forGemini reduces one rewritten node, whose children are reduced already.
func forGemini(s map[string]any) map[string]any {
	if union, ok := s["oneOf"].([]any); ok && s["anyOf"] == nil {
		s["anyOf"] = union
	}
	for _, part := range listOf(s["allOf"]) {
		mergeObject(s, part)
	}
	if types, ok := s["type"].([]any); ok {
		delete(s, "type")
		s["anyOf"] = typeBranches(types, s)
	}
	if values, ok := s["enum"].([]any); ok && len(stringsOf(values)) < len(values) {
		delete(s, "enum")
		describe(s, "one of "+showAll(values))
	}
	if format, ok := s["format"].(string); ok && !slices.Contains(geminiFormats, format) {
		delete(s, "format")
		describe(s, "format: "+format)
	}
	if s["type"] == "array" && len(asObject(s["items"])) == 0 {
		s["items"] = map[string]any{"type": "string"}
	}
	describeDropped(s)
	for key := range s {
		if !slices.Contains(geminiKeys, key) {
			delete(s, key)
		}
	}
	if union, ok := s["anyOf"].([]any); ok {
		return standAlone(union, s["description"])
	}
	return s
}

// describeDropped says in words what Gemini has no field for.
func describeDropped(s map[string]any) {
	for _, limit := range []struct{ key, words string }{
		{"exclusiveMinimum", "more than %s"}, {"exclusiveMaximum", "less than %s"}, {"multipleOf", "a multiple of %s"},
	} {
		if v, ok := s[limit.key]; ok {
			describe(s, fmt.Sprintf(limit.words, show(v)))
		}
	}
	if s["uniqueItems"] == true {
		describe(s, "each item once")
	}
	if values := asObject(s["additionalProperties"]); len(values) > 0 && s["properties"] == nil {
		describe(s, "names of your choice, each with "+inWords(values))
	}
	if items := listOf(s["prefixItems"]); len(items) > 0 {
		words := make([]string, len(items))
		for i, item := range items {
			words[i] = inWords(item)
		}
		describe(s, "in this order: "+strings.Join(words, ", "))
	}
}

// inWords is a schema in a few words: its type, and for an object its properties.
func inWords(s map[string]any) string {
	kind, ok := s["type"].(string)
	if !ok {
		return "any value"
	}
	text := article(kind) + " " + kind
	if names := sortedKeys(asObject(s["properties"])); len(names) > 0 {
		text += " of " + strings.Join(names, ", ")
	}
	return text
}

func article(noun string) string {
	if strings.ContainsAny(noun[:1], "aeio") {
		return "an"
	}
	return "a"
}

// typedForGemini gives a value a type, without which the whole request fails: that
// of its keywords, else all there are.
func typedForGemini(s map[string]any) map[string]any {
	switch {
	case s["type"] != nil || s["anyOf"] != nil:
	case s["properties"] != nil:
		s["type"] = "object"
	case s["items"] != nil:
		s["type"] = "array"
	default:
		return standAlone(typeBranches([]any{"string", "number", "boolean", "array", "object"}, s), s["description"])
	}
	return s
}

// standAlone is a union without any field beside it; its description goes to
// the branches that have none.
func standAlone(union []any, description any) map[string]any {
	for _, b := range union {
		if branch := asObject(b); branch != nil && description != nil && branch["description"] == nil {
			branch["description"] = description
		}
	}
	return map[string]any{"anyOf": union}
}

func typeBranches(types []any, s map[string]any) []any {
	out := make([]any, len(types))
	for i, t := range types {
		branch := map[string]any{"type": t}
		if t == "array" {
			branch["items"] = map[string]any{"type": "string"}
			if items := asObject(s["items"]); len(items) > 0 {
				branch["items"] = items
			}
		}
		out[i] = branch
	}
	return out
}

// mergeObject adds the properties of one part of an allOf.
func mergeObject(s, part map[string]any) {
	props := asObject(s["properties"])
	if props == nil {
		props = map[string]any{}
	}
	for name, sub := range asObject(part["properties"]) {
		if _, taken := props[name]; !taken {
			props[name] = sub
		}
	}
	if len(props) > 0 {
		s["properties"] = props
	}
	required, _ := s["required"].([]any)
	for _, name := range listAny(part["required"]) {
		if !slices.Contains(required, name) {
			required = append(required, name)
		}
	}
	if len(required) > 0 {
		s["required"] = required
	}
	if _, ok := s["type"]; !ok && part["type"] != nil {
		s["type"] = part["type"]
	}
}

func listAny(v any) []any { list, _ := v.([]any); return list }

func listOf(v any) []map[string]any {
	var out []map[string]any
	for _, item := range listAny(v) {
		if obj := asObject(item); obj != nil {
			out = append(out, obj)
		}
	}
	return out
}

func showAll(values []any) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = show(v)
	}
	return strings.Join(texts, ", ")
}
