package chat_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentctl/agentctl/pkg/agent"
	"github.com/agentctl/agentctl/pkg/agent/app"
	"github.com/agentctl/agentctl/pkg/agent/builtin"
	"github.com/agentctl/agentctl/pkg/agent/chat"
	"github.com/agentctl/agentctl/pkg/agent/model/choose"
	"github.com/agentctl/agentctl/pkg/agent/model/scripted"
	"github.com/agentctl/agentctl/pkg/agent/session"
	"github.com/agentctl/agentctl/pkg/skill"
	"github.com/agentctl/agentctl/pkg/toolpkg"
)

// workspace is a folder with these files.
func workspace(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func choice(t *testing.T, name, script string) *choose.Choice {
	t.Helper()
	s, err := scripted.Load(name, []byte("version: 1\nsteps:\n"+script))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Done(); err != nil {
			t.Error(err)
		}
	})
	return &choose.Choice{Model: s.Model(), Name: name}
}

// config is a chat in a workspace that offers its own skills.
func config(t *testing.T, ws string, m *choose.Choice) chat.Config {
	t.Helper()
	catalog, err := toolpkg.LoadCatalog(t.Context(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return chat.Config{
		App:     &app.App{Name: "test", Prompt: "Be kind.", SkillSources: []string{skill.SourceWorkspace}},
		Skills:  &skill.Library{Sources: []skill.Source{{Name: skill.SourceWorkspace, Root: filepath.Join(ws, ".skill")}}},
		Catalog: catalog, Env: &builtin.Env{Workspace: ws}, Model: m, Trusted: true,
		Approver: &agent.Policy{}, Log: &session.Ephemeral{Now: func() time.Time { return time.Unix(0, 0) }},
	}
}

func open(t *testing.T, c chat.Config) *chat.Chat {
	t.Helper()
	ch, err := chat.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ch.Close)
	return ch
}

func say(t *testing.T, ch *chat.Chat, u session.User) session.Result {
	t.Helper()
	res, err := ch.Say(t.Context(), u)
	if err != nil {
		t.Fatal(err)
	}
	if err := ch.Finish(res); err != nil {
		t.Fatal(err)
	}
	return res
}

const greet = "---\nname: greet\ndescription: Greets. Use when somebody arrives.\n---\nSay hello.\n"

func TestInvoke(t *testing.T) {
	t.Parallel()
	ws := workspace(t, map[string]string{
		".skill/greet/SKILL.md":  greet,
		".skill/people/SKILL.md": "---\nname: people\ndescription: For people alone.\ndisable-model-invocation: true\n---\nPeople's text.\n",
		".skill/models/SKILL.md": "---\nname: models\ndescription: For models alone.\nuser-invocable: false\n---\nx\n",
	})
	ch := open(t, config(t, ws, choice(t, "a", `
  - when: {user: "/greet Ann\n(.|\n)*Say hello(.|\n)*## Invocation Arguments(.|\n)*Ann"}
    reply: {text: Hello Ann.}
`)))
	items, err := ch.Invocable(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, it := range items {
		names = append(names, it.Name)
	}
	if want := []string{"greet", "people"}; !slices.Equal(names, want) {
		t.Errorf("invocable: %q, want %q", names, want)
	}
	for _, name := range []string{"models", "nothing"} {
		if _, err := ch.Invoke(t.Context(), name, ""); errorAs[*skill.ReadError](err) == nil {
			t.Errorf("%s: got %v, want a ReadError", name, err)
		}
	}
	if u, err := ch.Invoke(t.Context(), "people", ""); err != nil || !strings.Contains(u.Text, "People's text.") {
		t.Errorf("people: %q, %v", u.Text, err)
	}
	u, err := ch.Invoke(t.Context(), "greet", "Ann")
	if err != nil || u.Skill != "greet" {
		t.Fatalf("got %+v, %v", u, err)
	}
	res := say(t, ch, u)
	if res.Answer != "Hello Ann." || !slices.Equal(res.SkillsRead, []string{"greet"}) {
		t.Errorf("got %q, skills %q", res.Answer, res.SkillsRead)
	}
}

// A name that cannot be called says why.
func TestWhyNot(t *testing.T) {
	t.Parallel()
	skillFile := func(extra string) string {
		return "---\nname: NAME\ndescription: Greets. Use when somebody arrives.\n" + extra + "---\nx\n"
	}
	files := map[string]string{}
	for name, extra := range map[string]string{"good": "", "off": "", "models": "user-invocable: false\n"} {
		files[".skill/"+name+"/SKILL.md"] = strings.Replace(skillFile(extra), "NAME", name, 1)
	}
	files["shared/other/SKILL.md"] = strings.Replace(skillFile(""), "NAME", "other", 1)
	ws := workspace(t, files)
	for _, tt := range []struct {
		name               string
		untrusted, trusted bool // the folder, the workspace
		noSkills           bool
		want               chat.Withheld
	}{
		{"good", false, true, false, ""},
		{"off", false, true, false, chat.Disabled},
		{"models", false, true, false, chat.ModelOnly},
		{"other", false, true, false, chat.NotInApp},
		{"good", true, false, false, chat.Untrusted},
		{"good", true, true, false, chat.Appeared},
		{"good", false, true, true, chat.NotInApp},
		{"nothing", true, false, false, ""},
	} {
		c := config(t, ws, choice(t, "a", "  - reply: {text: x}\n"))
		c.Skills = &skill.Library{
			Sources: []skill.Source{
				{Name: skill.SourceWorkspace, Root: filepath.Join(ws, ".skill"), Untrusted: tt.untrusted},
				{Name: skill.SourceShared, Root: filepath.Join(ws, "shared")},
			},
			Disabled: func(name string) bool { return name == "off" },
		}
		c.Trusted, c.App.NoSkills = tt.trusted, tt.noSkills
		ch := open(t, c)
		if got, err := ch.WhyNot(t.Context(), tt.name); err != nil || got != tt.want {
			t.Errorf("%+v: got %q, %v", tt, got, err)
		}
		say(t, ch, session.User{Text: "a"})
	}
}

func errorAs[T error](err error) error {
	if e, ok := errors.AsType[T](err); ok {
		return e
	}
	return nil
}

func TestSetModelKeepsTheSession(t *testing.T) {
	t.Parallel()
	ch := open(t, config(t, workspace(t, nil), choice(t, "first", "  - reply: {text: one}\n")))
	say(t, ch, session.User{Text: "a"})
	second := choice(t, "second", "  - when: {user: b, messages: 4, system_contains: Be kind}\n    reply: {text: two}\n")
	if err := ch.SetModel(second); err != nil {
		t.Fatal(err)
	}
	if res := say(t, ch, session.User{Text: "b"}); res.Answer != "two" || res.Model != "second" || ch.Model() != second {
		t.Errorf("got %q of %q", res.Answer, res.Model)
	}
}

func TestReload(t *testing.T) {
	t.Parallel()
	ws := workspace(t, nil)
	ch := open(t, config(t, ws, choice(t, "a", "  - when: {system_contains: Be kind}\n    reply: {text: one}\n")))
	say(t, ch, session.User{Text: "a"})
	fresh := config(t, ws, choice(t, "b", "  - when: {system_contains: Be brief, messages: 4}\n    reply: {text: two}\n"))
	fresh.App.Prompt = "Be brief."
	if err := ch.Reload(t.Context(), fresh); err != nil {
		t.Fatal(err)
	}
	if res := say(t, ch, session.User{Text: "b"}); res.Answer != "two" {
		t.Errorf("got %q", res.Answer)
	}

	// A session that is resumed starts with what the reload made.
	again := config(t, ws, choice(t, "c", "  - when: {system_contains: Be brief, messages: 6}\n    reply: {text: three}\n"))
	again.Records = ch.Records()
	if res := say(t, open(t, again), session.User{Text: "c"}); res.Answer != "three" {
		t.Errorf("got %q", res.Answer)
	}
}

// A screen asks what the chat is about while a person changes it.
func TestAskingDuringAChange(t *testing.T) {
	t.Parallel()
	ws := workspace(t, map[string]string{".skill/greet/SKILL.md": greet})
	m := choice(t, "a", "  - reply: {text: one}\n")
	ch := open(t, config(t, ws, m))
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 20 {
			items, err := ch.Invocable(t.Context())
			if err != nil || len(items) != 1 || ch.Model() == nil || ch.App() != "test" {
				t.Errorf("got %v, %v", items, err)
			}
			if why, err := ch.WhyNot(t.Context(), "greet"); why != "" || err != nil {
				t.Errorf("got %q, %v", why, err)
			}
		}
	})
	for range 10 {
		if err := ch.Reload(t.Context(), config(t, ws, m)); err != nil {
			t.Error(err)
		}
		if err := ch.SetModel(m); err != nil {
			t.Error(err)
		}
	}
	wg.Wait()
	say(t, ch, session.User{Text: "a"})
}

