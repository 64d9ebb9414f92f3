package toolpkg

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/pkg/sandbox"
)

// ArgvLimit is the size from which arguments go by stdin: Linux takes no single
// argument of 128 KiB, and half of that leaves room for everybody's reckoning.
const ArgvLimit = 64 << 10

// Invoker runs commands of prebuilt packages.
type Invoker struct {
	// Run is the sandbox.
	Run sandbox.RunFunc
	// Workspace is what commands see, as far as their package says.
	Workspace sandbox.WorkspaceOptions
	// Artifacts is the folder below which each call gets its own; "" means a
	// temporary one, which stays when a call leaves something in it.
	Artifacts string
	// LookupEnv reads the host's variables; nil means that there are none.
	LookupEnv func(name string) (string, bool)
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Call is one call of a command.
type Call struct {
	Function Function
	// Args is the text of the arguments; Values, if not nil, the decoded form.
	Args   []byte
	Values map[string]any
	// Granted are the names of variables that the user lets this package have.
	Granted []string
	// Timeout replaces that of the package; 0 keeps it.
	Timeout time.Duration
	// OutputDir is the folder for artifacts; "" makes a fresh one.
	OutputDir string
	// Stdout and Stderr receive the streams while the tool runs, redacted; they may
	// be nil. One that has a receiver is kept in a file only with ForModel.
	Stdout, Stderr io.Writer
	// ForModel keeps the whole of what [InvokeResult.ForModel] will cut in a file.
	ForModel bool
}

// Invoke checks the arguments, runs the command and says how it ended. All that
// can go wrong is in the result, with its kind and exit code: a call whose
// arguments do not fit never runs anything.
func (v *Invoker) Invoke(ctx context.Context, c Call) InvokeResult {
	r := newResult(c.Function.Name)
	start := v.now()
	if err := v.invoke(ctx, c, &r); err != nil {
		r.fail(err)
	}
	r.DurationMS = v.now().Sub(start).Milliseconds()
	return r
}

func newResult(tool string) InvokeResult {
	return InvokeResult{
		Tool: tool, Origin: OriginHost, Artifacts: []Artifact{}, Findings: []diag.Diagnostic{},
		Coerced: []string{}, Sandbox: SandboxInfo{Missing: []string{}},
	}
}

// FailedCall is the result of a call that could not be made at all, such as one
// of a tool that does not exist.
func FailedCall(tool string, err error) InvokeResult {
	r := newResult(tool)
	r.fail(err)
	return r
}

func (v *Invoker) now() time.Time {
	if v.Now == nil {
		return time.Now()
	}
	return v.Now()
}

func (v *Invoker) invoke(ctx context.Context, c Call, r *InvokeResult) error {
	p := c.Function.Package
	args, err := checkArgs(c, r)
	if err != nil {
		return err
	}
	if err := p.Usable(); err != nil {
		return err
	}
	lookup := v.LookupEnv
	if lookup == nil {
		lookup = func(string) (string, bool) { return "", false }
	}
	env, secrets, err := grantEnv(p, c.Granted, lookup)
	if err != nil {
		return err
	}
	dir, err := v.outputDir(c)
	if err != nil {
		return err
	}
	defer dir.close()
	run := &running{
		pkg: p, secrets: secrets, r: r, dir: dir, forModel: c.ForModel,
		stdout: newOutput(c.whole(dir, c.Stdout, "-stdout.txt"), c.Stdout, secrets),
		stderr: newOutput(c.whole(dir, c.Stderr, "-stderr.txt"), c.Stderr, secrets),
	}
	policy := v.policy(c, env, dir.path)
	run.wall = policy.Limits.Wall
	return run.do(ctx, v.Run, policy, command(c, args, run))
}

// outputDir makes the folder for artifacts: a temporary one, as without a
// workspace, where nobody may write into the workspace.
func (v *Invoker) outputDir(c Call) (*outputDir, error) {
	dir, err := openOutputDir(v.Workspace.Dir, v.Artifacts, c.OutputDir, v.now())
	if err != nil && c.OutputDir == "" && (errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)) {
		dir, err = openOutputDir(v.Workspace.Dir, "", "", v.now())
	}
	if err != nil {
		return nil, &OutputDirError{Err: err}
	}
	return dir, nil
}

