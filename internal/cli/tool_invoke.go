package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/config"
	"github.com/agentctl/agentctl/internal/registry"
	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/internal/workspace"
	"github.com/agentctl/agentctl/pkg/sandbox"
	"github.com/agentctl/agentctl/pkg/toolpkg"
)

type toolInvokeOptions struct {
	outputOptions
	toolsFactory
	sandboxFlags
	Name      string
	Text      string // the JSON, "-" or "@FILE"; "" for none
	Args      []string
	Env       []string
	OutputDir string
	Build     bool
	ForModel  bool

	LookupEnv func(string) (string, bool)
	Config    func() (*config.Loaded, error)
	Workspace func() (sandbox.WorkspaceOptions, error)
	Open      func(ctx context.Context, name string) (sandbox.Backend, error)
}

const toolInvokeExitCodes = `  N    the tool's own exit code: 0 ok, 1 failed, 2 may work with other arguments,
       3 a secret or setting is missing, 4 try again later, 128+N ended by signal N
  2    the arguments do not fit, or there is no such tool; nothing was run
  124  the time limit was reached
  125  the sandbox failed, or none is available
  126  the prebuilt package is damaged, foreign, or lacks its interpreter
  127  the package is not built
  130  interrupted
       With --json, origin says whether the tool or agentctl ended the call.`

func newToolInvokeCmd(f *Factory, run func(context.Context, *toolInvokeOptions) error) *cobra.Command {
	opts := &toolInvokeOptions{
		outputOptions: outputOptions{IO: f.IO}, toolsFactory: f.tools(), LookupEnv: os.LookupEnv,
		Config: f.Config, Workspace: f.workspaceOptions,
		Open: func(ctx context.Context, name string) (sandbox.Backend, error) { return f.Sandbox(ctx, name) },
	}
	if run == nil {
		run = runToolInvoke
	}
	cmd := &cobra.Command{
		Use: "invoke [PKG:]CMD [JSON, @FILE or -]", Short: "Call one command of a tool package",
		Long: `Call a command of a prebuilt package in the sandbox, with the arguments as one
JSON object, from a file, or from stdin. --arg lays single arguments over it:

  --arg k=text     text, or what the schema wants made of it
  --arg k:=JSON    any JSON value
  --arg k@FILE     the text of a file
  a repeated k     an array

Arguments are checked against the command's schema first; a call that does not fit
runs nothing. The tool's output passes through unchanged, with declared secrets
redacted; --json prints the result as one object, --for-model what a model reads.`,
		Example: `  agentctl tool invoke data-fetch '{"name":"bike-rides","output":"rides.csv"}'
  agentctl tool invoke data-fetch:data-fetch --arg name=bike-rides --arg output=rides.csv --json`,
		Args:              rangeArgs(1, 2, "the name of a command, and its arguments as JSON"),
		Annotations:       map[string]string{freeArgs: "yes", exitCodes: toolInvokeExitCodes},
		ValidArgsFunction: firstArg(f.complete(f.bareCommandNames)),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Name, opts.FlagErr = args[0], emptyFlags(cmd)
			if len(args) > 1 {
				opts.Text = args[1]
			}
			return run(cmd.Context(), opts)
		},
	}
	opts.addFlags(cmd)
	opts.addSandboxFlag(cmd)
	opts.addTimeoutFlag(cmd)
	flags := cmd.Flags()
	flags.StringArrayVar(&opts.Args, "arg", nil, "one argument, `k=text`, k:=JSON or k@FILE; may be repeated")
	flags.StringArrayVar(&opts.Env, "env", nil, "let the package have the variable `NAME`, if it declares it; may be repeated")
	flags.StringVar(&opts.OutputDir, "output-dir", "", "put artifacts into `DIR` (default: a new folder below .agentctl/artifacts)")
	flags.BoolVar(&opts.Build, "build", false, "bring the package's build up to date first")
	flags.BoolVar(&opts.ForModel, "for-model", false, "print the text that a model reads")
	cmd.MarkFlagsMutuallyExclusive("json", "for-model")
	return cmd
}

func runToolInvoke(ctx context.Context, o *toolInvokeOptions) error {
	r, err := o.invoke(ctx)
	streams := *o.IO // what is printed from now on waits for no reader after a signal
	streams.Out = unblocked(ctx, o.IO.Out)
	o.IO = &streams
	if err != nil {
		return o.failed(err)
	}
	if r.OutputErr != nil {
		return ownFailure(o.IO, r.OutputErr)
	}
	if r.Ungranted != "" {
		r.Hint = "grant it for this call with --env " + r.Ungranted + "\n" + r.Hint
	}
	if givenUp(r) {
		o.IO = withoutWaiting(ctx, o.IO)
	}
	if err := o.print(r); err != nil {
		return err
	}
	return exitError(r.ExitCode)
}

