package registry

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/suggest"
	"github.com/agentctl/agentctl/internal/termtext"
)

// Match says how a name met a package, best first.
type Match int

// The kinds of match. A better kind wins over a better source, so an alias
// never hides a name.
const (
	ByName Match = iota
	ByFolder
	BySlug
	ByAlias
)

func (m Match) String() string {
	return [...]string{"name", "folder", "slug", "alias"}[m]
}

// Resolution is the answer to one name.
type Resolution[T any] struct {
	Winner *Item[T]
	// By is how the name met the winner.
	By Match
	// Others met the name too and lost, best first; each with the reason.
	Others []Loser[T]
}

// Loser is a package that a name could have meant.
type Loser[T any] struct {
	Item   *Item[T]
	By     Match
	Reason string
}

// Resolve returns the package that name means: the best kind of match first,
// then trust, the source's rank, the order of roots, the path.
//
// The error is a [*NotFoundError], a [*BrokenError] when the only package of
// that name does not load, or a [*WithheldError] in a view that withholds it.
func (l *Listing[T]) Resolve(name string) (Resolution[T], error) {
	hits := l.hits(name)
	if len(hits) > 0 {
		if reason, ok := l.withholds(hits[0].item); ok {
			return Resolution[T]{}, &WithheldError{Kind: l.Kind, Name: hits[0].item.Name, Reason: reason}
		}
	}
	if len(hits) == 0 {
		if b := l.broken(name); b != nil {
			return Resolution[T]{}, &BrokenError{Kind: l.Kind, Name: name, File: b.File(), Diagnostics: b.Diagnostics}
		}
		return Resolution[T]{}, l.notFound(name)
	}
	res := Resolution[T]{Winner: hits[0].item, By: hits[0].by}
	for _, h := range hits[1:] {
		if _, hidden := l.withholds(h.item); hidden {
			continue
		}
		res.Others = append(res.Others, Loser[T]{Item: h.item, By: h.by, Reason: reason(hits[0], h)})
	}
	return res, nil
}

// hits are the packages that a name meets, best first. A name that nothing has is
// tried as the folder that a package of that name would have been saved to, unless
// the one there says that it was saved under another name.
func (l *Listing[T]) hits(name string) []hit[T] {
	index := l.index()
	hits := index.all(name)
	if len(hits) > 0 || l.slug == nil {
		return hits
	}
	for _, h := range index.all(l.slug(name)) {
		given := h.item.Given
		if h.by != ByAlias && (given == "" || !Foreign(name) || SameWords(given, name)) {
			hits = append(hits, hit[T]{h.item, BySlug})
		}
	}
	return hits
}

func (l *Listing[T]) broken(name string) *Broken {
	for _, b := range l.Broken {
		if key(b.Name) == key(name) || key(base(b.Dir)) == key(name) {
			return b
		}
	}
	return nil
}

func (l *Listing[T]) notFound(name string) *NotFoundError {
	e := &NotFoundError{Kind: l.Kind, Name: name, Looked: l.Looked}
	for _, it := range l.Winners() {
		if it.State != Disabled {
			e.Available = append(e.Available, it.Name)
		}
	}
	for _, b := range l.Broken {
		if !slices.Contains(e.Available, b.Name) && !slices.Contains(e.Broken, b.Name) {
			e.Broken = append(e.Broken, b.Name)
		}
	}
	slices.Sort(e.Broken)
	e.Nearest = suggest.Nearest(name, slices.Concat(e.Available, e.Broken), 3)
	return e
}

func reason[T any](win, lose hit[T]) string {
	w, o := win.item, lose.item
	switch {
	case win.by != lose.by:
		return "matches by " + lose.by.String() + ", " + w.File() + " by " + win.by.String()
	case w.Source.Untrusted != o.Source.Untrusted:
		return "is not trusted"
	case w.Source.Rank != o.Source.Rank:
		return w.Source.Name + " wins over " + o.Source.Name
	case w.order != o.order:
		return w.Source.Root + " is searched before " + o.Source.Root
	default:
		return w.Dir + " sorts before " + o.Dir
	}
}

// nameIndex answers names in constant time, so that a listing of n packages
// costs n, not n squared.
type nameIndex[T any] map[string][]hit[T]

type hit[T any] struct {
	item *Item[T]
	by   Match
}

func (l *Listing[T]) index() nameIndex[T] {
	index := nameIndex[T]{}
	for it := range l.owners() {
		index.add(it.Name, it, ByName)
		index.add(it.Folder(), it, ByFolder)
		index.add(it.Slug, it, BySlug)
		for _, a := range it.Aliases {
			index.add(a, it, ByAlias)
		}
	}
	for _, hits := range index {
		slices.SortStableFunc(hits, func(a, b hit[T]) int {
			if a.by != b.by {
				return int(a.by - b.by)
			}
			return compare(a.item, b.item)
		})
	}
	return index
}

func (x nameIndex[T]) add(name string, it *Item[T], by Match) {
	k := key(name)
	if k == "" {
		return
	}
	for _, h := range x[k] {
		if h.item == it {
			return // already there by a better match
		}
	}
	x[k] = append(x[k], hit[T]{it, by})
}

func (x nameIndex[T]) all(name string) []hit[T] { return x[key(name)] }

func (x nameIndex[T]) best(name string) *Item[T] {
	if hits := x[key(name)]; len(hits) > 0 {
		return hits[0].item
	}
	return nil
}

// key is the form in which names are compared: NFKC, on one line, without
// characters that hide or reorder text. A composed and a decomposed é are one
// name, and a name is found by what a model or a person sees of it. Case counts.
func key(name string) string {
	return termtext.Strip(strings.Join(strings.Fields(norm.NFKC.String(name)), " "))
}

// NotFoundError reports a name that no package has.
type NotFoundError struct {
	Kind, Name string
	// Nearest are the closest names, best first.
	Nearest []string
	// Available are all names, Broken those that do not load; Looked the roots that
	// were searched.
	Available, Broken, Looked []string
}

func (e *NotFoundError) Error() string {
	return e.Kind + " " + quote(e.Name) + " not found"
}

// BrokenError reports that the only package of a name does not load.
type BrokenError struct {
	Kind, Name, File string
	Diagnostics      []diag.Diagnostic
}

func (e *BrokenError) Error() string {
	text := e.Kind + " " + quote(e.Name) + " does not load"
	if len(e.Diagnostics) > 0 {
		text += ": " + e.Diagnostics[0].String()
	}
	return text
}

// WithheldError reports a name whose package this view does not give out.
type WithheldError struct {
	Kind, Name string
	// Reason says why, e.g. "is disabled".
	Reason string
}

func (e *WithheldError) Error() string {
	return e.Kind + " " + quote(e.Name) + " " + e.Reason
}

func quote(s string) string { return strconv.Quote(s) }
