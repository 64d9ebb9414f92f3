package tui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/agentctl/agentctl/internal/registry"
	"github.com/agentctl/agentctl/pkg/skill"
)

// fakeSkills is a host that remembers what it was asked to do.
type fakeSkills struct {
	did  []string
	off  map[string]bool
	fail error
}

func (f *fakeSkills) host() SkillHost {
	do := func(what string) error { f.did = append(f.did, what); return f.fail }
	return SkillHost{
		List: func(context.Context) (SkillList, error) {
			rows := []SkillRow{f.row("alpha", registry.Active), f.row("beta", registry.Active), f.row("gamma", registry.Shadowed)}
			return SkillList{Rows: rows, Broken: []string{"bad/SKILL.md:1: no description\x1b[2J"}}, nil
		},
		Body: func(_ context.Context, it *skill.Item) (string, error) {
			return "body of " + it.Name + " \x1b[2J", do("read")
		},
		Switch: func(_ context.Context, name string, on, always bool) error {
			f.off[name] = !on
			return do(strings.Join([]string{"switch", name, word(on), word(always)}, " "))
		},
		Import: func(_ context.Context, path string) (string, error) { return "delta (1 files)", do("import " + path) },
		Export: func(_ context.Context, it *skill.Item, file string) (string, error) {
			return "/x/" + file, do("export " + it.Name)
		},
		Lint: func(_ context.Context, it *skill.Item) ([]string, error) {
			return []string{"SKILL.md:1: finding"}, do("lint " + it.Name)
		},
	}
}

// plainMarkdown marks what was rendered as Markdown.
func plainMarkdown(text string, _ int) string { return "~" + text + "~" }

func word(b bool) string { return map[bool]string{true: "yes", false: "no"}[b] }

func (f *fakeSkills) row(name string, state registry.State) SkillRow {
	if f.off[name] {
		state = registry.Disabled
	}
	return SkillRow{Cost: 42, Item: &skill.Item{
		Name: name, State: state, ShadowedBy: "/other/SKILL.md", Value: &skill.Skill{Description: "Does " + name + "."},
		Location: registry.Location{Source: &registry.Source{Name: "user"}, Dir: "/skills/" + name, Manifest: "SKILL.md"},
	}}
}

// press sends keys to a panel and runs the commands that come of them.
func press(t *testing.T, p *panel, keys ...string) (last panelMsg) {
	t.Helper()
	for _, k := range keys {
		text := ""
		if len(k) == 1 {
			text = k
		}
		last = panelMsg{}
		if cmd := p.key(k, text); cmd != nil {
			last = cmd().(panelMsg)
			if !last.close {
				p.done(last)
			}
		}
	}
	return last
}

func newTestPanel(t *testing.T, f *fakeSkills) *panel {
	t.Helper()
	f.off = map[string]bool{}
	p := newPanel(t.Context(), f.host(), style{}, plainMarkdown)
	p.chat = true
	p.done(p.load("")().(panelMsg))
	return p
}

func TestPanel(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		keys []string
		did  string
		want []string // on the screen
	}{
		{"list", nil, "", []string{"Skills (3)", "> ● alpha", "  · gamma", "   42", "Does alpha.", "✗ bad/SKILL.md:1: no description<U+001B>[2J"}},
		{"down and up", []string{"down", "down", "down", "up"}, "", []string{"> ● beta"}},
		{"the end and the start", []string{"end", "home", "G"}, "", []string{"> · gamma", "hidden by /other/SKILL.md"}},
		{"read", []string{"enter"}, "read", []string{"alpha (user, active)", "/skills/alpha/SKILL.md", "~body of alpha <U+001B>[2J~"}},
		{"back from reading", []string{"enter", "q"}, "read", []string{"Skills (3)"}},
		{"off for the session", []string{"space"}, "switch alpha no no", []string{"○ alpha", "alpha is disabled for this session"}},
		{"on again", []string{"space", "space"}, "switch alpha no no|switch alpha yes no", []string{"● alpha"}},
		{"off always", []string{"down", "a"}, "switch beta no yes", []string{"> ○ beta", "disabled always"}},
		{"import", []string{"i", "z", "enter"}, "import z", []string{"imported: delta"}},
		{"import nothing", []string{"i", "enter"}, "", []string{"Skills (3)"}},
		{"not now", []string{"i", "z", "esc"}, "", []string{"Skills (3)"}},
		{"export", []string{"x", "enter"}, "export alpha", []string{"exported: alpha.zip"}},
		{"lint", []string{"l"}, "lint alpha", []string{"SKILL.md:1: finding"}},
		{"find", []string{"/", "B", "E", "enter"}, "", []string{"Skills (1) with BE", "> ● beta"}},
		{"find nothing", []string{"/", "q", "q", "enter", "enter", "space"}, "", []string{"Skills (0) with qq", "none has that word"}},
		{"all again", []string{"/", "b", "e", "enter", "esc"}, "", []string{"Skills (3)"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := &fakeSkills{}
			p := newTestPanel(t, f)
			press(t, p, tt.keys...)
			if got := strings.Join(f.did, "|"); got != tt.did {
				t.Errorf("did %q, want %q", got, tt.did)
			}
			screen := strings.Join(p.rows(100, 30), "\n")
			for _, want := range tt.want {
				if !strings.Contains(screen, want) {
					t.Errorf("no %q in\n%s", want, screen)
				}
			}
		})
	}
}

