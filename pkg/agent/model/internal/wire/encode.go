package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/pkg/agent/model"
)

// Marshal is json.Marshal that leaves <, > and & as they are: escaping them costs
// tokens, and small models see a text that is not the one they wrote.
func Marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// Parameters is the schema of a tool as a provider takes it.
func Parameters(t model.ToolSpec, profile schema.Profile) (json.RawMessage, error) {
	if len(bytes.TrimSpace(t.Schema)) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`), nil
	}
	params, err := schema.Project(t.Schema, profile)
	if err != nil {
		return nil, fmt.Errorf("tool %s: %w", t.Name, err)
	}
	return params, nil
}

// ValidArgs are the arguments of a call in the history, {} for what is no JSON
// object: some servers parse the whole history and would refuse every later
// request.
func ValidArgs(args string) string {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(args), &object) != nil || object == nil {
		return "{}"
	}
	return args
}

var notInName = regexp.MustCompile(`[^a-zA-Z0-9_-]`)

// SafeName is a function name that servers accept in a history. A name that a
// model invented may hold anything.
func SafeName(name string) string {
	const longest = 64
	name = notInName.ReplaceAllString(name, "_")
	if name == "" {
		return "unknown"
	}
	return name[:min(len(name), longest)]
}

// AddFields puts fields, sorted by name, at the end of a JSON object.
func AddFields(object []byte, fields map[string]any) ([]byte, error) {
	if len(fields) == 0 {
		return object, nil
	}
	more, err := Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("encode the extra fields of the request: %w", err)
	}
	out := append(bytes.TrimSuffix(object, []byte("}")), ',')
	return append(out, more[1:]...), nil
}
