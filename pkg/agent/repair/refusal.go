package repair

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/agentctl/agentctl/internal/schema"
)

// maxSchema is how many bytes of a schema a refusal shows.
const maxSchema = 2000

// Refusal is the answer to a call whose arguments do not fit: what is wrong, each
// on its line, and arguments that would be right. tool and raw are name and schema
// of the tool, err is what [Arguments] returned.
func Refusal(tool string, raw json.RawMessage, err error) string {
	var b strings.Builder
	fmt.Fprintf(&b, "error: the arguments of %s were refused; nothing ran.\n", tool)
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintf(&b, "- %s\n", strings.TrimSpace(line))
	}
	if syntax, ok := errors.AsType[*SyntaxError](err); ok {
		if len(raw) <= maxSchema {
			fmt.Fprintf(&b, "Their schema: %s\n", raw)
		}
		if syntax.Cut {
			b.WriteString("Send the whole call again. If the arguments are long, do the work in several smaller calls.\n")
		}
	}
	if example, err := schema.Example(raw); err == nil {
		fmt.Fprintf(&b, "Call %s again with arguments such as %s", tool, example)
	}
	return strings.TrimRight(b.String(), "\n")
}
