package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/suggest"
)

// synonyms are words of other programs for verbs of this one.
var synonyms = map[string][]string{
	"app lint":       {"check", "validate"},
	"app list":       {"ls"},
	"app prompt":     {"system"},
	"app show":       {"read", "cat", "describe", "get"},
	"chat":           {"ask", "run", "agent"},
	"config path":    {"file", "where"},
	"config show":    {"get", "list", "ls", "view"},
	"config":         {"settings"},
	"sandbox doctor": {"check", "status"},
	"sandbox run":    {"exec"},
	"session export": {"save", "dump"},
	"session list":   {"ls"},
	"session rename": {"mv", "title"},
	"session rm":     {"delete", "remove", "del"},
	"session show":   {"read", "cat", "get", "view"},
	"skill disable":  {"off", "hide"},
	"skill enable":   {"on"},
	"skill export":   {"pack", "package", "zip"},
	"skill import":   {"install", "unpack"},
	"skill index":    {"catalog"},
	"skill lint":     {"check", "validate"},
	"skill list":     {"ls", "search", "find"},
	"skill new":      {"create", "init", "add"},
	"skill panel":    {"ui", "tui"},
	"skill prepare":  {"env", "deps"},
	"skill promote":  {"publish", "share"},
	"skill read":     {"show", "cat", "get", "view"},
	"skill save":     {"edit", "update", "write"},
	"skill sync":     {"pull", "fetch", "upgrade"},
	"tool describe":  {"show", "read", "schema", "info"},
	"tool invoke":    {"run", "call", "exec"},
	"tool lint":      {"check", "validate", "test"},
	"tool list":      {"ls"},
	"tool new":       {"create", "init", "add"},
	"tool prebuild":  {"build", "compile", "make"},
}

// otherWays say what to do where there is no verb for a word.
var otherWays = []struct {
	group string
	words []string
	hint  string
}{
	{"skill", []string{"rm", "remove", "delete", "uninstall"}, "a skill is a folder: agentctl skill list --json says where; remove it there, or keep it from models with agentctl skill disable NAME"},
	{"skill", []string{"rename", "mv"}, "export it and import it under another name: agentctl skill import FOLDER --name NAME, then remove the old folder"},
	{"app", []string{"new", "create", "init", "add"}, "an app is a folder with an APP.md: mkdir -p apps/NAME && agentctl app show default > apps/NAME/APP.md, then write it"},
	{"app", []string{"rm", "remove", "delete"}, "an app is a folder: agentctl app list --json says where; remove it there"},
	{"tool", []string{"rm", "remove", "delete", "uninstall"}, "a tool package is a folder: remove it, and what was built of it below .agentctl/prebuilt"},
	{"config", []string{"set", "edit", "init", "new"}, "edit the file: agentctl config path says where it is"},
	{"session", []string{"new", "create", "resume"}, "agentctl chat begins one, and agentctl chat --continue or --session ID goes on"},
}

// knowSynonyms puts the words where cobra has a place for them.
func knowSynonyms(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		knowSynonyms(sub)
	}
	_, verb, _ := strings.Cut(cmd.CommandPath(), " ")
	cmd.SuggestFor = synonyms[verb]
}

// unknownCommand is the error for a word that is no verb of cmd: what was meant, here
// or elsewhere in the tree, and what there is.
func unknownCommand(cmd *cobra.Command, name string) error {
	names := subcommands(cmd)
	hint := "commands: " + strings.Join(names, ", ")
	if guess := guessVerb(cmd, name, names); guess != "" {
		hint = guess + "\n" + hint
	}
	return usageError{message: fmt.Sprintf("unknown command %q for %q", name, cmd.CommandPath()), hint: hint}
}

// guessVerb is what somebody may have meant: a word for a verb of this group, a
// slip of the finger, the way that has no verb, or a verb of another group.
func guessVerb(cmd *cobra.Command, name string, names []string) string {
	word := strings.ToLower(name)
	for _, way := range otherWays {
		if cmd.CommandPath() == cmd.Root().Name()+" "+way.group && slices.Contains(way.words, word) {
			return way.hint
		}
	}
	_, guesses := verbsFor(cmd, word, false)
	exact, other := verbsFor(cmd.Root(), word, true)
	if len(guesses) == 0 {
		guesses = exact
	}
	if near := suggest.Nearest(name, names, 1); len(guesses) == 0 && len(near) > 0 {
		guesses = []string{cmd.CommandPath() + " " + near[0]}
	}
	if len(guesses) == 0 {
		guesses = other
	}
	return didYouMeanVerb(guesses)
}

// maxVerbs is how many verbs are guessed at once.
const maxVerbs = 4

func didYouMeanVerb(paths []string) string {
	if len(paths) == 0 {
		return ""
	}
	return "did you mean " + strings.Join(paths[:min(len(paths), maxVerbs)], " or ") + "?"
}

// verbsFor are the commands below cmd that are called so, and those for which the
// word is a synonym.
func verbsFor(cmd *cobra.Command, word string, deep bool) (exact, synonym []string) {
	var walk func(*cobra.Command)
	walk = func(group *cobra.Command) {
		for _, c := range group.Commands() {
			switch {
			case !c.IsAvailableCommand():
				continue
			case c.Name() == word:
				exact = append(exact, c.CommandPath())
			case slices.Contains(c.SuggestFor, word):
				synonym = append(synonym, c.CommandPath())
			}
			if deep {
				walk(c)
			}
		}
	}
	walk(cmd)
	return exact, synonym
}
