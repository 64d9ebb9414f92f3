package toolpkg

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/schema"
)

// DescribeText is what people read about functions of one package: what it is,
// what it may do, and for each command its arguments.
func DescribeText(p *Package, fns []Function) string {
	var sb strings.Builder
	fmt.Fprintf(&sb, "%s %s\n", p.Name, orDash(p.Version))
	if p.Description != "" {
		fmt.Fprintf(&sb, "%s\n", p.Description)
	}
	fmt.Fprintf(&sb, "\nbuilder    %s, %s%s\nworkspace  %s\nnetwork    %s\ntimeout    %s\ndigest     %s\n",
		p.Builder, p.Platform, interpreterText(p.Runtime), p.Workspace, yesNo(p.Network), p.timeout(), p.Digest)
	for _, v := range p.Env {
		fmt.Fprintf(&sb, "env        %s%s\n", v.Name, variableText(v))
	}
	for _, f := range fns {
		fmt.Fprintf(&sb, "\n%s (function %s)\n", f.Key(), f.Name)
		if f.Command.Description != "" {
			fmt.Fprintf(&sb, "  %s\n", strings.Join(strings.Fields(f.Command.Description), " "))
		}
		sb.WriteString(argumentsText(f.Command.Params))
	}
	return sb.String()
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func yesNo(b bool) string {
	if b {
		return "full"
	}
	return "none"
}

func interpreterText(r Runtime) string {
	if r.Interpreter == "" {
		return ""
	}
	return ", needs " + r.Interpreter
}

func variableText(v EnvVar) string {
	var words []string
	if v.Required {
		words = append(words, "required")
	}
	if v.Secret {
		words = append(words, "secret")
	}
	text := ""
	if len(words) > 0 {
		text = " (" + strings.Join(words, ", ") + ")"
	}
	if v.Description != "" {
		text += ": " + v.Description
	}
	return text
}

// argumentsText lists the top-level arguments, required ones first.
func argumentsText(raw json.RawMessage) string {
	projected, err := schema.Project(raw, schema.Plain)
	if err != nil {
		return "  (" + err.Error() + ")\n"
	}
	type form struct {
		Type any `json:"type"`
	}
	var s struct {
		Properties map[string]struct {
			form
			AnyOf       []form          `json:"anyOf"`
			OneOf       []form          `json:"oneOf"`
			Description string          `json:"description"`
			Enum        []any           `json:"enum"`
			Default     json.RawMessage `json:"default"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if err := json.Unmarshal(projected, &s); err != nil {
		return "  (" + err.Error() + ")\n"
	}
	if len(s.Properties) == 0 {
		return "  takes no arguments\n"
	}
	var names []string
	for name := range s.Properties {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		ra, rb := slices.Contains(s.Required, a), slices.Contains(s.Required, b)
		if ra != rb {
			if ra {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	var sb strings.Builder
	for _, name := range names {
		p := s.Properties[name]
		fmt.Fprintf(&sb, "  --arg %s=", name)
		types := []any{p.Type}
		for _, f := range append(p.AnyOf, p.OneOf...) {
			types = append(types, f.Type)
		}
		sb.WriteString(typeText(types))
		if slices.Contains(s.Required, name) {
			sb.WriteString("  required")
		}
		if len(p.Enum) > 0 {
			fmt.Fprintf(&sb, "  one of %s", joinValues(p.Enum))
		}
		if len(p.Default) > 0 {
			fmt.Fprintf(&sb, "  default %s", p.Default)
		}
		sb.WriteByte('\n')
		if p.Description != "" {
			fmt.Fprintf(&sb, "        %s\n", strings.Join(strings.Fields(p.Description), " "))
		}
	}
	return sb.String()
}

// typeText names the types that a value may have, those of a union too.
func typeText(types []any) string {
	var words []string
	for _, t := range types {
		if list, ok := t.([]any); ok {
			words = append(words, typeText(list))
		} else if name, ok := t.(string); ok && !slices.Contains(words, strings.ToUpper(name)) {
			words = append(words, strings.ToUpper(name))
		}
	}
	if len(words) == 0 {
		return "VALUE"
	}
	return strings.Join(words, "|")
}

func joinValues(values []any) string {
	words := make([]string, len(values))
	for i, v := range values {
		if words[i] = fmt.Sprint(v); v == nil {
			words[i] = "null"
		}
	}
	return strings.Join(words, ", ")
}
