package tui

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/agentctl/agentctl/internal/registry"
	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/pkg/skill"
)

// panel is the skills panel: a list, and below it what was asked for. It is a
// component of the chat's screen and of [RunPanel].
type panel struct {
	ctx  context.Context
	host SkillHost
	s    style
	md   func(string, int) string
	chat bool // there is a chat around it, so a session to switch skills for

	all     []SkillRow
	broken  []string
	at      int // the row that is chosen
	ed      editor
	asks    prompt
	asking  bool
	page    *page // a text that is read instead of the list
	scroll  int
	busy    bool
	message string
	bad     bool
	filter  string
}

// prompt is a line that the panel asks for.
type prompt struct {
	label string
	done  func(string) tea.Cmd
}

// page is a text that is read: as it is, and Markdown below.
type page struct {
	text, markdown string
	lines          []string // as they are drawn in width cells
	width          int
}

// panelMsg is what a command of the panel came to.
type panelMsg struct {
	list    *SkillList // nil: as it is
	message string
	err     error
	page    *page // to read
	close   bool
	author  string // close, and begin the interview with these words
	write   bool   // the interview was asked for
}

func newPanel(ctx context.Context, host SkillHost, s style, md func(string, int) string) *panel {
	return &panel{ctx: ctx, host: host, s: s, md: md}
}

// load lists the skills anew.
func (p *panel) load(message string) tea.Cmd {
	return p.do(func(ctx context.Context) panelMsg {
		return p.listed(ctx, message)
	})
}

// listed is the list as it is now.
func (p *panel) listed(ctx context.Context, message string) panelMsg {
	list, err := p.host.List(ctx)
	return panelMsg{list: &list, message: message, err: err}
}

func (p *panel) do(work func(context.Context) panelMsg) tea.Cmd {
	p.busy = true
	return func() tea.Msg { return work(p.ctx) }
}

// done takes the result of a command.
func (p *panel) done(m panelMsg) {
	p.busy, p.message, p.bad = false, m.message, false
	switch {
	case m.err != nil:
		p.message, p.bad = m.err.Error(), true
		return
	case m.page != nil:
		p.page, p.scroll = m.page, 0
	}
	if m.list != nil {
		p.broken = m.list.Broken
		p.keepChoice(m.list.Rows)
	}
}

// keepChoice takes new rows and stays on the same skill.
func (p *panel) keepChoice(rows []SkillRow) {
	file := ""
	if r := p.chosen(); r != nil {
		file = r.Item.File()
	}
	p.all = rows
	if i := slices.IndexFunc(p.visible(), func(r SkillRow) bool { return r.Item.File() == file }); i >= 0 {
		p.at = i
	}
	p.at = max(min(p.at, len(p.visible())-1), 0)
}

// visible are the rows that the filter leaves.
func (p *panel) visible() []SkillRow {
	if p.filter == "" {
		return p.all
	}
	var out []SkillRow
	for _, r := range p.all {
		if strings.Contains(strings.ToLower(r.Item.Name+" "+r.Item.Value.Description), strings.ToLower(p.filter)) {
			out = append(out, r)
		}
	}
	return out
}

func (p *panel) chosen() *SkillRow {
	rows := p.visible()
	if p.at >= len(rows) {
		return nil
	}
	return &rows[p.at]
}

// key takes one key press.
func (p *panel) key(name, text string) tea.Cmd {
	switch {
	case p.asking:
		return p.typed(name, text)
	case p.page != nil:
		p.reading(name)
		return nil
	case p.busy:
		return nil
	}
	p.message = ""
	switch name {
	case "esc", "q", "ctrl+c", "ctrl+d":
		if p.filter != "" && name == "esc" {
			p.filter, p.at = "", 0
			return nil
		}
		return func() tea.Msg { return panelMsg{close: true} }
	case "up", "k", "ctrl+p":
		p.at = max(p.at-1, 0)
	case "down", "j", "ctrl+n":
		p.at = max(min(p.at+1, len(p.visible())-1), 0)
	case "home", "g":
		p.at = 0
	case "end", "G":
		p.at = max(len(p.visible())-1, 0)
	case "n":
		p.prompt("What should the new skill do?", "", func(what string) tea.Cmd {
			return func() tea.Msg { return panelMsg{close: true, write: true, author: what} }
		})
	case "i":
		p.prompt("Import which archive or folder?", "", p.importFrom)
	case "/":
		p.prompt("Show skills with:", p.filter, func(word string) tea.Cmd { p.filter, p.at = word, 0; return nil })
	default:
		return p.onSkill(name)
	}
	return nil
}

