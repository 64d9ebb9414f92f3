// Package suggest finds the names that somebody may have meant.
//
// Use Nearest for every "unknown X" message, so that all of agentctl guesses
// in the same way: case and the spelling of a word break do not count, one
// mistake in a short name does, and a name that shares nothing is no guess.
package suggest

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// maxRunes is where comparing stops: the cost is the product of both lengths,
// and a longer text is no slip of the finger.
const maxRunes = 128

// minPart is the shortest part of a name that counts as a hint of the whole,
// so that "a" does not suggest everything with an a in it.
const minPart = 3

// Nearest returns at most limit names of known that are close to name, nearest
// first, equally near ones in alphabetical order. It returns nil when nothing
// is close; name itself, spelled exactly so, is never among them.
func Nearest(name string, known []string, limit int) []string {
	type match struct {
		name string
		rank int
	}
	var found []match
	want := fold(name)
	for _, k := range known {
		if rank, ok := distance(want, fold(k)); ok && k != name {
			found = append(found, match{k, rank})
		}
	}
	slices.SortFunc(found, func(a, b match) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), strings.Compare(a.name, b.name))
	})
	var names []string
	for _, m := range found {
		if len(names) < limit && !slices.Contains(names, m.name) {
			names = append(names, m.name)
		}
	}
	return names
}

// distance is the number of edits between two folded names, and whether that
// is close: a third of the longer name, or one inside the other. A name inside
// another ranks behind all real slips.
func distance(a, b string) (int, bool) {
	n := max(utf8.RuneCountInString(a), utf8.RuneCountInString(b))
	if a == "" || b == "" || n > maxRunes {
		return 0, false
	}
	d := levenshtein.ComputeDistance(a, b)
	if d == 2 && sameRunes(a, b) {
		d = 1 // two letters in the wrong order are one slip
	}
	if d <= max(1, n/3) && d < n {
		return d, true
	}
	return n + d, part(a, b) || part(b, a)
}

func sameRunes(a, b string) bool {
	x, y := []rune(a), []rune(b)
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

func part(whole, part string) bool {
	return utf8.RuneCountInString(part) >= minPart && strings.Contains(whole, part)
}

// fold makes spellings equal that people mix up: case, and the mark between
// two words.
func fold(s string) string {
	return strings.NewReplacer("_", "-", " ", "-", ".", "-").Replace(strings.ToLower(strings.TrimSpace(s)))
}
