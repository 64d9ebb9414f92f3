package skill

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agentctl/agentctl/internal/registry"
)

func item(source, name, description string) *Item {
	return &Item{
		Name: name, Value: &Skill{Name: name, Description: description},
		Location: registry.Location{Source: &Source{Name: source}},
	}
}

func TestBudget(t *testing.T) {
	t.Parallel()
	for window, want := range map[int]int{0: 8000, -1: 8000, 4096: 2000, 25_000: 2000, 50_000: 4000, 100_000: 8000, 1_000_000: 8000} {
		if got := Budget(window); got != want {
			t.Errorf("Budget(%d) = %d, want %d", window, got, want)
		}
	}
}

func TestIndexText(t *testing.T) {
	t.Parallel()
	b := item(SourceShared, "b", "Two\n lines\u200b and </available_skills> & \x1b[31mmore.")
	b.Value.WhenToUse = "Use when b."
	got := Index([]*Item{b, item(SourceShared, "a", "First.")}, SessionTag, 8000)
	want := `<available_skills>
<skill><name>a</name><description>First.</description></skill>
<skill><name>b</name><description>Two lines and &lt;/available_skills&gt; &amp; [31mmore. Use when b.</description></skill>
</available_skills>`
	if got.Text != want || got.Used != utf8.RuneCountInString(want) {
		t.Errorf("got %d\n%s\nwant\n%s", got.Used, got.Text, want)
	}
	if got := Index(nil, SessionTag, 8000); got.Text != "" || got.Used != 0 {
		t.Errorf("an empty index is %q", got.Text)
	}
}

func TestIndexSharesTheBudgetFairly(t *testing.T) {
	t.Parallel()
	items := []*Item{
		item(SourceShared, "short", "Short."), item(SourceShared, "long", strings.Repeat("word ", 200)), item(SourceShared, "longer", strings.Repeat("茶<", 400)),
	}
	for _, budget := range []int{150, 200, 400, 1000, 1500, 2000} {
		res := Index(items, SessionTag, budget)
		if res.Used > budget {
			t.Errorf("budget %d: used %d", budget, res.Used)
		}
		for _, it := range items {
			if !strings.Contains(res.Text, "<name>"+it.Name+"</name>") {
				t.Errorf("budget %d: %s fell off", budget, it.Name)
			}
		}
		if budget >= 400 && !strings.Contains(res.Text, "<description>Short.</description>") {
			t.Errorf("budget %d: the short description was cut", budget)
		}
		if strings.Contains(res.Text, "&l…") || strings.Contains(res.Text, "&…") || !utf8.ValidString(res.Text) {
			t.Errorf("budget %d: cut inside a character: %s", budget, res.Text)
		}
		for _, e := range res.Entries {
			if e.Shortened != (e.Chars < e.FullChars) || e.FullChars == 0 {
				t.Errorf("budget %d: entry %+v", budget, e)
			}
		}
	}
}

func TestIndexAtTheEdge(t *testing.T) {
	t.Parallel()
	items := []*Item{item(SourceShared, "a", strings.Repeat("x", 100))}
	full := Index(items, SessionTag, 8000)
	if res := Index(items, SessionTag, full.Used); res.Text != full.Text {
		t.Errorf("what fits exactly was cut: %s", res.Text)
	}
	if res := Index(items, SessionTag, full.Used-1); res.Used > full.Used-1 || !res.Entries[0].Shortened {
		t.Errorf("one character less: %+v", res)
	}
}

func TestIndexDropsOnlySkillsOfTheUser(t *testing.T) {
	t.Parallel()
	var items []*Item
	for n := range 60 {
		items = append(items, item(SourceUser, fmt.Sprintf("user-%02d", n), "x"), item(SourceShared, fmt.Sprintf("shared-%02d", n), "x"))
	}
	res := Index(items, SessionTag, 3200)
	if res.Used > 3200 || !strings.Contains(res.Text, "more skills of the user are not listed") {
		t.Errorf("used %d of 3200, text ends %q", res.Used, res.Text[len(res.Text)-150:])
	}
	kept := strings.Count(res.Text, "<name>user-")
	if shared := strings.Count(res.Text, "<name>shared-"); shared != 60 || kept == 0 || kept == 60 {
		t.Errorf("%d shared and %d user skills are listed", shared, kept)
	}
	if res := Index(items, SessionTag, 100); strings.Count(res.Text, "<name>shared-") != 60 || strings.Contains(res.Text, "<name>user-") {
		t.Errorf("names of shared skills fell off: %s", res.Text)
	}
}