// whole is the file for a stream that the result holds in part: none where its
// receiver has seen all of it.
func (c Call) whole(dir *outputDir, receiver io.Writer, suffix string) spillFile {
	if receiver != nil && !c.ForModel {
		return spillFile{}
	}
	return dir.file(suffix)
}

// checkArgs coerces and validates before anything is spawned.
func checkArgs(c Call, r *InvokeResult) (json.RawMessage, error) {
	s, err := c.Function.Package.Schema(c.Function.Command)
	if err != nil {
		return nil, err
	}
	var args schema.Arguments
	if c.Values != nil {
		args, err = s.ArgumentsOf(c.Values)
	} else {
		args, err = s.Arguments(c.Args)
	}
	for _, co := range args.Coerced {
		r.Coerced = append(r.Coerced, co.String())
	}
	return args.JSON, err
}

// policy is what the package may do, and no more than the workspace allows.
func (v *Invoker) policy(c Call, env map[string]string, outputDir string) sandbox.Policy {
	p := c.Function.Package
	ws := v.Workspace
	ws.Access = sandbox.WorkspaceAccess(p.Workspace)
	policy := sandbox.WorkspacePolicy(ws)
	policy.ReadOnly = append(policy.ReadOnly, sandbox.Mount{Host: p.Dir})
	policy.ReadWrite = append(policy.ReadWrite, sandbox.Mount{Host: outputDir})
	if p.Network {
		policy.Network = sandbox.NetworkFull
	}
	env["AGENTCTL_CONTRACT"] = fmt.Sprint(ContractVersion)
	env["AGENTCTL_OUTPUT_DIR"] = outputDir
	policy.Env = env
	// Our own writers keep the output; the sandbox gets as much as it needs to
	// explain a failure by what the tool said last.
	policy.Limits = sandbox.Limits{Wall: p.timeout(), Data: p.Memory, Head: 1, Tail: 8 << 10}
	if c.Timeout > 0 {
		policy.Limits.Wall = c.Timeout
	}
	// A package that may run for minutes may also compute for minutes.
	policy.Limits.CPU = max(policy.Limits.Wall, sandbox.DefaultLimits.CPU)
	return policy
}

func command(c Call, args json.RawMessage, run *running) sandbox.Command {
	argv := []string{filepath.Join(c.Function.Package.Dir, launchName), c.Function.Command.Name, string(args)}
	cmd := sandbox.Command{Args: argv, Stdout: run.stdout, Stderr: run.stderr}
	if len(args) >= ArgvLimit {
		argv[2] = "-"
		cmd.Stdin = strings.NewReader(string(args))
	}
	return cmd
}

// running is one call while it runs.
type running struct {
	pkg            *Package
	secrets        []secret
	r              *InvokeResult
	dir            *outputDir
	stdout, stderr *output
	wall           time.Duration
	forModel       bool
}

func (x *running) do(ctx context.Context, run sandbox.RunFunc, p sandbox.Policy, c sandbox.Command) error {
	res, runErr := run(ctx, p, c)
	// Of a run that was given up, a write may still wait for its receiver.
	kept := x.streams(runErr != nil || res.TimedOut || res.Canceled || res.OutputErr != nil)
	artifacts, found := x.dir.collect()
	x.r.Artifacts, x.r.Findings = artifacts, append(x.r.Findings, found...)
	if kept != nil && runErr == nil && res.OutputErr == nil {
		return fmt.Errorf("keep the output: %w", kept)
	}
	if runErr != nil {
		return x.pkg.broken(runErr)
	}
	x.ended(res)
	x.r.OutputErr = res.OutputErr
	x.r.Hint = redacted(x.r.Hint, x.secrets) // it may name a path that the tool printed
	if x.r.Origin == OriginTool && res.Exit != 0 && res.OutputErr == nil {
		return x.blame(res.Exit)
	}
	return nil
}

