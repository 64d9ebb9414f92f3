package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-viper/mapstructure/v2"
	"github.com/spf13/viper"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/frontmatter"
)

// delim separates the parts of a viper key. It is no dot, so that names such
// as qwen2.5 can be keys.
const delim = "::"

// Options say where configuration comes from.
type Options struct {
	UserFile      string // "" or missing: none
	WorkspaceFile string // "" or missing: none
	// Trusted workspaces may name servers and keys.
	Trusted bool
	Getenv  func(string) string
}

// Loaded is a configuration and where each value came from.
type Loaded struct {
	Config
	// Values are all set values, sorted by key.
	Values []Value
	// Diagnostics name what was left out of an untrusted workspace's file.
	Diagnostics []diag.Diagnostic
}

// Value is one value with its origin: "default", a file's path, or "env NAME".
type Value struct {
	Key    string `json:"key"`
	Value  any    `json:"value"`
	Origin string `json:"origin"`
}

// Origin says where a value comes from, "" for one that is not set.
func (l *Loaded) Origin(key string) string {
	for _, v := range l.Values {
		if v.Key == key {
			return v.Origin
		}
	}
	return ""
}

// PolicyError reports a setting that a workspace may not make.
type PolicyError struct{ File, Key string }

func (e *PolicyError) Error() string {
	return fmt.Sprintf("%s sets %s, which a workspace must not set", e.File, e.Key)
}

// layer is one source of values; later layers win.
type layer struct {
	origin string
	values *viper.Viper
	config Config
}

// Load reads defaults, the user's file, the workspace's file and the
// environment, in this order of precedence. The error is a *frontmatter.StrictError
// for a file with mistakes, a [*PolicyError], or that of reading a file.
func Load(o Options) (*Loaded, error) {
	layers := []layer{{origin: "default", values: fromMap(defaults())}}
	out := &Loaded{}
	if l, err := fileLayer(o.UserFile); err != nil {
		return nil, err
	} else if l != nil {
		layers = append(layers, *l)
	}
	if l, err := fileLayer(o.WorkspaceFile); err != nil {
		return nil, err
	} else if l != nil {
		if err := restrict(l, o.Trusted, out); err != nil {
			return nil, err
		}
		layers = append(layers, *l)
	}
	layers = append(layers, envLayers(o.Getenv)...)
	return out, merge(layers, out)
}

func fromMap(m map[string]any) *viper.Viper {
	v := viper.NewWithOptions(viper.KeyDelimiter(delim))
	_ = v.MergeConfigMap(m) // fails on nothing that a map can hold
	return v
}

