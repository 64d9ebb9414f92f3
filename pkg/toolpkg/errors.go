package toolpkg

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/agentctl/agentctl/internal/registry"
)

// NotFoundError reports a package or command that does not exist.
type NotFoundError = registry.NotFoundError

// AmbiguousError reports a bare command name that several packages have.
type AmbiguousError struct {
	Command string
	Owners  []string // "pkg:cmd", sorted
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("command %q belongs to several packages; say which: %s", e.Command, strings.Join(e.Owners, ", "))
}

// NotBuiltError reports a package that has a source and no build.
type NotBuiltError struct{ Package string }

func (e *NotBuiltError) Error() string { return fmt.Sprintf("tool package %q is not built", e.Package) }

// Cure is the command that builds it.
func (e *NotBuiltError) Cure() string { return "agentctl tool prebuild " + e.Package }

// BrokenError reports a prebuilt package that cannot be used: damaged, made by
// a newer agentctl, or for another platform.
type BrokenError struct{ Package, Reason string }

func (e *BrokenError) Error() string {
	return fmt.Sprintf("prebuilt tool package %q cannot be used: %s", e.Package, e.Reason)
}

// Cure is the command that makes it anew.
func (e *BrokenError) Cure() string { return "agentctl tool prebuild --force " + e.Package }

// CollisionError reports two tools of one selection that have the same function
// name. Its text holds the line for APP.md that resolves it.
type CollisionError struct {
	Tool string
	// First and Second are "pkg:cmd", or the name of a built-in tool.
	First, Second string
	// Alias is a free name that the fix proposes for Second.
	Alias string
	// Orphan is the folder of the one whose source is gone, "" for none.
	Orphan string
}

func (e *CollisionError) Error() string {
	return fmt.Sprintf("two tools are called %q: %s and %s", e.Tool, e.First, e.Second)
}

// Fix is the line for APP.md that gives the second tool another name.
func (e *CollisionError) Fix() string {
	return fmt.Sprintf("aliases: {%s: %q}", e.Alias, e.Second)
}

// Cure is what to do, one way a line: a build that nobody needs any more is best
// deleted.
func (e *CollisionError) Cure() string {
	alias := "add to APP.md: " + e.Fix()
	if e.Orphan == "" {
		return alias
	}
	return "delete the folder " + e.Orphan + ", the build of a package whose source is gone\nor " + alias
}

// DescribeError reports a launcher that does not keep the contract. Call is what
// was run, e.g. "launch csv-summary".
type DescribeError struct {
	Call, Reason string
	Stderr       string // the end of what it said, "" for nothing
	Package      string // whose it is, "" where nobody knows
}

// Cure is the command that shows more.
func (e *DescribeError) Cure() string {
	return "agentctl tool lint " + cmp.Or(e.Package, "PKG")
}

func (e *DescribeError) Error() string {
	text := fmt.Sprintf("%s: %s", e.Call, e.Reason)
	switch {
	case strings.Contains(e.Stderr, "\n"):
		text += "\n" + e.Stderr
	case e.Stderr != "":
		text += "; stderr: " + e.Stderr
	}
	return text
}

// BuildError reports a builder that failed. Output is the end of what it printed.
type BuildError struct {
	Builder, Reason, Output string
}

func (e *BuildError) Error() string {
	text := fmt.Sprintf("builder %s: %s", e.Builder, e.Reason)
	if e.Output != "" {
		text += "\n" + e.Output
	}
	return text
}

// EnvError reports a variable that a call lacks or may not have; nothing ran.
type EnvError struct {
	Package, Name, Reason, Hint string
	// Ungranted: the user's word is all that is missing.
	Ungranted bool
}

func (e *EnvError) Error() string {
	return fmt.Sprintf("tool package %q: variable %s %s", e.Package, e.Name, e.Reason)
}

// OutputDirError reports that there is no folder for a call's artifacts; nothing
// ran.
type OutputDirError struct{ Err error }

func (e *OutputDirError) Error() string {
	return fmt.Sprintf("make the folder for artifacts: %v", e.Err)
}
func (e *OutputDirError) Unwrap() error { return e.Err }

// ArgError reports an --arg that cannot be read.
type ArgError struct{ Arg, Reason string }

func (e *ArgError) Error() string { return fmt.Sprintf("argument %q %s", e.Arg, e.Reason) }
