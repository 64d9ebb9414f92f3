package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/pkg/sandbox"
	"github.com/agentctl/agentctl/pkg/toolpkg"
)

type toolPrebuildOptions struct {
	outputOptions
	toolsFactory
	sandboxFlags
	Names                      []string
	Check, Explain, Force, Key bool
	Jobs                       int
}

type toolPrebuildJSON struct {
	Packages    []toolOutcomeJSON `json:"packages"`
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
}

type toolOutcomeJSON struct {
	Name     string         `json:"name"`
	Status   toolpkg.Status `json:"status" jsonschema:"enum=built,enum=fresh,enum=stale,enum=missing,enum=failed"`
	Reason   string         `json:"reason,omitempty"`
	Digest   string         `json:"digest"`
	Seconds  float64        `json:"seconds"`
	Commands int            `json:"commands"`
}

type toolKeyJSON struct {
	Key string `json:"key"`
}

func newToolPrebuildCmd(f *Factory, run func(context.Context, *toolPrebuildOptions) error) *cobra.Command {
	opts := &toolPrebuildOptions{outputOptions: outputOptions{IO: f.IO}, toolsFactory: f.tools()}
	if run == nil {
		run = runToolPrebuild
	}
	cmd := &cobra.Command{
		Use: "prebuild [PKG or DIR …]", Short: "Build tool packages and freeze their descriptions",
		Long: `Build the source packages of the workspace (tools/*) and of the configuration, or
those that are named, into .agentctl/prebuilt. A package whose files, toolchain and
declared variables are those of its build, and whose build is whole, is left alone;
times do not count. The new build replaces the old one only when it is complete and its launcher answers.

Builders run like make, outside the sandbox and with declared variables only; the
launcher that they made is asked inside the sandbox.

--check, --explain and --key build nothing: the first says with its exit code
whether a build is stale or missing, the second why, and the third prints a key
for a cache of .agentctl/prebuilt.`,
		Example: "  agentctl tool prebuild\n  agentctl tool prebuild --check --explain\n  agentctl tool prebuild ./tools/data-fetch --force",
		Args:    rangeArgs(0, -1, "names of packages"),
		Annotations: map[string]string{exitCodes: `  0    done; with --check: every build is fresh
  1    a package failed; its old build, if any, stays in use
  2    wrong arguments, or there is no such package
  3    --check: a build is stale or missing
  125  no sandbox can be used; --sandbox none builds without one
  130  interrupted`},
		ValidArgsFunction: eachOnce(orFolder(f.complete(f.sourceNames, f.folderNames))),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Names = args
			return run(cmd.Context(), opts)
		},
	}
	opts.addFlags(cmd)
	opts.addSandboxFlag(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&opts.Check, "check", false, "build nothing; exit 3 when a build is stale or missing")
	flags.BoolVar(&opts.Explain, "explain", false, "build nothing; say which files or components changed")
	flags.BoolVar(&opts.Key, "key", false, "build nothing; print a cache key")
	flags.BoolVar(&opts.Force, "force", false, "build what is fresh too")
	flags.IntVar(&opts.Jobs, "jobs", 0, "build `N` packages at a time (default: up to 4)")
	for _, name := range []string{"check", "explain", "key"} {
		cmd.MarkFlagsMutuallyExclusive("force", name)
	}
	cmd.MarkFlagsMutuallyExclusive("key", "check")
	cmd.MarkFlagsMutuallyExclusive("key", "explain")
	return cmd
}

func runToolPrebuild(ctx context.Context, o *toolPrebuildOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	if o.Jobs < 0 {
		return usageError{message: fmt.Sprintf("--jobs must not be negative, got %d", o.Jobs), hint: "leave it out for up to 4 at a time"}
	}
	l, err := o.Sources(ctx)
	if err != nil {
		return err
	}
	sources, broken, err := o.pick(l, o.Names)
	if err != nil {
		return err
	}
	if len(sources) == 0 && len(broken) == 0 {
		return noToolSources("build", l.Looked)
	}
	p, err := o.Prebuilder(o.Sandbox)
	if err != nil {
		return err
	}
	var found []diag.Diagnostic
	if len(o.Names) == 0 {
		found = slices.Concat(l.Diagnostics, toolpkg.Orphans(p.Out, l))
	} else { // not of packages that were not asked for
		for _, b := range broken {
			found = append(found, b.Diagnostics...)
		}
	}
	outcomes, err := o.work(ctx, p, sources)
	if err != nil {
		return err
	}
	outcomes = withBroken(outcomes, broken)
	if o.Key {
		return o.printKey(outcomes)
	}
	for _, out := range outcomes {
		found = append(found, out.Diagnostics...)
	}
	printDiagnostics(o.IO, found)
	if err := o.print(outcomes, found); err != nil {
		return err
	}
	return o.exit(outcomes, found)
}

