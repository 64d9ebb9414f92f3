package schema

import (
	"encoding/json"
	"reflect"

	"github.com/invopop/jsonschema"
)

// Reflect makes the schema of v's type, a struct or a pointer to one: one flat
// object without $schema, $id, $ref or $defs, closed against unknown
// properties, properties in field order, required unless omitempty.
//
// The error is a [*TypeError] for a type that has no such schema, above all one
// that contains itself.
func Reflect(v any) (json.RawMessage, error) { return ReflectType(reflect.TypeOf(v)) }

// ReflectType is [Reflect] for a type without a value at hand.
func ReflectType(t reflect.Type) (json.RawMessage, error) {
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return nil, &TypeError{Type: t, Reason: "arguments must be a struct"}
	}
	if err := checkType(t, t, "", nil); err != nil {
		return nil, err
	}
	// ExpandedStruct would look the root up by its bare type name, where a nested
	// type of the same name from another package replaces it; with DoNotReference
	// the root comes out expanded anyhow.
	r := &jsonschema.Reflector{Anonymous: true, DoNotReference: true, Mapper: mapAny}
	s := r.ReflectFromType(t)
	s.Version = ""
	return Encode(s)
}

// mapAny gives "any" the empty schema {}. The reflector would write true, which
// several servers reject. The empty map keeps the value from being taken for the
// zero schema.
func mapAny(t reflect.Type) *jsonschema.Schema {
	if t.Kind() == reflect.Interface || t == reflect.TypeFor[json.RawMessage]() {
		return &jsonschema.Schema{Extras: map[string]any{}}
	}
	return nil
}
