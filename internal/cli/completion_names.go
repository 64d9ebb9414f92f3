package cli

import (
	"cmp"
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agentctl/agentctl/internal/registry"
	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/pkg/agent/app"
	"github.com/agentctl/agentctl/pkg/agent/model"
	"github.com/agentctl/agentctl/pkg/sandbox"
	"github.com/agentctl/agentctl/pkg/skill"
	"github.com/agentctl/agentctl/pkg/toolpkg"
)

// candidate is a word that the shell can put in, and what is said beside it. Both
// are foreign text until [Factory.complete] has made them safe.
type candidate struct{ name, about string }

// lister lists the words that exist. It reads files and starts nothing.
type lister func(context.Context) ([]candidate, error)

// maxAbout is how many characters of a description the shell gets: more than a
// line of a terminal shows.
const maxAbout = 120

// complete offers the words of the lists. It does so in silence, since a shell has
// no place for a warning, and what cannot be read has no words: the verb itself
// will say why.
func (f *Factory) complete(lists ...lister) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		f.IO.Err, f.IO.NoInput = io.Discard, true
		var all []candidate
		for _, list := range lists {
			more, err := list(cmd.Context())
			if err == nil {
				all = append(all, more...)
			}
		}
		return matching(all, prefix)
	}
}

// matching are the candidates that begin with prefix, each once. A word that goes
// on, such as a folder or the server of a model, gets no blank behind it.
func matching(all []candidate, prefix string) (out []cobra.Completion, directive cobra.ShellCompDirective) {
	seen, goesOn := map[string]bool{}, true
	for _, c := range all {
		name := termtext.Strip(squeeze(c.name)) // by which it is found, too
		if seen[name] || !strings.HasPrefix(name, prefix) || !isArgument(name) {
			continue
		}
		seen[name] = true
		goesOn = goesOn && strings.HasSuffix(name, "/")
		out = append(out, cobra.CompletionWithDesc(name, firstOf(termtext.Line(squeeze(c.about)), maxAbout)))
	}
	directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	if goesOn && len(out) > 0 {
		directive |= cobra.ShellCompDirectiveNoSpace
	}
	return out, directive
}

// isArgument tells whether a shell may offer a name: one with a dash before it would
// be taken for a flag, and one with cobra's mark for a message of this program.
func isArgument(name string) bool {
	return name != "" && !strings.HasPrefix(name, "-") && !strings.HasPrefix(name, cobra.AppendActiveHelp(nil, "")[0])
}

// firstOf is the beginning of a text.
func firstOf(text string, chars int) string {
	if utf8.RuneCountInString(text) <= chars {
		return text
	}
	return string([]rune(text)[:chars-1]) + "…"
}

// orFolder completes folders where no name fits.
func orFolder(names cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		out, directive := names(cmd, args, prefix)
		if len(out) == 0 {
			return folders(cmd, args, prefix)
		}
		return out, directive
	}
}

// firstArg completes the first argument and no other.
func firstArg(words cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return words(cmd, args, prefix)
	}
}

// eachOnce completes any number of arguments, each word once.
func eachOnce(words cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		out, directive := words(cmd, args, prefix)
		return slices.DeleteFunc(out, func(c cobra.Completion) bool {
			name, _, _ := strings.Cut(c, "\t")
			return slices.Contains(args, name)
		}), directive
	}
}

// commaList completes the last word of several with commas between them, each once.
func commaList(words cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		end := strings.LastIndex(prefix, ",") + 1
		given := strings.Split(prefix[:end], ",")
		out, directive := eachOnce(words)(cmd, given, prefix[end:])
		for i := range out {
			out[i] = prefix[:end] + out[i]
		}
		return out, directive | cobra.ShellCompDirectiveNoSpace
	}
}

// oneOfWords completes the words that [oneOf] takes.
func oneOfWords(allowed ...string) cobra.CompletionFunc {
	all := make([]candidate, len(allowed))
	for i, word := range allowed {
		all[i].name = word
	}
	return func(_ *cobra.Command, _ []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return matching(all, prefix)
	}
}