func (o *toolPrebuildOptions) work(ctx context.Context, p *toolpkg.Prebuilder, sources []*toolpkg.Source) ([]toolpkg.Outcome, error) {
	p.Force, p.Jobs = o.Force, o.Jobs
	if o.Check || o.Explain || o.Key {
		return p.Check(ctx, sources)
	}
	bars := newBuildProgress(o.IO, p.Getenv("TERM"), len(sources))
	p.Started, p.Done = bars.started, bars.done
	outcomes, err := p.Prebuild(ctx, sources)
	bars.close()
	return outcomes, err
}

// withBroken adds the packages that do not load. Their errors are among the
// diagnostics.
func withBroken(outcomes []toolpkg.Outcome, broken []brokenSource) []toolpkg.Outcome {
	for _, b := range broken {
		outcomes = append(outcomes, toolpkg.Outcome{
			Name: b.Name, Status: toolpkg.Failed, Reasons: []string{b.Diagnostics[0].Message},
		})
	}
	slices.SortStableFunc(outcomes, func(a, b toolpkg.Outcome) int { return strings.Compare(a.Name, b.Name) })
	return outcomes
}

// printKey prints one key for all packages; a failure has none.
func (o *toolPrebuildOptions) printKey(outcomes []toolpkg.Outcome) error {
	h := sha256.New()
	for _, out := range outcomes {
		if out.Err != nil {
			return fmt.Errorf("%s: %w", out.Name, out.Err)
		}
		if out.Status == toolpkg.Failed {
			return fmt.Errorf("%s: %s", out.Name, out.Reasons[0])
		}
		fmt.Fprintf(h, "%s\x00%s\n", out.Name, out.Key)
	}
	key := hex.EncodeToString(h.Sum(nil))
	if o.JSON {
		return writeJSON(o.IO.Out, toolKeyJSON{key})
	}
	return printLine(o.IO.Out, []byte(key))
}

func (o *toolPrebuildOptions) print(outcomes []toolpkg.Outcome, found []diag.Diagnostic) error {
	if o.JSON {
		shape := toolPrebuildJSON{Packages: []toolOutcomeJSON{}, Diagnostics: list(found)}
		for _, out := range outcomes {
			shape.Packages = append(shape.Packages, toolOutcomeJSON{
				Name: out.Name, Status: out.Status, Reason: strings.Join(out.Reasons, "\n"), Digest: out.Digest,
				Seconds: out.Duration.Round(time.Millisecond).Seconds(), Commands: out.Commands,
			})
		}
		return writeJSON(o.IO.Out, shape)
	}
	var rows [][]string
	for _, out := range outcomes {
		rows = append(rows, o.rows(out)...)
	}
	return writeTable(o.IO, []string{"package", "status", "detail"}, rows)
}

// rows is one line a package; --explain has one a reason.
func (o *toolPrebuildOptions) rows(out toolpkg.Outcome) [][]string {
	row := func(detail string) []string { return []string{out.Name, string(out.Status), detail} }
	if len(out.Reasons) == 0 {
		return [][]string{row(out.Digest)}
	}
	if out.Status == toolpkg.Failed {
		return [][]string{row(out.Reasons[0])} // the rest goes to stderr
	}
	if !o.Explain {
		return [][]string{row(shorten(out.Reasons, 3))}
	}
	rows := make([][]string, len(out.Reasons))
	for i, reason := range out.Reasons {
		rows[i] = row(reason)
	}
	return rows
}

// exit tells what the outcomes come to. Failures are reported here, since the
// result was printed already.
func (o *toolPrebuildOptions) exit(outcomes []toolpkg.Outcome, found []diag.Diagnostic) error {
	code := exitOK
	for _, out := range outcomes {
		switch {
		case out.Err != nil:
			code = max(code, o.reportFailure(out))
		case o.Check && (out.Status == toolpkg.Stale || out.Status == toolpkg.Missing) && code == exitOK:
			code = exitCheck
		}
	}
	if code == exitOK || code == exitCheck {
		if diag.HasErrors(found) {
			code = exitFailed
		}
	}
	if code == exitOK {
		return nil
	}
	return exitError(code)
}

// reportFailure says why one package failed: 125 when there is no sandbox.
func (o *toolPrebuildOptions) reportFailure(out toolpkg.Outcome) int {
	err := fmt.Errorf("%s: %w", out.Name, out.Err)
	if _, ok := as[*sandbox.Fault](err); !ok {
		report(o.IO, err, false)
		return exitFailed
	}
	report(o.IO, hintedError{err: err, hint: "--sandbox none builds without a sandbox, if you trust the package"}, false)
	return exitSandbox
}
