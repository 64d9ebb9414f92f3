package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Profile names a consumer of schemas, each with its own restrictions.
type Profile string

// The profiles. Plain is for prompts and people: nothing that only a machine
// needs.
const (
	OpenAI    Profile = "openai"
	Anthropic Profile = "anthropic"
	Gemini    Profile = "gemini"
	Plain     Profile = "plain"
)

// maxNodes bounds what a schema may grow to when its references are inlined: a
// few definitions that name each other twice grow exponentially.
const maxNodes = 10_000

// Project rewrites a schema for a consumer: references inlined, titles and
// document keys dropped, null unions turned into optional properties, constants
// into one-value enums, and what the profile's provider rejects left out or
// moved into the description. The original stays what validates.
//
// The error is a [*RefError] for a cycle or a reference out of the document, an
// [*InvalidError], or a [*SyntaxError].
func Project(raw json.RawMessage, profile Profile) (json.RawMessage, error) {
	out, err := project(raw, profile)
	if err != nil {
		return nil, err
	}
	return Encode(out)
}

func project(raw json.RawMessage, profile Profile) (map[string]any, error) {
	if !slices.Contains([]Profile{OpenAI, Anthropic, Gemini, Plain}, profile) {
		return nil, fmt.Errorf("unknown schema profile %q; choose openai, anthropic, gemini or plain", profile)
	}
	doc, err := decodeObject(raw)
	if err != nil {
		return nil, err
	}
	p := &projector{doc: doc, profile: profile}
	out, _, err := p.schema(doc, nil)
	if err != nil {
		return nil, err
	}
	if _, ok := out["type"]; !ok {
		out["type"] = "object"
	}
	if _, ok := out["properties"]; !ok {
		out["properties"] = map[string]any{}
	}
	return out, nil
}

type projector struct {
	doc     map[string]any
	profile Profile
	nodes   int
}

// dropped are keys about the document, not about the value.
var dropped = []string{
	"$schema", "$id", "$anchor", "$defs", "definitions", "$comment", "$ref", "$vocabulary", "title", "discriminator",
}

// schema rewrites one node; stack holds the references that led here. The flag
// tells that the node allowed null.
func (p *projector) schema(v any, stack []string) (out map[string]any, nullable bool, err error) {
	if p.nodes++; p.nodes > maxNodes {
		return nil, false, &InvalidError{Reason: fmt.Sprintf("it has more than %d parts once its references are inlined", maxNodes)}
	}
	if b, ok := v.(bool); ok && !b {
		return map[string]any{"not": map[string]any{}}, false, nil
	}
	node, stack, err := p.inline(asObject(v), stack)
	if err != nil {
		return nil, false, err
	}
	out = make(map[string]any, len(node))
	for _, key := range sortedKeys(node) {
		if slices.Contains(dropped, key) {
			continue
		}
		if out[key], err = p.keyword(key, node[key], stack); err != nil {
			return nil, false, err
		}
	}
	if err := p.properties(out, node, stack); err != nil {
		return nil, false, err
	}
	out, nullable = dropNull(out)
	simplify(out)
	if p.profile == Gemini {
		out = forGemini(out)
	}
	if p.profile == Plain && out["additionalProperties"] == false {
		delete(out, "additionalProperties")
	}
	return out, nullable, nil
}

// inline replaces a reference by its target; keys beside the reference win.
func (p *projector) inline(node map[string]any, stack []string) (map[string]any, []string, error) {
	for {
		ref, ok := node["$ref"].(string)
		if !ok {
			return node, stack, nil
		}
		if slices.Contains(stack, ref) {
			return nil, nil, &RefError{Ref: ref, Cycle: true}
		}
		stack = append(slices.Clone(stack), ref)
		pointer, local := strings.CutPrefix(ref, "#")
		target, found := lookup(p.doc, pointer)
		if !local || !found {
			return nil, nil, &RefError{Ref: ref}
		}
		merged := maps.Clone(asObject(target))
		if merged == nil {
			merged = map[string]any{}
		}
		for key, value := range node {
			if key != "$ref" {
				merged[key] = value
			}
		}
		node = merged
	}
}

// keyword rewrites the schemas below one key, except for properties.
func (p *projector) keyword(key string, v any, stack []string) (any, error) {
	switch key {
	case "items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else", "unevaluatedProperties":
		if _, isBool := v.(bool); isBool && key != "items" {
			return v, nil
		}
		sub, _, err := p.schema(v, stack)
		return p.value(sub), err
	case "anyOf", "oneOf", "allOf", "prefixItems":
		list, _ := v.([]any)
		out := make([]any, len(list))
		for i, item := range list {
			sub, nullable, err := p.schema(item, stack)
			if err != nil {
				return nil, err
			}
			if key != "allOf" {
				sub = p.value(sub)
			}
			if nullable && key != "prefixItems" && key != "allOf" {
				sub["nullable"] = true // picked up by dropNull one level up
			}
			out[i] = sub
		}
		return out, nil
	case "patternProperties", "dependentSchemas":
		out := map[string]any{}
		for name, value := range asObject(v) {
			sub, _, err := p.schema(value, stack)
			if err != nil {
				return nil, err
			}
			out[name] = sub
		}
		return out, nil
	}
	return v, nil
}