func TestReloadThatFailsChangesNothing(t *testing.T) {
	t.Parallel()
	ws := workspace(t, nil)
	ch := open(t, config(t, ws, choice(t, "a", "  - when: {system_contains: Be kind}\n    reply: {text: one}\n")))
	bad := config(t, ws, &choose.Choice{Name: "b"})
	bad.App.Tools = app.Selection{Set: true, Names: []string{"no-such-package"}}
	if err := ch.Reload(t.Context(), bad); errorAs[*chat.AppError](err) == nil {
		t.Fatalf("got %v, want an AppError", err)
	}
	if res := say(t, ch, session.User{Text: "a"}); res.Answer != "one" {
		t.Errorf("got %q", res.Answer)
	}
}

// What was attached before a compaction is gone with it, so it is attached again.
func TestCompactAttachesAnew(t *testing.T) {
	t.Parallel()
	ws := workspace(t, map[string]string{".skill/greet/SKILL.md": greet, "AGENTS.md": "Use tabs."})
	c := config(t, ws, choice(t, "a", `
  - when: {user: "Use tabs.(.|\n)*greet|greet(.|\n)*Use tabs."}
    reply: {text: one}
  - reply: {text: We said one.}
  - when: {user: "We said one.(.|\n)*Use tabs.(.|\n)*second"}
    reply: {text: two}
`))
	c.App.ContextFiles = []string{"AGENTS.md"}
	ch := open(t, c)
	say(t, ch, session.User{Text: "first"})
	if done, err := ch.Compact(t.Context()); err != nil || !strings.Contains(done.Summary, "We said one.") {
		t.Fatalf("got %+v, %v", done, err)
	}
	if res := say(t, ch, session.User{Text: "second"}); res.Answer != "two" {
		t.Errorf("got %q", res.Answer)
	}
}