// files and folders leave it to the shell, which knows best how to complete paths.
func files(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

func folders(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// completeFlag completes the values of a flag.
func completeFlag(cmd *cobra.Command, flag string, values cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, values); err != nil {
		panic(err) // there is no such flag, or this was said twice; every run would see it
	}
}

// completePaths lets the shell complete paths where the help of a flag says that
// its value is one, and not where nobody said so.
func completePaths(root *cobra.Command) {
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	completePathFlags(root)
}

func completePathFlags(cmd *cobra.Command) {
	byHelp := func(flag *pflag.Flag) {
		switch value, _ := pflag.UnquoteUsage(flag); value {
		case "FILE", "PATH":
			completeFlag(cmd, flag.Name, files)
		case "DIR", "ROOT":
			completeFlag(cmd, flag.Name, folders)
		}
	}
	cmd.Flags().VisitAll(byHelp)
	cmd.PersistentFlags().VisitAll(byHelp)
	for _, sub := range cmd.Commands() {
		completePathFlags(sub)
	}
}

// completeChatFlags completes what the flags of chat name.
func (f *Factory) completeChatFlags(cmd *cobra.Command) {
	completeFlag(cmd, "app", orFolder(f.complete(f.appNames)))
	completeFlag(cmd, "model", f.complete(f.modelNames))
	completeFlag(cmd, "output", oneOfWords(chatOutputs...))
	completeFlag(cmd, "sandbox", oneOfWords(sandbox.Names()...))
	completeFlag(cmd, "session", f.complete(f.sessionIDs))
	completeFlag(cmd, "fork", f.complete(f.sessionIDs))
}

// skillNames lists the skills that a name can mean in a scope, as far as keep, if
// it is given, accepts them.
func (f *Factory) skillNames(scope func(context.Context) (SkillScope, error), keep func(*skill.Item) bool) lister {
	return func(ctx context.Context) ([]candidate, error) {
		s, err := scope(ctx)
		if err != nil {
			return nil, err
		}
		l, err := loadListing(ctx, func() (skill.Resolver, error) { return f.Skills(s) })
		if err != nil {
			return nil, err
		}
		if s.App != nil {
			l = l.Filter(s.App.offered)
		}
		var out []candidate
		for _, it := range l.Winners() {
			if keep == nil || keep(it) {
				out = append(out, candidate{it.Name, it.Value.Description})
			}
		}
		return out, nil
	}
}

// allSkills is the scope of a verb about the skills of all sources.
func allSkills(context.Context) (SkillScope, error) { return SkillScope{}, nil }

// switched keeps the skills that are disabled, or those that are not.
func switched(off bool) func(*skill.Item) bool {
	return func(it *skill.Item) bool { return (it.State == registry.Disabled) == off }
}

func (f *Factory) loadAllSkills(ctx context.Context) (*skill.Listing, error) {
	return loadListing(ctx, func() (skill.Resolver, error) { return f.Skills(SkillScope{}) })
}

// brokenNames lists what does not load, for the verbs that say why.
func brokenNames[T any](load func(context.Context) (*registry.Listing[T], error)) lister {
	return func(ctx context.Context) ([]candidate, error) {
		l, err := load(ctx)
		if err != nil {
			return nil, err
		}
		var out []candidate
		for _, b := range l.Broken {
			out = append(out, candidate{b.Name, "does not load"})
		}
		return out, nil
	}
}

// sourceNames lists the tool packages that can be built.
func (f *Factory) sourceNames(ctx context.Context) ([]candidate, error) {
	l, err := f.toolSources(ctx)
	if err != nil {
		return nil, err
	}
	var out []candidate
	for _, it := range l.Winners() {
		out = append(out, candidate{it.Name, it.Value.Manifest.Description})
	}
	return out, nil
}

// packageNames lists the tool packages that are built.
func (f *Factory) packageNames(ctx context.Context) ([]candidate, error) {
	c, err := f.toolCatalog(ctx)
	if err != nil {
		return nil, err
	}
	var out []candidate
	for _, p := range c.Packages {
		out = append(out, candidate{p.Name, p.Description})
	}
	return out, nil
}

// commandNames lists the commands of tool packages as PKG:CMD.
func (f *Factory) commandNames(ctx context.Context) ([]candidate, error) {
	return f.commands(ctx, func(*toolpkg.Catalog, string) bool { return false })
}

// bareCommandNames lists them as CMD too, where only one package has it.
func (f *Factory) bareCommandNames(ctx context.Context) ([]candidate, error) {
	return f.commands(ctx, func(c *toolpkg.Catalog, name string) bool {
		_, _, err := c.Find(name)
		return err == nil
	})
}

func (f *Factory) commands(ctx context.Context, bare func(c *toolpkg.Catalog, name string) bool) ([]candidate, error) {
	c, err := f.toolCatalog(ctx)
	if err != nil {
		return nil, err
	}
	var out []candidate
	for _, p := range c.Packages {
		for _, command := range p.Commands {
			if bare(c, command.Name) {
				out = append(out, candidate{command.Name, command.Description})
			}
			out = append(out, candidate{p.Name + ":" + command.Name, command.Description})
		}
	}
	return out, nil
}

func (f *Factory) loadApps(ctx context.Context) (*app.Listing, error) {
	lib, err := f.Apps()
	if err != nil {
		return nil, err
	}
	return lib.Load(ctx)
}

// appNames lists the apps, and each with its profiles.
func (f *Factory) appNames(ctx context.Context) ([]candidate, error) {
	l, err := f.loadApps(ctx)
	if err != nil {
		return nil, err
	}
	var out []candidate
	for _, it := range l.Winners() {
		out = append(out, candidate{it.Name, it.Value.Description})
		for _, profile := range it.Value.Profiles() {
			about := ""
			if a, err := app.Compose(it, profile); err == nil {
				about = a.Description
			}
			out = append(out, candidate{it.Name + "/" + profile, about})
		}
	}
	return out, nil
}

// trusting lists what there is once the workspace is trusted, for verbs that look
// at it in that way.
func (f *Factory) trusting(list lister) lister {
	return func(ctx context.Context) ([]candidate, error) {
		f.TrustFlag = true
		return list(ctx)
	}
}

// modelNames lists the models that have a name, and the servers that can stand
// before one. No server is asked.
func (f *Factory) modelNames(context.Context) ([]candidate, error) {
	c, err := f.chatConfig()
	if err != nil {
		return nil, err
	}
	var out []candidate
	for _, m := range c.Models {
		out = append(out, candidate{m.Name, strings.TrimPrefix(m.Provider+"/"+cmp.Or(m.ID, m.Name), "/")})
	}
	for _, p := range c.Providers {
		out = append(out, candidate{p.Name + "/", "a model of this server"})
	}
	for _, p := range model.Builtin().Presets {
		if p.DefaultModel != "" {
			out = append(out, candidate{p.Name + "/" + p.DefaultModel, "the default of " + p.Name})
		}
		out = append(out, candidate{p.Name + "/", "a model of " + p.BaseURL})
	}
	return append(out, candidate{"scripted:demo", "plays a chat, without a model"}), nil
}

// sessionIDs lists the sessions of the workspace, the last one first.
func (f *Factory) sessionIDs(ctx context.Context) ([]candidate, error) {
	store, err := f.sessions()
	if err != nil {
		return nil, err
	}
	all, err := store.List(ctx)
	out := make([]candidate, len(all))
	for i, s := range all {
		out[i] = candidate{s.ID, s.Title}
	}
	return out, err
}

// folderNames lists the folders of the current one, beside names.
func (f *Factory) folderNames(context.Context) ([]candidate, error) {
	cwd, err := f.Cwd()
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(cwd)
	var out []candidate
	for _, e := range entries {
		name := e.Name()
		folder := e.IsDir() || e.Type() == fs.ModeSymlink && isDir(filepath.Join(cwd, name))
		if folder && !strings.HasPrefix(name, ".") && name == squeeze(termtext.Line(name)) {
			out = append(out, candidate{name + "/", ""})
		}
	}
	return out, err
}
