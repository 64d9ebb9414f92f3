// Package uv finds uv and the Python interpreters that a built environment can
// run on. Use [Find] and [Tool.Run] to resolve and install dependencies, and
// [FindPython] to choose the interpreter that they are for.
package uv
