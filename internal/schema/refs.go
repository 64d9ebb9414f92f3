package schema

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

func asObject(v any) map[string]any {
	obj, _ := v.(map[string]any)
	return obj
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

func trimLocation(url string) string { return strings.TrimPrefix(url, location) }

// lookup follows a JSON pointer, percent-encoded or not, below doc.
func lookup(doc any, pointer string) (any, bool) {
	if plain, err := url.PathUnescape(pointer); err == nil {
		pointer = plain
	}
	if pointer == "" {
		return doc, true
	}
	if !strings.HasPrefix(pointer, "/") {
		return nil, false
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		switch node := doc.(type) {
		case map[string]any:
			next, ok := node[token]
			if !ok {
				return nil, false
			}
			doc = next
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(node) {
				return nil, false
			}
			doc = node[i]
		default:
			return nil, false
		}
	}
	return doc, true
}

// deref follows a schema's chain of local $refs. A cycle or a reference to
// elsewhere ends at the schema itself: the caller then knows no types.
func deref(doc, schema map[string]any) map[string]any {
	for range maxDepth {
		ref, ok := schema["$ref"].(string)
		if !ok {
			return schema
		}
		pointer, local := strings.CutPrefix(ref, "#")
		v, found := lookup(doc, pointer)
		target, isObject := v.(map[string]any)
		if !local || !found || !isObject {
			return schema
		}
		schema = target
	}
	return schema
}

// maxDepth bounds every walk over foreign schemas and values.
const maxDepth = 64
