package toolpkg

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"

	"github.com/agentctl/agentctl/internal/schema"
)

// argPattern takes KEY=TEXT, KEY:=JSON and KEY@FILE apart.
var argPattern = regexp.MustCompile(`(?s)^([A-Za-z0-9_.-]+)(:=|=|@)(.*)$`)

// MergeArgs lays arguments as people type them over the JSON object base, which
// may be empty: k=text, k:=JSON, k@file with the file's text; a repeated k, or
// one that the schema wants as an array, becomes an array. Files are relative to
// dir. The result is not checked against the schema. The error is an
// [*ArgError], or that of [schema.Decode].
func MergeArgs(c Command, base []byte, args []string, dir string) (map[string]any, error) {
	values, err := baseArgs(base)
	if err != nil {
		return nil, err
	}
	given := map[string][]any{}
	var order []string
	for _, arg := range args {
		key, value, err := parseArg(arg, dir)
		if err != nil {
			return nil, err
		}
		if _, again := given[key]; !again {
			order = append(order, key)
		}
		given[key] = append(given[key], value)
	}
	for _, key := range order {
		list := given[key]
		if _, isList := list[0].([]any); len(list) == 1 && (isList || !wantsArray(c.Params, key) || looksLikeJSON(list[0])) {
			values[key] = list[0]
			continue
		}
		values[key] = list
	}
	return values, nil
}

// baseArgs is the object that --arg is laid over. A string that holds one is
// left to coercion where nothing is laid over it.
func baseArgs(base []byte) (map[string]any, error) {
	if len(base) == 0 {
		return map[string]any{}, nil
	}
	v, err := schema.Decode(base)
	if err != nil {
		return nil, err
	}
	if text, ok := v.(string); ok {
		if v, err = schema.Decode([]byte(text)); err != nil {
			return nil, err
		}
	}
	switch v := v.(type) {
	case map[string]any:
		return v, nil
	case nil:
		return map[string]any{}, nil
	}
	return nil, &ArgError{Arg: string(base), Reason: "is no JSON object, so --arg cannot add to it"}
}

func parseArg(arg, dir string) (key string, value any, err error) {
	m := argPattern.FindStringSubmatch(arg)
	if m == nil {
		return "", nil, &ArgError{Arg: arg, Reason: "has no key; write key=text, key:=JSON or key@file"}
	}
	switch key = m[1]; m[2] {
	case ":=":
		if value, err = schema.Decode([]byte(m[3])); err != nil {
			return "", nil, &ArgError{Arg: arg, Reason: "after := is " + err.Error()}
		}
		return key, value, nil
	case "@":
		path := m[3]
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return "", nil, &ArgError{Arg: arg, Reason: "cannot be read: " + err.Error()}
		}
		return key, string(data), nil
	}
	return key, m[3], nil
}

// wantsArray tells whether the schema has an array at a top-level property and
// no text, so that one value becomes a list of one.
func wantsArray(raw json.RawMessage, key string) bool {
	projected, err := schema.Project(raw, schema.Plain)
	if err != nil {
		return false
	}
	var s struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
	}
	return json.Unmarshal(projected, &s) == nil && s.Properties[key].Type == "array"
}

// looksLikeJSON: a whole array that was typed as text is left to coercion.
func looksLikeJSON(v any) bool {
	text, ok := v.(string)
	if !ok {
		return false
	}
	decoded, err := schema.Decode([]byte(text))
	_, isList := decoded.([]any)
	return err == nil && isList
}
