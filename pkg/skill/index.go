package skill

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentctl/agentctl/internal/termtext"
)

// The bounds of an index, in characters. Under 2,000 a handful of skills would
// lose their descriptions; over 8,000 the index costs more than it helps.
const (
	MinBudget = 2_000
	MaxBudget = 8_000
)

// The tags of the two blocks that a model gets.
const (
	SessionTag   = "available_skills" // in the system prompt, fixed for a session
	WorkspaceTag = "workspace_skills" // with the user's turn, when it changed
)

// Budget is the room for an index in characters: 2 % of the context window at
// four characters a token. A window of 0 is unknown.
func Budget(contextWindow int) int {
	if contextWindow <= 0 {
		return MaxBudget
	}
	return min(max(contextWindow/50*4, MinBudget), MaxBudget)
}

// IndexResult is an index and what it costs.
type IndexResult struct {
	// Text is the exact block that a model gets, "" when there is nothing to say.
	Text string
	// Budget and Used are in characters. Used is above Budget only when the
	// names alone do not fit.
	Budget, Used int
	Entries      []IndexEntry
}

// IndexEntry is one skill of an index.
type IndexEntry struct {
	Name string
	// Chars is what its line costs, 0 for one that was left out; FullChars what
	// it would cost unshortened.
	Chars, FullChars int
	Shortened        bool
}

// Index builds the index block of items within a budget: sorted by name, one
// line each, XML-escaped, without invisible characters. Where the budget is
// short, descriptions shrink fairly and names stay; only if names alone exceed
// it, the user's own skills are left out and counted in one line.
func Index(items []*Item, tag string, budget int) IndexResult {
	return buildIndex(items, tag, "", budget)
}

// buildIndex is Index with a line of text before the skills.
func buildIndex(items []*Item, tag, preface string, budget int) IndexResult {
	res := IndexResult{Budget: budget}
	if len(items) == 0 && preface == "" {
		return res
	}
	lines := newIndexLines(items)
	frame := len("<>\n</>") + 2*len(tag) + utf8.RuneCountInString(preface)
	left := fitLines(lines, budget-frame)
	var b strings.Builder
	fmt.Fprintf(&b, "<%s>\n%s", tag, preface)
	for i := range lines {
		l := &lines[i]
		text := l.text()
		b.WriteString(text)
		n := utf8.RuneCountInString(text)
		res.Entries = append(res.Entries, IndexEntry{Name: l.item.Name, Chars: n, FullChars: l.full, Shortened: n < l.full})
	}
	if left > 0 {
		b.WriteString(leftOut(left))
	}
	fmt.Fprintf(&b, "</%s>", tag)
	res.Text = b.String()
	res.Used = utf8.RuneCountInString(res.Text)
	return res
}

func leftOut(n int) string {
	return fmt.Sprintf("(%d more skills of the user are not listed; read_skill takes their names)\n", n)
}

// indexLine is one skill on its way into an index.
type indexLine struct {
	item    *Item
	name    string // escaped
	desc    []rune // plain
	keep    int    // how many runes of desc are shown
	full    int    // cost of the whole line
	dropped bool
}

func newIndexLines(items []*Item) []indexLine {
	items = slices.Clone(items)
	slices.SortStableFunc(items, func(a, b *Item) int { return strings.Compare(a.Name, b.Name) })
	lines := make([]indexLine, len(items))
	for i, it := range items {
		l := indexLine{item: it, name: escape(oneLine(it.Name)), desc: []rune(indexDescription(it.Value))}
		l.keep = len(l.desc)
		l.full = l.cost(l.keep)
		lines[i] = l
	}
	return lines
}

// indexDescription is what a skill says of itself on one line.
func indexDescription(s *Skill) string {
	return oneLine(s.Description + " " + s.WhenToUse)
}

// oneLine squeezes white space and drops what hides or reorders text.
func oneLine(s string) string { return termtext.Strip(strings.Join(strings.Fields(s), " ")) }

var xmlEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func escape(s string) string { return xmlEscaper.Replace(s) }

// shown is the description cut to keep runes, with a mark where it was cut.
func (l *indexLine) shown(keep int) string {
	if keep >= len(l.desc) {
		return escape(string(l.desc))
	}
	if keep < 2 {
		return ""
	}
	return escape(strings.TrimRight(string(l.desc[:keep-1]), " ")) + "…"
}

func (l *indexLine) line(keep int) string {
	desc := l.shown(keep)
	if desc == "" {
		return "<skill><name>" + l.name + "</name></skill>\n"
	}
	return "<skill><name>" + l.name + "</name><description>" + desc + "</description></skill>\n"
}

func (l *indexLine) cost(keep int) int { return utf8.RuneCountInString(l.line(keep)) }

func (l *indexLine) text() string {
	if l.dropped {
		return ""
	}
	return l.line(l.keep)
}

// fitLines shortens lines until they fit into room and returns how many of the
// user's skills had to be left out.
func fitLines(lines []indexLine, room int) (left int) {
	if total(lines, maxKeep) <= room {
		return 0
	}
	names := total(lines, 0)
	for i := len(lines) - 1; i >= 0 && names+leftOutCost(left) > room; i-- {
		if lines[i].item.Source.Name == SourceUser {
			names -= lines[i].cost(0)
			lines[i].dropped = true
			left++
		}
	}
	share(lines, room-leftOutCost(left))
	return left
}

func leftOutCost(n int) int {
	if n == 0 {
		return 0
	}
	return utf8.RuneCountInString(leftOut(n))
}

const maxKeep = 1 << 30

// share gives every description the same length, the greatest that fits; who
// needs less leaves the rest to the others.
func share(lines []indexLine, room int) {
	longest := 0
	for i := range lines {
		longest = max(longest, len(lines[i].desc))
	}
	low, high := 0, longest // total(low) fits, or nothing does
	for low < high {
		mid := (low + high + 1) / 2
		if total(lines, mid) <= room {
			low = mid
		} else {
			high = mid - 1
		}
	}
	for i := range lines {
		lines[i].keep = min(low, len(lines[i].desc))
	}
}

// total is the cost of all lines with descriptions of at most keep runes.
func total(lines []indexLine, keep int) int {
	sum := 0
	for i := range lines {
		if !lines[i].dropped {
			sum += lines[i].cost(min(keep, len(lines[i].desc)))
		}
	}
	return sum
}
