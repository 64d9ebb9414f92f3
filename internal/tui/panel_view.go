package tui

import (
	"fmt"
	"strings"

	"github.com/agentctl/agentctl/internal/registry"
	"github.com/agentctl/agentctl/internal/termtext"
)

const (
	panelKeys  = "enter read · space on/off here · a on/off always · n new · i import · x export · l lint · / find · q close"
	readerKeys = "up, down, space: scroll · any other key: back"
	// maxList is how many skills are shown at once.
	maxList = 12
)

// rows draw the panel; it leaves room for what stands above it.
func (p *panel) rows(width, height int) []string {
	width--
	if p.pages != nil {
		return p.reader(width, height)
	}
	shown := p.visible()
	title := fmt.Sprintf("Skills (%d)", len(shown))
	if p.filter != "" {
		title += " with " + termtext.Line(p.filter)
	}
	rows := []string{p.s.bold(title)}
	foot := p.foot(width)
	from, to := window(len(shown), p.at, max(min(maxList, height-len(foot)-4), 1))
	for i := from; i < to; i++ {
		rows = append(rows, p.row(shown[i], i == p.at, width))
	}
	if len(shown) == 0 && !p.busy {
		rows = append(rows, p.s.dim("  none yet: n writes one with the model, i imports one"))
	}
	return append(rows, foot...)
}

// row is one skill: state, name, source, cost, description.
func (p *panel) row(r SkillRow, chosen bool, width int) string {
	mark := map[registry.State]string{registry.Active: "●", registry.Disabled: "○", registry.Shadowed: "·", registry.Untrusted: "!"}[r.Item.State]
	cost := ""
	if r.Cost > 0 {
		cost = fmt.Sprint(r.Cost)
	}
	text := fmt.Sprintf("%s %s %s", mark, p.s.pad(termtext.Line(r.Item.Name), 20), p.s.pad(r.Item.Source.Name, 9))
	if width >= 60 {
		text += fmt.Sprintf(" %s %5s  %s", p.s.pad(string(r.Item.State), 9), cost, termtext.Line(r.Item.Value.Description))
	}
	pointer := "  "
	if chosen {
		pointer = "> "
	}
	text = pointer + p.s.cut(text, width-2)
	switch {
	case chosen:
		return p.s.bold(text)
	case r.Item.State != registry.Active:
		return p.s.dim(text)
	}
	return text
}

// foot is the description of the chosen skill, the message or question, the keys.
func (p *panel) foot(width int) []string {
	var rows []string
	if r := p.chosen(); r != nil && !p.asking && p.message == "" {
		rows = append(rows, "")
		for _, l := range p.s.firstLines(termtext.Line(r.Item.Value.Description), width, 3) {
			rows = append(rows, p.s.dim(l))
		}
		if r.Item.State == registry.Shadowed {
			rows = append(rows, p.s.dim(p.s.cut("hidden by "+termtext.Line(r.Item.ShadowedBy), width)))
		}
	}
	if p.message != "" {
		paint := p.s.good
		if p.bad {
			paint = p.s.bad
		}
		rows = append(rows, "")
		for _, l := range p.s.firstLines(termtext.Block(p.message), width, 4) {
			rows = append(rows, paint(l))
		}
	}
	if p.asking {
		line, _ := p.promptLine(width)
		return append(rows, "", p.s.cut(p.asks.label, width), line, p.s.dim(p.s.cut("enter: go on · esc: not now", width)))
	}
	for _, l := range p.s.wrap(panelKeys, width) {
		rows = append(rows, p.s.dim(l))
	}
	return rows
}

// promptLine is what was typed, the row of it where the cursor stands, and the
// cursor's place.
func (p *panel) promptLine(width int) (string, int) {
	rows, x, y := p.ed.rows(p.s, max(width-3, 4))
	return p.s.mark("> ") + rows[y], x + 2
}

// cursor is where a typed line has its cursor; false when nothing is typed.
func (p *panel) cursor(width, height int) (x, y int, ok bool) {
	if !p.asking || p.pages != nil {
		return 0, 0, false
	}
	_, x = p.promptLine(width - 1)
	return x, len(p.rows(width, height)) - 2, true
}

// reader shows a text, some screens of it.
func (p *panel) reader(width, height int) []string {
	lines := fitted(p.s, strings.Join(p.pages, "\n"), width+1)
	room := max(height-4, 3)
	p.scroll = max(min(p.scroll, len(lines)-room), 0)
	to := min(p.scroll+room, len(lines))
	rows := append([]string(nil), lines[p.scroll:to]...)
	if to < len(lines) {
		rows = append(rows, p.s.dim(moreLines(len(lines)-to)))
	}
	return append(rows, p.s.dim(p.s.cut(readerKeys, width)))
}
