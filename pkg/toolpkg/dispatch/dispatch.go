// Package dispatch makes a Go program the launcher of a tool package: it lists
// its commands, describes them with JSON Schemas made from Go types, and runs
// them with checked arguments.
//
//	type Args struct {
//		Path  string `json:"path" jsonschema_description:"CSV file to read."`
//		Limit int    `json:"limit,omitempty" jsonschema:"minimum=1"`
//	}
//
//	func main() {
//		dispatch.Register("count-rows", "Count the rows of a CSV file.", countRows)
//		dispatch.Main()
//	}
//
//	func countRows(ctx context.Context, a Args) (any, error) { … }
//
// A property is required unless its json tag says omitempty. The file needs
// only the standard library and github.com/invopop/jsonschema v0.13, so it can
// be copied into any module; agentctl's "tool new" does that.
package dispatch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/signal"
	"reflect"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/invopop/jsonschema"
)

// The exit codes of contract v1.
const (
	exitOK        = 0
	exitFailed    = 1
	exitArguments = 2 // another call with other arguments may succeed
	exitConfig    = 3 // for a person, not for the model
	exitTransient = 4 // the same call may succeed later
)

// commands is what Register filled and Main serves.
var commands set

// Register adds a command. run gets its arguments decoded and returns the
// result: a string or []byte is printed as it is, nil prints nothing, and
// everything else is printed as JSON. A fault of the registration, such as a
// type that contains itself, is reported by [Main].
func Register[A any](name, description string, run func(context.Context, A) (any, error)) {
	commands.add(name, description, reflect.TypeFor[A](), func(ctx context.Context, text []byte) (any, error) {
		var args A
		if err := decode(text, &args); err != nil {
			return nil, err
		}
		return run(ctx, args)
	})
}

// Main serves one call from os.Args and exits. It is the last line of main.
func Main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	code := commands.serve(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// InvalidArgs is the error for an argument that fits the schema but not the
// world: a file that does not exist, an end before its start. The caller may
// try again with other arguments. field is the argument's name.
func InvalidArgs(field, message string) error { return &argsError{field, message} }

// NotConfigured is the error for a missing secret or setting: a person must act.
func NotConfigured(message string) error { return &codeError{exitConfig, errors.New(message)} }

// Transient marks an error after which the same call may succeed later.
func Transient(err error) error { return &codeError{exitTransient, err} }

type argsError struct{ field, message string }

func (e *argsError) Error() string {
	if e.field == "" {
		return e.message
	}
	return e.field + ": " + e.message
}

type codeError struct {
	code int
	err  error
}

func (e *codeError) Error() string { return e.err.Error() }
func (e *codeError) Unwrap() error { return e.err }

type command struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Params      json.RawMessage `json:"params_json_schema"`

	required []string
	run      func(ctx context.Context, args []byte) (any, error)
}

type set struct {
	list  []*command
	fault error // the first registration that failed
}

var namePattern = regexp.MustCompile(`^[a-z_][a-z0-9_.-]{0,63}$`)

func (s *set) add(name, description string, args reflect.Type, run func(context.Context, []byte) (any, error)) {
	c := &command{Name: name, Description: description, run: run}
	err := s.check(name)
	if err == nil {
		c.Params, err = reflectSchema(args)
	}
	if err != nil && s.fault == nil {
		s.fault = fmt.Errorf("command %q: %w", name, err)
	}
	var schema struct{ Required []string }
	_ = json.Unmarshal(c.Params, &schema)
	c.required = schema.Required
	s.list = append(s.list, c)
}

func (s *set) check(name string) error {
	if !namePattern.MatchString(name) {
		return errors.New("a name has up to 64 of a-z, 0-9, -, . and _, and starts with a letter or _")
	}
	if s.find(name) != nil {
		return errors.New("registered twice")
	}
	return nil
}

func (s *set) find(name string) *command {
	for _, c := range s.list {
		if c.Name == name {
			return c
		}
	}
	return nil
}

func (s *set) names() string {
	var names []string
	for _, c := range s.list {
		names = append(names, c.Name)
	}
	return strings.Join(names, ", ")
}

// serve answers one call of the contract and returns the exit code.
func (s *set) serve(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if s.fault != nil {
		fmt.Fprintln(stderr, s.fault)
		return exitFailed
	}
	switch {
	case len(args) == 0:
		return printJSON(stdout, stderr, s.summary())
	case len(args) == 1 && args[0] == "--describe-all":
		return printJSON(stdout, stderr, append([]*command{}, s.list...))
	case len(args) > 2:
		fmt.Fprintf(stderr, "usage: launch [COMMAND [JSON or -]], got %d arguments\n", len(args))
		return exitArguments
	}
	c := s.find(args[0])
	if c == nil {
		fmt.Fprintf(stderr, "unknown command %q; commands: %s\n", args[0], s.names())
		return exitArguments
	}
	if len(args) == 1 {
		return printJSON(stdout, stderr, c)
	}
	text := []byte(args[1])
	if args[1] == "-" {
		var err error
		if text, err = io.ReadAll(stdin); err != nil {
			return report(stderr, fmt.Errorf("read arguments from stdin: %w", err))
		}
	}
	return c.call(ctx, text, stdout, stderr)
}

func (s *set) summary() any {
	type entry struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	}
	entries := []entry{}
	for _, c := range s.list {
		entries = append(entries, entry{c.Name, c.Description})
	}
	return entries
}

