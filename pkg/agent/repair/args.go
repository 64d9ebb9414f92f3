package repair

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/schema"
)

// SyntaxError reports arguments that are no JSON object, also after mending.
type SyntaxError struct {
	// Cut: they stop in the middle. They must never run.
	Cut    bool
	Detail string
}

func (e *SyntaxError) Error() string {
	if e.Cut {
		return "the arguments were cut off: " + e.Detail
	}
	return "the arguments are no valid JSON: " + e.Detail
}

// Arguments makes the arguments of a call fit its schema: parse, mend the syntax,
// unwrap, coerce, validate. Empty ones and null are {}. what says what was mended.
// cut tells that the answer ended at its length limit: empty arguments are then
// missing ones. A [Call] with Cut must not get here to run.
//
// The error is a [*SyntaxError] or what [schema.Schema.ArgumentsOf] returns;
// [Refusal] puts it into words for the model.
func Arguments(s *schema.Schema, raw string, cut bool) (args schema.Arguments, what []string, err error) {
	value, what, err := object(raw, cut)
	if err != nil {
		return schema.Arguments{}, nil, err
	}
	value, more := unwrap(value, s.Properties())
	what = append(what, more...)
	args, err = s.ArgumentsOf(value)
	for _, c := range args.Coerced[:min(len(args.Coerced), maxProblems)] {
		what = append(what, short(c.String(), maxProblem))
	}
	if more := len(args.Coerced) - maxProblems; more > 0 {
		what = append(what, fmt.Sprintf("and %d more values", more))
	}
	return args, what, err
}

// object reads raw as the value of a JSON object.
func object(raw string, cut bool) (value any, what []string, err error) {
	trimmed := strings.TrimSpace(raw)
	if trimmed == "" || trimmed == "null" {
		if cut {
			return nil, nil, &SyntaxError{Cut: true, Detail: "nothing of them came"}
		}
		return map[string]any{}, nil, nil
	}
	text := trimmed
	if !json.Valid([]byte(text)) {
		inner, fenced := dropFence(trimmed)
		var rest string
		if text, rest, what, err = mend(inner); err != nil {
			return nil, nil, err
		}
		if fenced {
			what = append([]string{"a fence around the arguments"}, what...)
		}
		if strings.ContainsAny(rest, "{[") {
			return nil, nil, &SyntaxError{Detail: fmt.Sprintf("more than one value; the second begins with %q", head(rest))}
		}
		if strings.Trim(rest, blanks+"`") != "" {
			what = append(what, "text after the arguments left out")
		}
	}
	if value, err = schema.Decode([]byte(text)); err != nil {
		return nil, nil, &SyntaxError{Detail: err.Error()}
	}
	if inner, ok := value.(string); ok {
		// Encoded twice.
		value, more, err := object(inner, cut)
		return value, append(append(what, more...), "arguments: string to object"), err
	}
	return value, what, nil
}

func head(text string) string {
	text = strings.TrimSpace(text)
	return text[:min(len(text), 20)]
}

// dropFence removes a Markdown fence around the arguments.
func dropFence(text string) (inner string, fenced bool) {
	if at := fenceHead.FindStringIndex(text); at != nil {
		return text[at[1]:], true
	}
	return text, false
}

// unwrap takes off one layer {"arguments": {…}}, where the tool has no argument
// of that name. what says what was mended.
func unwrap(value any, properties []string) (inner any, what []string) {
	m, ok := value.(map[string]any)
	if !ok {
		return value, nil
	}
	for key := range m {
		if slices.Contains(properties, key) || !slices.Contains(callKeys, key) {
			return value, nil
		}
	}
	for _, key := range argKeys {
		switch inner := m[key].(type) {
		case map[string]any:
			return inner, []string{"unwrapped " + key}
		case string:
			if parsed, what, err := object(inner, false); err == nil && inner != "" {
				return parsed, append([]string{"unwrapped " + key}, what...)
			}
		}
	}
	return value, nil
}
