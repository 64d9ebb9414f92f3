package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/config"
	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/frontmatter"
	"github.com/agentctl/agentctl/internal/iostreams"
	"github.com/agentctl/agentctl/internal/registry"
	"github.com/agentctl/agentctl/internal/termtext"
)

// The exit codes. They are part of every verb's contract; docs/errors.md has
// the whole table.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitCheck       = 3
	exitRefused     = 4
	exitNoAnswer    = 5
	exitOverflow    = 6
	exitTimeout     = 124
	exitSandbox     = 125
	exitBroken      = 126
	exitMissing     = 127
	exitInterrupted = 130
)

// usageError reports a command line that cannot work.
type usageError struct{ message, hint string }

func (e usageError) Error() string { return e.message }

// hintedError adds the next step to an error, and optionally another code.
type hintedError struct {
	err  error
	hint string
	exit int // 0: as the error itself
}

func (e hintedError) Error() string { return e.err.Error() }
func (e hintedError) Unwrap() error { return e.err }

// refusedError reports what trust or policy forbids.
type refusedError struct{ message, hint string }

func (e refusedError) Error() string { return e.message }

// exitError ends with a code after the verb has printed everything itself.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// interruptedError marks whatever failed after SIGINT or SIGTERM.
type interruptedError struct{ err error }

func (e interruptedError) Error() string { return "interrupted" }
func (e interruptedError) Unwrap() error { return e.err }

// failure is an error as it is shown; its JSON form is the one of all verbs.
type failure struct {
	Origin  string `json:"origin"`
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
	Exit    int    `json:"exit"`
}

type errorJSON struct {
	Error failure `json:"error"`
}

// report prints an error and returns the exit code. It is the only place that
// does either.
func report(s *iostreams.IOStreams, err error, asJSON bool) int {
	if err == nil {
		return exitOK
	}
	if quiet, ok := errors.AsType[exitError](err); ok {
		return int(quiet)
	}
	f := classify(err)
	tell(s, f)
	if asJSON {
		_ = writeJSON(s.Out, errorJSON{f})
	}
	return f.Exit
}

// tell prints an error for people: what is wrong, then what to do next.
func tell(s *iostreams.IOStreams, f failure) {
	fmt.Fprintf(s.Err, "agentctl: error: %s\n", termtext.Block(f.Message))
	for line := range strings.Lines(f.Hint) {
		fmt.Fprintf(s.Err, "agentctl: hint: %s\n", termtext.Line(line))
	}
}

// classify turns an error into what is shown. The order matters where one error
// wraps another: the outer decision wins.
func classify(err error) failure {
	f := failure{Origin: "host", Kind: "failed", Message: err.Error(), Exit: exitFailed}
	f.Kind, f.Exit, f.Hint = kindOf(err)
	if hinted, ok := errors.AsType[hintedError](err); ok {
		f.Hint = join(hinted.hint, f.Hint)
		if hinted.exit != 0 {
			f.Exit = hinted.exit
		}
	}
	return f
}

// kinds map errors to kind, exit code and hint; the first that knows an error
// decides. A chat's refusal wraps what is missing, so it comes before that.
var kinds = []func(error) (kind string, exit int, hint string, ok bool){
	ownKind, agentKind, appKind, skillKind, toolKind, sandboxKind, fileKind, systemKind,
}

func kindOf(err error) (kind string, exit int, hint string) {
	for _, known := range kinds {
		if kind, exit, hint, ok := known(err); ok {
			return kind, exit, hint
		}
	}
	return "failed", exitFailed, ""
}

// ownKind maps the errors of this package.
func ownKind(err error) (kind string, exit int, hint string, ok bool) {
	if _, ok := as[interruptedError](err); ok {
		return "interrupted", exitInterrupted, "", true
	}
	if e, ok := as[usageError](err); ok {
		return "usage", exitUsage, e.hint, true
	}
	if e, ok := as[refusedError](err); ok {
		return "refused", exitRefused, e.hint, true
	}
	return "", 0, "", false
}

// fileKind maps the errors of finding and reading packages and configuration.
func fileKind(err error) (kind string, exit int, hint string, ok bool) {
	if e, ok := as[*registry.NotFoundError](err); ok {
		return "not_found", exitUsage, notFoundHint(e), true
	}
	if _, ok := as[*registry.BrokenError](err); ok {
		return "broken", exitFailed, "", true
	}
	if e, ok := as[*config.PolicyError](err); ok {
		return "refused", exitRefused, fmt.Sprintf("remove %s from that file; set it in your own configuration (agentctl config path) instead", e.Key), true
	}
	if e, ok := as[*frontmatter.StrictError](err); ok {
		return "invalid_file", exitUsage, otherFindings(e.Diagnostics), true
	}
	return "", 0, "", false
}

// systemKind maps the plain errors of the system.
func systemKind(err error) (kind string, exit int, hint string, ok bool) {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout", exitTimeout, "", true
	case errors.Is(err, context.Canceled):
		return "interrupted", exitInterrupted, "", true
	case errors.Is(err, fs.ErrPermission):
		return "permission", exitFailed, "check who owns that path", true
	}
	return "", 0, "", false
}

func as[T error](err error) (T, bool) { return errors.AsType[T](err) }

// notFoundHint says what is close, what exists and where it was looked for.
func notFoundHint(e *registry.NotFoundError) string {
	var lines []string
	if len(e.Nearest) > 0 {
		lines = append(lines, "did you mean "+strings.Join(marked(e.Nearest, e.Broken), " or ")+"?")
	}
	switch exist := slices.Concat(e.Available, marked(e.Broken, e.Broken)); {
	case len(exist) > 0:
		lines = append(lines, fmt.Sprintf("available %s: %s", plural(e.Kind), shorten(exist, 20)))
	case !filepath.IsAbs(e.Name):
		lines = append(lines, fmt.Sprintf("there is no %s yet", e.Kind))
	}
	if len(e.Looked) > 0 {
		lines = append(lines, "looked in: "+strings.Join(e.Looked, ", "))
	}
	return strings.Join(lines, "\n")
}

// marked says of names which of them do not load.
func marked(names, broken []string) []string {
	out := slices.Clone(names)
	for i, name := range out {
		if slices.Contains(broken, name) {
			out[i] += " (does not load)"
		}
	}
	return out
}

// otherFindings are those after the first, which an error names itself.
func otherFindings(ds []diag.Diagnostic) string {
	var lines []string
	for _, d := range ds[min(1, len(ds)):] {
		lines = append(lines, "also "+d.String())
	}
	return strings.Join(lines, "\n")
}

// plural of a kind: skills, tool packages, commands of NAME.
func plural(kind string) string {
	if noun, rest, ok := strings.Cut(kind, " of "); ok {
		return noun + "s of " + rest
	}
	return kind + "s"
}

// shorten joins names and counts those beyond n.
func shorten(names []string, n int) string {
	if len(names) <= n {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:n], ", "), len(names)-n)
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}
