package sandbox

import (
	"slices"
	"strings"
)

// environment builds the command's environment from nothing.
func (h host) environment(extra map[string]string) ([]string, error) {
	env := map[string]string{"PATH": guestPath, "HOME": guestHome, "TMPDIR": guestTmp, "LANG": "C.UTF-8"}
	if h.tz != "" {
		env["TZ"] = h.tz
	}
	for k, v := range extra {
		if k == "" || strings.ContainsAny(k, "=\x00") || strings.Contains(v, "\x00") {
			return nil, &PolicyError{Path: k, Reason: "cannot be a variable of the environment", Cure: "use a name without = and a value without NUL"}
		}
		env[k] = v
	}
	out := make([]string, 0, len(env))
	for k, v := range env {
		out = append(out, k+"="+v)
	}
	slices.Sort(out)
	return out, nil
}