func TestWorkspaceIndex(t *testing.T) {
	t.Parallel()
	a, b := item(SourceWorkspace, "a", "A."), item(SourceWorkspace, "b", "B.")
	session := []*Item{item(SourceShared, "b", "Shared B.")}
	first := WorkspaceIndex([]*Item{a, b}, session, "", 8000)
	want := `<workspace_skills>
Adds: a. Replaces: b. These are all skills of the workspace; where available_skills has the same name, the one here is meant.
<skill><name>a</name><description>A.</description></skill>
<skill><name>b</name><description>B.</description></skill>
</workspace_skills>`
	if first.Text != want {
		t.Errorf("got\n%s\nwant\n%s", first.Text, want)
	}
	if again := WorkspaceIndex([]*Item{b, a}, session, first.Text, 8000); again.Text != "" || len(again.Entries) != 2 {
		t.Errorf("nothing changed, and yet: %q", again.Text)
	}
	changed := WorkspaceIndex([]*Item{item(SourceWorkspace, "a", "Other."), item(SourceWorkspace, "c", "C.")}, session, first.Text, 8000)
	if !strings.Contains(changed.Text, "Adds: c. Replaces: a. Removes: b. ") {
		t.Errorf("got %s", changed.Text)
	}
	gone := WorkspaceIndex(nil, session, changed.Text, 8000)
	if !strings.Contains(gone.Text, "Removes: a, c. ") || strings.Contains(gone.Text, "<skill>") {
		t.Errorf("got %s", gone.Text)
	}
	if still := WorkspaceIndex(nil, session, gone.Text, 8000); still.Text != "" {
		t.Errorf("nothing changed, and yet: %q", still.Text)
	}
	if none := WorkspaceIndex(nil, session, "", 8000); none.Text != "" {
		t.Errorf("no skills, and yet: %q", none.Text)
	}
}

func TestWorkspaceIndexOverBudgetStaysQuiet(t *testing.T) {
	t.Parallel()
	var items []*Item
	for n := range 30 {
		items = append(items, item(SourceWorkspace, fmt.Sprintf("s%02d", n), strings.Repeat("long words ", 50)))
	}
	first := WorkspaceIndex(items, nil, "", 2500)
	if first.Used > 2500 {
		t.Errorf("used %d", first.Used)
	}
	if again := WorkspaceIndex(items, nil, first.Text, 2500); again.Text != "" {
		t.Errorf("nothing changed, and yet: %.200s", again.Text)
	}
	more := WorkspaceIndex(append(items, item(SourceWorkspace, "new", "N.")), nil, first.Text, 2500)
	if !strings.Contains(more.Text, "Adds: new. These") || more.Used > 2500 {
		t.Errorf("used %d: %.200s", more.Used, more.Text)
	}
}

func FuzzIndex(f *testing.F) {
	f.Add("name", "description", 200)
	f.Add("<a>", "</skill>&amp;\u202e", 10)
	f.Fuzz(func(t *testing.T, name, description string, budget int) {
		items := []*Item{item(SourceShared, name, description), item(SourceShared, "z", description)}
		res := Index(items, SessionTag, budget)
		if n := strings.Count(res.Text, "<skill>"); n != 2 || strings.Count(res.Text, "</"+SessionTag+">") != 1 || strings.Count(res.Text, "\n") != 3 {
			t.Errorf("%q, %q, %d broke the block:\n%s", name, description, budget, res.Text)
		}
	})
}

// Twice the skills cost twice the work: also where the user's are left out.
func TestIndexIsLinear(t *testing.T) { //nolint:paralleltest // allocations are counted for the whole program
	cost := func(n int) float64 {
		items := make([]*Item, n)
		for i := range items {
			items[i] = item(SourceUser, fmt.Sprintf("skill-%d", i), "Use when asked.")
		}
		return testing.AllocsPerRun(1, func() { Index(items, SessionTag, MinBudget) })
	}
	if small, large := cost(500), cost(2000); large > 6*small {
		t.Errorf("500 skills: %.0f allocations, 2,000: %.0f", small, large)
	}
}
