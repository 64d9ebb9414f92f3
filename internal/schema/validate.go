package schema

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Validate checks a decoded value. The error is a [*ValidationError] with all
// problems at once, or nil.
func (s *Schema) Validate(v any) error {
	err := s.compiled.Validate(v)
	if err == nil {
		return nil
	}
	var verr *jsonschema.ValidationError
	if !errors.As(err, &verr) {
		return &ValidationError{Problems: []Problem{{Path: "(root)", Message: err.Error()}}}
	}
	problems := (&explainer{doc: s.doc}).problems(verr)
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
	return &ValidationError{Problems: slices.Compact(problems)}
}

// Arguments is what [Schema.Arguments] made of the text of a call.
type Arguments struct {
	// JSON is the object to hand to the tool.
	JSON json.RawMessage
	// Values is the same object, decoded.
	Values map[string]any
	// Coerced says what was changed on the way, ordered by path.
	Coerced []Coercion
}

// Arguments parses, coerces and validates the arguments of a call. Empty text
// and null mean no arguments. The error is a [*SyntaxError] or a
// [*ValidationError].
func (s *Schema) Arguments(raw []byte) (Arguments, error) {
	var v any = map[string]any{}
	if !blank(raw) {
		var err error
		if v, err = Decode(raw); err != nil {
			return Arguments{}, err
		}
	}
	return s.ArgumentsOf(v)
}

// ArgumentsOf is [Schema.Arguments] for a value that is decoded already.
func (s *Schema) ArgumentsOf(v any) (Arguments, error) {
	if text, ok := v.(string); v == nil || ok && blank([]byte(text)) {
		v = map[string]any{}
	}
	v, coerced := s.Coerce(v)
	if err := s.Validate(v); err != nil {
		return Arguments{Coerced: coerced}, err
	}
	values, ok := v.(map[string]any)
	if !ok {
		return Arguments{}, &ValidationError{Problems: []Problem{
			{Path: "(root)", Message: "expected object, got " + kindOf(v)},
		}}
	}
	text, err := Encode(values)
	return Arguments{JSON: text, Values: values, Coerced: coerced}, err
}
