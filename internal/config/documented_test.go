package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestKeysAreDocumented looks up every key and variable in
// docs/configuration.md.
func TestKeysAreDocumented(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	doc := string(data)
	for _, key := range keys("", reflect.TypeFor[Config]()) {
		if !strings.Contains(doc, "`"+key+"`") {
			t.Errorf("docs/configuration.md does not explain %s", key)
		}
	}
	for _, name := range variables {
		if !strings.Contains(doc, name) {
			t.Errorf("docs/configuration.md does not explain %s", name)
		}
	}
}

// keys lists the keys of a struct as the document writes them: those of a list
// entry stand by themselves.
func keys(prefix string, typ reflect.Type) []string {
	var out []string
	for f := range typ.Fields() {
		name, inner := prefix+f.Tag.Get("yaml"), f.Type
		if inner.Kind() == reflect.Slice && inner.Elem().Kind() == reflect.Struct {
			out = append(out, keys("", inner.Elem())...)
			continue
		}
		if inner.Kind() == reflect.Struct {
			out = append(out, keys(name+".", inner)...)
			continue
		}
		out = append(out, name)
	}
	return out
}