// blame looks whether the build is damaged after its tool failed. Where the tool
// did not start, that is why. Otherwise it may be, and the failure stays the tool's.
func (x *running) blame(exit int) error {
	bad, ok := errors.AsType[*BrokenError](x.pkg.Damaged())
	if !ok {
		return nil
	}
	if exit == ExitBroken || exit == ExitMissing { // a shell's, for what it cannot start
		return bad
	}
	x.r.Findings = append(x.r.Findings, diag.Diagnostic{
		File: x.pkg.Dir, Severity: diag.Warning, Code: "tool.damaged",
		Message: fmt.Sprintf("the build of %s is damaged: %s", x.pkg.Name, bad.Reason), Fix: bad.Cure(),
	})
	x.r.Hint = join(x.r.Hint, fmt.Sprintf("the tool may have failed since its build is damaged: %s; a person can renew it with %s", bad.Reason, bad.Cure()))
	return nil
}

// broken tells an error about the package itself from one about the machine.
func (p *Package) broken(err error) error {
	why := ""
	if _, ok := errors.AsType[*sandbox.NotFoundError](err); ok {
		why = "its launch or the interpreter of that is missing"
	} else if _, ok := errors.AsType[*sandbox.NotExecutableError](err); ok {
		why = "its launch cannot be executed"
	}
	if why == "" {
		return err
	}
	return cmp.Or(p.Damaged(), error(&BrokenError{Package: p.Name, Reason: why}))
}

// streams puts the output into the result. The whole of a stream that a model
// gets in part is kept in a file.
func (x *running) streams(givenUp bool) error {
	end := (*output).close
	if givenUp {
		end = (*output).abandon
	}
	out, err1 := end(x.stdout)
	errs, err2 := end(x.stderr)
	x.r.Stdout, x.r.StdoutFile = out.Text, out.File
	x.r.Stderr, x.r.StderrFile = errs.Text, errs.File
	x.r.Truncated = out.Cut || errs.Cut
	return errors.Join(err1, err2, x.keepWhole())
}

// keepWhole saves the streams that a model will not get in full.
func (x *running) keepWhole() error {
	out, errs := utf8.RuneCountInString(x.r.Stdout), utf8.RuneCountInString(x.r.Stderr)
	if !x.forModel || out+errs <= ModelLimit {
		return nil
	}
	outRoom, errRoom := shares(out, errs)
	var err1, err2 error
	if out > outRoom {
		x.r.StdoutFile, err1 = x.stdout.save()
	}
	if errs > errRoom {
		x.r.StderrFile, err2 = x.stderr.save()
	}
	return errors.Join(err1, err2)
}

// ended reads how the command ended.
func (x *running) ended(res sandbox.Result) {
	r := x.r
	r.Origin, r.ExitCode = OriginTool, res.Exit
	r.Sandbox.Backend = res.Backend
	for _, f := range res.Missing {
		r.Sandbox.Missing = append(r.Sandbox.Missing, string(f))
	}
	r.Findings = append(r.Findings, SandboxFindings(res)...)
	r.Hint = strings.Join(res.Hints, "\n")
	switch {
	case res.TimedOut:
		r.Origin, r.Kind, r.ExitCode, r.TimedOut = OriginHost, KindTimeout, ExitTimeout, true
		r.Message = fmt.Sprintf("%s was stopped at its time limit of %v", r.Tool, x.wall)
		r.Hint = join(r.Hint, "ask for less at once, or allow more time with --timeout or timeout in TOOL.md")
	case res.Canceled:
		r.Origin, r.Kind, r.ExitCode, r.Message = OriginHost, KindInterrupted, ExitInterrupted, "interrupted"
	case res.OOM:
		r.Kind = KindMemory
	case res.Exit != 0:
		r.Kind, r.Field = toolKind(res.Exit, r.Stderr)
	}
}

