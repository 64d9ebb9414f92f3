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

// namedPath finds absolute paths in a message: not the rest of a relative path or
// of an address.
var namedPath = regexp.MustCompile(`(?:^|[\s'"` + "`‘“" + `(\[<{=,;])(/[^\s'"` + "`’”" + `:,;()<>\[\]{}]+)`)

// networkSigns are what programs say when there is no network.
var networkSigns = []string{
	"network is unreachable", "temporary failure in name resolution", "could not resolve host", "name or service not known",
	"enetunreach", "eai_again", "getaddrinfo", "no such host", "unable to resolve",
	"econnrefused", "errno 111", "failed to connect to", "couldn't connect to", "could not connect to",
}

// refusedSign is the system's text of an error as programs print it: it ends a
// line or a clause, and is no part of a sentence.
var refusedSign = regexp.MustCompile(`(?m)connection refused(?:[ \t\r]*$|[^\s\w-]| [(\[-])`)

// specialSigns are the acts that programs name when a mode is refused.
var specialSigns = []string{"permissions", "chmod", "change mode"}

// sharedSign is what git says instead of the reason.
const sharedSign = "writable by group"

// What programs say, in small letters, about a path that they could not write, or
// not find. A path in another line, such as one of a traceback, is no reason.
var (
	writeSigns   = []string{"read-only file system", "erofs", "permission denied", "eacces", "not permitted"}
	missingSigns = []string{"no such file", "enoent", "not found", "cannot open", "can't open", "permission denied", "eacces"}
)

// The hints that name no path.
const (
	networkHint = "there is no network in this sandbox, not even to servers on this machine"
	tmpHint     = guestTmp + " in here is the sandbox's own, and new in each run"
	specialHint = "no setuid or setgid bit can be set in this sandbox, not even that of a shared folder"
	foreignHint = "inside, root has no rights over files of other users, and some of the granted ones belong to another user: run agentctl as that user"
)

// hints explain a failure that the sandbox caused, from what the command said.
// They are for the caller, who may be a model: so a path that the command prints is
// never looked up outside of what it may see anyway. Whether it exists on the host
// is not for the command to find out.
func (pl *plan) hints(r Result) []string {
	if r.Exit == 0 || r.TimedOut || r.Canceled {
		return nil
	}
	text := string(r.Stderr.Head) + "\n" + string(r.Stderr.Tail)
	var out []string
	add := func(hint string) {
		if hint != "" && !slices.Contains(out, hint) && len(out) < maxHints {
			out = append(out, hint)
		}
	}
	if said := strings.ToLower(text); pl.net == NetworkNone && (containsAny(said, networkSigns) || refusedSign.MatchString(said)) {
		add(networkHint)
	}
	denied := strings.Contains(text, "ermission denied")
	if denied && pl.foreignOwner {
		add(foreignHint)
	}
	for line := range strings.Lines(text) {
		low := strings.ToLower(line)
		if strings.Contains(low, "not permitted") && (pl.shared || containsAny(low, specialSigns)) || strings.Contains(low, sharedSign) {
			add(specialHint)
		}
		for _, m := range namedPath.FindAllStringSubmatch(line, 50) {
			path := filepath.Clean(m[1])
			hint := pl.pathHint(path, low)
			if hint == "" && denied && pl.foreignFile(path) {
				hint = foreignHint
			}
			add(hint)
		}
	}
	return out
}

// granted returns the innermost grant that shows a path.
func (pl *plan) granted(path string) (grant, bool) {
	for _, g := range slices.Backward(pl.grants) {
		if within(path, g.guest) {
			return g, true
		}
	}
	return grant{}, false
}

// sharesGroup tells whether a folder that can be written, or the one to work in,
// has the setgid bit: many programs copy a mode, and are refused that one.
func (pl *plan) sharesGroup() bool {
	has := func(g grant, guest string) bool {
		root, err := os.OpenRoot(g.host)
		if err != nil { // a file
			return false
		}
		defer func() { _ = root.Close() }()
		rel, _ := filepath.Rel(g.guest, guest)
		info, err := root.Stat(rel)
		return err == nil && info.Mode()&os.ModeSetgid != 0
	}
	if g, ok := pl.granted(pl.dir); ok && has(g, pl.dir) {
		return true
	}
	return slices.ContainsFunc(pl.grants, func(g grant) bool { return g.write && has(g, g.guest) })
}

// foreignFile tells whether a granted file or folder belongs to another user than
// root, who calls. A link that leads out of the grant leads nowhere here.
func (pl *plan) foreignFile(path string) bool {
	g, ok := pl.granted(path)
	if !ok {
		return false
	}
	root, err := os.OpenRoot(g.host)
	if err != nil { // a file
		return foreignOwner(g.host)
	}
	defer func() { _ = root.Close() }()
	rel, _ := filepath.Rel(g.guest, path)
	return slices.ContainsFunc([]string{rel, filepath.Dir(rel)}, func(name string) bool {
		info, err := root.Lstat(name)
		return err == nil && ofAnother(info)
	})
}

// pathHint is about a path that the sandbox does not show, or not for writing;
// line is what was said about it, in small letters.
func (pl *plan) pathHint(path, line string) string {
	if g, ok := pl.granted(path); ok {
		if g.write || !containsAny(line, writeSigns) {
			return ""
		}
		return fmt.Sprintf("%q can only be read in this sandbox", path)
	}
	if !containsAny(line, missingSigns) || slices.ContainsFunc(ownPlaces, func(dir string) bool { return within(path, dir) }) {
		return ""
	}
	hint := fmt.Sprintf("%q is not visible in this sandbox: if it exists outside, grant it (sandbox run has --ro), or copy it into the workspace", path)
	if within(path, guestTmp) {
		hint += "; " + tmpHint
	}
	return hint
}

// ownPlaces are the system's folders, which a command sees or must not see, and the
// private home.
var ownPlaces = []string{"/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/proc", "/dev", "/sys", guestHome}

func containsAny(text string, signs []string) bool {
	return slices.ContainsFunc(signs, func(s string) bool { return strings.Contains(text, s) })
}
