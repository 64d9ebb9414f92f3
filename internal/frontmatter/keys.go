package frontmatter

import (
	"maps"
	"slices"
	"strings"
)

// standardKeys are the six of the Agent Skills standard.
var standardKeys = []string{"name", "description", "license", "compatibility", "metadata", "allowed-tools"}

// ownKeys are those that agentctl reads besides the standard's.
var ownKeys = []string{"when_to_use", "aliases", "user-invocable", "disable-model-invocation", "argument-hint"}

// clientKeys are those that other clients read or that authors commonly write.
// The repair needs them: at column 0 below a broken entry, a known key begins a
// new entry, and any other word with a colon may be prose.
var clientKeys = []string{
	"agent", "agents", "allowedTools", "arguments", "author", "authors", "background", "category", "color", "context",
	"created", "date", "dependencies", "disallowed-tools", "display-name", "effort", "emoji", "enabled", "env", "globs",
	"homepage", "hooks", "icon", "id", "keywords", "lang", "language", "last-updated", "mcp", "mode", "model", "paths",
	"permissions", "priority", "repository", "requirements", "requires", "scope", "shell", "skills", "slug", "source",
	"status", "tags", "title", "tools", "trigger", "triggers", "type", "updated", "url", "user-invokable", "version",
}

// synonyms are near misses that are common enough to be read as what they mean.
var synonyms = map[string]string{"user-invokable": "user-invocable", "allowedtools": "allowed-tools"}

// textKeys hold prose: YAML drops what follows " #" there, and it is missed.
var textKeys = []string{"description", "when_to_use", "argument-hint"}

// booleanKeys are true or false.
var booleanKeys = []string{"user-invocable", "disable-model-invocation"}

// canonicalKeys finds the spelling of agentctl by the folded one.
var canonicalKeys = func() map[string]string {
	m := make(map[string]string)
	for _, key := range slices.Concat(standardKeys, ownKeys) {
		m[foldKey(key)] = key
	}
	maps.Copy(m, synonyms)
	return m
}()

var knownKeys = func() map[string]bool {
	m := make(map[string]bool)
	for _, key := range slices.Concat(standardKeys, ownKeys, clientKeys) {
		m[hyphens(key)] = true
	}
	return m
}()

// StandardKeys returns the six keys of the Agent Skills standard.
func StandardKeys() []string { return slices.Clone(standardKeys) }

// SkillKeys returns all keys that agentctl reads in a SKILL.md, the standard's first.
func SkillKeys() []string { return slices.Concat(standardKeys, ownKeys) }

// Canonical returns the spelling of a skill key that agentctl writes: hyphens and
// underscores, capitals and common near misses all lead to it. A key that means
// nothing to agentctl is returned as it is.
func Canonical(key string) string {
	if known, ok := canonicalKeys[foldKey(key)]; ok {
		return known
	}
	return key
}

// known tells whether a client is known to read the key, spelled with hyphens or
// underscores.
func known(key string) bool { return knownKeys[hyphens(key)] }

// sameKey tells whether two keys are one key given twice: equal, or two
// spellings of one skill key that differ in hyphens and underscores.
func sameKey(a, b string) bool {
	return a == b || hyphens(a) == hyphens(b) && canonicalKeys[hyphens(a)] != ""
}

func hyphens(key string) string { return strings.ReplaceAll(key, "_", "-") }
func foldKey(key string) string { return strings.ToLower(hyphens(key)) }
