// Package registry finds packages of every kind (skills, tool packages,
// prebuilt packages, apps) in an ordered list of sources, decides which one a
// name means, and explains it.
//
// A kind is described by a [Kind]: how a package folder is recognised and how
// it is parsed. [Kind.Load] scans all sources into a [Listing]; [Listing.Resolve]
// is the one function that turns a name into a package.
//
// The registry knows nothing of what packages mean: names of functions that
// must not collide, for example, are checked by the tool catalog.
package registry

import (
	"context"
	"io/fs"

	"github.com/agentctl/agentctl/internal/diag"
)

// Kind describes one kind of package.
type Kind[T any] struct {
	// Name is the kind in messages, e.g. "skill".
	Name string
	// Depth is how far below a root a package folder may lie; 1 means direct
	// children only.
	Depth int
	// Detect tells whether a folder with these entries is a package, and which
	// file is its manifest ("" when there is none).
	Detect func(entries []fs.DirEntry) (manifest string, ok bool)
	// Slug is how a folder would be called after a name; nil means that names are
	// looked up as they are typed only.
	Slug func(name string) string
	// Parse reads one package. An error means that the package does not load; the
	// diagnostics are kept in both cases.
	Parse func(ctx context.Context, l Location) (Parsed[T], []diag.Diagnostic, error)
}

// Location is where a package lies.
type Location struct {
	Source *Source
	// Rel is the package folder relative to the source's root, "." for the root.
	Rel string
	// Dir is the folder as a user would open it: absolute, or below "embedded:".
	Dir string
	// Manifest is the name of the manifest file, "" when there is none.
	Manifest string
	// FS is the package folder.
	FS fs.FS
}

// File is the manifest as a user would open it, or the folder without one.
func (l Location) File() string {
	if l.Manifest == "" {
		return l.Dir
	}
	return join(l.Dir, l.Manifest)
}

// Parsed is what a kind knows about one package.
type Parsed[T any] struct {
	Value T
	// Name is the package's own name; "" means the folder's.
	Name string
	// Aliases are other names that it answers to.
	Aliases []string
	// Given is the name in another script that it was saved under, "" for none; it
	// is one of the aliases.
	Given string
	// Slug is the name as a folder would be called; "" means none.
	Slug string
}

// Source is one root that holds packages. Earlier sources win.
type Source struct {
	// Name is the class that users see: workspace, user, shared, package, path.
	Name string
	// Rank orders classes: lower wins. Roots of one rank win in list order.
	Rank int
	// Root is the absolute path, or "embedded".
	Root string
	// FS is what is scanned; nil means the folder Root.
	FS fs.FS
	// Single: the root is itself the package.
	Single bool
	// Untrusted packages hide nobody, and models do not see them.
	Untrusted bool
}

// State of a package in a listing.
type State string

// The states.
const (
	Active    State = "active"
	Shadowed  State = "shadowed"
	Disabled  State = "disabled"
	Untrusted State = "untrusted"
)

// Item is one package that loaded.
type Item[T any] struct {
	Value   T
	Name    string
	Aliases []string
	// Given is the name in another script that it was saved under, "" for none; it
	// is one of the aliases.
	Given string
	Slug  string
	Location
	State State
	// ShadowedBy is the file of the package that answers to this one's name.
	ShadowedBy string

	order int // position of its source, for ties
}

// Folder is the name of the package's folder.
func (it *Item[T]) Folder() string { return base(it.Dir) }

// Broken is a package that did not load.
type Broken struct {
	Name string // its own name where that could be read, else its folder's
	Location
	// Diagnostics say why; the first is the reason.
	Diagnostics []diag.Diagnostic
	order       int
}

// Listing is the result of one scan.
type Listing[T any] struct {
	Kind   string
	Items  []*Item[T] // sorted by name, then precedence
	Broken []*Broken
	// Diagnostics are all findings, those of broken packages included, sorted.
	Diagnostics []diag.Diagnostic
	// Looked lists the roots that were searched, in order of precedence.
	Looked []string

	slug func(name string) string // that of the kind, may be nil

	hidden []withheld[T] // they own their names, but nobody gets them
}

// Options change one scan.
type Options struct {
	// Disabled tells whether a name is switched off; nil means none is.
	Disabled func(name string) bool
}
