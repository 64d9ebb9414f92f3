package repair

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/schema"
)

// maxSchema is how many bytes of a schema a refusal shows.
const maxSchema = 2000

// maxKept is the longest value of a call, as JSON, that the example in a refusal
// repeats.
const maxKept = 200

// Refusal is the answer to a call whose arguments do not fit: what is wrong, each
// on its line, and arguments that would be right, with those of the call that are.
// tool and raw are name and schema of the tool, given are the arguments of the
// call, err is what [Arguments] returned.
func Refusal(tool string, raw json.RawMessage, given string, err error) string {
	var b strings.Builder
	fmt.Fprintf(&b, "error: the arguments of %s were refused; nothing ran.\n", tool)
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintf(&b, "- %s\n", strings.TrimSpace(line))
	}
	if syntax, ok := errors.AsType[*SyntaxError](err); ok {
		given = "" // whatever can be read of it
		if len(raw) <= maxSchema {
			fmt.Fprintf(&b, "Their schema: %s\n", raw)
		}
		if syntax.Cut {
			b.WriteString("Send the whole call again. If the arguments are long, do the work in several smaller calls.\n")
		}
	}
	if example, err := corrected(raw, given); err == nil {
		fmt.Fprintf(&b, "Call %s again with arguments such as %s", tool, example)
	}
	return strings.TrimRight(b.String(), "\n")
}

// corrected is an example of the schema with the given arguments that fit: small
// models copy it, whatever it says.
func corrected(raw json.RawMessage, given string) (json.RawMessage, error) {
	example, err := schema.Example(raw)
	if err != nil {
		return nil, err
	}
	s, err := schema.Compile(raw)
	if err != nil {
		return nil, err
	}
	value, _, err := object(given, false)
	if err != nil {
		return example, nil
	}
	value, _ = unwrap(value, s.Properties())
	args, _ := value.(map[string]any)
	right := map[string]any{}
	if err := json.Unmarshal(example, &right); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		trial := maps.Clone(right)
		trial[name] = args[name]
		fitting, err := s.ArgumentsOf(trial)
		if kept, tooLong := json.Marshal(args[name]); err != nil || tooLong != nil || len(kept) > maxKept {
			continue
		}
		right, example = trial, fitting.JSON
	}
	return example, nil
}
