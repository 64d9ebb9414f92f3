package dispatch

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/schema"
)

type nested struct {
	Tags  []string       `json:"tags,omitempty" jsonschema:"minItems=1,uniqueItems"`
	Extra map[string]any `json:"extra,omitempty"`
}

type embedded struct {
	Common string `json:"common"`
}

type everything struct {
	embedded
	Text   string          `json:"text" jsonschema:"minLength=1,enum=b,enum=a" jsonschema_description:"First, second."`
	Number float64         `json:"number,omitempty" jsonschema:"minimum=0.5"`
	When   time.Time       `json:"when,omitempty"` //nolint:modernize // omitempty is what makes it optional in the schema
	Any    any             `json:"any,omitempty"`
	Raw    json.RawMessage `json:"raw,omitempty"`
	Items  []nested        `json:"items,omitempty"`
	Ptr    *nested         `json:"ptr,omitempty"`
	Fixed  [2]int          `json:"fixed,omitempty"`
	ByName map[string]int  `json:"by_name,omitempty"`
	Hidden string          `json:"-"`
}

// TestProfileIsTheHosts holds the schemas of this file, which authors copy, and
// those of the host equal: the same type gives the same bytes, or fails in both.
func TestProfileIsTheHosts(t *testing.T) {
	t.Parallel()
	types := []reflect.Type{
		reflect.TypeFor[everything](), reflect.TypeFor[struct{}](), reflect.TypeFor[*nested](), reflect.TypeFor[selfRef](),
		reflect.TypeFor[struct{ F func() }](), reflect.TypeFor[struct{ D time.Duration }](), reflect.TypeFor[int](),
		reflect.TypeFor[struct {
			A string `json:"a,omitzero"`
		}](), reflect.TypeFor[struct {
			A string `jsonschema:"description=one, two"`
		}](),
	}
	for _, typ := range types {
		ours, err := reflectSchema(typ)
		host, hostErr := schema.ReflectType(typ)
		if string(ours) != string(host) || (err == nil) != (hostErr == nil) {
			t.Errorf("%v:\n ours %s, %v\n host %s, %v", typ, ours, err, host, hostErr)
		}
	}
}
