package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// maxHints is as much as a person reads.
const maxHints = 3

// namedPath finds absolute paths in a message.
var namedPath = regexp.MustCompile(`/[^\s'"` + "`" + `:,;()<>\[\]{}]+`)

// networkSigns are what programs say when there is no network.
var networkSigns = []string{
	"network is unreachable", "temporary failure in name resolution", "could not resolve host", "name or service not known",
	"enetunreach", "eai_again", "getaddrinfo", "no such host",
}

// What programs say, in small letters, about a path that they could not write, or
// not find. A path in another line, such as one of a traceback, is no reason.
var (
	writeSigns   = []string{"read-only file system", "erofs", "permission denied", "eacces", "not permitted"}
	missingSigns = []string{"no such file", "enoent", "not found", "cannot open", "can't open", "permission denied", "eacces"}
)

// hints explain a failure that the sandbox caused, from what the command said.
// They are for the caller; the command never sees them.
func (pl *plan) hints(r Result) []string {
	if r.Exit == 0 || r.TimedOut || r.Canceled {
		return nil
	}
	text := string(r.Stderr.Head) + "\n" + string(r.Stderr.Tail)
	var out []string
	if pl.net == NetworkNone && containsAny(strings.ToLower(text), networkSigns) {
		out = append(out, "the network is off in this sandbox")
	}
	denied := strings.Contains(text, "ermission denied")
	if denied && pl.foreignOwner {
		out = append(out, foreignHint)
	}
	for line := range strings.Lines(text) {
		for _, path := range namedPath.FindAllString(line, 50) {
			path = filepath.Clean(path)
			hint := pl.pathHint(path, strings.ToLower(line))
			if hint == "" && denied && pl.foreignFile(path) {
				hint = foreignHint
			}
			if hint != "" && !slices.Contains(out, hint) && len(out) < maxHints {
				out = append(out, hint)
			}
		}
	}
	return out
}

const foreignHint = "inside, root has no rights over files of other users, and some of the granted ones belong to another user: run agentctl as that user"

// foreignFile tells whether a granted file or folder belongs to another user than
// root, who calls.
func (pl *plan) foreignFile(path string) bool {
	granted := slices.ContainsFunc(pl.grants, func(g grant) bool { return within(path, g.guest) })
	return granted && (foreignOwner(path) || foreignOwner(filepath.Dir(path)))
}

// pathHint is about a path that the host has and the sandbox does not, or not for
// writing; line is what was said about it, in small letters.
func (pl *plan) pathHint(path, line string) string {
	if _, err := os.Lstat(path); err != nil {
		return ""
	}
	for _, g := range slices.Backward(pl.grants) {
		if within(path, g.guest) {
			if g.write || !containsAny(line, writeSigns) {
				return ""
			}
			return fmt.Sprintf("%q can only be read in this sandbox", path)
		}
	}
	if !containsAny(line, missingSigns) {
		return ""
	}
	for _, dir := range []string{"/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/proc", "/dev", "/sys", guestTmp} {
		if path == dir || within(path, dir) && dir != guestTmp {
			return ""
		}
	}
	return fmt.Sprintf("%q exists but was not granted to this sandbox", path)
}

func containsAny(text string, signs []string) bool {
	return slices.ContainsFunc(signs, func(s string) bool { return strings.Contains(text, s) })
}
