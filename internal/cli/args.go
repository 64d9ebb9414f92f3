package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// exactArgs wants n arguments and says which.
func exactArgs(n int, what string) cobra.PositionalArgs { return rangeArgs(n, n, what) }

// rangeArgs wants between low and high arguments; high < 0 means any number.
func rangeArgs(low, high int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= low && (high < 0 || len(args) <= high) {
			return nil
		}
		got := "nothing was given"
		if len(args) > 0 {
			got = fmt.Sprintf("got %q", strings.Join(args, " "))
		}
		return usageError{
			message: fmt.Sprintf("%s wants %s, %s", cmd.CommandPath(), what, got),
			hint:    "usage: " + cmd.UseLine(),
		}
	}
}

func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usageError{
		message: fmt.Sprintf("%s takes no arguments, got %q", cmd.CommandPath(), strings.Join(args, " ")),
		hint:    "usage: " + cmd.UseLine(),
	}
}

// freeArgs is the annotation of a verb whose arguments are not all names: it looks at
// them itself.
const freeArgs = "free-arguments"

// noEmptyArgs refuses an empty name before a verb takes it for none at all: a script
// whose variable is not set must not pass.
func noEmptyArgs(next cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if slices.Contains(args, "") {
			return usageError{message: cmd.CommandPath() + " got an empty argument", hint: "is a variable not set? usage: " + cmd.UseLine()}
		}
		if next == nil {
			return nil
		}
		return next(cmd, args)
	}
}

func subcommands(cmd *cobra.Command) (names []string) {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// oneOf checks the value of a flag that takes one of several words.
func oneOf(flag, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return usageError{message: fmt.Sprintf("--%s %q is not known", flag, value), hint: "use one of: " + strings.Join(allowed, ", ")}
}
