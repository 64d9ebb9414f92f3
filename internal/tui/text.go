package tui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/agentctl/agentctl/internal/termtext"
)

// style marks text for the eye and measures it. Without colour it leaves text as
// it is.
type style struct {
	color bool
	// method is how the terminal counts cells: by character until it says that it
	// knows of grapheme clusters (mode 2027).
	method ansi.Method
}

// width is how many cells a text on one line takes.
func (s style) width(text string) int { return s.method.StringWidth(text) }

func (s style) sgr(code, text string) string {
	if !s.color || text == "" {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if l != "" {
			lines[i] = "\x1b[" + code + "m" + l + "\x1b[0m"
		}
	}
	return strings.Join(lines, "\n")
}

func (s style) dim(text string) string   { return s.sgr("2", text) }
func (s style) bold(text string) string  { return s.sgr("1", text) }
func (s style) good(text string) string  { return s.sgr("32", text) }
func (s style) bad(text string) string   { return s.sgr("31", text) }
func (s style) mark(text string) string  { return s.sgr("36", text) }
func (s style) added(text string) string { return s.sgr("32", text) }

// tabs are drawn as blanks: the width of a tab depends on where it stands.
const tab = "    "

// wrap breaks text into lines of at most width cells, at blanks where there are any.
func (s style) wrap(text string, width int) []string {
	text = strings.ReplaceAll(text, "\t", tab)
	if s.method == ansi.GraphemeWidth {
		return strings.Split(ansi.Wrap(text, max(width, 1), ""), "\n")
	}
	return strings.Split(ansi.WrapWc(text, max(width, 1), ""), "\n")
}

// cut shortens one line to width cells.
func (s style) cut(line string, width int) string {
	return s.method.Truncate(line, max(width, 1), "…")
}

// lastLines are the last n lines of a foreign text as it is drawn in width cells.
func (s style) lastLines(text string, width, n int) []string {
	lines := strings.Split(text, "\n")
	lines = lines[max(len(lines)-n, 0):] // the rest need not be measured
	lines = s.wrap(termtext.Block(strings.Join(lines, "\n")), width)
	return lines[max(len(lines)-n, 0):]
}

// firstLines are the first n lines, the last one saying that there are more.
func (s style) firstLines(text string, width, n int) []string {
	lines := s.wrap(text, width)
	if len(lines) > n {
		lines = append(lines[:n-1], moreLines(len(lines)-n+1))
	}
	return lines
}

func moreLines(n int) string { return "… " + plural(n, "more line") }

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// pad cuts or fills text to n cells.
func (s style) pad(text string, n int) string {
	text = s.cut(text, n)
	return text + strings.Repeat(" ", max(n-s.width(text), 0))
}

// diffColors marks the added and removed lines of a unified diff.
func diffColors(s style, text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		switch {
		case strings.HasPrefix(l, "+"):
			lines[i] = s.added(l)
		case strings.HasPrefix(l, "-"):
			lines[i] = s.bad(l)
		}
	}
	return strings.Join(lines, "\n")
}