// value is what stands for a whole value, and not for a part of a description.
func (p *projector) value(s map[string]any) map[string]any {
	if p.profile == Gemini {
		return typedForGemini(s)
	}
	return s
}

// properties rewrites the properties and takes the nullable ones out of required.
func (p *projector) properties(out, node map[string]any, stack []string) error {
	props, ok := node["properties"].(map[string]any)
	if !ok {
		return nil
	}
	rewritten, optional := map[string]any{}, map[string]bool{}
	for name, value := range props {
		sub, nullable, err := p.schema(value, stack)
		if err != nil {
			return err
		}
		rewritten[name], optional[name] = p.value(sub), nullable
	}
	out["properties"] = rewritten
	var required []any
	for _, name := range stringsOf(node["required"]) {
		if _, known := rewritten[name]; known && !optional[name] {
			required = append(required, name)
		}
	}
	delete(out, "required")
	if len(required) > 0 {
		out["required"] = required
	}
	return nil
}

// dropNull takes null out of a type list, a union and an enum, and folds a union
// of one into its parent. The flag tells that there was one.
func dropNull(s map[string]any) (map[string]any, bool) {
	nullable := s["nullable"] == true
	delete(s, "nullable")
	if types, ok := s["type"].([]any); ok {
		kept := without(types, func(t any) bool { return t == "null" })
		nullable = nullable || len(kept) < len(types)
		if s["type"] = kept; len(kept) == 1 {
			s["type"] = kept[0]
		}
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		union, ok := s[key].([]any)
		if !ok {
			continue
		}
		kept := without(union, func(b any) bool { return asObject(b)["type"] == "null" })
		nullable = nullable || len(kept) < len(union)
		for _, b := range kept {
			nullable = nullable || asObject(b)["nullable"] == true
			delete(asObject(b), "nullable")
		}
		if s[key] = kept; len(kept) == 1 {
			delete(s, key)
			s = merge(asObject(kept[0]), s)
		}
	}
	if values, ok := s["enum"].([]any); ok && nullable {
		s["enum"] = without(values, func(v any) bool { return v == nil })
	}
	if d, ok := s["default"]; ok && d == nil {
		delete(s, "default")
	}
	return s, nullable
}

func without(list []any, drop func(any) bool) []any {
	return slices.DeleteFunc(slices.Clone(list), drop)
}

// merge lays over on top of base.
func merge(base, over map[string]any) map[string]any {
	out := maps.Clone(base)
	maps.Copy(out, over)
	return out
}

// simplify rewrites what several servers reject into what all of them take.
func simplify(s map[string]any) {
	if v, ok := s["const"]; ok {
		delete(s, "const")
		s["enum"] = []any{v}
	}
	if _, ok := s["type"]; !ok {
		if types := typesOf(s); len(types) == 1 {
			s["type"] = types[0]
		}
	}
	if s["type"] == "array" && s["items"] == nil {
		s["items"] = map[string]any{}
	}
	if pattern, ok := s["pattern"].(string); ok && lookaround.MatchString(pattern) {
		delete(s, "pattern")
		describe(s, "must match the pattern "+pattern)
	}
}

// describe adds a sentence to a schema's description.
func describe(s map[string]any, text string) {
	if old, ok := s["description"].(string); ok && old != "" {
		text = strings.TrimRight(old, ". ") + "; " + text
	}
	s["description"] = text
}

// flat is a document with its references inlined and nothing else changed, for
// Lint, which must see what the author wrote.
func (p *projector) flat(v any) (map[string]any, error) {
	out, err := p.flatValue(v, nil)
	return asObject(out), err
}

func (p *projector) flatValue(v any, stack []string) (any, error) {
	if p.nodes++; p.nodes > maxNodes*10 {
		return nil, &InvalidError{Reason: "it grows too large once its references are inlined"}
	}
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			var err error
			if out[i], err = p.flatValue(item, stack); err != nil {
				return nil, err
			}
		}
		return out, nil
	case map[string]any:
		node, stack, err := p.inline(v, stack)
		if err != nil {
			return nil, err
		}
		out := make(map[string]any, len(node))
		for key, value := range node {
			switch {
			case key == "$defs" || key == "definitions":
			case slices.Contains(dataKeys, key):
				out[key] = value
			case key == "properties":
				out[key], err = p.flatProperties(asObject(value), stack)
			default:
				out[key], err = p.flatValue(value, stack)
			}
			if err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return v, nil
}

// dataKeys hold values, in which a "$ref" is data.
var dataKeys = []string{"default", "examples", "enum", "const"}

// flatProperties keeps names apart from keywords: a property may be called
// "default" or "definitions".
func (p *projector) flatProperties(props map[string]any, stack []string) (map[string]any, error) {
	out := make(map[string]any, len(props))
	for name, sub := range props {
		var err error
		if out[name], err = p.flatValue(sub, stack); err != nil {
			return nil, err
		}
	}
	return out, nil
}
