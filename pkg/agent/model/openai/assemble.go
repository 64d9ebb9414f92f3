package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/pkg/agent/model"
)

// assembler puts calls together from fragments. The index alone says nothing:
// there are servers that give every call the index 0, and servers that give
// none. So a fragment belongs to the call with its id; without an id, a name
// after the arguments began starts the next call.
type assembler struct {
	calls []*call // in the order in which they began
	tools []model.ToolSpec
}

type call struct {
	id, name string
	index    int
	args     strings.Builder

	// How deep in the JSON of the arguments their end is.
	depth             int
	inString, escaped bool
	ends              int  // how many objects or lists have ended
	checked           int  // how long the arguments were that valid is about
	valid             bool // they are JSON
}

// write adds a piece of the arguments. It looks at each byte once, however many
// pieces there are.
func (c *call) write(piece string) {
	c.args.WriteString(piece)
	for i := range len(piece) {
		switch b := piece[i]; {
		case c.escaped:
			c.escaped = false
		case c.inString:
			c.escaped, c.inString = b == '\\', b != '"'
		case b == '"':
			c.inString = true
		case b == '{' || b == '[':
			c.depth++
		case b == '}' || b == ']':
			if c.depth--; c.depth == 0 {
				c.ends++
			}
		}
	}
}

// complete tells whether the arguments are a JSON object already, so that
// nothing can follow.
func (c *call) complete() bool {
	args := c.args.String()
	if c.depth != 0 || c.ends != 1 || !strings.HasSuffix(args, "}") {
		return false
	}
	if c.checked != len(args) {
		c.checked, c.valid = len(args), json.Valid([]byte(args))
	}
	return c.valid
}

// add takes the fragments of one event, and tells whether there are not too many
// calls. named remembers which calls this event has given a name: one event never
// names one call twice.
func (a *assembler) add(fragments []fragment) bool {
	named := map[*call]bool{}
	for _, f := range fragments {
		c := a.find(f, named)
		if c == nil {
			if len(a.calls) == model.MaxCalls {
				return false
			}
			c = &call{index: f.index}
			a.calls = append(a.calls, c)
		}
		a.extend(c, f)
		if f.name != "" {
			named[c] = true
		}
	}
	return true
}

func (a *assembler) extend(c *call, f fragment) {
	if c.id == "" {
		c.id = f.id
	}
	if c.name == "" || a.pieces(c, f) {
		c.name += f.name
	}
	if c.index < 0 {
		c.index = f.index
	}
	if f.args == c.args.String() && c.complete() {
		return // the same arguments again
	}
	c.write(f.args)
}

// find returns the call that f goes on with, nil when f begins one.
func (a *assembler) find(f fragment, named map[*call]bool) *call {
	c := a.candidate(f)
	if c == nil || (f.name != "" && named[c]) {
		return nil
	}
	foreign := f.id != "" && c.id != "" && f.id != c.id
	switch {
	case foreign && (f.name != "" || f.args == "" || c.complete()):
		return nil
	case f.name == "" || c.name == "":
		// Also with a foreign id: there are servers that make one for each event.
		return c
	case c.name != f.name && a.pieces(c, f):
		return c
	case c.name != f.name:
		return nil
	case c.complete() && (f.id == "" || begins(f.args) && f.args != c.args.String()):
		return nil // the name came again, and the arguments were through
	}
	return c
}

// pieces tells whether the name of a call goes on in f: before its arguments
// began, and where what came is no tool's name and both together begin one.
func (a *assembler) pieces(c *call, f fragment) bool {
	return f.name != "" && c.args.Len() == 0 &&
		!slices.ContainsFunc(a.tools, func(t model.ToolSpec) bool { return t.Name == c.name }) &&
		slices.ContainsFunc(a.tools, func(t model.ToolSpec) bool { return strings.HasPrefix(t.Name, c.name+f.name) })
}

// candidate is the last call with the id of f, else the last one at its index,
// else the last one.
func (a *assembler) candidate(f fragment) *call {
	if f.id != "" {
		if c := a.last(func(c *call) bool {
			return c.id == f.id && (c.index < 0 || f.index < 0 || c.index == f.index)
		}); c != nil {
			return c
		}
	}
	if f.index >= 0 {
		if c := a.last(func(c *call) bool { return c.index == f.index || c.index < 0 }); c != nil || f.name != "" {
			return c
		}
	}
	return a.last(func(*call) bool { return true })
}

func (a *assembler) last(match func(*call) bool) *call {
	for _, v := range slices.Backward(a.calls) {
		if match(v) {
			return v
		}
	}
	return nil
}

func begins(args string) bool { return strings.HasPrefix(strings.TrimSpace(args), "{") }

// finished returns the calls as they came.
func (a *assembler) finished() []model.ToolCall {
	var out []model.ToolCall
	for _, c := range a.calls {
		out = append(out, model.ToolCall{ID: c.id, Name: c.name, Args: c.args.String()})
	}
	return out
}
