package toolpkg

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/agentctl/agentctl/internal/schema"
)

// ArgsLimit bounds what is read of arguments from a file or from stdin: enough for
// every text that a tool can take, and less than a device without an end would
// need to fill the memory.
const ArgsLimit = 64 << 20

// argPattern takes KEY=TEXT, KEY:=JSON and KEY@FILE apart. Keys are words in the
// letters of any script.
var argPattern = regexp.MustCompile(`(?s)^([\p{L}\p{M}\p{N}_.-]+)(:=|=|@)(.*)$`)

// IsArg tells whether text has the form of one argument.
func IsArg(text string) bool { return argPattern.MatchString(text) }

// ReadArgs reads arguments from in, which messages call name. More than
// [ArgsLimit] bytes are an error.
func ReadArgs(name string, in io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(in, ArgsLimit+1))
	if err == nil && len(data) > ArgsLimit {
		err = fmt.Errorf("%s has more than %d MiB, the limit of arguments; give the tool a path instead", name, ArgsLimit>>20)
	}
	return data, err
}

// ReadArgsFile is [ReadArgs] of a file. A named pipe is refused, since whoever
// opens one waits for its writer; one that is open already, as that of a shell's
// <(program), is read until ctx ends.
func ReadArgsFile(ctx context.Context, path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0 && !descriptor.MatchString(filepath.ToSlash(path)) {
		return nil, fmt.Errorf("%s is a pipe or a socket, not a file; pass what comes through it to stdin, and - for the arguments", path)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	defer context.AfterFunc(ctx, func() { _ = f.SetReadDeadline(time.Now()) })()
	data, err := ReadArgs(path, f)
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return data, err
}

// descriptor matches the paths of what this process was given open.
var descriptor = regexp.MustCompile(`^/(dev/fd/\d+|proc/self/fd/\d+|dev/stdin)$`)

// MergeArgs lays arguments as people type them over the JSON object base, which
// may be empty: k=text, k:=JSON, k@file with the file's text; a repeated k, or
// one that the schema wants as an array, becomes an array, and text what the
// schema wants made of it. Files are relative to dir. The result is not checked
// against the schema. The error is an [*ArgError], that of [schema.Decode], or that of ctx.
func MergeArgs(ctx context.Context, c Command, base []byte, args []string, dir string) (map[string]any, error) {
	values, err := baseArgs(base)
	if err != nil {
		return nil, err
	}
	given, raw := map[string][]any{}, map[string]bool{}
	for _, arg := range args {
		key, value, isText, err := parseArg(ctx, arg, dir)
		if err != nil {
			return nil, err
		}
		given[key], raw[key] = append(given[key], value), raw[key] || !isText
	}
	typed := map[string]any{}
	for key, list := range given {
		to := typed
		if raw[key] {
			to = values
		}
		to[key] = list
		if _, isList := list[0].([]any); len(list) == 1 && (isList || !wantsArray(c.Params, key) || looksLikeJSON(list[0])) {
			to[key] = list[0]
		}
	}
	maps.Copy(values, fromTyped(c.Params, typed))
	return values, nil
}

// fromTyped makes of text what the schema wants. That is how people write a
// number in a shell, so it is none of the changes that a result reports.
func fromTyped(raw json.RawMessage, typed map[string]any) map[string]any {
	s, err := schema.Compile(raw)
	if err != nil {
		return typed // the call says what is wrong with the schema
	}
	coerced, _ := s.Coerce(typed)
	values, _ := coerced.(map[string]any)
	maps.DeleteFunc(values, func(key string, _ any) bool { _, given := typed[key]; return !given })
	return values
}

// baseArgs is the object that --arg is laid over. A string that holds one is
// left to coercion where nothing is laid over it.
func baseArgs(base []byte) (map[string]any, error) {
	if len(base) == 0 {
		return map[string]any{}, nil
	}
	v, err := schema.Decode(base)
	if err != nil {
		return nil, err
	}
	if text, ok := v.(string); ok {
		if v, err = schema.Decode([]byte(text)); err != nil {
			return nil, err
		}
	}
	switch v := v.(type) {
	case map[string]any:
		return v, nil
	case nil:
		return map[string]any{}, nil
	}
	return nil, &ArgError{Arg: string(base), Reason: "is no JSON object, so --arg cannot add to it"}
}

// parseArg takes one argument apart; isText tells whether it is none of JSON.
func parseArg(ctx context.Context, arg, dir string) (key string, value any, isText bool, err error) {
	if !utf8.ValidString(arg) {
		return "", nil, false, &ArgError{Arg: arg, Reason: "is no UTF-8; put it into a file, and name that in an argument that takes a path"}
	}
	m := argPattern.FindStringSubmatch(arg)
	if m == nil {
		return "", nil, false, &ArgError{Arg: arg, Reason: "has no key; write key=text, key:=JSON or key@file"}
	}
	switch key = m[1]; m[2] {
	case ":=":
		if value, err = schema.Decode([]byte(m[3])); err != nil {
			return "", nil, false, &ArgError{Arg: arg, Reason: "after := is " + err.Error()}
		}
		return key, value, false, nil
	case "@":
		path := m[3]
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		data, err := ReadArgsFile(ctx, path)
		if ctx.Err() != nil {
			return "", nil, false, ctx.Err()
		}
		if err != nil {
			return "", nil, false, &ArgError{Arg: arg, Reason: "cannot be read: " + err.Error()}
		}
		if !utf8.Valid(data) {
			return "", nil, false, &ArgError{Arg: arg, Reason: "is no UTF-8 text; name the file in an argument that takes a path"}
		}
		return key, string(data), true, nil
	}
	return key, m[3], true, nil
}

// wantsArray tells whether the schema has an array at a top-level property and
// no text, so that one value becomes a list of one.
func wantsArray(raw json.RawMessage, key string) bool {
	projected, err := schema.Project(raw, schema.Plain)
	if err != nil {
		return false
	}
	var s struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
	}
	return json.Unmarshal(projected, &s) == nil && s.Properties[key].Type == "array"
}

// looksLikeJSON: a whole array that was typed as text is left to coercion.
func looksLikeJSON(v any) bool {
	text, ok := v.(string)
	if !ok {
		return false
	}
	decoded, err := schema.Decode([]byte(text))
	_, isList := decoded.([]any)
	return err == nil && isList
}
