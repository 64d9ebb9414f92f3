package cli

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/iostreams"
	"github.com/agentctl/agentctl/pkg/sandbox"
)

// sandboxFlags are embedded by verbs that run programs.
type sandboxFlags struct {
	Sandbox string
	Timeout time.Duration
}

func (o *sandboxFlags) addSandboxFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.Sandbox, "sandbox", "", "confine with `NAME`: "+strings.Join(sandbox.Names(), ", "))
}

func (o *sandboxFlags) addTimeoutFlag(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&o.Timeout, "timeout", 0, "end the run after `DURATION` (default 1m0s)")
}

// check refuses values that no run could have.
func (o *sandboxFlags) check() error {
	if o.Timeout < 0 {
		return usageError{message: "--timeout must not be negative, got " + o.Timeout.String(), hint: "use a duration such as 90s or 5m"}
	}
	if o.Sandbox == "" {
		return nil
	}
	return oneOf("sandbox", o.Sandbox, sandbox.Names()...)
}

// noteConfinement tells on stderr when a run lacks a protection that runs have
// by default, and what else the sandbox has to say.
func noteConfinement(s *iostreams.IOStreams, res sandbox.Result) {
	if res.Backend == sandbox.NameNone {
		warn(s, "warning: this ran without a sandbox (%s)", sandbox.NameNone)
	} else if missing := requiredMissing(res.Missing); len(missing) > 0 {
		warn(s, "warning: sandbox %s did not enforce: %s", res.Backend, strings.Join(missing, ", "))
	}
	for _, path := range res.Appeared {
		warn(s, "warning: %s appeared during the run; it can steer a model, look at it before you use it", path)
	}
	for _, hint := range res.Hints {
		warn(s, "hint: %s", hint)
	}
}

// requiredMissing are the protections that every backend is expected to have.
func requiredMissing(missing []sandbox.Feature) []string {
	var out []string
	for _, f := range sandbox.Required {
		for _, m := range missing {
			if m == f {
				out = append(out, string(f))
			}
		}
	}
	return out
}
