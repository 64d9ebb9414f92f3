package repair

import (
	"cmp"
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

// What an example in a refusal repeats of a call: so many of its arguments are tried,
// each of at most that many bytes, name and JSON, and all in all that many.
const (
	maxTried   = 50
	maxKept    = 200
	maxExample = 4000
)

// maxProblems is how many problems a refusal tells, and maxProblem how long each may
// be, in characters. A model that made more mistakes does not mend them one by one.
const (
	maxProblems = 20
	maxProblem  = 1000
)

// Refusal is the answer to a call whose arguments do not fit: what is wrong, each
// on its line, and arguments that would be right, with those of the call that are.
// tool and raw are name and schema of the tool, given are the arguments of the
// call, err is what [Arguments] returned.
func Refusal(tool string, raw json.RawMessage, given string, err error) string {
	var b strings.Builder
	fmt.Fprintf(&b, "error: the arguments of %s were refused; nothing ran.\n", tool)
	problems := strings.Split(err.Error(), "\n")
	for _, line := range problems[:min(len(problems), maxProblems)] {
		fmt.Fprintf(&b, "- %s\n", short(strings.TrimSpace(line), maxProblem))
	}
	if more := len(problems) - maxProblems; more > 0 {
		fmt.Fprintf(&b, "- and %d more\n", more)
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
	known := s.Properties()
	names := slices.SortedFunc(maps.Keys(args), func(a, b string) int {
		return cmp.Or(after(known, a)-after(known, b), strings.Compare(a, b))
	})
	for _, name := range names[:min(len(names), maxTried)] {
		kept, err := json.Marshal(args[name])
		if err != nil || len(name)+len(kept) > maxKept {
			continue
		}
		trial := maps.Clone(right)
		trial[name] = args[name]
		if fitting, err := s.ArgumentsOf(trial); err == nil && len(fitting.JSON) <= maxExample {
			right, example = trial, fitting.JSON
		}
	}
	return example, nil
}

// after is 0 for one of these names, and 1 for others, which come after them.
func after(names []string, name string) int {
	if slices.Contains(names, name) {
		return 0
	}
	return 1
}

// short cuts a text to so many characters.
func short(text string, limit int) string {
	if r := []rune(text); len(r) > limit {
		return string(r[:limit]) + "…"
	}
	return text
}