// givenUp tells whether a write of the call's output may still hang.
func givenUp(r toolpkg.InvokeResult) bool {
	return r.TimedOut || r.Kind == toolpkg.KindInterrupted || r.OutputErr != nil
}

// failed reports a call that could not be made, in the shape of all calls.
func (o *toolInvokeOptions) failed(err error) error {
	f := runFailure(err)
	r := toolpkg.FailedCall(o.Name, err)
	r.Kind, r.ExitCode, r.Hint, r.Message = f.Kind, f.Exit, f.Hint, f.Message
	if err := o.print(r); err != nil {
		return err
	}
	return exitError(r.ExitCode)
}

// print writes the result. Without a flag the streams have passed already, and
// only what agentctl has to say is left.
func (o *toolInvokeOptions) print(r toolpkg.InvokeResult) error {
	if o.JSON {
		return ownFailure(o.IO, writeJSON(o.IO.Out, r))
	}
	printDiagnostics(o.IO, r.Findings)
	if o.ForModel {
		return ownFailure(o.IO, writeText(o.IO, r.ForModel()))
	}
	o.notes(r)
	return nil
}

func (o *toolInvokeOptions) notes(r toolpkg.InvokeResult) {
	for _, c := range r.Coerced {
		warn(o.IO, "note: argument %s", c)
	}
	for _, a := range r.Artifacts {
		warn(o.IO, "artifact: %s (%s)", a.Path, termtext.Count(int(a.Bytes), "byte"))
	}
	if r.Sandbox.Backend != "" {
		noteConfinement(o.IO, sandbox.Result{Backend: r.Sandbox.Backend, Missing: features(r.Sandbox.Missing)})
	}
	if r.Origin == toolpkg.OriginHost {
		report(o.IO, hintedError{err: errors.New(r.Message), hint: r.Hint}, false)
		return
	}
	for hint := range strings.Lines(r.Hint) {
		warn(o.IO, "hint: %s", strings.TrimSpace(hint))
	}
}

func features(names []string) []sandbox.Feature {
	out := make([]sandbox.Feature, len(names))
	for i, n := range names {
		out[i] = sandbox.Feature(n)
	}
	return out
}

func (o *toolInvokeOptions) invoke(ctx context.Context) (toolpkg.InvokeResult, error) {
	var none toolpkg.InvokeResult
	if err := cmp.Or(o.FlagErr, o.check()); err != nil {
		return none, err
	}
	failed, err := o.build(ctx)
	if err != nil {
		return none, err
	}
	f, err := o.find(ctx)
	pkg, _, _ := strings.Cut(o.Name, ":")
	if err == nil {
		pkg = f.Package.Name
	}
	if err := cmp.Or(failed[pkg], err); err != nil {
		return none, err
	}
	c, err := o.call(ctx, f)
	if err != nil {
		return none, err
	}
	v, err := o.invoker()
	if err != nil {
		return none, err
	}
	if ws := v.Workspace; f.Package.Workspace != string(sandbox.WorkspaceNone) && !sandbox.Mountable(ws.Dir, ws.Home) {
		warn(o.IO, "the workspace %s is not visible to the tool, since it is the home folder or above it; call it in a folder of its own, or name one with --workspace", ws.Dir)
	}
	out, errOut := forTerminal(o.IO.Out, o.IO.OutTTY), forTerminal(o.IO.Err, o.IO.ErrTTY)
	if !o.JSON && !o.ForModel {
		c.Stdout, c.Stderr = out, errOut
	}
	r := v.Invoke(ctx, c)
	if !givenUp(r) {
		r.OutputErr = errors.Join(out.Close(), errOut.Close())
	}
	return r, nil
}

