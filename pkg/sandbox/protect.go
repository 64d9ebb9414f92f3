package sandbox

import (
	"os"
	"path/filepath"
	"strings"
)

// watched is a protected path that no mount can hold: it does not exist, or is
// a symbolic link. What it was is compared with what it is after the run.
type watched struct {
	path string // as the policy gave it
	real string // where it lies on the host
	link string // what the link said; "" if nothing was there
}

// changed reports whether something is there that was not.
func (w watched) changed() bool {
	info, err := os.Lstat(w.real)
	if err != nil {
		return false
	}
	if w.link == "" {
		return true
	}
	if info.Mode()&os.ModeSymlink == 0 {
		return true
	}
	link, err := os.Readlink(w.real)
	return err == nil && link != w.link
}

func appeared(ws []watched) []string {
	var out []string
	for _, w := range ws {
		if w.changed() {
			out = append(out, w.path)
		}
	}
	return out
}

// protect makes the paths read-only by mounts of their own. Each folder between
// the writable mount and the path becomes a mount point too, because renaming it
// and making a new one in its place would shed the protection.
func (pl *plan) protect(paths []string) {
	writable := writableOf(pl.grants)
	add := map[string]grant{}
	for _, p := range paths {
		pl.protectOne(p, filepath.Clean(p), writable, add, 0)
	}
	named := map[string]bool{}
	for _, g := range pl.grants {
		named[g.guest] = true
	}
	for guest, g := range add {
		// A pin gives way to a mount that the policy names at the same place; a
		// protection comes after it and wins.
		if !g.write || !named[guest] {
			pl.grants = append(pl.grants, g)
		}
	}
	sortGrants(pl.grants)
}

func writableOf(grants []grant) []grant {
	var out []grant
	for _, g := range grants {
		if g.write {
			out = append(out, g)
		}
	}
	return out
}

// maxLinks bounds a chain of symbolic links, as the kernel does.
const maxLinks = 40

func (pl *plan) protectOne(given, path string, writable []grant, add map[string]grant, links int) {
	root, rel, ok := enclosing(path, writable)
	if !ok || links > maxLinks {
		return
	}
	if rel == "." {
		add[root.guest] = grant{host: root.host, guest: root.guest}
		return
	}
	host, guest := root.host, root.guest
	parts := strings.Split(rel, string(os.PathSeparator))
	for i, part := range parts {
		host, guest = filepath.Join(host, part), filepath.Join(guest, part)
		info, err := os.Lstat(host)
		switch {
		case err != nil:
			pl.watch = append(pl.watch, watched{path: given, real: host})
			return
		case info.Mode()&os.ModeSymlink != 0:
			pl.protectLink(given, host, parts[i+1:], writable, add, links)
			return
		}
		g := grant{host: host, guest: guest, write: i < len(parts)-1}
		if old, ok := add[guest]; !ok || old.write {
			add[guest] = g
		}
	}
}

// protectLink watches the link, which cannot be mounted over, and protects what
// it leads to.
func (pl *plan) protectLink(given, host string, rest []string, writable []grant, add map[string]grant, links int) {
	link, err := os.Readlink(host)
	if err != nil {
		return
	}
	pl.watch = append(pl.watch, watched{path: given, real: host, link: link})
	target := link
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(host), target)
	}
	pl.protectOne(given, filepath.Join(append([]string{target}, rest...)...), writable, add, links+1)
}

// enclosing finds the deepest writable mount that holds the host path. The path
// may be spelled as the mount is seen inside or as it lies on the host.
func enclosing(path string, writable []grant) (root grant, rel string, ok bool) {
	best := -1
	for _, g := range writable {
		for _, base := range []string{g.guest, g.host} {
			if within(path, base) && depth(base) > best {
				best, root, ok = depth(base), g, true
				rel, _ = filepath.Rel(base, path)
			}
		}
	}
	return root, rel, ok
}
