package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/diag"
)

// Bounds of the portable profile: the smallest that a large provider documents.
const (
	maxNesting    = 5
	maxProperties = 100
	maxEnum       = 250
)

// Lint tells what of a schema some provider rejects. Errors fail a package: it
// does not compile, the root is no object or has a combinator, a $ref runs in a
// circle. The rest are warnings. What [Project] takes care of by itself, such as
// $defs, titles and null unions, is no finding. File and line are the caller's.
func Lint(raw json.RawMessage) []diag.Diagnostic {
	l := &linter{}
	doc, err := decodeObject(raw)
	if err != nil {
		l.fail("schema.invalid", "(root)", err.Error())
		return l.found
	}
	if _, err := Compile(raw); err != nil {
		l.fail("schema.invalid", "(root)", err.Error())
		return l.found
	}
	l.root(doc)
	flat, err := (&projector{doc: doc, profile: Anthropic}).flat(doc)
	if err != nil {
		code := "schema.invalid"
		if ref, ok := errors.AsType[*RefError](err); ok && ref.Cycle {
			code = "schema.ref-cycle"
		}
		l.fail(code, "(root)", strings.TrimPrefix(err.Error(), "invalid schema: "))
		return l.found
	}
	l.node(flat, "", 0)
	diag.Sort(l.found)
	return l.found
}

type linter struct{ found []diag.Diagnostic }

func (l *linter) add(sev diag.Severity, code, path, text string) {
	if path == "" {
		path = "(root)"
	}
	l.found = append(l.found, diag.Diagnostic{Severity: sev, Code: code, Message: path + ": " + text})
}

func (l *linter) fail(code, path, text string) { l.add(diag.Error, code, path, text) }
func (l *linter) warn(code, path, text string) { l.add(diag.Warning, code, path, text) }

func (l *linter) root(doc map[string]any) {
	if resolved := deref(doc, doc); resolved["type"] != "object" {
		l.fail("schema.root-not-object", "", `a tool's arguments must be an object; write "type": "object" at the root`)
	} else if _, ok := resolved["properties"]; !ok {
		l.warn("schema.no-properties", "", `"properties" is missing; some servers reject that; write "properties": {}`)
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf", "not", "if"} {
		if _, ok := doc[key]; ok {
			l.fail("schema.root-combinator", "", key+" at the root makes providers refuse every tool of the request; move it into a property")
		}
	}
}

func (l *linter) node(s map[string]any, path string, depth int) {
	if depth == maxNesting+1 {
		l.warn("schema.nesting", path, fmt.Sprintf("more than %d levels deep; models lose track and some servers refuse", maxNesting))
	}
	l.types(s, path)
	l.keywords(s, path, depth)
	props := asObject(s["properties"])
	if len(props) > maxProperties {
		l.warn("schema.size", path, fmt.Sprintf("more than %d properties", maxProperties))
	}
	for _, name := range sortedKeys(props) {
		at := strings.TrimPrefix(path+"."+name, ".")
		l.child(props[name], at, depth+1)
		if sub := asObject(props[name]); depth == 0 && sub != nil && sub["description"] == nil {
			l.add(diag.Info, "schema.no-description", at, "no description; a model has to guess what to pass")
		}
	}
	l.child(s["items"], path+"[]", depth+1)
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		for _, branch := range listAny(s[key]) {
			l.child(branch, path, depth+1)
		}
	}
	if extra := asObject(s["additionalProperties"]); extra != nil {
		l.child(extra, path+".*", depth+1)
	}
}

func (l *linter) child(v any, path string, depth int) {
	if _, ok := v.(bool); ok {
		l.warn("schema.boolean-subschema", path, "true and false as schemas are refused by some servers; write {} or a type")
	}
	if sub := asObject(v); sub != nil && depth <= maxDepth {
		l.node(sub, path, depth)
	}
}

func (l *linter) types(s map[string]any, path string) {
	types := slices.DeleteFunc(stringsOf(s["type"]), func(t string) bool { return t == "null" })
	if len(types) > 1 {
		l.warn("schema.type-union", path, "several types ("+strings.Join(types, ", ")+"); Gemini and Ollama take one")
	}
	if slices.Contains(typesOf(s), "array") && s["items"] == nil && s["prefixItems"] == nil {
		l.warn("schema.no-items", path, "an array without items; OpenAI and Gemini refuse it; say what it holds")
	}
	values := listAny(s["enum"])
	if len(values) > maxEnum {
		l.warn("schema.size", path, fmt.Sprintf("more than %d enum values", maxEnum))
	}
	if slices.ContainsFunc(values, func(v any) bool { return kindOf(v) != "string" && v != nil }) {
		l.warn("schema.enum-not-strings", path, "enum values that are no strings; Gemini drops them")
	}
}

func (l *linter) keywords(s map[string]any, path string, depth int) {
	if p, ok := s["pattern"].(string); ok && lookaround.MatchString(p) {
		l.warn("schema.pattern-lookaround", path, "a lookaround in pattern makes llama.cpp refuse every tool, and agentctl does not check it; describe the rule instead, and check it in the tool")
	} else if ok && uncheckable(p) {
		l.warn("schema.pattern-unchecked", path, fmt.Sprintf("agentctl cannot read pattern %q and does not check it; check it in the tool", p))
	}
	for _, p := range sortedKeys(asObject(s["patternProperties"])) {
		if uncheckable(p) {
			l.warn("schema.pattern-unchecked", path, fmt.Sprintf("agentctl cannot read %q of patternProperties and does not check it; check it in the tool", p))
		}
	}
	for _, key := range []string{"patternProperties", "propertyNames", "dependentSchemas", "dependentRequired", "prefixItems", "contains"} {
		if _, ok := s[key]; ok {
			l.warn("schema.keyword", path, key+" is not understood by all providers")
		}
	}
	for _, key := range []string{"not", "if"} {
		if _, ok := s[key]; ok && depth > 0 {
			l.warn("schema.keyword", path, key+" is not understood by all providers")
		}
	}
	for _, key := range []string{"oneOf", "allOf", "anyOf"} {
		branches := slices.DeleteFunc(listOf(s[key]), func(b map[string]any) bool { return b["type"] == "null" })
		if len(branches) > 1 && depth > 0 {
			l.warn("schema.combinator", path, key+" with several forms; small models and some servers get it wrong; one flat form is safer")
		}
	}
}
