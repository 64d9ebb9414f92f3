package registry

import (
	"iter"
	"slices"
)

// withheld is a package that a view keeps back.
type withheld[T any] struct {
	item   *Item[T]
	reason string
}

// Filter returns the listing with the packages that keep accepts, for a view
// such as a model's, as if the others were not there. Resolving in it follows
// the same rules.
func (l *Listing[T]) Filter(keep func(*Item[T]) bool) *Listing[T] {
	f := *l
	f.Items = slices.DeleteFunc(slices.Clone(l.Items), func(it *Item[T]) bool { return !keep(it) })
	f.hidden = slices.DeleteFunc(slices.Clone(l.hidden), func(h withheld[T]) bool { return !keep(h.item) })
	return &f
}

// Withhold returns the listing without the packages for which reason is not
// empty. Unlike a filtered one, a withheld package still owns its names: who
// asks for them gets a [*WithheldError], never another package that it shadowed.
func (l *Listing[T]) Withhold(reason func(*Item[T]) string) *Listing[T] {
	v := *l
	v.Items, v.hidden = nil, slices.Clone(l.hidden)
	for _, it := range l.Items {
		if why := reason(it); why != "" {
			v.hidden = append(v.hidden, withheld[T]{it, why})
		} else {
			v.Items = append(v.Items, it)
		}
	}
	return &v
}

// Winners returns the packages that answer to their own name, in order of names.
func (l *Listing[T]) Winners() []*Item[T] {
	index := l.index()
	var out []*Item[T]
	for _, it := range l.Items {
		if index.best(it.Name) == it {
			out = append(out, it)
		}
	}
	return out
}

// owners are all packages that a name can mean, withheld ones included.
func (l *Listing[T]) owners() iter.Seq[*Item[T]] {
	return func(yield func(*Item[T]) bool) {
		for _, it := range l.Items {
			if !yield(it) {
				return
			}
		}
		for _, h := range l.hidden {
			if !yield(h.item) {
				return
			}
		}
	}
}

func (l *Listing[T]) withholds(it *Item[T]) (reason string, ok bool) {
	for _, h := range l.hidden {
		if h.item == it {
			return h.reason, true
		}
	}
	return "", false
}
