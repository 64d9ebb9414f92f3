package cli

import (
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/iostreams"
	"github.com/agentctl/agentctl/internal/registry"
	"github.com/agentctl/agentctl/pkg/sandbox"
	"github.com/agentctl/agentctl/pkg/toolpkg"
)

// runJSON is what a run of a program comes to: the shape of `tool invoke`, and
// most of that of `sandbox run`. Both print it also when nothing ran.
type runJSON struct {
	Tool string `json:"tool"`
	// Origin is who the exit code comes from: the program, or agentctl.
	Origin     string            `json:"origin" jsonschema:"enum=tool,enum=host"`
	Kind       string            `json:"kind,omitempty"`
	ExitCode   int               `json:"exit_code"`
	Stdout     string            `json:"stdout"`
	Stderr     string            `json:"stderr"`
	DurationMS int64             `json:"duration_ms"`
	TimedOut   bool              `json:"timed_out"`
	Truncated  bool              `json:"truncated,omitempty"`
	Field      string            `json:"field,omitempty"`
	Artifacts  []artifactJSON    `json:"artifacts"`
	Diags      []diag.Diagnostic `json:"diagnostics"`
	Sandbox    runSandboxJSON    `json:"sandbox"`
	Coerced    []string          `json:"coerced"`
	StdoutFile string            `json:"stdout_file,omitempty"`
	StderrFile string            `json:"stderr_file,omitempty"`
	Message    string            `json:"message,omitempty"`
	Hint       string            `json:"hint,omitempty"`
}

// runSandboxJSON says how a run was confined; the backend is "" when nothing ran.
type runSandboxJSON struct {
	Backend string   `json:"backend"`
	Missing []string `json:"missing"`
}

type artifactJSON struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
}

// newRunJSON is the shape without a run.
func newRunJSON(tool string) runJSON {
	return runJSON{
		Tool: tool, Origin: "host", Artifacts: []artifactJSON{}, Diags: []diag.Diagnostic{},
		Sandbox: runSandboxJSON{Missing: []string{}}, Coerced: []string{},
	}
}

// ran fills in what a sandbox reports about a program that ran.
func (r *runJSON) ran(res sandbox.Result) {
	r.Origin, r.ExitCode, r.TimedOut = "tool", runExit(res), res.TimedOut
	switch {
	case res.TimedOut:
		r.Origin, r.Kind = "host", "timeout"
	case res.Canceled:
		r.Origin, r.Kind = "host", "interrupted"
	}
	r.DurationMS = res.Duration.Round(time.Millisecond).Milliseconds()
	r.Sandbox.Backend = res.Backend
	for _, f := range res.Missing {
		r.Sandbox.Missing = append(r.Sandbox.Missing, string(f))
	}
	r.Diags = append(r.Diags, toolpkg.SandboxFindings(res)...)
	r.Hint = strings.Join(res.Hints, "\n")
}

// printed fills in what the program printed.
func (r *runJSON) printed(o *toolpkg.Outputs) error {
	var out toolpkg.InvokeResult
	err := o.Fill(&out)
	r.Stdout, r.StdoutFile, r.Stderr, r.StderrFile = out.Stdout, out.StdoutFile, out.Stderr, out.StderrFile
	r.Truncated = out.Truncated
	return err
}

// failed fills in why nothing ran.
func (r *runJSON) failed(f failure) {
	r.Origin, r.Kind, r.ExitCode, r.Message, r.Hint = f.Origin, f.Kind, f.Exit, f.Message, f.Hint
	r.TimedOut = f.Kind == "timeout"
}

// runFailure is an error of a verb that runs a program. Its codes are only those
// that a person can tell from the program's own: what agentctl would otherwise
// end with 1, 3 or 4 becomes 125, with a hint that clears the sandbox, what is
// refused 2, and a package that does not load or build is broken.
func runFailure(err error) failure {
	f := classify(err)
	switch {
	case f.Exit == exitFailed && brokenPackage(err):
		f.Exit = exitBroken
	case f.Exit == exitRefused:
		f.Exit = exitUsage
	case f.Exit != exitUsage && f.Exit < exitTimeout:
		f.Exit, f.Hint = exitSandbox, join(f.Hint, notTheSandbox)
	}
	return f
}

const notTheSandbox = "this is no fault of the sandbox: 125 stands for every failure of agentctl itself around a program"

// ownFailure reports what a verb that runs a program could not do itself once the
// program had ended, such as printing the result.
func ownFailure(s *iostreams.IOStreams, err error) error {
	if err == nil {
		return nil
	}
	f := runFailure(err)
	tell(s, f)
	return exitError(f.Exit)
}

// brokenPackage tells whether an error lies in a package, not in what runs it.
func brokenPackage(err error) bool {
	if _, ok := as[*sandbox.Fault](err); ok {
		return false
	}
	_, load := as[*registry.BrokenError](err)
	_, build := as[*toolpkg.BuildError](err)
	_, describe := as[*toolpkg.DescribeError](err)
	return load || build || describe
}

// runExit is the exit code of a verb that ran a program: the program's own,
// unless agentctl ended it.
func runExit(res sandbox.Result) int {
	switch {
	case res.TimedOut:
		return exitTimeout
	case res.Canceled:
		return exitInterrupted
	}
	return res.Exit
}
