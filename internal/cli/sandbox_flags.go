package cli

import (
	"slices"
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
	completeFlag(cmd, "sandbox", oneOfWords(sandbox.Names()...))
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
	} else if lacksRequired(res.Missing) {
		warn(s, "warning: sandbox %s did not enforce: %s", res.Backend, strings.Join(featureNames(res.Missing), ", "))
	}
	for _, path := range res.Appeared {
		warn(s, "warning: %s %s during the run. It can steer a model, so chat leaves it out until you agree: look at it, then run agentctl trust", path, res.Change())
	}
	for _, text := range res.Warnings {
		warn(s, "warning: %s", text)
	}
	for _, hint := range res.Hints {
		warn(s, "hint: %s", hint)
	}
}

// lacksRequired tells whether a protection is missing that every backend is
// expected to have. What else is missing is said only beside one of those.
func lacksRequired(missing []sandbox.Feature) bool {
	return slices.ContainsFunc(sandbox.Required, func(f sandbox.Feature) bool { return slices.Contains(missing, f) })
}

func featureNames(fs []sandbox.Feature) []string {
	out := make([]string, len(fs))
	for i, f := range fs {
		out[i] = string(f)
	}
	return out
}
