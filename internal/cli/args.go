package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/suggest"
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

func unknownCommand(cmd *cobra.Command, name string) error {
	names := subcommands(cmd)
	hint := "commands: " + strings.Join(names, ", ")
	if near := suggest.Nearest(name, names, 1); len(near) > 0 {
		hint = fmt.Sprintf("did you mean %s %s? %s", cmd.CommandPath(), near[0], hint)
	}
	return usageError{message: fmt.Sprintf("unknown command %q for %q", name, cmd.CommandPath()), hint: hint}
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
