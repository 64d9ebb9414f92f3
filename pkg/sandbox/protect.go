package sandbox

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// protect makes the paths read-only by mounts of their own. Each folder between
// the writable mount and the path becomes a mount point too, because renaming it
// and making a new one in its place would shed the protection.
func (pl *plan) protect(p Policy) {
	writable := writableOf(pl.grants)
	add := map[string]grant{}
	for _, path := range p.Protect {
		pl.protectOne(path, filepath.Clean(path), writable, add, 0)
	}
	for _, f := range p.Watch {
		pl.watchFolder(f, writable)
	}
	elsewhere(add, writable)
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

// elsewhere repeats the protections wherever else the same files can be seen: a
// folder can be granted twice, by a link and by its own name.
func elsewhere(add map[string]grant, writable []grant) {
	for _, g := range slices.Collect(maps.Values(add)) {
		for _, w := range writable {
			if !g.write && within(g.host, w.host) {
				protectIn(add, w, g.host, writable)
			}
		}
	}
}

// protectIn protects a path of the host as one mount shows it, unless another
// mount covers it there.
func protectIn(add map[string]grant, w grant, path string, writable []grant) {
	rel, _ := filepath.Rel(w.host, path)
	at := grant{host: w.host, guest: w.guest, write: true}
	parts := strings.Split(rel, string(os.PathSeparator))
	for i, part := range parts {
		at.host, at.guest = filepath.Join(at.host, part), filepath.Join(at.guest, part)
		at.write = i < len(parts)-1
		if root, _, _ := seenAt(at.guest, writable); root.guest != w.guest {
			return
		}
		if old, ok := add[at.guest]; !ok || old.write {
			add[at.guest] = at
		}
	}
}

// seenAt finds the deepest mount at which a path inside is seen.
func seenAt(guest string, grants []grant) (root grant, rel string, ok bool) {
	return deepest(guest, grants, func(g grant) []string { return []string{g.guest} })
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
	if links > maxLinks {
		return
	}
	root, rel, ok := enclosing(path, writable)
	if !ok {
		pl.protectBehind(given, path, writable, add, links)
		return
	}
	if rel == "." {
		add[root.guest] = grant{host: root.host, guest: root.guest}
		return
	}
	// What does not exist needs no mounts on the way: the watch goes by the path, and
	// there is nothing yet that a program could swap. A link does exist.
	var way []grant
	host, guest := root.host, root.guest
	parts := strings.Split(rel, string(os.PathSeparator))
	for i, part := range parts {
		host, guest = filepath.Join(host, part), filepath.Join(guest, part)
		info, err := os.Lstat(host)
		switch {
		case err != nil:
			pl.watch = append(pl.watch, Watch{Path: given, Real: filepath.Join(append([]string{host}, parts[i+1:]...)...)})
			return
		case info.Mode()&os.ModeSymlink != 0:
			mountWay(add, way)
			pl.protectLink(given, host, parts[i+1:], writable, add, links)
			return
		}
		way = append(way, grant{host: host, guest: guest, write: i < len(parts)-1})
	}
	mountWay(add, way)
	pl.held = append(pl.held, Watch{Path: given, Real: host})
}

// mountWay adds the mounts that lead to a protected path. What is read-only for
// another one stays so.
func mountWay(add map[string]grant, way []grant) {
	for _, g := range way {
		if old, ok := add[g.guest]; !ok || old.write {
			add[g.guest] = g
		}
	}
}

// protectBehind follows a path that does not begin in a writable folder, but may
// lead into one by a link.
func (pl *plan) protectBehind(given, path string, writable []grant, add map[string]grant, links int) {
	dir := string(os.PathSeparator)
	parts := strings.Split(strings.TrimPrefix(path, dir), dir)
	for i, part := range parts {
		at := filepath.Join(dir, part)
		if link, err := os.Readlink(at); err == nil {
			pl.protectOne(given, behind(at, link, parts[i+1:]), writable, add, links+1)
			return
		}
		dir = at
	}
}

// behind is where a link leads, with the rest of the path that goes through it.
func behind(at, link string, rest []string) string {
	if !filepath.IsAbs(link) {
		link = filepath.Dir(at) + string(os.PathSeparator) + link
	}
	// A ".." that follows another link is a step up from where that one leads.
	if real, err := filepath.EvalSymlinks(link); err == nil && real != followed(filepath.Clean(link)) {
		link = real
	}
	return filepath.Join(append([]string{link}, rest...)...)
}

// protectLink watches the link, which cannot be mounted over, with where it leads,
// and protects what is there.
func (pl *plan) protectLink(given, host string, rest []string, writable []grant, add map[string]grant, links int) {
	link, err := os.Readlink(host)
	if err != nil {
		return
	}
	pl.watch = append(pl.watch, Watch{Path: given, Real: host, Link: link, To: destination(host)})
	pl.protectOne(given, behind(host, link, rest), writable, add, links+1)
}

// enclosing finds the deepest writable mount that holds the host path. The path
// may be spelled as the mount is seen inside or as it lies on the host.
func enclosing(path string, writable []grant) (root grant, rel string, ok bool) {
	return deepest(path, writable, func(g grant) []string { return []string{g.guest, g.host} })
}

func deepest(path string, grants []grant, bases func(grant) []string) (root grant, rel string, ok bool) {
	best := -1
	for _, g := range grants {
		for _, base := range bases(g) {
			if within(path, base) && depth(base) > best {
				best, root, ok = depth(base), g, true
				rel, _ = filepath.Rel(base, path)
			}
		}
	}
	return root, rel, ok
}
