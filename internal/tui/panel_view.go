package tui

import (
	"fmt"

	"github.com/agentctl/agentctl/internal/registry"
	"github.com/agentctl/agentctl/internal/termtext"
)

const (
	chatSwitch  = "space on/off here · a on/off always"
	panelSwitch = "a on/off"
	otherKeys   = "n new · i import · x export · l lint · / find · q close"
	readerKeys  = "up, down, space: scroll · any other key: back"
	// maxList is how many skills are shown at once, maxBroken how many that do
	// not load.
	maxList   = 12
	maxBroken = 2
)

// rows draw the panel; it leaves room for what stands above it.
func (p *panel) rows(width, height int) []string {
	width--
	if p.page != nil {
		return p.reader(width, height)
	}
	shown := p.visible()
	title := fmt.Sprintf("Skills (%d)", len(shown))
	if p.filter != "" {
		title += " with " + termtext.Line(p.filter)
	}
	rows := []string{p.s.bold(title)}
	foot := p.foot(width)
	if over := len(foot) - max(height-5, 1); over > 0 {
		foot = foot[over:] // the keys are what has to stay
	}
	from, to := window(len(shown), p.at, max(min(maxList, height-len(foot)-4), 1))
	for i := from; i < to; i++ {
		rows = append(rows, p.row(shown[i], i == p.at, width))
	}
	if len(shown) == 0 && !p.busy {
		none := "  none yet: n writes one with the model, i imports one"
		if p.filter != "" {
			none = "  none has that word; esc shows all"
		}
		rows = append(rows, p.s.dim(p.s.cut(none, width)))
	}
	return append(rows, foot...)
}

// row is one skill: state, name, source, cost, description.
func (p *panel) row(r SkillRow, chosen bool, width int) string {
	state := string(r.Item.State)
	mark := map[registry.State]string{registry.Active: "●", registry.Disabled: "○", registry.Shadowed: "·", registry.Untrusted: "!"}[r.Item.State]
	if r.unlisted() {
		state, mark = "unlisted", "·"
	}
	cost := ""
	if r.Cost > 0 {
		cost = fmt.Sprint(r.Cost)
	}
	text := fmt.Sprintf("%s %s %s", mark, p.s.pad(termtext.Line(r.Item.Name), 20), p.s.pad(r.Item.Source.Name, 9))
	if width >= 60 {
		text += fmt.Sprintf(" %s %5s  %s", p.s.pad(state, 9), cost, termtext.Line(r.Item.Value.Description))
	}
	pointer := "  "
	if chosen {
		pointer = "> "
	}
	text = pointer + p.s.cut(text, width-2)
	switch {
	case chosen:
		return p.s.bold(text)
	case mark != "●":
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
		if why := r.why(); why != "" {
			for _, l := range p.s.firstLines(why, width, 2) {
				rows = append(rows, p.s.dim(l))
			}
		}
	}
	for i, b := range p.broken {
		if i == maxBroken {
			rows = append(rows, p.s.bad(moreLines(len(p.broken)-i)))
			break
		}
		rows = append(rows, p.s.bad(p.s.cut("✗ "+termtext.Line(b), width)))
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
	for _, l := range p.s.wrap(p.keys(), width) {
		rows = append(rows, p.s.dim(l))
	}
	return rows
}

// keys are those that can be pressed now.
func (p *panel) keys() string {
	turn := panelSwitch
	if p.chat {
		turn = chatSwitch
	}
	return "enter read · " + turn + " · " + otherKeys
}

// unlisted tells whether a skill that is on is not in the model's index all the
// same.
func (r SkillRow) unlisted() bool { return r.Item.State == registry.Active && r.Cost == 0 }

// why says why the model does not have a skill, "" when it has.
func (r SkillRow) why() string {
	switch {
	case r.Item.State == registry.Shadowed:
		return "hidden by " + termtext.Line(r.Item.ShadowedBy)
	case r.Item.State == registry.Untrusted:
		return "untrusted: a chat uses it after /trust, or agentctl trust"
	case r.Item.State == registry.Disabled:
		return "disabled: the model does not see it, and cannot read it"
	case r.unlisted() && r.Item.Value.DisableModelInvocation:
		return "unlisted: it wants to be called by you, not by the model"
	case r.unlisted():
		return "unlisted: the app of this chat does not offer it to the model"
	}
	return ""
}

// promptLine is what was typed, the row of it where the cursor stands, and the
// cursor's place.
func (p *panel) promptLine(width int) (string, int) {
	rows, x, y := p.ed.rows(p.s, max(width-3, 4))
	return p.s.mark("> ") + rows[y], x + 2
}

// cursor is where a typed line has its cursor; false when nothing is typed.
func (p *panel) cursor(width, height int) (x, y int, ok bool) {
	if !p.asking || p.page != nil {
		return 0, 0, false
	}
	_, x = p.promptLine(width - 1)
	return x, len(p.rows(width, height)) - 2, true
}

// reader shows a text, some screens of it.
func (p *panel) reader(width, height int) []string {
	lines := p.pageLines(width)
	room := max(height-4, 3)
	p.scroll = max(min(p.scroll, len(lines)-room), 0)
	to := min(p.scroll+room, len(lines))
	rows := append([]string(nil), lines[p.scroll:to]...)
	if to < len(lines) {
		rows = append(rows, p.s.dim(moreLines(len(lines)-to)))
	}
	return append(rows, p.s.dim(p.s.cut(readerKeys, width)))
}

// pageLines draws the page once for each width.
func (p *panel) pageLines(width int) []string {
	g := p.page
	if g.width != width {
		text := termtext.Block(g.text)
		if g.markdown != "" {
			text += p.md(termtext.Block(g.markdown), width)
		}
		g.lines, g.width = fitted(p.s, text, width+1), width
	}
	return g.lines
}
