package skill

import (
	"slices"
	"strings"
)

// UnknownTools returns the entries of an allowed-tools list that none of the
// known tools answers to. An entry names a package, pkg:cmd, or a function; what
// stands in brackets behind a name does not count. python_exec means
// run_skill_script.
func UnknownTools(allowed, known []string) []string {
	have := map[string]bool{}
	for _, k := range known {
		have[toolKey(k)] = true
		if pkg, _, ok := strings.Cut(k, ":"); ok {
			have[toolKey(pkg)] = true
		}
	}
	var unknown []string
	for _, a := range allowed {
		name, _, _ := strings.Cut(a, "(")
		if k := toolKey(name); have[k] || k == "python_exec" && have["run_skill_script"] {
			continue
		}
		if !slices.Contains(unknown, name) {
			unknown = append(unknown, name)
		}
	}
	return unknown
}

// toolKey is the form in which tool names are compared: that of functions.
func toolKey(name string) string {
	return strings.NewReplacer("-", "_", ".", "_").Replace(strings.ToLower(strings.TrimSpace(name)))
}
