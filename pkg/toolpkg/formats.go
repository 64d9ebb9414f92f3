package toolpkg

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/schema"
)

// Spec is what a model is told about a function: a package's command or a
// built-in tool.
type Spec struct {
	Name, Description string
	Parameters        json.RawMessage
}

// Spec is the function's name, description and schema, as authored.
func (f Function) Spec() Spec { return Spec{f.Name, f.Command.Description, f.Command.Params} }

// Formats are the names that [Format] takes.
func Formats() []string { return []string{"openai", "anthropic", "gemini", "mcp"} }

// Format writes functions as a provider's request or an MCP tools/list result
// wants them, indented. The error is that of [schema.Project] or says that the
// format is unknown.
func Format(format string, fns []Function) (json.RawMessage, error) {
	list := []any{}
	for _, f := range fns {
		item, err := formatOne(format, f)
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	var out any = list
	switch format {
	case "gemini":
		out = []any{map[string]any{"functionDeclarations": list}}
	case "mcp":
		out = map[string]any{"tools": list}
	}
	text, err := schema.Encode(out)
	if err != nil {
		return nil, err
	}
	var indented bytes.Buffer
	err = json.Indent(&indented, text, "", "  ")
	return indented.Bytes(), err
}

type openAITool struct {
	Type     string         `json:"type"`
	Function openAIFunction `json:"function"`
}

type openAIFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

type anthropicTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

type mcpTool struct {
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  json.RawMessage `json:"annotations,omitempty"`
}

func formatOne(format string, f Function) (any, error) {
	s := f.Spec()
	if format == "mcp" { // it takes any schema
		return mcpTool{s.Name, s.Description, s.Parameters, f.Command.OutputSchema, f.Command.Annotations}, nil
	}
	if !slices.Contains(Formats(), format) {
		return nil, fmt.Errorf("unknown format %q; choose one of %s", format, strings.Join(Formats(), ", "))
	}
	params, err := schema.Project(s.Parameters, schema.Profile(format))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Key(), err)
	}
	switch format {
	case "openai":
		return openAITool{"function", openAIFunction{s.Name, s.Description, params}}, nil
	case "anthropic":
		return anthropicTool{s.Name, s.Description, params}, nil
	}
	return openAIFunction{s.Name, s.Description, params}, nil // gemini's declarations have the same fields
}

// inventoryHead tells models apart from shells: small ones try to run the
// functions as programs.
const inventoryHead = `# Functions

Call these as functions with JSON arguments. They are not programs: a shell does not know them.
`

// Inventory is the text that lists functions in a prompt: name, description and
// the schema of the arguments of each. Without functions it is empty.
func Inventory(specs []Spec) string {
	if len(specs) == 0 {
		return ""
	}
	var sb strings.Builder
	sb.WriteString(inventoryHead)
	for _, s := range specs {
		sb.WriteString("\n- " + s.Name)
		if d := strings.Join(strings.Fields(s.Description), " "); d != "" {
			sb.WriteString(": " + d)
		}
		sb.WriteString("\n  arguments: ")
		sb.Write(plainSchema(s.Parameters))
		sb.WriteByte('\n')
	}
	return sb.String()
}

// plainSchema is the shortest form; a schema that cannot be projected is shown
// as it is.
func plainSchema(raw json.RawMessage) []byte {
	if out, err := schema.Project(raw, schema.Plain); err == nil {
		return out
	}
	return raw
}
