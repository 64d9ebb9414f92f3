package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// Whoever adds a verb with arguments decides what a shell offers for them.
func TestEveryArgumentCompletes(t *testing.T) {
	t.Parallel()
	free := []string{"chat", "skill new", "skill save", "tool new"} // a text, or a name that is made up
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
		verb := strings.TrimPrefix(cmd.CommandPath(), "agentctl ")
		_, args, _ := strings.Cut(cmd.Use, " ")
		if args != "" && cmd.ValidArgsFunction == nil && cmd.ValidArgs == nil && !slices.Contains(free, verb) {
			t.Errorf("%s takes %s, which a shell does not complete: set ValidArgsFunction", verb, args)
		}
	}
	walk(newRootCmd(NewFactory()))
}