// fileLayer reads one file, nil when there is none. The strict decoder finds
// unknown keys and wrong types, with their line; viper then holds the values.
func fileLayer(path string) (*layer, error) {
	if path == "" {
		return nil, nil
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("read configuration: %s is no regular file", path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	l := &layer{origin: path}
	if err := frontmatter.UnmarshalStrict(path, data, &l.config); err != nil {
		return nil, err
	}
	if err := l.config.check(path); err != nil {
		return nil, err
	}
	l.values = viper.NewWithOptions(viper.KeyDelimiter(delim))
	l.values.SetConfigType("yaml")
	if err := l.values.ReadConfig(bytes.NewReader(data)); err != nil {
		return nil, fmt.Errorf("read configuration %s: %w", path, err)
	}
	if l.values.IsSet("chat::discover") {
		l.values.Set("chat::discover", l.config.Chat.Discover) // the two read "yes" differently
	}
	l.resolvePaths(filepath.Dir(path))
	return l, nil
}

// resolvePaths makes the paths of a file relative to it.
func (l *layer) resolvePaths(dir string) {
	for key, list := range map[string][]string{
		"skills::shared": l.config.Skills.Shared, "skills::sync": l.config.Skills.Sync,
		"tools::sources": l.config.Tools.Sources, "tools::prebuilt": l.config.Tools.Prebuilt,
	} {
		if len(list) == 0 {
			continue
		}
		abs := make([]string, len(list))
		for i, p := range list {
			abs[i] = absolute(dir, p)
		}
		l.values.Set(key, abs)
	}
	if d := l.config.Skills.Dir; d != "" {
		l.values.Set("skills::dir", absolute(dir, d))
	}
}

func absolute(dir, p string) string {
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(dir, p)
}

// restrict takes from a workspace's file what it must not decide.
func restrict(l *layer, trusted bool, out *Loaded) error {
	forbidden := map[string]bool{
		"sandbox.backend: none":       l.config.Sandbox.Backend == "none",
		"sandbox.min_level: landlock": l.config.Sandbox.MinLevel == "landlock", // it lacks protections
		"sandbox.image":               l.config.Sandbox.Image != "",
		"sandbox.runtime":             l.config.Sandbox.Runtime != "",
		"chat.approvals":              l.values.IsSet("chat::approvals"),
		"tools.env":                   l.values.IsSet("tools::env"),
	}
	for _, key := range slices.Sorted(mapKeys(forbidden)) {
		if forbidden[key] {
			return &PolicyError{File: l.origin, Key: key}
		}
	}
	if trusted {
		return nil
	}
	for i, p := range l.config.Providers {
		if p.BaseURL == "" && p.APIKeyEnv == "" {
			continue
		}
		l.config.Providers[i].BaseURL, l.config.Providers[i].APIKeyEnv = "", ""
		if entry, ok := l.entries()["providers"][p.Name].(map[string]any); ok {
			delete(entry, "base_url")
			delete(entry, "api_key_env")
		}
		out.Diagnostics = append(out.Diagnostics, diag.Diagnostic{
			File: l.origin, Severity: diag.Warning, Code: "config.untrusted-provider",
			Message: fmt.Sprintf("provider %q: base_url and api_key_env are left out until the workspace is trusted (agentctl trust)", p.Name),
		})
	}
	return nil
}

func mapKeys(m map[string]bool) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func envLayers(getenv func(string) string) []layer {
	var out []layer
	for key, name := range variables {
		if value := getenv(name); value != "" {
			v := viper.NewWithOptions(viper.KeyDelimiter(delim))
			v.Set(strings.ReplaceAll(key, ".", delim), value)
			out = append(out, layer{origin: "env " + name, values: v})
		}
	}
	return out
}

// merge lays the layers over each other and notes where each value came from.
func merge(layers []layer, out *Loaded) error {
	all := viper.NewWithOptions(viper.KeyDelimiter(delim))
	origins := map[string]string{}
	for _, l := range layers {
		for _, key := range l.values.AllKeys() {
			all.Set(key, l.values.Get(key))
			origins[key] = l.origin
		}
	}
	if err := all.Unmarshal(&out.Config, func(c *mapstructure.DecoderConfig) { c.TagName = "yaml" }); err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	delete(origins, "providers")
	delete(origins, "models")
	out.Providers, out.Models = nil, nil
	for _, l := range layers {
		out.Providers = mergeNamed(out.Providers, l.config.Providers, func(p Provider) string { return p.Name })
		out.Models = mergeNamed(out.Models, l.config.Models, func(m Model) string { return m.Name })
		for list, entries := range l.entries() {
			for name, entry := range entries {
				origins[list+delim+name] = l.origin
				all.Set(list+delim+name, entry)
			}
		}
	}
	for key, origin := range origins {
		out.Values = append(out.Values, Value{Key: strings.ReplaceAll(key, delim, "."), Value: all.Get(key), Origin: origin})
	}
	slices.SortFunc(out.Values, func(a, b Value) int { return cmp.Compare(a.Key, b.Key) })
	return nil
}

// entries are the layer's providers and models as they were written, by list
// and name.
func (l layer) entries() map[string]map[string]any {
	out := map[string]map[string]any{}
	for _, list := range []string{"providers", "models"} {
		out[list] = map[string]any{}
		raw, _ := l.values.Get(list).([]any)
		for _, r := range raw {
			if entry, ok := r.(map[string]any); ok {
				out[list][fmt.Sprint(entry["name"])] = entry
			}
		}
	}
	return out
}

// mergeNamed replaces entries of one name and appends new ones.
func mergeNamed[T any](base, over []T, name func(T) string) []T {
	out := slices.Clone(base)
	for _, o := range over {
		if i := slices.IndexFunc(out, func(b T) bool { return name(b) == name(o) }); i >= 0 {
			out[i] = o
		} else {
			out = append(out, o)
		}
	}
	return out
}
