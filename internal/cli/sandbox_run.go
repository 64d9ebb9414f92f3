package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/fspath"
	"github.com/agentctl/agentctl/internal/iostreams"
	"github.com/agentctl/agentctl/internal/workspace"
	"github.com/agentctl/agentctl/pkg/sandbox"
	"github.com/agentctl/agentctl/pkg/toolpkg"
)

type sandboxRunOptions struct {
	outputOptions
	sandboxFlags
	ReadOnly, ReadWrite []string
	Network             string
	Env                 []string
	Args                []string
	outputs             *toolpkg.Outputs // with --json

	Cwd       func() (string, error)
	LookupEnv func(string) (string, bool)
	Workspace func() (sandbox.WorkspaceOptions, error)
	Open      func(ctx context.Context, name string) (sandbox.Backend, error)
}

// sandboxRunJSON is the shape of tool invoke and how the program ended.
type sandboxRunJSON struct {
	runJSON
	Signal    string `json:"signal"`
	Canceled  bool   `json:"canceled"`
	OOM       bool   `json:"oom"`
	CPULimit  bool   `json:"cpu_limit"`
	FileLimit bool   `json:"file_limit"`
}

// networks are the values of --net.
var networks = []string{"none", "full"}

const sandboxRunExitCodes = `  N    the program's own exit code; 128+N when signal N ended it
  2    wrong arguments
  124  the time limit was reached
  125  the sandbox failed, or none is available; or agentctl itself failed
  126  the program cannot be run
  127  the program does not exist
  130  interrupted`

func newSandboxRunCmd(f *Factory, run func(context.Context, *sandboxRunOptions) error) *cobra.Command {
	opts := &sandboxRunOptions{
		outputOptions: outputOptions{IO: f.IO}, Cwd: func() (string, error) { return f.Cwd() },
		LookupEnv: os.LookupEnv, Workspace: f.workspaceOptions,
		Open: func(ctx context.Context, name string) (sandbox.Backend, error) { return f.Sandbox(ctx, name) },
	}
	if run == nil {
		run = runSandboxRun
	}
	cmd := &cobra.Command{
		Use: "run [flags] -- PROGRAM [ARG …]", Short: "Run a program in the sandbox of tools",
		Long: `Run a program as a tool would be run: without network, with the system's
libraries and the workspace to read, the workspace to write except for what
steers a model (.git, .agentctl, .skill, skills, apps and so on), a private home
and tmp, and an environment made from nothing. Its input and output are passed on.`,
		Example: `  agentctl sandbox run -- python3 script.py data.csv
  agentctl sandbox run --net full --env API_KEY -- curl -s https://example.com`,
		Args:              rangeArgs(1, -1, "a program"),
		Annotations:       map[string]string{freeArgs: "yes", exitCodes: sandboxRunExitCodes},
		ValidArgsFunction: files,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Args, opts.FlagErr = args, emptyFlags(cmd)
			return run(cmd.Context(), opts)
		},
	}
	opts.addFlags(cmd)
	opts.addSandboxFlag(cmd)
	opts.addTimeoutFlag(cmd)
	flags := cmd.Flags()
	flags.SetInterspersed(false) // what follows the program belongs to it
	flags.StringArrayVar(&opts.ReadOnly, "ro", nil, "let the program read `PATH`; may be repeated")
	flags.StringArrayVar(&opts.ReadWrite, "rw", nil, "let the program read and write `PATH`; may be repeated")
	flags.StringVar(&opts.Network, "net", "none", "network: none or full")
	flags.StringArrayVar(&opts.Env, "env", nil, "pass the variable `NAME` on; may be repeated")
	completeFlag(cmd, "net", oneOfWords(networks...))
	return cmd
}

func runSandboxRun(ctx context.Context, o *sandboxRunOptions) error {
	shape := sandboxRunJSON{runJSON: newRunJSON(o.Args[0])}
	res, err := o.start(ctx)
	if err != nil {
		if o.outputs != nil {
			_ = o.outputs.Fill(&toolpkg.InvokeResult{}) // ends them
		}
		return o.failed(shape, err)
	}
	if res.TimedOut || res.Canceled {
		o.IO = withoutWaiting(ctx, o.IO)
	}
	noteConfinement(o.IO, res)
	if o.JSON {
		shape.ran(res)
		if err := shape.printed(o.outputs); err != nil {
			warn(o.IO, "warning: the whole output could not be kept: %v", err)
		}
		shape.Signal, shape.Canceled = res.Signal, res.Canceled
		shape.OOM, shape.CPULimit, shape.FileLimit = res.OOM, res.CPULimit, res.FileLimit
		if err := ownFailure(o.IO, writeJSON(o.IO.Out, shape)); err != nil {
			return err
		}
	} else if res.TimedOut {
		warn(o.IO, "error: the program was ended after its time limit; --timeout gives it more")
	}
	return exitError(runExit(res))
}

// withoutWaiting are the streams for the end of a run that was given up: what is
// for people waits no longer than a moment for a slow reader.
func withoutWaiting(ctx context.Context, s *iostreams.IOStreams) *iostreams.IOStreams {
	over, end := context.WithCancel(ctx)
	end()
	quick := *s
	quick.Err = unblocked(over, s.Err)
	return &quick
}

