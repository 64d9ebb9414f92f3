package schema

import (
	"encoding/json"
	"net"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/invopop/jsonschema"
)

// Types that the reflector turns into one scalar by itself.
var leafTypes = []reflect.Type{
	reflect.TypeFor[time.Time](), reflect.TypeFor[url.URL](), reflect.TypeFor[net.IP](),
	reflect.TypeFor[json.RawMessage](),
}

var customType = reflect.TypeFor[interface{ JSONSchema() *jsonschema.Schema }]()

// checkType refuses what the reflector would get wrong: a cycle is a stack
// overflow that recover cannot catch, and the other cases lose something
// without a word. path is the dotted place of t, seen the types around it.
func checkType(root, t reflect.Type, path string, seen []reflect.Type) error {
	fail := func(reason string) error { return &TypeError{Type: root, Field: path, Reason: reason} }
	if t == reflect.TypeFor[time.Duration]() {
		return fail("time.Duration would become a number of nanoseconds; use a number of seconds or a string")
	}
	if slices.Contains(leafTypes, t) || t.Implements(customType) {
		return nil
	}
	switch t.Kind() {
	case reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer, reflect.Uintptr:
		return fail("a " + t.Kind().String() + " has no JSON form")
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		if slices.Contains(seen, t) {
			return fail("the type contains itself, which no provider accepts")
		}
		return checkType(root, t.Elem(), path, append(slices.Clone(seen), t))
	case reflect.Struct:
		if slices.Contains(seen, t) {
			return fail("the type contains itself, which no provider accepts")
		}
		return checkFields(root, t, path, append(slices.Clone(seen), t))
	}
	return nil
}

func checkFields(root, t reflect.Type, path string, seen []reflect.Type) error {
	for f := range t.Fields() {
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" && opts == "" || f.PkgPath != "" && !f.Anonymous {
			continue
		}
		at := strings.TrimPrefix(path+"."+f.Name, ".")
		if reason := tagFault(f, opts); reason != "" {
			return &TypeError{Type: root, Field: at, Reason: reason}
		}
		if err := checkType(root, f.Type, at, seen); err != nil {
			return err
		}
	}
	return nil
}

// tagFault names what the reflector would silently drop from a field's tags.
func tagFault(f reflect.StructField, jsonOpts string) string {
	opts := strings.Split(jsonOpts, ",")
	if slices.Contains(opts, "omitzero") && !slices.Contains(opts, "omitempty") {
		return "omitzero alone leaves the field required; write omitempty"
	}
	parts := strings.Split(strings.ReplaceAll(f.Tag.Get("jsonschema"), `\,`, ""), ",")
	for i, part := range parts {
		if i > 0 && !strings.Contains(part, "=") && !isFlag(part) {
			return "the jsonschema tag is cut at its comma before " + strings.TrimSpace(part) +
				"; put the text in a jsonschema_description tag"
		}
	}
	return ""
}

func isFlag(part string) bool {
	return slices.Contains([]string{"", "required", "nullable", "uniqueItems", "-"}, part)
}
