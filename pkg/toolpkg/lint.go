package toolpkg

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/schema"
)

// CheckLauncher runs the contract suite against a launcher: what it lists and
// describes, that both forms of description agree and stay the same, that an
// unknown command and bad JSON exit with 2, by argument and by stdin, and the
// provider rules for its schemas. No command is run with arguments that it
// accepts. The error is what the launcher returned when it could not be run.
func CheckLauncher(ctx context.Context, launch Launcher) ([]diag.Diagnostic, error) {
	c := &contractCheck{ctx: ctx, launch: launch}
	commands := c.describe()
	if c.err == nil && len(commands) > 0 {
		c.found = append(c.found, lintCommands(commands)...)
		c.agree(commands)
		c.refusals(commands[0].Name)
	}
	diag.Sort(c.found)
	return c.found, c.err
}

type contractCheck struct {
	ctx    context.Context //nolint:containedctx // one check, one call
	launch Launcher
	found  []diag.Diagnostic
	err    error
}

func (c *contractCheck) fail(code, format string, args ...any) {
	c.found = append(c.found, diag.Diagnostic{
		File: launchName, Severity: diag.Error, Code: "contract." + code, Message: fmt.Sprintf(format, args...),
	})
}

// note sorts an error into a finding about the launcher or the end of the check.
func (c *contractCheck) note(code string, err error) {
	if bad, ok := errors.AsType[*DescribeError](err); ok {
		c.fail(code, "%v", bad)
		return
	}
	c.err = err
}

func (c *contractCheck) describe() []Command {
	commands, err := describeEach(c.ctx, c.launch)
	if err == nil && len(commands) == 0 {
		err = &DescribeError{Call: launchName, Reason: "lists no command"}
	}
	if err != nil {
		c.note("describe", err)
		return nil
	}
	return commands
}

// agree compares a second description, and the one of --describe-all where the
// launcher has it, with the first.
func (c *contractCheck) agree(commands []Command) {
	again, err := describeEach(c.ctx, c.launch)
	if err != nil {
		c.note("describe", err)
	} else if !sameCommands(commands, again) {
		c.fail("not-stable", "two calls describe the commands differently; a description must depend on nothing but the package")
	}
	all, err := describeAll(c.ctx, c.launch)
	if _, odd := errors.AsType[*DescribeError](err); odd {
		return // it is optional
	}
	if err != nil {
		c.err = err
	} else if !sameCommands(commands, all) {
		c.fail("describe-all", "launch --describe-all differs from what launch CMD says")
	}
}

func sameCommands(a, b []Command) bool {
	x, err1 := schema.Encode(a)
	y, err2 := schema.Encode(b)
	return err1 == nil && err2 == nil && bytes.Equal(compact(x), compact(y))
}

func compact(raw json.RawMessage) []byte {
	v, err := schema.Decode(raw)
	if err != nil {
		return raw
	}
	out, _ := schema.Encode(v) // it came from JSON
	return out
}

// refusals are calls that must exit with 2 and run nothing.
func (c *contractCheck) refusals(name string) {
	const unknown = "no-such-command"
	for _, try := range []struct {
		call, stdin string
		args        []string
	}{
		{"launch " + unknown, "", []string{unknown}},
		{"launch " + unknown + " '{}'", "", []string{unknown, "{}"}},
		{"launch " + name + " '{'", "", []string{name, "{"}},
		{"launch " + name + " '[1]'", "", []string{name, "[1]"}},
		{"launch " + name + " - with { on stdin", "{", []string{name, "-"}},
	} {
		r, err := c.launch(c.ctx, try.stdin, try.args...)
		if err != nil {
			c.err = err
			return
		}
		switch {
		case r.TimedOut:
			c.fail("exit-code", "%s does not end within %v; it must exit with 2", try.call, DescribeTimeout)
		case r.Exit != ToolArguments:
			c.fail("exit-code", "%s exits with %d; it must be 2", try.call, r.Exit)
		case strings.TrimSpace(string(r.Stderr.Head)) == "":
			c.fail("no-message", "%s says nothing on stderr; a model needs the reason", try.call)
		}
	}
}