// call runs the command. A panic is exit code 1: Go's own 2 would tell the
// caller that other arguments help.
func (c *command) call(ctx context.Context, text []byte, stdout, stderr io.Writer) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(stderr, "panic: %v\n%s", p, debug.Stack())
			code = exitFailed
		}
	}()
	if err := checkRequired(text, c.required); err != nil {
		return report(stderr, err)
	}
	result, err := c.run(ctx, text)
	if err != nil {
		return report(stderr, err)
	}
	switch result := result.(type) {
	case nil:
		return exitOK
	case string:
		return printText(stdout, stderr, []byte(result))
	case []byte:
		return printText(stdout, stderr, result)
	}
	return printJSON(stdout, stderr, result)
}

// report prints an error and gives its exit code. An argument's error gets the
// marker line too, by which the caller knows that it is one.
func report(stderr io.Writer, err error) int {
	fmt.Fprintln(stderr, err)
	var args *argsError
	if errors.As(err, &args) { //nolint:modernize // authors may have an older Go
		line, _ := encode(map[string]string{"kind": "invalid_arguments", "message": args.message, "field": args.field})
		fmt.Fprintf(stderr, "agentctl-error: %s\n", line)
		return exitArguments
	}
	var coded *codeError
	if errors.As(err, &coded) { //nolint:modernize // authors may have an older Go
		return coded.code
	}
	return exitFailed
}

func printText(stdout, stderr io.Writer, text []byte) int {
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(slices.Clip(text), '\n')
	}
	if _, err := stdout.Write(text); err != nil {
		return report(stderr, fmt.Errorf("write the result: %w", err))
	}
	return exitOK
}

func printJSON(stdout, stderr io.Writer, v any) int {
	text, err := encode(v)
	if err != nil {
		return report(stderr, fmt.Errorf("write the result as JSON: %w", err))
	}
	return printText(stdout, stderr, text)
}

// encode writes compact JSON without HTML escapes.
func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimRight(buf.Bytes(), "\n"), err
}

// checkRequired finds what the decoder does not notice: a property that is not
// there. Empty text means no arguments.
func checkRequired(text []byte, required []string) error {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}")
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(text, &given); err != nil {
		return InvalidArgs("", "arguments must be one JSON object: "+err.Error())
	}
	for _, name := range required {
		if _, ok := given[name]; !ok {
			return InvalidArgs(name, "is required")
		}
	}
	return nil
}

// decode reads the arguments and refuses properties that the type lacks.
func decode(text []byte, args any) error {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	err := dec.Decode(args)
	var mismatch *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &mismatch):
		return InvalidArgs(mismatch.Field, fmt.Sprintf("expected %s, got %s", mismatch.Type, mismatch.Value))
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return InvalidArgs(strings.Trim(name, `"`), "unknown property")
	}
	return InvalidArgs("", err.Error())
}

// reflectSchema makes the schema of a struct: one flat closed object without
// references. agentctl's own profile is the same, and a test there holds the
// two equal.
func reflectSchema(t reflect.Type) (json.RawMessage, error) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("arguments must be a struct, got %v", t)
	}
	if err := checkType(t, "", nil); err != nil {
		return nil, err
	}
	r := &jsonschema.Reflector{Anonymous: true, DoNotReference: true, Mapper: mapAny}
	s := r.ReflectFromType(t)
	s.Version = ""
	return encode(s)
}

// mapAny gives "any" the empty schema {} instead of true, which several servers
// reject. The empty map keeps it from being taken for the zero schema.
func mapAny(t reflect.Type) *jsonschema.Schema {
	if t.Kind() == reflect.Interface || t == reflect.TypeFor[json.RawMessage]() {
		return &jsonschema.Schema{Extras: map[string]any{}}
	}
	return nil
}

// Types that the reflector turns into one scalar by itself.
var leafTypes = []reflect.Type{
	reflect.TypeFor[time.Time](), reflect.TypeFor[url.URL](), reflect.TypeFor[net.IP](), reflect.TypeFor[json.RawMessage](),
}

var customType = reflect.TypeFor[interface{ JSONSchema() *jsonschema.Schema }]()

// checkType refuses what the reflector would get wrong: a cycle is a stack
// overflow that recover cannot catch, and the rest is lost without a word.
func checkType(t reflect.Type, path string, seen []reflect.Type) error {
	if t == reflect.TypeFor[time.Duration]() {
		return fmt.Errorf("field %s: time.Duration would become a number of nanoseconds; use a number of seconds or a string", path)
	}
	if slices.Contains(leafTypes, t) || t.Implements(customType) {
		return nil
	}
	if slices.Contains(seen, t) {
		return fmt.Errorf("field %s: the type contains itself, which no provider accepts", path)
	}
	switch t.Kind() {
	case reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer, reflect.Uintptr:
		return fmt.Errorf("field %s: a %s has no JSON form", path, t.Kind())
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return checkType(t.Elem(), path, append(slices.Clone(seen), t))
	case reflect.Struct:
		return checkFields(t, path, append(slices.Clone(seen), t))
	}
	return nil
}

func checkFields(t reflect.Type, path string, seen []reflect.Type) error {
	for i := range t.NumField() { //nolint:modernize // authors may have an older Go
		f := t.Field(i)
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" && opts == "" || f.PkgPath != "" && !f.Anonymous {
			continue
		}
		at := strings.TrimPrefix(path+"."+f.Name, ".")
		if reason := tagFault(f, opts); reason != "" {
			return fmt.Errorf("field %s: %s", at, reason)
		}
		if err := checkType(f.Type, at, seen); err != nil {
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
	flags := []string{"", "required", "nullable", "uniqueItems", "-"}
	parts := strings.Split(strings.ReplaceAll(f.Tag.Get("jsonschema"), `\,`, ""), ",")
	for i, part := range parts {
		if i > 0 && !strings.Contains(part, "=") && !slices.Contains(flags, part) {
			return "the jsonschema tag is cut at its comma before " + strings.TrimSpace(part) +
				"; put the text in a jsonschema_description tag"
		}
	}
	return ""
}
