package frontmatter

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/suggest"
)

// DecodeStrict reads a TOOL.md or APP.md into v, a pointer to a struct with yaml
// tags. It is the other mode of the parser behind [Decode]: nothing is repaired,
// and an unknown key is an error that names the nearest one.
//
// The error is a [*StrictError] with all that is wrong; v is then unchanged. A
// front matter without keys leaves v as it is. A BOM and CRLF are accepted.
func DecodeStrict(file string, data []byte, v any) (*Document, error) {
	src, bad := split(file, data)
	if bad != nil {
		return nil, &StrictError{Diagnostics: []diag.Diagnostic{*bad}}
	}
	d := newDocument(src)
	root, err := d.decodeInto(v)
	if err != nil {
		return nil, err
	}
	if root != nil {
		d.addMapping(root, lineMap(d.block(0, len(src.lines))))
	}
	d.Findings = src.findings
	return d, nil
}

// UnmarshalStrict reads a plain YAML file (tools.yaml, a scripted model, a data
// file) into v with the strictness of [DecodeStrict]. The error is a
// [*StrictError]. An empty file leaves v as it is.
func UnmarshalStrict(file string, data []byte, v any) error {
	src := &source{file: file, text: string(data)}
	src.mac = !strings.Contains(src.text, "\n") && strings.Contains(src.text, "\r")
	if bad := src.checkBytes(data); bad != nil {
		return &StrictError{Diagnostics: []diag.Diagnostic{*bad}}
	}
	for rest := strings.TrimPrefix(src.text, bom); rest != ""; {
		var line string
		line, rest = src.cut(rest)
		src.lines = append(src.lines, line)
	}
	_, err := newDocument(src).decodeInto(v)
	return err
}

// decodeInto parses the block and fills v. All faults are collected first.
// The root is nil if there is nothing in the block.
func (d *Document) decodeInto(v any) (*yaml.Node, error) {
	text := d.block(0, len(d.src.lines))
	c := &checker{d: d, found: d.src.repairs, lines: lineMap(text)}
	for i := range c.found {
		c.found[i].Severity = diag.Error
	}
	bad := d.checkCharacters(text)
	if bad != nil {
		c.found = append(c.found, *bad)
		return nil, c.err()
	}
	root, err := parseYAML(text)
	switch {
	case err != nil:
		c.found = append(c.found, *d.syntaxError(err))
	case root != nil:
		c.check(root, reflect.TypeOf(v).Elem(), "")
	}
	if root == nil || len(c.found) > 0 {
		return nil, c.err()
	}
	if err := decodeNode(root, v); err != nil {
		c.add(root, "wrong-type", "%s", explain(err))
	}
	return root, c.err()
}

// syntaxError points at the entry that is no YAML: the library's own line is
// often that of the next one.
func (d *Document) syntaxError(err error) *diag.Diagnostic {
	for i, line := range d.src.lines {
		if hint := gluedKey(d.src.chomp(line), isWord); hint != "" {
			return d.src.errorAt(d.fileLine(i), "no-blank-after-colon", "%s", hint)
		}
	}
	if segments, bad := d.segments(); bad == nil {
		for _, s := range segments {
			if _, err := parseYAML(d.block(s.start, s.end)); err != nil {
				n := errorLine(err)
				if n < 1 || n > s.end-s.start || strings.Contains(err.Error(), "end of stream") {
					n = 1
				}
				return d.src.errorAt(d.fileLine(s.start+n-1), "not-yaml", "not valid YAML: %s", explain(err))
			}
		}
	}
	n := min(max(errorLine(err), 1), max(len(d.src.lines), 1))
	return d.src.errorAt(d.fileLine(n-1), "not-yaml", "not valid YAML: %s", explain(err))
}

func isWord(key string) bool {
	_, _, ok := keyLine(key + ":")
	return ok
}

// checker compares nodes with the Go type that they are for.
type checker struct {
	d     *Document
	lines []int
	found []diag.Diagnostic
}

func (c *checker) add(n *yaml.Node, code, format string, args ...any) *diag.Diagnostic {
	line := c.d.fileLine(mapLine(c.lines, max(n.Line, 1)))
	c.found = append(c.found, c.d.src.diagnostic(line, n.Column, diag.Error, code, format, args...))
	return &c.found[len(c.found)-1]
}

func (c *checker) err() error {
	if len(c.found) == 0 {
		return nil
	}
	diag.Sort(c.found)
	return &StrictError{Diagnostics: c.found}
}

// check compares one value with its type. path names it for messages.
func (c *checker) check(n *yaml.Node, t reflect.Type, path string) {
	for t.Kind() == reflect.Pointer {
		if isNull(n) {
			return
		}
		t = t.Elem()
	}
	if n.Anchor != "" {
		c.add(n, "anchor", "%s has an anchor (&%s), which is not followed: quote the value, or write it out", orFile(path), n.Anchor)
	}
	if n.Style&yaml.TaggedStyle != 0 && !strings.HasPrefix(n.Tag, "!!") {
		c.add(n, "tag", "%s begins with the tag %s, which means nothing here: quote the value", orFile(path), n.Tag)
	}
	switch {
	case t.Kind() == reflect.Interface:
		c.checkAny(n, path)
	case isNull(n):
		c.add(n, "no-value", "%s has no value: it must be %s; remove the line if nothing is meant", orFile(path), kindName(t))
	case readsItself(t):
		c.try(n, t, path)
	case t.Kind() == reflect.Struct:
		c.checkStruct(n, t, path)
	case t.Kind() == reflect.Map:
		c.checkMap(n, t, path)
	case t.Kind() == reflect.Slice:
		c.checkSlice(n, t, path)
	default:
		c.try(n, t, path)
	}
}

