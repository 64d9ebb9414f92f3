package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagMessage says what is wrong with a flag in the words of this program.
func flagMessage(err error) string {
	bad, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return err.Error()
	}
	want := map[string]string{
		"int": "a whole number", "bool": "true or false", "float64": "a number",
		"duration": "a duration such as 90s or 5m",
	}[bad.GetFlag().Value.Type()]
	if want == "" {
		return err.Error()
	}
	return fmt.Sprintf("--%s %q is not %s", bad.GetFlag().Name, bad.GetValue(), want)
}

// exclusiveGroups is cobra's annotation of a flag with the groups of flags that
// exclude each other.
const exclusiveGroups = "cobra_annotation_mutually_exclusive"

// exclusiveFlags names flags that were given together and exclude each other.
func exclusiveFlags(cmd *cobra.Command) []string {
	given := map[string][]string{}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		for _, group := range f.Annotations[exclusiveGroups] {
			given[group] = append(given[group], "--"+f.Name)
		}
	})
	for _, group := range slices.Sorted(maps.Keys(given)) {
		if len(given[group]) > 1 {
			return given[group]
		}
	}
	return nil
}

// emptyFlags refuses flags that were given without the name, file or folder that
// they want. Verbs with a shape of their own for failures ask it themselves.
func emptyFlags(cmd *cobra.Command) error {
	var empty []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch value, _ := pflag.UnquoteUsage(f); value {
		case "APP[/PROFILE]", "NAME", "DIR", "ROOT", "FILE", "REL":
			if f.Value.Type() == "string" && f.Value.String() == "" {
				empty = append(empty, "--"+f.Name)
			}
		}
	})
	if len(empty) == 0 {
		return nil
	}
	return usageError{message: empty[0] + " is empty", hint: "is a variable not set? leave the flag out, or give it a value"}
}

// checkVariableNames refuses NAME=VALUE where --env wants a name: a value on a
// command line is seen by everybody, and is not repeated here.
func checkVariableNames(names []string) error {
	if slices.ContainsFunc(names, func(name string) bool { return strings.Contains(name, "=") }) {
		return usageError{message: "--env wants the name of a variable, got a value with it", hint: "set the variable first, then pass its name, so that no value stands on a command line"}
	}
	return nil
}
