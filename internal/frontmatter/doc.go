// Package frontmatter reads and writes the manifests of agentctl: SKILL.md,
// TOOL.md and APP.md, a YAML block between two lines of three dashes and a
// Markdown body below it. It is the one place that knows about both.
//
// There are two modes of one parser, with one splitter and one YAML stage:
//
//   - [Decode] is lenient, for SKILL.md files that others wrote. It repairs what
//     has one meaning only, leaves out what it cannot read, and never guesses:
//     every repair and every skip is a diagnostic with file, line and cure.
//   - [DecodeStrict] is for TOOL.md and APP.md, where a dropped line would change
//     rights: nothing is repaired, an unknown key is an error with the nearest one.
//
// [UnmarshalStrict] is that strictness for plain YAML files. A decoded [Document]
// can be edited: [Document.Set] changes the lines of one key and no other byte,
// and what nobody edited encodes to the bytes that were read.
//
// Lines in diagnostics are lines of the file, 1-based, counted by the splitter.
package frontmatter
