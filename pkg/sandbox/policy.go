package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The fixed places inside.
const (
	guestTmp  = "/tmp"
	guestHome = "/tmp/home"
	guestPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
)

// grant is one checked mount: host is free of symbolic links.
type grant struct {
	host, guest string
	write       bool
}

// plan is a checked policy, the same for every backend.
type plan struct {
	grants []grant // parents first; a later one covers an earlier one
	watch  []Watch
	held   []Watch // protected by a mount
	dir    string
	env    []string
	limits Limits
	net    NetworkMode
	// foreignOwner: root was granted a writable folder of another user. One user
	// is mapped inside, and it has no capabilities there.
	foreignOwner bool
	// shared: a folder of the run has the setgid bit, which what it makes inherits.
	shared bool
}

// host is what a policy is checked against.
type host struct {
	home string
	tz   string
}

// check turns a policy into a plan, or says which path it must not name.
func (h host) check(p Policy) (*plan, error) {
	pl := &plan{dir: p.Dir, limits: p.Limits.withDefaults(), net: p.Network}
	if pl.dir == "" {
		pl.dir = guestTmp
	}
	if p.Network != NetworkNone && p.Network != NetworkFull {
		return nil, &PolicyError{Path: string(p.Network), Reason: "is no network mode", Cure: `use "full", or nothing for none`}
	}
	var err error
	if pl.env, err = h.environment(p.Env); err != nil {
		return nil, err
	}
	if err := h.addMounts(pl, p.ReadOnly, false); err != nil {
		return nil, err
	}
	if err := h.addMounts(pl, p.ReadWrite, true); err != nil {
		return nil, err
	}
	sortGrants(pl.grants)
	if err := checkTargets(pl.grants); err != nil {
		return nil, err
	}
	pl.foreignOwner = slices.ContainsFunc(pl.grants, func(g grant) bool { return g.write && foreignOwner(g.host) })
	pl.shared = pl.sharesGroup()
	pl.protect(p)
	return pl, nil
}

func (h host) addMounts(pl *plan, mounts []Mount, write bool) error {
	for _, m := range mounts {
		g, err := h.grant(m, write)
		if errors.Is(err, fs.ErrNotExist) && m.Optional {
			continue
		}
		if err != nil {
			return asPolicyError(m.Host, err)
		}
		pl.grants = append(pl.grants, g)
	}
	return nil
}

func (h host) grant(m Mount, write bool) (grant, error) {
	if !filepath.IsAbs(m.Host) {
		return grant{}, &PolicyError{Path: m.Host, Reason: "is not an absolute path", Cure: "give the full path"}
	}
	real, err := filepath.EvalSymlinks(m.Host)
	if err != nil {
		return grant{}, err
	}
	if err := h.refuse(m.Host, real); err != nil {
		return grant{}, err
	}
	guest := filepath.Clean(m.Guest)
	if m.Guest == "" {
		guest = filepath.Clean(m.Host)
	}
	if !filepath.IsAbs(guest) || slices.ContainsFunc([]string{"/proc", "/dev", "/sys"}, func(dir string) bool { return within(guest, dir) }) || within(guestHome, guest) {
		return grant{}, &PolicyError{Path: guest, Reason: "is a place that the sandbox fills itself", Cure: "mount it somewhere else"}
	}
	return grant{host: real, guest: guest, write: write}, nil
}

// refuse keeps out what would hand over the whole machine or account.
func (h host) refuse(given, real string) error {
	home := h.home
	if r, err := filepath.EvalSymlinks(home); err == nil {
		home = r
	}
	switch {
	case real == "/":
		return &PolicyError{Path: given, Reason: "is the whole file system", Cure: "name the folder that is needed"}
	case home != "" && home != "/" && within(home, real):
		return &PolicyError{Path: given, Reason: "is the home folder or above it", Cure: "name a folder below it"}
	case within(real, "/proc"), within(real, "/sys"), within(real, "/dev"):
		return &PolicyError{Path: given, Reason: "belongs to the kernel", Cure: "name an ordinary folder"}
	}
	return nil
}

func asPolicyError(path string, err error) error {
	if pe := (*PolicyError)(nil); errors.As(err, &pe) {
		return pe
	}
	if errors.Is(err, fs.ErrNotExist) {
		return &PolicyError{Path: path, Reason: "does not exist", Cure: "create it, or leave it out"}
	}
	return &PolicyError{Path: path, Reason: fmt.Sprintf("cannot be used: %v", err)}
}

// sortGrants puts parents first. At one path the order is that of the policy,
// writable after read-only, so the last word is the wider one: a path that is
// named for writing is meant to be written.
func sortGrants(g []grant) {
	slices.SortStableFunc(g, func(a, b grant) int { return depth(a.guest) - depth(b.guest) })
}

// checkTargets refuses a mount for which a folder would have to be made inside
// another mount, or which would go through a symbolic link there: the first
// litters the user's folder, the second leads out of it.
func checkTargets(grants []grant) error {
	for i, g := range grants {
		for _, outer := range slices.Backward(grants[:i]) {
			if g.guest == outer.guest || !within(g.guest, outer.guest) {
				continue
			}
			rel, _ := filepath.Rel(outer.guest, g.guest)
			real, err := filepath.EvalSymlinks(filepath.Join(outer.host, rel))
			if err != nil || real != filepath.Join(outer.host, rel) {
				return &PolicyError{
					Path: g.guest, Reason: fmt.Sprintf("has no real folder or file to appear at in %q", outer.host),
					Cure: "create it there first, or mount it elsewhere",
				}
			}
			break
		}
	}
	return nil
}

// within reports whether path is dir or below it.
func within(path, dir string) bool {
	if dir == "/" {
		return true
	}
	return path == dir || strings.HasPrefix(path, dir+string(os.PathSeparator))
}

func depth(path string) int {
	if path == "/" {
		return 0
	}
	return strings.Count(path, string(os.PathSeparator))
}

// checkCommand refuses what no kernel could execute.
func checkCommand(c Command) error {
	if len(c.Args) == 0 || c.Args[0] == "" {
		return &PolicyError{Reason: "is no program", Cure: "give a program and its arguments"}
	}
	for _, a := range c.Args {
		if strings.Contains(a, "\x00") {
			return &PolicyError{Path: a, Reason: "holds a NUL byte", Cure: "pass such data on stdin"}
		}
	}
	return nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