func orFile(path string) string {
	if path == "" {
		return "the file"
	}
	return path
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// checkAny looks for duplicate keys in a value of any type.
func (c *checker) checkAny(n *yaml.Node, path string) {
	if n.Kind == yaml.MappingNode {
		c.pairs(n, path, func(key string, _, value *yaml.Node) { c.checkAny(value, join(path, key)) })
		return
	}
	for i, item := range n.Content {
		c.checkAny(item, fmt.Sprintf("%s[%d]", path, i))
	}
}

// pairs calls do for each key of a map and reports those that come twice.
func (c *checker) pairs(n *yaml.Node, path string, do func(key string, k, value *yaml.Node)) {
	lines := make(map[string]int)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if line, twice := lines[k.Value]; twice {
			c.add(k, "duplicate-key", "%s was given on line %d already: keep one of them", join(path, k.Value), line)
			continue
		}
		lines[k.Value] = c.d.fileLine(mapLine(c.lines, k.Line))
		do(k.Value, k, n.Content[i+1])
	}
}

func (c *checker) checkStruct(n *yaml.Node, t reflect.Type, path string) {
	if n.Kind != yaml.MappingNode {
		c.wrongType(n, t, path)
		return
	}
	fields := make(map[string]reflect.Type)
	rest := collectFields(t, fields)
	c.pairs(n, path, func(key string, k, value *yaml.Node) {
		if ft, ok := fields[key]; ok {
			c.check(value, ft, join(path, key))
		} else if rest != nil {
			c.check(value, rest, join(path, key))
		} else {
			c.unknownKey(k, fields, path)
		}
	})
}

func (c *checker) unknownKey(k *yaml.Node, fields map[string]reflect.Type, path string) {
	var names []string
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	near := suggest.Nearest(k.Value, names, 1)
	if len(near) == 0 {
		c.add(k, "unknown-key", "unknown key %q: known are %s", join(path, k.Value), strings.Join(names, ", "))
		return
	}
	c.add(k, "unknown-key", "unknown key %q: did you mean %s?", join(path, k.Value), near[0]).Fix = near[0]
}

// collectFields fills fields with the yaml names of a struct and the types
// behind them. It returns the value type of an inlined map, if there is one.
func collectFields(t reflect.Type, fields map[string]reflect.Type) (rest reflect.Type) {
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		inline := slices.Contains(strings.Split(options, ","), "inline")
		switch {
		case !f.IsExported() && !f.Anonymous || name == "-":
		case inline && f.Type.Kind() == reflect.Map:
			rest = f.Type.Elem()
		case inline:
			collectFields(indirect(f.Type), fields)
		case name == "":
			fields[strings.ToLower(f.Name)] = f.Type
		default:
			fields[name] = f.Type
		}
	}
	return rest
}

func indirect(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

func (c *checker) checkMap(n *yaml.Node, t reflect.Type, path string) {
	if n.Kind != yaml.MappingNode {
		c.wrongType(n, t, path)
		return
	}
	c.pairs(n, path, func(key string, k, value *yaml.Node) {
		c.try(k, t.Key(), join(path, key))
		c.check(value, t.Elem(), join(path, key))
	})
}

func (c *checker) checkSlice(n *yaml.Node, t reflect.Type, path string) {
	if n.Kind != yaml.SequenceNode {
		c.wrongType(n, t, path)
		return
	}
	for i, item := range n.Content {
		c.check(item, t.Elem(), fmt.Sprintf("%s[%d]", path, i))
	}
}

// try decodes a value that has a type of its own.
func (c *checker) try(n *yaml.Node, t reflect.Type, path string) {
	if n.Tag == "!!float" && (reflect.Zero(t).CanInt() || reflect.Zero(t).CanUint()) && !readsItself(t) {
		c.wrongType(n, t, path) // the library would cut the fraction
		return
	}
	if t.Kind() == reflect.Bool && n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 && !readsItself(t) {
		c.wrongType(n, t, path) // the library takes "yes", but not "true"
		return
	}
	err := decodeNode(n, reflect.New(t).Interface())
	var typeErr *yaml.TypeError
	switch {
	case err == nil:
	case errors.As(err, &typeErr):
		c.wrongType(n, t, path)
	default:
		c.add(n, "wrong-value", "%s: %s", orFile(path), err)
	}
}

// decodeNode is n.Decode; a value that refuses itself by a panic is an error.
func decodeNode(n *yaml.Node, v any) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	return n.Decode(v)
}

func (c *checker) wrongType(n *yaml.Node, t reflect.Type, path string) {
	is := map[Kind]string{List: "a list", Map: "a map"}[kindOf(n)]
	if is == "" {
		is = fmt.Sprintf("%q", n.Value)
	}
	c.add(n, "wrong-type", "%s must be %s, not %s", orFile(path), kindName(t), is)
}

// kindName says in words what a type wants.
func kindName(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Duration]():
		return "a time such as 60s"
	case readsItself(t):
		return "a value that " + strings.ToLower(t.Name()) + " accepts"
	}
	switch t.Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "a map of keys"
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return "a whole number"
}

// readsItself tells whether a type brings its own decoding.
func readsItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[yaml.Unmarshaler]()) ||
		p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) ||
		p.Implements(reflect.TypeFor[interface{ UnmarshalYAML(func(any) error) error }]())
}
