package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"
)

// Coercion is one change that made a value fit its schema.
type Coercion struct {
	Path     string // "limit", "filters[1].op", "(root)"
	From, To string // kinds: "string", "integer", "null", "absent"
}

// String is "limit: string to integer".
func (c Coercion) String() string { return fmt.Sprintf("%s: %s to %s", c.Path, c.From, c.To) }

// Coerce returns a copy of v in which text became what the schema asks for:
// numbers, booleans, arrays and objects that a model wrote as a string, also
// when the string was encoded once more. null for an optional property that
// takes none is dropped, and a required one that takes null gets it: providers
// see null unions as optional. Nothing else is changed, above all no text where
// the schema takes text.
func (s *Schema) Coerce(v any) (any, []Coercion) {
	c := &coercer{doc: s.doc}
	v = c.value(v, s.doc, nil, 0)
	return v, c.done
}

type coercer struct {
	doc  map[string]any
	done []Coercion
}

func (c *coercer) note(path []string, from, to string) {
	c.done = append(c.done, Coercion{Path: pathOf(path), From: from, To: to})
}

func (c *coercer) value(v any, schema map[string]any, path []string, depth int) any {
	if depth > maxDepth || schema == nil {
		return v
	}
	branches := c.branches(schema, 0)
	if text, ok := v.(string); ok {
		if parsed, ok := fromText(text, branches); ok {
			if n, isNumber := parsed.(json.Number); isNumber {
				parsed = wholeNumber(n, branches)
			}
			c.note(path, "string", kindOf(parsed))
			v = parsed
		}
	}
	switch v := v.(type) {
	case json.Number:
		return wholeNumber(v, branches)
	case map[string]any:
		return c.object(v, c.objectBranch(v, branches), path, depth)
	case []any:
		return c.array(v, branchOf(branches, "array"), path, depth)
	}
	return v
}

func (c *coercer) object(v, schema map[string]any, path []string, depth int) any {
	props, required := asObject(schema["properties"]), stringsOf(schema["required"])
	out := make(map[string]any, len(v))
	for _, name := range sortedKeys(v) {
		sub, known := props[name].(map[string]any)
		if !known {
			sub = asObject(schema["additionalProperties"])
		}
		at := append(slices.Clone(path), name)
		if v[name] == nil && known && !slices.Contains(required, name) && !c.allows(sub, "null") {
			c.note(at, "null", "absent")
			continue
		}
		out[name] = c.value(v[name], sub, at, depth+1)
	}
	for _, name := range required {
		if _, ok := out[name]; !ok && c.takesNull(asObject(props[name])) {
			c.note(append(slices.Clone(path), name), "absent", "null")
			out[name] = nil
		}
	}
	return out
}

func (c *coercer) array(v []any, schema map[string]any, path []string, depth int) any {
	prefix, _ := schema["prefixItems"].([]any)
	out := make([]any, len(v))
	for i, item := range v {
		sub := asObject(schema["items"])
		if i < len(prefix) {
			sub = asObject(prefix[i])
		}
		out[i] = c.value(item, sub, append(slices.Clone(path), fmt.Sprint(i)), depth+1)
	}
	return out
}

// branches lists the forms that a schema allows, references followed and
// unions opened.
func (c *coercer) branches(schema map[string]any, depth int) []map[string]any {
	schema = deref(c.doc, schema)
	var out []map[string]any
	for _, key := range []string{"anyOf", "oneOf"} {
		union, _ := schema[key].([]any)
		for _, b := range union {
			if sub := asObject(b); sub != nil && depth < maxDepth {
				out = append(out, c.branches(sub, depth+1)...)
			}
		}
	}
	if all, _ := schema["allOf"].([]any); len(all) == 1 && depth < maxDepth {
		return append(out, c.branches(asObject(all[0]), depth+1)...)
	}
	if len(out) == 0 {
		return []map[string]any{schema}
	}
	return out
}

// allows tells whether a kind of value is let in, which is so when no type is
// said at all.
func (c *coercer) allows(schema map[string]any, kind string) bool {
	return slices.ContainsFunc(c.branches(schema, 0), func(b map[string]any) bool {
		types := typesOf(b)
		return len(types) == 0 || slices.Contains(types, kind)
	})
}