// onSkill takes the keys that are about the chosen skill.
func (p *panel) onSkill(name string) tea.Cmd {
	row := p.chosen()
	if row == nil {
		return nil
	}
	it := row.Item
	switch name {
	case "enter", "p":
		return p.do(func(ctx context.Context) panelMsg {
			body, err := p.host.Body(ctx, it)
			return panelMsg{page: &page{text: header(it) + "\n\n", markdown: body}, err: err}
		})
	case "space", " ":
		if !p.chat {
			p.message = "there is no session here: a switches a skill on or off"
			return nil
		}
		return p.toggle(it, false)
	case "a":
		return p.toggle(it, true)
	case "x":
		p.prompt("Export to:", it.Name+".zip", func(file string) tea.Cmd { return p.export(it, file) })
	case "l":
		return p.lint(it)
	}
	return nil
}

func (p *panel) toggle(it *skill.Item, always bool) tea.Cmd {
	on := it.State == registry.Disabled
	word := map[bool]string{true: "enabled", false: "disabled"}[on]
	scope := map[bool]string{true: "always, in this workspace", false: "for this session"}[always]
	return p.do(func(ctx context.Context) panelMsg {
		if err := p.host.Switch(ctx, it.Name, on, always); err != nil {
			return panelMsg{err: err}
		}
		return p.listed(ctx, fmt.Sprintf("%s is %s %s", termtext.Line(it.Name), word, scope))
	})
}

func (p *panel) importFrom(path string) tea.Cmd {
	if path == "" {
		return nil
	}
	return p.do(func(ctx context.Context) panelMsg {
		made, err := p.host.Import(ctx, path)
		if err != nil {
			return panelMsg{err: err}
		}
		return p.listed(ctx, "imported: "+termtext.Line(made))
	})
}

func (p *panel) export(it *skill.Item, file string) tea.Cmd {
	return p.do(func(ctx context.Context) panelMsg {
		path, err := p.host.Export(ctx, it, file)
		return panelMsg{message: "exported: " + termtext.Line(filepath.Base(path)), err: err}
	})
}

func (p *panel) lint(it *skill.Item) tea.Cmd {
	return p.do(func(ctx context.Context) panelMsg {
		lines, err := p.host.Lint(ctx, it)
		if err == nil && len(lines) == 0 {
			return panelMsg{message: termtext.Line(it.Name) + " has no findings"}
		}
		return panelMsg{page: &page{text: strings.Join(lines, "\n")}, err: err}
	})
}

// prompt asks for a line.
func (p *panel) prompt(label, text string, done func(string) tea.Cmd) {
	p.asks, p.asking = prompt{label, done}, true
	p.ed = editor{}
	p.ed.set(text)
}

// typed takes the keys of a line that is asked for.
func (p *panel) typed(name, text string) tea.Cmd {
	switch name {
	case "esc", "ctrl+c":
		p.asking = false
	case "enter":
		p.asking = false
		return p.asks.done(strings.TrimSpace(p.ed.text))
	case "up", "down", "alt+enter", "shift+enter", "ctrl+j": // one line, no history
	default:
		p.ed.key(name, text)
	}
	return nil
}

func (p *panel) paste(text string) {
	if p.asking {
		p.ed.insert(strings.Join(strings.Fields(text), " "))
	}
}

// reading takes the keys of a text that is read.
func (p *panel) reading(name string) {
	switch name {
	case "up", "k":
		p.scroll--
	case "down", "j":
		p.scroll++
	case "pgup", "b":
		p.scroll -= 10
	case "pgdown", "space", " ":
		p.scroll += 10
	case "home", "g":
		p.scroll = 0
	default:
		p.page = nil
	}
	p.scroll = max(p.scroll, 0)
}

func header(it *skill.Item) string {
	return fmt.Sprintf("%s (%s, %s)\n%s\n%s", termtext.Line(it.Name), it.Source.Name, it.State, termtext.Line(it.File()), termtext.Line(it.Value.Description))
}
