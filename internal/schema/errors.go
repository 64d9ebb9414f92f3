package schema

import (
	"fmt"
	"reflect"
	"strings"
)

// SyntaxError reports text that is not one JSON document.
type SyntaxError struct {
	Offset int64 // bytes read before the fault
	Detail string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("not valid JSON at byte %d: %s", e.Offset, e.Detail)
}

// InvalidError reports a document that is no usable JSON Schema.
type InvalidError struct{ Reason string }

func (e *InvalidError) Error() string { return "invalid schema: " + e.Reason }

// RefError reports a $ref that cannot be followed: outside the document,
// missing, or part of a cycle.
type RefError struct {
	Ref   string
	Cycle bool
}

func (e *RefError) Error() string {
	if e.Cycle {
		return fmt.Sprintf("invalid schema: $ref %q is part of a cycle, which no provider accepts", e.Ref)
	}
	return fmt.Sprintf("invalid schema: $ref %q does not lead to a part of the same document", e.Ref)
}

// TypeError reports a Go type from which no schema can be made.
type TypeError struct {
	Type   reflect.Type
	Field  string // dotted path below the root, "" for the root itself
	Reason string
}

func (e *TypeError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("type %v: %s", e.Type, e.Reason)
	}
	return fmt.Sprintf("type %v: field %s: %s", e.Type, e.Field, e.Reason)
}

// Problem is one way in which a value does not fit its schema.
type Problem struct {
	// Path is the place in the value: "limit", "filters[1].op", "(root)".
	Path string
	// Message is a few words: "expected integer, got string".
	Message string
	// Field is the top-level argument to blame, "" when it is the whole value.
	Field string
}

// String is "path: message".
func (p Problem) String() string { return p.Path + ": " + p.Message }

// ValidationError holds every problem of a value at once, ordered by path.
type ValidationError struct{ Problems []Problem }

func (e *ValidationError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Field is the first argument that a problem names, "" when none does.
func (e *ValidationError) Field() string {
	for _, p := range e.Problems {
		if p.Field != "" {
			return p.Field
		}
	}
	return ""
}
