package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/pkg/sandbox"
)

type sandboxDoctorOptions struct {
	outputOptions
	sandboxFlags
	Options func(name string) (sandbox.Options, error)
	// Doctor tries every backend; chosen is "" when none can be used.
	Doctor func(ctx context.Context, o sandbox.Options) (reports []sandbox.Report, chosen string)
}

type sandboxDoctorJSON struct {
	Backends    []sandboxBackendJSON    `json:"backends"`
	Chosen      string                  `json:"chosen"`
	Protections []sandboxProtectionJSON `json:"protections"`
}

type sandboxBackendJSON struct {
	Name   string `json:"name"`
	State  string `json:"state" jsonschema:"enum=ok,enum=partial,enum=unavailable"`
	Reason string `json:"reason,omitempty"`
	Cure   string `json:"cure,omitempty"`
}

type sandboxProtectionJSON struct {
	Feature string `json:"feature"`
	State   string `json:"state" jsonschema:"enum=enforced,enum=partial,enum=missing"`
	How     string `json:"how"`
	Proof   string `json:"proof"`
	Cure    string `json:"cure,omitempty"`
}

func newSandboxDoctorCmd(f *Factory, run func(context.Context, *sandboxDoctorOptions) error) *cobra.Command {
	opts := &sandboxDoctorOptions{outputOptions: outputOptions{IO: f.IO}, Options: f.sandboxOptions, Doctor: sandbox.Doctor}
	if run == nil {
		run = runSandboxDoctor
	}
	cmd := &cobra.Command{
		Use: "doctor", Short: "Try what each sandbox backend forbids",
		Long: `Try each protection of each backend on this machine and print what holds, the try
that proves it, and what helps where it does not hold. Nothing is assumed from a
version or from a program that is there.`,
		Args: noArgs,
		Annotations: map[string]string{exitCodes: `  0    the chosen backend enforces everything
  2    wrong arguments
  3    the chosen backend lacks a protection
  125  no backend can be used
  130  interrupted`},
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), opts) },
	}
	opts.addFlags(cmd)
	opts.addSandboxFlag(cmd)
	return cmd
}

func runSandboxDoctor(ctx context.Context, o *sandboxDoctorOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	options, err := o.Options(o.Sandbox)
	if err != nil {
		return err
	}
	reports, chosen := o.Doctor(ctx, options)
	if err := ctx.Err(); err != nil {
		return err
	}
	if name := options.Name; name != "" && name != sandbox.NameAuto {
		reports, chosen = withNone(ctx, options, reports), name
		if chosenReport(reports, name) == nil {
			chosen = ""
		}
	}
	if o.JSON {
		err = writeJSON(o.IO.Out, doctorShape(reports, chosen))
	} else {
		err = o.print(reports, chosen)
	}
	if err != nil {
		return err
	}
	return doctorExit(reports, chosen)
}

// withNone adds the report of none, which the doctor leaves out, where it was
// asked for by name.
func withNone(ctx context.Context, o sandbox.Options, reports []sandbox.Report) []sandbox.Report {
	if o.Name != sandbox.NameNone {
		return reports
	}
	b, err := sandbox.Open(ctx, o)
	if err != nil {
		return reports
	}
	return append(reports, b.Probe(ctx))
}

func doctorExit(reports []sandbox.Report, chosen string) error {
	switch r := chosenReport(reports, chosen); {
	case r == nil:
		return exitError(exitSandbox)
	case r.State != sandbox.OK:
		return exitError(exitCheck)
	}
	return nil
}

func chosenReport(reports []sandbox.Report, chosen string) *sandbox.Report {
	for i, r := range reports {
		if chosen != "" && r.Backend == chosen && r.State != sandbox.Unavailable {
			return &reports[i]
		}
	}
	return nil
}

func doctorShape(reports []sandbox.Report, chosen string) sandboxDoctorJSON {
	out := sandboxDoctorJSON{Backends: []sandboxBackendJSON{}, Chosen: chosen, Protections: []sandboxProtectionJSON{}}
	for _, r := range reports {
		out.Backends = append(out.Backends, sandboxBackendJSON{Name: r.Backend, State: string(r.State), Reason: r.Reason, Cure: r.Cure})
	}
	if r := chosenReport(reports, chosen); r != nil {
		for _, p := range r.Protections {
			out.Protections = append(out.Protections, sandboxProtectionJSON{
				Feature: string(p.Feature), State: string(p.State), How: p.How, Proof: p.Proof, Cure: p.Cure,
			})
		}
	}
	return out
}

// print writes the protections of the chosen backend to stdout, one a line, and
// tells on stderr how the backends stand, first, and what it comes to, last.
func (o *sandboxDoctorOptions) print(reports []sandbox.Report, chosen string) error {
	for _, r := range reports {
		mark := ""
		if r.Backend == chosen {
			mark = " (chosen)"
		}
		fmt.Fprintf(o.IO.Err, "backend %s: %s%s\n", r.Backend, r.State, mark)
		for _, line := range []struct{ label, text string }{{"reason", r.Reason}, {"cure", r.Cure}} {
			if line.text != "" {
				fmt.Fprintf(o.IO.Err, "  %s: %s\n", line.label, termtext.Line(line.text))
			}
		}
	}
	r := chosenReport(reports, chosen)
	if r == nil {
		o.warnUnusable(reports)
		return nil
	}
	if err := o.printProtections(r.Protections); err != nil {
		return err
	}
	warn(o.IO, "sandbox %s", verdict(*r))
	return nil
}

// verdict sums up what a backend enforces, and names what it does not.
func verdict(r sandbox.Report) string {
	count, weak := map[sandbox.ProtectionState]int{}, []string(nil)
	for _, p := range r.Protections {
		count[p.State]++
		if p.State != sandbox.Enforced {
			weak = append(weak, string(p.Feature))
		}
	}
	text := fmt.Sprintf("%s: %d enforced, %d partial, %d missing", r.Backend, count[sandbox.Enforced], count[sandbox.Partially], count[sandbox.Missing])
	if len(weak) > 0 {
		text += ": " + strings.Join(weak, ", ")
	}
	return text
}

// printProtections writes a table, or on a terminal, which is too narrow for such
// texts, a few lines each.
func (o *sandboxDoctorOptions) printProtections(ps []sandbox.Protection) error {
	if o.IO.OutTTY {
		return o.printBlocks(ps)
	}
	rows := make([][]string, len(ps))
	for i, p := range ps {
		rows[i] = []string{string(p.Feature), string(p.State), p.How, p.Proof, p.Cure}
	}
	return writeTable(o.IO, nil, rows)
}

// warnUnusable says what cannot be used: everything, or what was asked for.
func (o *sandboxDoctorOptions) warnUnusable(reports []sandbox.Report) {
	for _, r := range reports {
		if r.State != sandbox.Unavailable {
			warn(o.IO, "error: the sandbox that was asked for cannot be used on this machine; backend %s can", r.Backend)
			return
		}
	}
	warn(o.IO, "error: no sandbox backend can be used on this machine")
}

func (o *sandboxDoctorOptions) printBlocks(ps []sandbox.Protection) error {
	for _, p := range ps {
		var b strings.Builder
		fmt.Fprintf(&b, "%-14s %s\n", p.Feature, p.State)
		for _, line := range []struct{ label, text string }{{"how", p.How}, {"proof", p.Proof}, {"cure", p.Cure}} {
			if line.text != "" {
				fmt.Fprintf(&b, "  %-6s %s\n", line.label, termtext.Line(line.text))
			}
		}
		if _, err := io.WriteString(o.IO.Out, b.String()); err != nil {
			return err
		}
	}
	return nil
}