// build brings the named package, or for a bare command all packages, up to date,
// if that was asked for. Those that failed matter when the command is one of them.
func (o *toolInvokeOptions) build(ctx context.Context) (failed map[string]error, err error) {
	if !o.Build {
		return nil, nil
	}
	l, err := o.Sources(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	if pkg, _, ok := strings.Cut(o.Name, ":"); ok {
		names = []string{pkg}
	}
	sources, _, err := o.pick(l, names) // those that do not load are below
	if err != nil {
		return nil, err
	}
	p, err := o.Prebuilder(o.Sandbox)
	if err != nil {
		return nil, err
	}
	outcomes, err := p.Prebuild(ctx, sources)
	failed = map[string]error{}
	for _, b := range l.Broken {
		failed[b.Name] = &registry.BrokenError{Kind: "tool package", Name: b.Name, File: b.File(), Diagnostics: b.Diagnostics}
	}
	for _, out := range outcomes {
		if out.Err != nil {
			failed[out.Name] = fmt.Errorf("%s: %w", out.Name, out.Err)
		}
	}
	return failed, err
}

func (o *toolInvokeOptions) find(ctx context.Context) (toolpkg.Function, error) {
	c, err := o.Catalog(ctx)
	if err != nil {
		return toolpkg.Function{}, err
	}
	p, command, err := c.Find(o.Name)
	if _, missing := as[*toolpkg.NotFoundError](err); missing && !strings.Contains(o.Name, ":") {
		err = hintedError{err: err, hint: bareNameHint(c, o.Name)}
	}
	return toolpkg.Function{Name: command.Tool(), Package: p, Command: command}, err
}

// bareNameHint says why no command has this name, as far as that can be known.
func bareNameHint(c *toolpkg.Catalog, name string) string {
	p, err := c.Package(name)
	if _, unbuilt := as[*toolpkg.NotBuiltError](err); unbuilt {
		return fmt.Sprintf("package %s is not built, so its commands are not known; run agentctl tool prebuild %s", name, name)
	}
	switch {
	case err == nil:
		var commands []string
		for _, cmd := range p.Commands {
			commands = append(commands, name+":"+cmd.Name)
		}
		return fmt.Sprintf("%s is a package; name one of its commands: %s", name, shorten(commands, 10))
	case len(c.Unbuilt) > 0:
		return fmt.Sprintf("not built, so their commands are not known: %s; run agentctl tool prebuild", shorten(c.Unbuilt, 10))
	}
	return ""
}

func (o *toolInvokeOptions) call(ctx context.Context, f toolpkg.Function) (toolpkg.Call, error) {
	c := toolpkg.Call{Function: f, Timeout: o.Timeout, ForModel: o.ForModel}
	cwd, err := o.Cwd()
	if err != nil {
		return c, err
	}
	if c.Args, err = o.text(ctx, cwd); err != nil {
		return c, err
	}
	if len(o.Args) > 0 {
		if c.Values, err = toolpkg.MergeArgs(ctx, f.Command, c.Args, o.Args, cwd); err != nil {
			return c, err
		}
	}
	if o.OutputDir != "" {
		c.OutputDir = absolutePaths(cwd, []string{o.OutputDir})[0]
		if info, err := os.Stat(c.OutputDir); err == nil && !info.IsDir() {
			return c, usageError{message: fmt.Sprintf("--output-dir %q is a file", o.OutputDir), hint: "name a folder; it is made when it does not exist"}
		}
	}
	if err := checkVariableNames(o.Env); err != nil {
		return c, err
	}
	if err := f.Package.CheckGrants(o.Env); err != nil {
		return c, err
	}
	conf, err := o.Config()
	if err != nil {
		return c, err
	}
	c.Granted = append(append(c.Granted, conf.Tools.Env[f.Package.Name]...), o.Env...)
	return c, nil
}

// text reads the JSON of the arguments from where it is, without the byte order
// mark that some programs begin with.
func (o *toolInvokeOptions) text(ctx context.Context, cwd string) ([]byte, error) {
	data := []byte(o.Text)
	var err error
	if o.Text == "-" {
		data, err = toolpkg.ReadArgs("stdin", interruptible(ctx, o.IO.In))
	} else if name, isFile := strings.CutPrefix(o.Text, "@"); isFile {
		data, err = toolpkg.ReadArgsFile(ctx, absolutePaths(cwd, []string{name})[0])
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err == nil && !utf8.Valid(data) {
		err = errors.New("the arguments are not UTF-8")
	}
	if err == nil && toolpkg.IsArg(o.Text) {
		return nil, usageError{message: fmt.Sprintf("%q is no JSON object", o.Text), hint: "single arguments are written --arg " + shellWord(o.Text)}
	}
	if err != nil {
		return nil, usageError{message: err.Error(), hint: "give one JSON object, -, or @FILE with a file that holds one"}
	}
	return bytes.TrimPrefix(data, []byte("\ufeff")), nil
}

// invoker opens the sandbox only when the arguments have passed.
func (o *toolInvokeOptions) invoker() (*toolpkg.Invoker, error) {
	ws, err := o.Workspace()
	if err != nil {
		return nil, err
	}
	run := func(ctx context.Context, p sandbox.Policy, c sandbox.Command) (sandbox.Result, error) {
		b, err := o.Open(ctx, o.Sandbox)
		if err != nil {
			return sandbox.Result{}, err
		}
		return b.Run(ctx, p, c)
	}
	return &toolpkg.Invoker{
		Run: run, Workspace: ws, LookupEnv: o.LookupEnv,
		Artifacts: filepath.Join(ws.Dir, workspace.Dir, "artifacts"),
	}, nil
}
