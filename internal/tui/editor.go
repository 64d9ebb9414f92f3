package tui

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/agentctl/agentctl/internal/termtext"
)

// editor is a text of several lines with a cursor. Positions are byte offsets at
// the edges of grapheme clusters, so that an emoji is deleted as one.
type editor struct {
	text string
	at   int

	history []string // the oldest first
	shown   int      // index into history; len(history) is the draft
	draft   string
}

// insert puts text at the cursor, without the control characters that could act
// on the terminal.
func (e *editor) insert(text string) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	text = termtext.Strip(text)
	e.text = e.text[:e.at] + text + e.text[e.at:]
	e.at += len(text)
}

func (e *editor) set(text string) { e.text, e.at = text, len(text) }

// clear empties the editor and shows no entry of the history.
func (e *editor) clear() { e.set(""); e.shown, e.draft = len(e.history), "" }

// remember appends to the history.
func (e *editor) remember(entry string) {
	if n := len(e.history); n == 0 || e.history[n-1] != entry {
		e.history = append(e.history, entry)
	}
}

// clusters are the grapheme clusters of a text.
func clusters(text string) []string {
	var out []string
	for text != "" {
		c, _ := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
		if c == "" {
			c = text[:1]
		}
		out = append(out, c)
		text = text[len(c):]
	}
	return out
}

// before is the length of the cluster left of the cursor.
func (e *editor) before() int {
	line := e.text[e.lineStart():e.at]
	if line == "" {
		return min(1, e.at)
	}
	cs := clusters(line)
	return len(cs[len(cs)-1])
}

// after is the length of the cluster right of the cursor.
func (e *editor) after() int {
	if e.at == len(e.text) {
		return 0
	}
	c, _ := ansi.FirstGraphemeCluster(e.text[e.at:], ansi.GraphemeWidth)
	return max(len(c), 1)
}

func (e *editor) lineStart() int { return strings.LastIndexByte(e.text[:e.at], '\n') + 1 }

func (e *editor) lineEnd() int {
	if i := strings.IndexByte(e.text[e.at:], '\n'); i >= 0 {
		return e.at + i
	}
	return len(e.text)
}

// remove deletes from a to b and leaves the cursor there.
func (e *editor) remove(a, b int) { e.text, e.at = e.text[:a]+e.text[b:], a }

// wordLeft is where the word left of the cursor begins.
func (e *editor) wordLeft() int {
	text := strings.TrimRightFunc(e.text[:e.at], unicode.IsSpace)
	return strings.LastIndexFunc(text, unicode.IsSpace) + 1
}

func (e *editor) wordRight() int {
	rest := strings.TrimLeftFunc(e.text[e.at:], unicode.IsSpace)
	skipped := len(e.text) - e.at - len(rest)
	if i := strings.IndexFunc(rest, unicode.IsSpace); i >= 0 {
		return e.at + skipped + i
	}
	return len(e.text)
}

// edits are the keys that change the text or move the cursor.
var edits = map[string]func(*editor){
	"backspace":       func(e *editor) { e.remove(e.at-e.before(), e.at) },
	"ctrl+h":          func(e *editor) { e.remove(e.at-e.before(), e.at) },
	"delete":          func(e *editor) { e.remove(e.at, e.at+e.after()) },
	"left":            func(e *editor) { e.at -= e.before() },
	"ctrl+b":          func(e *editor) { e.at -= e.before() },
	"right":           func(e *editor) { e.at += e.after() },
	"ctrl+f":          func(e *editor) { e.at += e.after() },
	"alt+left":        func(e *editor) { e.at = e.wordLeft() },
	"alt+b":           func(e *editor) { e.at = e.wordLeft() },
	"ctrl+left":       func(e *editor) { e.at = e.wordLeft() },
	"alt+right":       func(e *editor) { e.at = e.wordRight() },
	"alt+f":           func(e *editor) { e.at = e.wordRight() },
	"ctrl+right":      func(e *editor) { e.at = e.wordRight() },
	"home":            func(e *editor) { e.at = e.lineStart() },
	"ctrl+a":          func(e *editor) { e.at = e.lineStart() },
	"end":             func(e *editor) { e.at = e.lineEnd() },
	"ctrl+e":          func(e *editor) { e.at = e.lineEnd() },
	"ctrl+u":          func(e *editor) { e.remove(e.lineStart(), e.at) },
	"ctrl+k":          func(e *editor) { e.remove(e.at, e.lineEnd()) },
	"ctrl+w":          func(e *editor) { e.remove(e.wordLeft(), e.at) },
	"alt+backspace":   func(e *editor) { e.remove(e.wordLeft(), e.at) },
	"up":              (*editor).up,
	"down":            (*editor).down,
	"alt+enter":       func(e *editor) { e.insert("\n") },
	"shift+enter":     func(e *editor) { e.insert("\n") },
	"ctrl+j":          func(e *editor) { e.insert("\n") },
	"ctrl+p":          func(e *editor) { e.recall(-1) },
	"ctrl+n":          func(e *editor) { e.recall(1) },
	"shift+space":     func(e *editor) { e.insert(" ") },
	"shift+backspace": func(e *editor) { e.remove(e.at-e.before(), e.at) },
}

// key applies a key; text is what it types, "" for a key that types nothing.
func (e *editor) key(name, text string) {
	if edit, ok := edits[name]; ok {
		edit(e)
		return
	}
	e.insert(text)
}

// up goes to the line above, from the first one to the entry before.
func (e *editor) up() {
	start := e.lineStart()
	if start == 0 {
		e.recall(-1)
		return
	}
	column := len(clusters(e.text[start:e.at]))
	e.at = start - 1
	e.toColumn(column)
}

// down goes to the line below, from the last one to the entry after.
func (e *editor) down() {
	end := e.lineEnd()
	if end == len(e.text) {
		e.recall(1)
		return
	}
	column := len(clusters(e.text[e.lineStart():e.at]))
	e.at = end + 1
	e.toColumn(column)
}

// toColumn moves the cursor within its line.
func (e *editor) toColumn(n int) {
	start := e.lineStart()
	e.at = start
	for i, c := range clusters(e.text[start:e.lineEnd()]) {
		if i == n {
			return
		}
		e.at += len(c)
	}
}

// recall shows another entry of the history; what was typed comes back after the
// last one.
func (e *editor) recall(step int) {
	to := e.shown + step
	if to < 0 || to > len(e.history) {
		return
	}
	if e.shown == len(e.history) {
		e.draft = e.text
	}
	e.shown = to
	if to == len(e.history) {
		e.set(e.draft)
		return
	}
	e.set(e.history[to])
}

// rows draws the text in width cells and says where the cursor is.
func (e *editor) rows(s style, width int) (rows []string, x, y int) {
	var row strings.Builder
	used, offset := 0, 0
	next := func() {
		rows = append(rows, row.String())
		row.Reset()
		used = 0
	}
	place := func() {
		if offset == e.at {
			x, y = used, len(rows)
		}
	}
	for _, c := range clusters(e.text) {
		shown := c
		if c == "\t" {
			shown = tab
		}
		w := s.width(shown)
		if c != "\n" && used+w > width {
			next()
		}
		place()
		offset += len(c)
		if c == "\n" {
			next()
			continue
		}
		row.WriteString(shown)
		used += w
	}
	if used >= width {
		next()
	}
	place()
	next()
	return rows, x, y
}
