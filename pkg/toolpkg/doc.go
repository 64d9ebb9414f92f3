// Package toolpkg is everything about tool packages: folders that build into
// one launcher with several commands, each of which describes itself and
// becomes a function tool.
//
// A source folder ([LoadSources]) is built and its description frozen by a
// [Prebuilder]. A [Catalog] reads frozen packages only, never runs anything, and
// gives each command its function name; [Catalog.Select] makes the set that one
// app offers. An [Invoker] checks the arguments of one call and runs it in a
// sandbox.
//
// The contract between host and launcher is docs/tool-authoring.md; [Describe]
// is the host's side of it. Authors use package dispatch below this one.
package toolpkg
