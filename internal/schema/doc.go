// Package schema is the one place that knows JSON Schema.
//
// Use [Reflect] to make a schema from a Go type, [Compile] to check values
// against one, [Schema.Arguments] for what a model or a person typed,
// [Project] for what a provider accepts, [Lint] to learn what providers will
// reject, and [Example] for a smallest valid value.
//
// Schemas are json.RawMessage and stay as their authors wrote them. Values are
// what encoding/json makes of a document, with numbers as json.Number, so that
// no digit is lost between the caller and the tool.
package schema