// toolKind reads a tool's exit code, and the marker line that makes a 2 one
// about arguments: a Go panic and many programs exit with 2 as well.
func toolKind(exit int, stderr string) (kind, field string) {
	switch {
	case exit == ToolArguments:
		if m, ok := marker(stderr); ok && m.Kind == KindInvalidArguments {
			return KindInvalidArguments, m.Field
		}
	case exit == ToolConfig:
		return KindConfiguration, ""
	case exit == ToolTransient:
		return KindTransient, ""
	case exit >= 128:
		return KindSignal, ""
	}
	return KindFailed, ""
}

// markerPrefix starts the line by which a tool blames an argument.
const markerPrefix = "agentctl-error: "

type markerLine struct{ Kind, Message, Field string }

// marker finds the last such line.
func marker(stderr string) (m markerLine, ok bool) {
	for line := range strings.Lines(stderr) {
		if text, found := strings.CutPrefix(strings.TrimSpace(line), markerPrefix); found {
			var next markerLine
			if json.Unmarshal([]byte(text), &next) == nil {
				m, ok = next, true
			}
		}
	}
	return m, ok
}

// fail turns an error into the result of a call that the host ended.
func (r *InvokeResult) fail(err error) {
	r.Origin, r.Message, r.Field = OriginHost, err.Error(), ""
	r.Kind, r.ExitCode, r.Hint = hostKind(err)
	if bad, ok := errors.AsType[*schema.ValidationError](err); ok {
		r.Field = bad.Field()
	}
	if env, ok := errors.AsType[*EnvError](err); ok && env.Ungranted {
		r.Ungranted = env.Name
	}
}

// ErrorKind maps the errors of this package and those of arguments to kind,
// exit code and next step. ok is false for any other error.
func ErrorKind(err error) (kind string, exit int, hint string, ok bool) {
	if _, is := errors.AsType[*schema.ValidationError](err); is {
		return KindInvalidArguments, ToolArguments, "correct the arguments and call again", true
	}
	if _, is := errors.AsType[*schema.SyntaxError](err); is {
		return KindInvalidArguments, ToolArguments, "arguments are one JSON object", true
	}
	if _, is := errors.AsType[*ArgError](err); is {
		return KindInvalidArguments, ToolArguments, "", true
	}
	if e, is := errors.AsType[*EnvError](err); is {
		return KindConfiguration, ToolArguments, e.Hint, true
	}
	if e, is := errors.AsType[*NotBuiltError](err); is {
		return KindNotBuilt, ExitMissing, "run " + e.Cure(), true
	}
	if e, is := errors.AsType[*BrokenError](err); is {
		return KindBroken, ExitBroken, "run " + e.Cure(), true
	}
	if _, is := errors.AsType[*AmbiguousError](err); is {
		return KindNotFound, ToolArguments, "name one of them as PKG:CMD", true
	}
	return "", 0, "", false
}

// hostKind is [ErrorKind] for everything that can end a call. What nobody
// foresaw is a failure of the host, never one of the tool.
func hostKind(err error) (kind string, exit int, hint string) {
	if kind, exit, hint, ok := ErrorKind(err); ok {
		return kind, exit, hint
	}
	if _, ok := errors.AsType[*NotFoundError](err); ok {
		return KindNotFound, ToolArguments, ""
	}
	if e, ok := errors.AsType[*sandbox.Fault](err); ok {
		return KindSandbox, ExitSandbox, e.Cure
	}
	if e, ok := errors.AsType[*sandbox.PolicyError](err); ok {
		return KindPolicy, ToolArguments, e.Cure
	}
	if _, ok := errors.AsType[*OutputDirError](err); ok {
		return KindFailed, ExitSandbox, "name a folder that you may write to with --output-dir"
	}
	if errors.Is(err, context.Canceled) {
		return KindInterrupted, ExitInterrupted, ""
	}
	return KindFailed, ExitSandbox, ""
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}