// failed reports that nothing ran. Without --json the error is reported here,
// since a --json behind the program's name is not agentctl's.
func (o *sandboxRunOptions) failed(shape sandboxRunJSON, err error) error {
	f := runFailure(err)
	if !o.JSON {
		tell(o.IO, f)
		return exitError(f.Exit)
	}
	shape.failed(f)
	if err := ownFailure(o.IO, writeJSON(o.IO.Out, shape)); err != nil {
		return err
	}
	return exitError(f.Exit)
}

func (o *sandboxRunOptions) start(ctx context.Context) (sandbox.Result, error) {
	if o.FlagErr != nil {
		return sandbox.Result{}, o.FlagErr
	}
	policy, ws, err := o.policy()
	if err != nil {
		return sandbox.Result{}, err
	}
	backend, err := o.open(ctx)
	if err != nil {
		return sandbox.Result{}, err
	}
	c := sandbox.Command{Args: o.Args, Stdin: o.IO.In}
	out, errOut := forTerminal(o.IO.Out, o.IO.OutTTY), forTerminal(o.IO.Err, o.IO.ErrTTY)
	if o.JSON {
		o.outputs = newOutputs(ws)
		c.Stdout, c.Stderr = o.outputs.Stdout(), o.outputs.Stderr()
	} else {
		c.Stdout, c.Stderr = out, errOut
	}
	res, err := backend.Run(ctx, policy, c)
	if err != nil {
		return res, err
	}
	if err = res.OutputErr; err == nil && !res.TimedOut && !res.Canceled { // else a write may still hang
		err = errors.Join(out.Close(), errOut.Close())
	}
	if err != nil {
		err = fmt.Errorf("the output of the program could not be passed on: %w", err)
	}
	return res, err
}

// leastToOpen is the time that the sandbox gets to prove itself, also in a run that
// is meant to be shorter: without a proof there would never be one.
const leastToOpen = 2 * time.Second

// open returns the sandbox, within the time limit of the run.
func (o *sandboxRunOptions) open(ctx context.Context) (sandbox.Backend, error) {
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, max(o.Timeout, leastToOpen))
		defer cancel()
	}
	return o.Open(ctx, o.Sandbox)
}

// newOutputs keeps long output where a tool's is kept; in no folder that is not
// shown to programs either.
func newOutputs(ws sandbox.WorkspaceOptions) *toolpkg.Outputs {
	if !sandbox.Mountable(ws.Dir, ws.Home) {
		return toolpkg.NewOutputs("", "")
	}
	return toolpkg.NewOutputs(ws.Dir, filepath.Join(ws.Dir, workspace.Dir, "artifacts"))
}

// policy is the one of the workspace with what the flags add.
func (o *sandboxRunOptions) policy() (p sandbox.Policy, ws sandbox.WorkspaceOptions, err error) {
	if err := o.check(); err != nil {
		return p, ws, err
	}
	if err := oneOf("net", o.Network, networks...); err != nil {
		return p, ws, err
	}
	cwd, err := o.Cwd()
	if err != nil {
		return p, ws, err
	}
	if ws, err = o.Workspace(); err != nil {
		return p, ws, err
	}
	ro, rw := absolutePaths(cwd, o.ReadOnly), absolutePaths(cwd, o.ReadWrite)
	if slices.Contains(ro, ws.Dir) {
		ws.Access = sandbox.WorkspaceRO
	}
	p = sandbox.WorkspacePolicy(ws)
	if p.Dir == "" {
		warn(o.IO, "the workspace %s is not visible inside, since it is the home folder or above it; --ro and --rw add folders", ws.Dir)
	} else if fspath.Within(ws.Dir, cwd) {
		p.Dir = cwd
	}
	o.mount(&p, ws.Dir, ro, rw)
	p.Limits.Wall = o.Timeout
	if o.Network == "full" {
		p.Network = sandbox.NetworkFull
	}
	p.Env, err = o.environment()
	return p, ws, err
}

// mount adds what the flags name. What is named for writing in the workspace is no
// longer protected: naming it is consent. Naming the workspace or a folder around
// it names nothing that is protected.
func (o *sandboxRunOptions) mount(p *sandbox.Policy, ws string, ro, rw []string) {
	for _, path := range ro {
		if path != ws {
			p.ReadOnly = append(p.ReadOnly, sandbox.Mount{Host: path})
		}
	}
	for _, path := range rw {
		if path == ws {
			continue
		}
		p.ReadWrite = append(p.ReadWrite, sandbox.Mount{Host: path})
		real, root := fspath.Real(path), fspath.Real(ws)
		if real == root || !fspath.Within(root, real) {
			continue
		}
		p.Protect = slices.DeleteFunc(p.Protect, func(protected string) bool { return fspath.Within(real, fspath.Real(protected)) })
	}
}

func (o *sandboxRunOptions) environment() (map[string]string, error) {
	env := map[string]string{}
	if err := checkVariableNames(o.Env); err != nil {
		return nil, err
	}
	for _, name := range o.Env {
		value, ok := o.LookupEnv(name)
		if !ok {
			return nil, usageError{message: "--env " + name + ": there is no such variable", hint: "set it first: export " + name + "=…"}
		}
		env[name] = value
	}
	return env, nil
}

func absolutePaths(cwd string, paths []string) []string {
	out := make([]string, len(paths))
	for i, p := range paths {
		if !filepath.IsAbs(p) {
			p = filepath.Join(cwd, p)
		}
		out[i] = filepath.Clean(p)
	}
	return out
}
