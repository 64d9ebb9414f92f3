package app

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/suggest"
	"github.com/agentctl/agentctl/pkg/toolpkg"
)

// aliases checks names and targets. An alias for a command that is not
// selected has no effect, which is worth a warning.
func (c *checker) aliases() {
	for _, alias := range sortedKeys(c.app.Aliases) {
		key, target := aliasKey(alias), c.app.Aliases[alias]
		_, isName := toolpkg.FunctionName(alias)
		exists := slices.Contains(c.commands(), selectorKey(target))
		if !exists {
			near := suggest.Nearest(target, c.commands(), 1)
			c.alias(key, alias, alias, first(near))
			c.add(diag.Error, key, "app.unknown-tool", c.aliasesLine(key),
				"alias %q: %q is no command of a prebuilt package, want pkg:cmd%s", alias, target, didYouMean(near))
		}
		if !isName {
			target := c.aliased[alias].target
			c.alias(key, alias, c.freeName(target), target)
			c.add(diag.Error, key, "app.bad-alias", c.aliasesLine(key),
				"alias %q is no function name: use lower-case letters, digits and _, at most 64", alias)
		}
		if isName && exists && !c.selected(target) {
			c.add(diag.Warning, key, "app.unused-alias", nil, "alias %q has no effect: tools does not select %s", alias, target)
		}
	}
}

// aliased is an alias as it should be, and the file that should have it.
type aliased struct{ target, file string }

func (c *checker) aliasesOfApp() map[string]aliased {
	all := map[string]aliased{}
	for alias, target := range c.app.Aliases {
		all[alias] = aliased{target, c.place(aliasKey(alias)).file}
	}
	return all
}

// alias puts one alias in place of another, in the file of key; without a target
// that one is dropped.
func (c *checker) alias(key, old, name, target string) {
	delete(c.aliased, old)
	if target != "" {
		c.aliased[name] = aliased{target, c.place(key).file}
	}
}

// aliasesLine is the line for the file of key: aliases of app and profile join.
func (c *checker) aliasesLine(key string) func() string {
	return func() string {
		here := map[string]string{}
		for name, a := range c.aliased {
			if a.file == c.place(key).file {
				here[name] = a.target
			}
		}
		return aliasLine(here)
	}
}

// aliasKey is the key of an alias in the places of an app.
func aliasKey(alias string) string { return "aliases." + alias }

// deleteFolder starts a fix that is no line for APP.md.
const deleteFolder = "delete the folder "

// functions reports each name that two tools would have, once a pair.
func (c *checker) functions() {
	owners := map[string]function{}
	for _, f := range c.funcs {
		other, taken := owners[f.name]
		if !taken {
			owners[f.name] = f
			continue
		}
		if f.builtin && other.builtin {
			continue // one built-in in two spellings
		}
		if f.builtin {
			f, other = other, f // a built-in cannot be renamed
		}
		if dir := c.orphan(other, f); dir != "" {
			c.add(diag.Error, "tools", "app.function-collision", func() string { return deleteFolder + dir },
				"two tools have the function name %q: %s and %s; %s is the build of a package whose source is gone", f.name, describe(other), describe(f), dir)
			continue
		}
		key, alias := "tools", c.aliasOf(f.owner)
		if alias != "" {
			key = aliasKey(alias) // that one is to blame
		} else if _, ok := c.app.places[key]; !ok {
			key = "name"
		}
		c.alias(key, alias, c.freeName(f.owner), f.owner)
		c.add(diag.Error, key, "app.function-collision", c.aliasesLine(key),
			"two tools have the function name %q: %s and %s; give one an alias", f.name, describe(other), describe(f))
	}
}

// orphan is the folder of the first of these commands whose package has no source
// any more.
func (c *checker) orphan(fns ...function) string {
	for _, f := range fns {
		pkg, _, _ := strings.Cut(f.owner, ":")
		for _, p := range c.known.Packages {
			if !f.builtin && p.Name == pkg && p.Orphan != "" {
				return p.Orphan
			}
		}
	}
	return ""
}

// aliasOf is the alias of a command, "" for none. Of several the last one in
// order holds, as in the tool catalog.
func (c *checker) aliasOf(owner string) string {
	last := ""
	for _, alias := range sortedKeys(c.app.Aliases) {
		if selectorKey(c.app.Aliases[alias]) == selectorKey(owner) {
			last = alias
		}
	}
	return last
}

func describe(f function) string {
	if f.builtin {
		return "the built-in " + f.owner
	}
	return f.owner
}

// commands are all commands of built packages, as function selectors.
func (c *checker) commands() []string {
	var out []string
	for _, p := range c.known.Packages {
		if p.Built {
			for _, cmd := range p.Commands {
				out = append(out, selectorKey(p.Name+":"+cmd))
			}
		}
	}
	return out
}

func (c *checker) selected(target string) bool {
	return slices.ContainsFunc(c.funcs, func(f function) bool { return !f.builtin && selectorKey(f.owner) == selectorKey(target) })
}

// selectorKey makes the spellings of one command equal.
func selectorKey(selector string) string {
	pkg, cmd, ok := strings.Cut(selector, ":")
	if !ok {
		return selector
	}
	return pkg + ":" + functionName(cmd)
}

// aliasLine is the line of these aliases.
func aliasLine(aliases map[string]string) string {
	var items []string
	for _, k := range sortedKeys(aliases) {
		items = append(items, flowText(k)+": "+flowText(aliases[k]))
	}
	return "aliases: {" + strings.Join(items, ", ") + "}"
}

// freeName is a function name for pkg:cmd that no selected tool and no alias has.
func (c *checker) freeName(selector string) string {
	name := functionName(strings.ToLower(strings.ReplaceAll(selector, ":", "_")))
	name = strings.Map(func(r rune) rune {
		if r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, name)
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "_" + name
	}
	name = name[:min(len(name), 60)]
	taken := func(f function) bool { return f.name == name }
	for c.aliased[name].target != "" || slices.ContainsFunc(c.funcs, taken) {
		name += "x"
	}
	return name
}

// replaced is the selection as a list, with other names in place of some; "" is
// none.
func replaced(s Selection, instead map[string]string) []string {
	var out []string
	for _, n := range s.Names {
		if other, ok := instead[n]; ok {
			n = other
		}
		if n != "" && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	if s.All {
		out = append(out, "*")
	}
	return out
}

func first(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

// flowLine is a key with a list as it is written on one line.
func flowLine(key string, names []string) string {
	items := make([]string, len(names))
	for i, n := range names {
		items[i] = flowText(n)
	}
	return key + ": [" + strings.Join(items, ", ") + "]"
}

// plainText needs no quotes in a YAML flow list, and reads as text.
var plainText = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_./-]*(:[A-Za-z0-9_.-]+)?$`)

// words are plain, but YAML does not read them as text.
var words = []string{"true", "false", "yes", "no", "on", "off", "null", "y", "n"}

func flowText(s string) string {
	if plainText.MatchString(s) && !slices.Contains(words, strings.ToLower(s)) {
		return s
	}
	return quoted(s)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