// takesNull tells whether null is allowed in so many words.
func (c *coercer) takesNull(schema map[string]any) bool {
	return schema != nil && slices.ContainsFunc(c.branches(schema, 0), func(b map[string]any) bool {
		return slices.Contains(typesOf(b), "null")
	})
}

// branchOf is the first branch for a kind of value, or one that says no type.
func branchOf(branches []map[string]any, kind string) map[string]any {
	for _, b := range branches {
		if types := typesOf(b); len(types) == 0 || slices.Contains(types, kind) {
			return b
		}
	}
	return nil
}

// objectBranch is the branch for an object: the one whose marks it has, such as
// "kind": "dog", and of several the one that knows all of its properties.
func (c *coercer) objectBranch(v map[string]any, branches []map[string]any) map[string]any {
	var agree []map[string]any
	for _, b := range branches {
		if branchOf([]map[string]any{b}, "object") != nil && c.marksAgree(v, b) {
			agree = append(agree, b)
		}
	}
	for _, b := range agree {
		props := asObject(b["properties"])
		if !slices.ContainsFunc(sortedKeys(v), func(name string) bool { _, known := props[name]; return !known }) {
			return b
		}
	}
	if len(agree) > 0 {
		return agree[0]
	}
	return branchOf(branches, "object")
}

// marksAgree tells whether an object has the texts that a branch demands.
func (c *coercer) marksAgree(v, branch map[string]any) bool {
	for name, sub := range asObject(branch["properties"]) {
		text, isText := v[name].(string)
		values := listAny(deref(c.doc, asObject(sub))["enum"])
		if one, ok := deref(c.doc, asObject(sub))["const"]; ok {
			values = []any{one}
		}
		if isText && len(values) > 0 && !slices.Contains(values, any(text)) {
			return false
		}
	}
	return true
}

// typesOf lists the types that one branch names; those of enum and const count
// where type is missing.
func typesOf(schema map[string]any) []string {
	switch t := schema["type"].(type) {
	case string:
		return []string{t}
	case []any:
		return stringsOf(t)
	}
	values, _ := schema["enum"].([]any)
	if v, ok := schema["const"]; ok {
		values = append(slices.Clone(values), v)
	}
	kinds := map[string]bool{}
	for _, v := range values {
		kinds[kindOf(v)] = true
	}
	return slices.Sorted(maps.Keys(kinds))
}

func stringsOf(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, item := range list {
		if s, ok := item.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// fromText reads text as a kind of value that one of the branches wants, if
// none of them takes text.
func fromText(text string, branches []map[string]any) (any, bool) {
	var want []string
	for _, b := range branches {
		types := typesOf(b)
		if len(types) == 0 || slices.Contains(types, "string") {
			return nil, false
		}
		want = append(want, types...)
	}
	v, ok := parseText(text)
	if inner, again := v.(string); ok && again {
		v, ok = parseText(inner)
	}
	if !ok || !fits(v, want) {
		return nil, false
	}
	return v, true
}

// wholeNumber writes 2.0 and 2e3 as 2 and 2000 where the schema wants an integer:
// they are integers for JSON Schema, and not for many a tool's language. It is the
// same value, so it is no coercion.
func wholeNumber(n json.Number, branches []map[string]any) json.Number {
	f, err := n.Float64()
	if err != nil || math.Abs(f) > 1<<53 || !strings.ContainsAny(n.String(), ".eE") {
		return n
	}
	for _, b := range branches {
		if types := typesOf(b); len(types) == 0 || slices.Contains(types, "number") {
			return n
		}
	}
	exact, ok := new(big.Rat).SetString(n.String())
	if !ok || !exact.IsInt() {
		return n
	}
	return json.Number(exact.Num().String())
}

func parseText(text string) (any, bool) {
	text = strings.TrimSpace(text)
	if lower := strings.ToLower(text); lower == "true" || lower == "false" {
		return lower == "true", true
	}
	v, err := Decode([]byte(text))
	return v, err == nil
}

// fits tells whether a parsed value has one of the types; whether a number is an
// integer is left to the validator.
func fits(v any, want []string) bool {
	got := kindOf(v)
	if _, isNumber := v.(json.Number); isNumber {
		return slices.Contains(want, "number") || slices.Contains(want, "integer")
	}
	return got != "string" && slices.Contains(want, got)
}

func blank(text []byte) bool { return strings.TrimSpace(string(text)) == "" }
