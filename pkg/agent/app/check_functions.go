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
		target := c.app.Aliases[alias]
		_, ok := toolpkg.FunctionName(alias)
		switch {
		case !ok:
			c.add(diag.Error, "aliases", "app.bad-alias", aliasLine(c.app.Aliases, alias, freeName(target, c.funcs), target),
				"alias %q is no function name: use lower-case letters, digits and _, at most 64", alias)
		case !slices.Contains(c.commands(), selectorKey(target)):
			near := suggest.Nearest(target, c.commands(), 1)
			c.add(diag.Error, "aliases", "app.unknown-tool", aliasLine(c.app.Aliases, alias, alias, first(near)),
				"alias %q: %q is no command of a prebuilt package, want pkg:cmd%s", alias, target, didYouMean(near))
		case !c.selected(target):
			c.add(diag.Warning, "aliases", "app.unused-alias", "", "alias %q has no effect: tools does not select %s", alias, target)
		}
	}
}

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
		free := freeName(f.owner, c.funcs)
		key := "tools"
		if _, ok := c.app.places[key]; !ok {
			key = "name"
		}
		c.add(diag.Error, key, "app.function-collision", aliasLine(c.app.Aliases, c.aliasOf(f.owner), free, f.owner),
			"two tools have the function name %q: %s and %s; give one an alias", f.name, describe(other), describe(f))
	}
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

// aliasLine is the aliases line of the file with one entry replaced or added;
// without a target the entry is dropped.
func aliasLine(aliases map[string]string, old, name, target string) string {
	all := map[string]string{}
	maps.Copy(all, aliases)
	delete(all, old)
	if target != "" {
		all[name] = target
	}
	var items []string
	for _, k := range sortedKeys(all) {
		items = append(items, flowText(k)+": "+flowText(all[k]))
	}
	return "aliases: {" + strings.Join(items, ", ") + "}"
}

// freeName is a function name for pkg:cmd that no selected tool has.
func freeName(selector string, taken []function) string {
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
	for slices.ContainsFunc(taken, func(f function) bool { return f.name == name }) {
		name += "x"
	}
	return name
}

// replaced is the selection as a list with one name replaced, or dropped when
// there is nothing near.
func replaced(s Selection, old string, near []string) []string {
	var out []string
	for _, n := range s.Names {
		if n == old {
			n = first(near)
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
