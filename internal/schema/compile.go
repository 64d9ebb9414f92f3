package schema

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// location is the name under which the validator knows the one document.
const location = "mem:///schema.json"

// Schema is a compiled schema. It is immutable and safe for concurrent use.
type Schema struct {
	doc      map[string]any
	compiled *jsonschema.Schema
}

// Compile reads one schema document. A $ref can only point into the document:
// nothing is loaded from a file or the network. The error is an [*InvalidError]
// or a [*SyntaxError].
func Compile(raw json.RawMessage) (*Schema, error) {
	doc, err := decodeObject(raw)
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(compilePattern)
	if err := c.AddResource(location, doc); err != nil {
		return nil, &InvalidError{Reason: err.Error()}
	}
	compiled, err := c.Compile(location)
	if err != nil {
		return nil, &InvalidError{Reason: compileReason(err)}
	}
	return &Schema{doc: doc, compiled: compiled}, nil
}

// Properties are the names of the top-level properties, sorted.
func (s *Schema) Properties() []string { return sortedKeys(asObject(s.doc["properties"])) }

// compileReason takes the file URL of the made-up document out of the text.
func compileReason(err error) string {
	if invalid, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		if verr, ok := errors.AsType[*jsonschema.ValidationError](invalid.Err); ok {
			return (&ValidationError{Problems: (&explainer{}).problems(verr)}).Error()
		}
	}
	if load, ok := errors.AsType[*jsonschema.LoadURLError](err); ok {
		return fmt.Sprintf("$ref %q is outside the document", load.URL)
	}
	if ptr, ok := errors.AsType[*jsonschema.JSONPointerNotFoundError](err); ok {
		return fmt.Sprintf("$ref %q leads nowhere", trimLocation(ptr.URL))
	}
	return err.Error()
}

type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("a schema may only refer to itself, not to %q", url)
}
