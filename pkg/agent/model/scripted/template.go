package scripted

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/agentctl/agentctl/pkg/agent/model"
)

// Templates quote what came before:
//
//	{{result "call_1"}}                  the result of a call, by id or tool name
//	{{result "call_1" | line 2}}         its second line
//	{{result "call_1" | match "n=(.*)"}} the first group of a regular expression
//	{{json (result "call_1") "a.b.0"}}   a value in the first JSON inside it
//	{{user}}                             what the user said last
//
// What is not there is an error, never an empty text.

// parse reads text as a template; find is nil when it is only checked.
func parse(text string, look *lookup) (*template.Template, error) {
	return template.New("text").Funcs(template.FuncMap{
		"result": look.result, "user": look.user, "line": line, "match": match, "json": pick,
	}).Parse(text)
}

// lookup is what templates can see of a request.
type lookup struct {
	messages []model.Message
	ids      map[string]string // id in the script -> id that was sent
}

func (l *lookup) render(text string) (string, error) {
	if !strings.Contains(text, "{{") {
		return text, nil
	}
	t, err := parse(text, l)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, nil); err != nil {
		return "", err
	}
	return out.String(), nil
}

// deep renders all strings inside a value.
func (l *lookup) deep(v any) (any, error) {
	switch v := v.(type) {
	case string:
		return l.render(v)
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			var err error
			if out[i], err = l.deep(item); err != nil {
				return nil, err
			}
		}
		return out, nil
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			var err error
			if out[key], err = l.deep(item); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return v, nil
}

func stringsIn(v any) []string {
	var out []string
	switch v := v.(type) {
	case string:
		out = append(out, v)
	case []any:
		for _, item := range v {
			out = append(out, stringsIn(item)...)
		}
	case map[string]any:
		for _, item := range v {
			out = append(out, stringsIn(item)...)
		}
	}
	return out
}

// result is the latest result of the call with an id, else of a tool.
func (l *lookup) result(name string) (string, error) {
	if sent, ok := l.ids[name]; ok {
		name = sent
	}
	for _, field := range []func(model.Message) string{
		func(m model.Message) string { return m.CallID },
		func(m model.Message) string { return m.Name },
	} {
		for _, m := range slices.Backward(l.messages) {
			if m.Role == model.Tool && field(m) == name {
				return m.Content, nil
			}
		}
	}
	return "", fmt.Errorf("no tool result of %q; there is %s", name, results(l.messages))
}

func (l *lookup) user() string { return lastUser(l.messages) }

func line(n int, text string) (string, error) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if n < 1 || n > len(lines) {
		return "", fmt.Errorf("no line %d in a text of %d", n, len(lines))
	}
	return lines[n-1], nil
}

func match(pattern, text string) (string, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return "", err
	}
	found := re.FindStringSubmatch(text)
	if found == nil {
		return "", fmt.Errorf("no match of /%s/ in %q", pattern, short(text))
	}
	return found[min(1, len(found)-1)], nil
}

// pick decodes the first JSON object or array in text and returns the value at
// a dotted path; "" is the whole.
func pick(text, path string) (string, error) {
	start := strings.IndexAny(text, "{[")
	if start < 0 {
		return "", fmt.Errorf("no JSON in %q", short(text))
	}
	dec := json.NewDecoder(strings.NewReader(text[start:]))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return "", fmt.Errorf("no JSON in %q: %w", short(text), err)
	}
	for _, key := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' }) {
		next, ok := child(value, key)
		if !ok {
			return "", fmt.Errorf("no %q of path %q in %q", key, path, short(text))
		}
		value = next
	}
	if s, ok := value.(string); ok {
		return s, nil
	}
	out, err := json.Marshal(value)
	return string(out), err
}

func child(value any, key string) (any, bool) {
	switch v := value.(type) {
	case map[string]any:
		next, ok := v[key]
		return next, ok
	case []any:
		i, err := strconv.Atoi(key)
		if err != nil || i < 0 || i >= len(v) {
			return nil, false
		}
		return v[i], true
	}
	return nil, false
}