// Outside of a chat there is no session, so nothing is offered for one.
func TestPanelOutsideOfAChat(t *testing.T) {
	t.Parallel()
	f := &fakeSkills{}
	p := newTestPanel(t, f)
	p.chat = false
	press(t, p, "space")
	screen := strings.Join(p.rows(100, 30), "\n")
	if len(f.did) > 0 || !strings.Contains(screen, "there is no session here: a switches a skill on or off\n") || !strings.Contains(screen, "enter read · a on/off · n new") {
		t.Errorf("did %q:\n%s", f.did, screen)
	}
	if press(t, p, "a"); !slices.Equal(f.did, []string{"switch alpha no yes"}) {
		t.Errorf("a did %q", f.did)
	}
}

// A skill that the model does not have says why.
func TestPanelSaysWhy(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		state       registry.State
		cost        int
		people      bool
		mark, words string
	}{
		{registry.Active, 42, false, "●", ""},
		{registry.Active, 0, false, "·", "unlisted: the app of this chat does not offer it"},
		{registry.Active, 0, true, "·", "unlisted: it wants to be called by you"},
		{registry.Disabled, 0, false, "○", "disabled: the model does not see it"},
		{registry.Untrusted, 0, false, "!", "untrusted: a chat uses it after /trust"},
		{registry.Shadowed, 0, false, "·", "hidden by /other/SKILL.md"},
	} {
		f := &fakeSkills{}
		row := f.row("alpha", tt.state)
		row.Cost, row.Item.Value.DisableModelInvocation = tt.cost, tt.people
		p := newPanel(t.Context(), f.host(), style{}, plainMarkdown)
		p.done(panelMsg{list: &SkillList{Rows: []SkillRow{row}, Broken: []string{"one", "two", "three"}}})
		screen := strings.Join(p.rows(100, 30), "\n")
		for _, want := range []string{"> " + tt.mark + " alpha", tt.words, "✗ one", "✗ two", "… 1 more line"} {
			if !strings.Contains(screen, want) {
				t.Errorf("%s: no %q in\n%s", tt.state, want, screen)
			}
		}
		if got := row.why(); tt.words == "" && got != "" {
			t.Errorf("%s: %q", tt.state, got)
		}
	}
}

func TestPanelCloses(t *testing.T) {
	t.Parallel()
	p := newTestPanel(t, &fakeSkills{})
	if msg := press(t, p, "q"); !msg.close || msg.write {
		t.Errorf("q: %+v", msg)
	}
	if msg := press(t, p, "n", "h", "i", "enter"); !msg.close || !msg.write || msg.author != "hi" {
		t.Errorf("n: %+v", msg)
	}
}

func TestPanelShowsErrors(t *testing.T) {
	t.Parallel()
	f := &fakeSkills{fail: errors.New("no space left")}
	p := newTestPanel(t, f)
	for _, key := range []string{"enter", "space", "l"} {
		press(t, p, key)
		if screen := strings.Join(p.rows(60, 20), "\n"); !strings.Contains(screen, "no space left") {
			t.Errorf("%s: %s", key, screen)
		}
	}
}

func TestPanelFits(t *testing.T) {
	t.Parallel()
	p := newTestPanel(t, &fakeSkills{})
	for range 40 {
		p.all = append(p.all, p.all[0])
	}
	for _, keys := range [][]string{nil, {"i"}, {"esc", "end"}, {"enter"}} {
		press(t, p, keys...)
		for _, size := range [][2]int{{40, 12}, {80, 24}, {20, 10}} {
			rows := p.rows(size[0], size[1])
			if len(rows) > size[1] {
				t.Errorf("%v: %d rows in %v", keys, len(rows), size)
			}
			for _, r := range rows {
				if w := (style{}).width(r); w >= size[0] {
					t.Errorf("%v: %d cells in %v: %q", keys, w, size, r)
				}
			}
		}
	}
}

func TestPanelReads(t *testing.T) {
	t.Parallel()
	p := newTestPanel(t, &fakeSkills{})
	p.done(panelMsg{page: &page{text: strings.Repeat("line\n", 49) + "last"}})
	first := strings.Join(p.rows(80, 20), "\n")
	if !strings.Contains(first, "… 34 more lines") || strings.Contains(first, "last") {
		t.Errorf("got\n%s", first)
	}
	press(t, p, "down", "up", "space", "pgdown", "pgdown", "pgdown", "pgup", "pgdown", "pgdown")
	if end := strings.Join(p.rows(80, 20), "\n"); !strings.Contains(end, "last") {
		t.Errorf("got\n%s", end)
	}
	press(t, p, "home")
	if got := strings.Join(p.rows(80, 20), "\n"); got != first {
		t.Errorf("got\n%s", got)
	}
}

func TestPanelScreen(t *testing.T) {
	t.Parallel()
	f := &fakeSkills{off: map[string]bool{}}
	m := &panelScreen{p: newPanel(t.Context(), f.host(), style{}, plainMarkdown), width: 80, height: 24}
	m.Update(m.Init()())
	m.Update(tea.WindowSizeMsg{Width: 40, Height: 10})
	m.Update(tea.WindowSizeMsg{}) // a terminal that does not know
	if m.width != 40 || m.height != 10 {
		t.Errorf("size %dx%d", m.width, m.height)
	}
	m.Update(tea.KeyPressMsg{Code: 'i', Text: "i"})
	m.Update(tea.PasteMsg{Content: "my\nfile.zip"})
	if v := m.View(); !strings.Contains(v.Content, "my file.zip") || v.Cursor == nil {
		t.Errorf("got %q, cursor %v", v.Content, v.Cursor)
	}
	_, cmd := m.Update(tea.KeyPressMsg{Code: tea.KeyEnter})
	m.Update(cmd())
	if strings.Join(f.did, "") != "import my file.zip" {
		t.Errorf("did %q", f.did)
	}
	_, cmd = m.Update(tea.KeyPressMsg{Code: 'q', Text: "q"})
	if _, cmd = m.Update(cmd()); cmd == nil || m.View().Content != "" {
		t.Error("it does not close")
	}
}
