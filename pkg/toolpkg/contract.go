package toolpkg

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/pkg/sandbox"
)

// ContractVersion is what AGENTCTL_CONTRACT tells a launcher.
const ContractVersion = 1

// The bounds of one describe call: a launcher that needs longer imports too
// much before it answers, and no schema of 1 MiB helps a model.
const (
	DescribeTimeout = 10 * time.Second
	DescribeLimit   = 1 << 20
)

// launchName is the file that starts a package.
const launchName = "launch"

// The codes of contract v1 that a tool exits with.
const (
	ToolOK        = 0
	ToolFailed    = 1
	ToolArguments = 2 // may be retried with other arguments
	ToolConfig    = 3 // for a person
	ToolTransient = 4
)

// Command is one command of a package, as its launcher describes it.
type Command struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Params is the schema of the arguments, as authored.
	Params json.RawMessage `json:"params_json_schema"`
	// Annotations are hints such as readOnlyHint; untrusted.
	Annotations  json.RawMessage `json:"annotations,omitempty"`
	OutputSchema json.RawMessage `json:"output_schema,omitempty"`
}

// Tool is the function name of the command.
func (c Command) Tool() string {
	name, _ := FunctionName(c.Name)
	return name
}

// Launcher calls a launcher in one of the ways of the contract. Stdin is "" for
// none.
type Launcher func(ctx context.Context, stdin string, args ...string) (sandbox.Result, error)

// SandboxLauncher is the launcher in dir, called like a describe probe: alone
// with its own folder, read-only, without network, within the bounds above.
func SandboxLauncher(run sandbox.RunFunc, dir string) Launcher {
	return func(ctx context.Context, stdin string, args ...string) (sandbox.Result, error) {
		p := sandbox.Policy{
			ReadOnly: []sandbox.Mount{{Host: dir}},
			Env:      map[string]string{"AGENTCTL_CONTRACT": fmt.Sprint(ContractVersion)},
			Limits:   sandbox.Limits{Wall: DescribeTimeout, Head: DescribeLimit, Tail: 4 << 10},
		}
		c := sandbox.Command{Args: append([]string{filepath.Join(dir, launchName)}, args...)}
		if stdin != "" {
			c.Stdin = strings.NewReader(stdin)
		}
		return run(ctx, p, c)
	}
}

// Describe asks a launcher for all of its commands: at once where it can, else
// one by one. Findings about schemas are diagnostics; one of severity error fails
// the package. The error is a [*DescribeError], or what the launcher returned
// when it could not be run.
func Describe(ctx context.Context, launch Launcher) ([]Command, []diag.Diagnostic, error) {
	commands, err := describeAll(ctx, launch)
	if err != nil {
		if commands, err = describeEach(ctx, launch); err != nil {
			return nil, nil, err
		}
	}
	if len(commands) == 0 {
		return nil, nil, &DescribeError{Call: launchName, Reason: "lists no command"}
	}
	if err := checkNames(commands); err != nil {
		return nil, nil, err
	}
	return commands, lintCommands(commands), nil
}

// describeAll is the optional form; anything odd means that there is none.
func describeAll(ctx context.Context, launch Launcher) ([]Command, error) {
	const call = launchName + " --describe-all"
	out, err := answer(ctx, launch, call, "--describe-all")
	if err != nil {
		return nil, err
	}
	var commands []Command
	if err := json.Unmarshal(out, &commands); err != nil {
		return nil, &DescribeError{Call: call, Reason: "does not print a JSON array: " + err.Error()}
	}
	for _, c := range commands {
		if c.Name == "" || len(c.Params) == 0 {
			return nil, &DescribeError{Call: call, Reason: "leaves out a name or a schema"}
		}
	}
	return commands, nil
}

func describeEach(ctx context.Context, launch Launcher) ([]Command, error) {
	list, err := listCommands(ctx, launch)
	if err != nil {
		return nil, err
	}
	if err := checkNames(list); err != nil {
		return nil, err
	}
	commands := make([]Command, len(list))
	for i, entry := range list {
		if commands[i], err = describeOne(ctx, launch, entry); err != nil {
			return nil, err
		}
	}
	return commands, nil
}

