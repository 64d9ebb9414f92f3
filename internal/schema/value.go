package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// Decode reads exactly one JSON document. Numbers become json.Number. The error
// is a [*SyntaxError].
func Decode(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			return nil, &SyntaxError{Offset: int64(len(data)), Detail: "it ends too early"}
		}
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return nil, &SyntaxError{Offset: syntax.Offset, Detail: syntax.Error()}
		}
		return nil, &SyntaxError{Detail: err.Error()}
	}
	end := dec.InputOffset()
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, &SyntaxError{Offset: end, Detail: "there is more after the end of the value"}
	}
	return v, nil
}

// Encode writes v as compact JSON with sorted keys and without the HTML escapes
// that encoding/json adds: they cost tokens and confuse models.
func Encode(v any) (json.RawMessage, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(buf.Bytes(), "\n"), nil
}

// decodeObject reads a schema document, which must be an object for all of our
// uses; the error says what it is instead.
func decodeObject(raw json.RawMessage) (map[string]any, error) {
	v, err := Decode(raw)
	if err != nil {
		return nil, err
	}
	obj, ok := v.(map[string]any)
	if !ok {
		return nil, &InvalidError{Reason: "a schema must be a JSON object, got " + kindOf(v)}
	}
	return obj, nil
}

// kindOf names a value as JSON Schema does, with integer apart from number.
func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case json.Number:
		if isInteger(v) {
			return "integer"
		}
		return "number"
	default:
		return "number"
	}
}

func isInteger(n json.Number) bool {
	_, err := n.Int64()
	return err == nil
}
