package config

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/frontmatter"
)

// check refuses values that no key takes, all at once: they would only show as
// something else much later.
func (c Config) check(file string) error {
	k := &checker{file: file}
	unique(k, "providers", c.Providers, func(p Provider) string { return p.Name })
	unique(k, "models", c.Models, func(m Model) string { return m.Name })
	for _, p := range c.Providers {
		at := fmt.Sprintf("provider %q: ", p.Name)
		k.name("providers", p.Name)
		k.word(at+"type", p.Type, "openai", "anthropic", "scripted")
		for _, name := range slices.Sorted(maps.Keys(p.Headers)) {
			if !httpguts.ValidHeaderFieldName(name) {
				k.add(at+"headers", fmt.Errorf("%q is no name of a header", name))
			}
			if !httpguts.ValidHeaderFieldValue(p.Headers[name]) {
				k.add(at+"headers."+name, fmt.Errorf("the value has a line break or another control character"))
			}
		}
		if p.BaseURL != "" {
			k.add(at+"base_url", CheckURL(p.BaseURL))
		}
	}
	for _, m := range c.Models {
		at := fmt.Sprintf("model %q: ", m.Name)
		k.name("models", m.Name)
		k.word(at+"tool_mode", m.ToolMode, "auto", "native", "text")
		k.word(at+"inventory", m.Inventory, "auto", "always", "never")
		k.positive(at+"context_window", m.ContextWindow)
		k.positive(at+"max_output", m.MaxOutput)
	}
	k.word("sandbox.min_level", c.Sandbox.MinLevel, "full", "landlock")
	if len(k.found) == 0 {
		return nil
	}
	return &frontmatter.StrictError{Diagnostics: k.found}
}

// CheckURL tells what is wrong with the address of a server, nil for nothing.
func CheckURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return fmt.Errorf("%q is no address of a server: give one such as http://127.0.0.1:11434/v1", text)
	}
	return nil
}

type checker struct {
	file  string
	found []diag.Diagnostic
}

func (k *checker) add(key string, err error) {
	if err != nil {
		k.found = append(k.found, diag.Diagnostic{
			File: k.file, Severity: diag.Error, Code: "config.value", Message: key + ": " + err.Error(),
		})
	}
}

func (k *checker) name(list, name string) {
	if name == "" {
		k.add(list, fmt.Errorf("an entry has no name: add a line name"))
	}
}

// unique finds names that two entries of one list have: the second would win in silence.
func unique[T any](k *checker, list string, entries []T, name func(T) string) {
	seen := map[string]bool{}
	for _, e := range entries {
		if n := name(e); n != "" && seen[n] {
			k.add(list, fmt.Errorf("two entries have the name %q: keep one of them", n))
		}
		seen[name(e)] = true
	}
}

func (k *checker) word(key, value string, allowed ...string) {
	if value != "" && !slices.Contains(allowed, value) {
		k.add(key, fmt.Errorf("%q is not known, use %s", value, strings.Join(allowed, ", ")))
	}
}

func (k *checker) positive(key string, n int) {
	if n < 0 {
		k.add(key, fmt.Errorf("%d is negative", n))
	}
}