// listCommands is the bare call.
func listCommands(ctx context.Context, launch Launcher) ([]Command, error) {
	out, err := answer(ctx, launch, launchName)
	if err != nil {
		return nil, err
	}
	var list []Command
	if err := json.Unmarshal(out, &list); err != nil {
		return nil, &DescribeError{Call: launchName, Reason: "does not print a JSON array of {name, description}: " + err.Error()}
	}
	return list, nil
}

func describeOne(ctx context.Context, launch Launcher, entry Command) (Command, error) {
	call := launchName + " " + entry.Name
	fail := func(reason string) (Command, error) { return Command{}, &DescribeError{Call: call, Reason: reason} }
	out, err := answer(ctx, launch, call, entry.Name)
	if err != nil {
		return Command{}, err
	}
	var c Command
	if err := json.Unmarshal(out, &c); err != nil {
		return fail("does not print a JSON object: " + err.Error())
	}
	switch {
	case c.Name != "" && c.Name != entry.Name:
		return fail(fmt.Sprintf("describes %q", c.Name))
	case len(c.Params) == 0:
		return fail("has no params_json_schema")
	}
	c.Name = entry.Name
	if c.Description == "" {
		c.Description = entry.Description
	}
	return c, nil
}

// answer runs one describe call and returns its stdout.
func answer(ctx context.Context, launch Launcher, call string, args ...string) ([]byte, error) {
	r, err := launch(ctx, "", args...)
	if err != nil {
		return nil, err
	}
	fail := func(reason string) ([]byte, error) {
		return nil, &DescribeError{Call: call, Reason: reason, Stderr: lastLines(r.Stderr)}
	}
	switch {
	case r.TimedOut:
		return fail(fmt.Sprintf("does not answer within %v", DescribeTimeout))
	case r.Exit != 0:
		return fail(fmt.Sprintf("exits with %d", r.Exit))
	case r.Stdout.Dropped > 0 || len(r.Stdout.Head)+len(r.Stdout.Tail) > DescribeLimit:
		return fail(fmt.Sprintf("prints more than %d bytes", DescribeLimit))
	case !utf8.Valid(r.Stdout.Head):
		return fail("prints what is not UTF-8")
	}
	return append(r.Stdout.Head, r.Stdout.Tail...), nil
}

// keptStderr is how much of a launcher's stderr a message shows at most.
const keptStderr = 1000

// lastLines is the end of a captured stream, short enough for a message.
func lastLines(c sandbox.Capture) string {
	return endOf(string(c.Head)+string(c.Tail), keptStderr)
}

// checkNames refuses names that no function can have, and two of one name.
func checkNames(commands []Command) error {
	seen := map[string]string{}
	for _, c := range commands {
		function, ok := FunctionName(c.Name)
		if !ok {
			return &DescribeError{Call: launchName, Reason: fmt.Sprintf(
				"command %q cannot be a function name: up to 64 of a-z, 0-9, -, . and _, starting with a letter or _", c.Name)}
		}
		if first, taken := seen[function]; taken {
			return &DescribeError{Call: launchName, Reason: fmt.Sprintf(
				"commands %q and %q have the same function name %s; rename one", first, c.Name, function)}
		}
		seen[function] = c.Name
	}
	return nil
}

// lintCommands checks every schema for what providers accept.
func lintCommands(commands []Command) []diag.Diagnostic {
	var out []diag.Diagnostic
	for _, c := range commands {
		for _, d := range schema.Lint(c.Params) {
			d.File, d.Message = schemaFile(c.Name), c.Name+": "+d.Message
			out = append(out, d)
		}
		if strings.TrimSpace(c.Description) == "" {
			out = append(out, diag.Diagnostic{
				File: schemaFile(c.Name), Severity: diag.Warning, Code: "tool.no-description",
				Message: c.Name + ": no description; a model cannot know when to call it",
			})
		}
	}
	return out
}

func schemaFile(command string) string { return "schemas/" + command + ".json" }
