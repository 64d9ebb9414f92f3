package cli

import (
	"slices"
	"strings"
	"testing"
)

// TestSynonyms: each list belongs to a verb that exists, and no word of it is one of
// the same group.
func TestSynonyms(t *testing.T) {
	t.Parallel()
	root := newRootCmd(NewFactory())
	for path, words := range synonyms {
		cmd, rest, err := root.Find(strings.Fields(path))
		if err != nil || len(rest) > 0 {
			t.Errorf("there is no verb %s: %v", path, err)
			continue
		}
		if !slices.Equal(cmd.SuggestFor, words) {
			t.Errorf("%s knows %q, want %q", path, cmd.SuggestFor, words)
		}
		for _, verb := range subcommands(cmd.Parent()) {
			if slices.Contains(words, verb) {
				t.Errorf("%s: %q is a verb of its own", path, verb)
			}
		}
	}
}
