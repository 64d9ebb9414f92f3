package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// printer puts finished text above the live lines, in order: commands run at the
// same time, so only one print is under way and the others wait.
type printer struct {
	queue []string
	busy  bool
	ready bool // the live lines were drawn once, so the renderer knows their height
	last  kind
}

// kind is what was printed last: a blank line separates unlike things.
type kind int

const (
	nothing kind = iota
	block
	callLine
	note
)

type (
	printedMsg struct{}
	readyMsg   struct{}
)

// drawn comes after the first frame.
func drawn() tea.Cmd {
	return tea.Tick(2*time.Second/fps, func(time.Time) tea.Msg { return readyMsg{} })
}

// frames remembers how tall the live lines were: a print that comes before the
// terminal shows fewer of them must leave room for all that it still shows.
type frames struct {
	last, tall int
	until      time.Time // tall counts until then
}

// settling is how long the terminal may show lines that are live no more: a few
// frames, on a busy machine.
const settling = 500 * time.Millisecond

// tallest takes how many lines are live now and returns how many may be shown.
func (f *frames) tallest(live int, now time.Time) int {
	if now.After(f.until) {
		f.tall = 0
	}
	if live < f.last {
		f.tall, f.until = max(f.tall, f.last), now.Add(settling)
	}
	f.last = live
	return max(live, f.tall)
}

// add queues text. Blocks stand apart, lines of one kind together.
func (p *printer) add(k kind, text string) {
	if p.last != nothing && (k == block || k != p.last) {
		text = "\n" + text
	}
	p.last = k
	p.queue = append(p.queue, text)
}

// waiting tells whether something can be printed now.
func (p *printer) waiting() bool { return p.ready && !p.busy && len(p.queue) > 0 }

// next prints what waits. room is how many lines fit above the live ones: more at
// once would push these into the scrollback.
func (p *printer) next(s style, width, room int) tea.Cmd {
	if !p.waiting() {
		return nil
	}
	p.busy = true
	var lines []string
	for _, text := range p.queue {
		lines = append(lines, fitted(s, text, width)...)
	}
	p.queue = nil
	room = max(room, 1)
	var cmds []tea.Cmd
	for len(lines) > 0 {
		n := min(room, len(lines))
		cmds = append(cmds, tea.Println(strings.Join(lines[:n], "\n")))
		lines = lines[n:]
	}
	return tea.Sequence(append(cmds, func() tea.Msg { return printedMsg{} })...)
}

// fitted breaks lines so that none reaches the last column, where terminals
// differ on what happens next. An empty line becomes a blank: an empty print is none.
func fitted(s style, text string, width int) []string {
	var out []string
	for _, l := range s.wrap(text, width-1) {
		if l == "" {
			l = " "
		}
		out = append(out, l)
	}
	return out
}
