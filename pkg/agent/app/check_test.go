package app

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/diag"
)

var testKnown = Known{
	Skills:   []string{"author-skill", "csv-summary"},
	Builtins: []string{"ask_user", "exec", "read_file"},
	Packages: []KnownPackage{
		{Name: "data-fetch", Commands: []string{"fetch", "list-sources"}, Built: true},
		{Name: "other", Commands: []string{"fetch", "exec"}, Built: true},
		{Name: "unbuilt"},
		{Name: "damaged", Problem: "is damaged", Cure: "agentctl tool prebuild --force damaged"},
	},
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, lines string
		code        string // "" means clean
		line        int
		message     string
		fix         string
	}{
		{name: "nothing listed"},
		{name: "all skills", lines: `skills: "*"`},
		{name: "known names", lines: "skills: [author-skill]\ntools: [exec, read_file, data-fetch]"},
		{name: "one command in either spelling", lines: "tools: ['data-fetch:list_sources', 'data-fetch:list-sources']"},
		{name: "package and its command", lines: "tools: [data-fetch, 'data-fetch:fetch']"},
		{
			"unknown skill, near", "skills: [csv-summary, autor-skill]", "app.unknown-skill", 2,
			`shared skill "autor-skill" does not exist; did you mean "author-skill"?`, "skills: [csv-summary, author-skill]",
		},
		{"unknown skill, nothing near", "skills: [zzz]", "app.unknown-skill", 2, `"zzz" does not exist`, "skills: []"},
		{
			"skills without their source", "skills: [zzz]\nskill-sources: [workspace]", "app.skills-without-source", 2,
			"has no effect", "",
		},
		{"read_skill", "tools: [read-skill, exec]", "app.read-skill-listed", 2, "comes with the skill index", "tools: [exec]"},
		{"unknown package", "tools: [exec, data-fech]", "app.unknown-tool", 2, `did you mean "data-fetch"?`, "tools: [exec, data-fetch]"},
		{"unknown tool, nothing near", "tools: [qqq, '*', data-fetch]\naliases: {f: 'other:fetch', x: 'other:exec'}", "app.unknown-tool", 2, "neither a built-in nor a package", `tools: [data-fetch, "*"]`},
		{
			"unknown command", "tools: ['data-fetch:fetchh']", "app.unknown-tool", 2,
			"it has fetch, list-sources", "tools: [data-fetch:fetch]",
		},
		{"package with a source alone", "tools: [unbuilt]", "app.package-not-built", 2, "is not built", "agentctl tool prebuild unbuilt"},
		{"damaged package", "tools: [damaged]", "app.package-not-built", 2, `package "damaged" is damaged`, "agentctl tool prebuild --force damaged"},
		{
			"two packages", "tools: [data-fetch, 'other:fetch']", "app.function-collision", 2,
			`"fetch": data-fetch:fetch and other:fetch`, "aliases: {other_fetch: other:fetch}",
		},
		{
			"built-in and command", "tools: ['other:exec', exec]\naliases: {z: 'other:fetch'}", "app.function-collision", 2,
			"the built-in exec and other:exec", "aliases: {other_exec: other:exec, z: other:fetch}",
		},
		{name: "collision with an alias", lines: "tools: [data-fetch, 'other:fetch']\naliases: {other-fetch: 'other:fetch'}"},
		{
			"alias that collides", "tools: [exec, 'data-fetch:fetch']\naliases: {exec: 'data-fetch:fetch'}", "app.function-collision", 3,
			"the built-in exec and data-fetch:fetch", "aliases: {data_fetch_fetch: data-fetch:fetch}",
		},
		{
			"alias for nothing", "tools: [data-fetch]\naliases: {a: 'data-fetch:fetchx'}", "app.unknown-tool", 3,
			`did you mean "data-fetch:fetch"?`, "aliases: {a: data-fetch:fetch}",
		},
		{"alias without a command", "tools: []\naliases: {a: data-fetch}", "app.unknown-tool", 3, "want pkg:cmd", ""},
		{
			"alias that is no name", "tools: [data-fetch]\naliases: {'A b': 'data-fetch:fetch'}", "app.bad-alias", 3,
			"is no function name", "aliases: {data_fetch_fetch: data-fetch:fetch}",
		},
		{"alias of what is not selected", "tools: [exec]\naliases: {a: 'data-fetch:fetch'}", "app.unused-alias", 3, "has no effect", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ds := checkLines(t, tt.lines)
			if tt.code == "" {
				if len(ds) > 0 {
					t.Errorf("got %v, want nothing", ds)
				}
				return
			}
			i := slices.IndexFunc(ds, func(d diag.Diagnostic) bool { return d.Code == tt.code })
			if i < 0 {
				t.Fatalf("got %v, want %s", ds, tt.code)
			}
			d := ds[i]
			if d.Line != tt.line || !strings.Contains(d.Message, tt.message) || tt.fix != "" && d.Fix != tt.fix || d.File != "/ws/apps/x/APP.md" {
				t.Errorf("got %+v", d)
			}
		})
	}
}

// checkLines checks an app of a workspace with these lines in its front matter.
func checkLines(t *testing.T, lines string) []diag.Diagnostic {
	t.Helper()
	src := source(SourceWorkspace, rankWorkspace, "/ws/apps", map[string]string{"x/APP.md": "---\n" + lines + "\n---\nBody.\n"})
	l := &Library{}
	l.Sources = append(l.Sources, src)
	return Check(t.Context(), open(t, l, "x"), testKnown)
}

// A collision with what a renamed package has left is no matter of an alias.
func TestCollisionWithOrphan(t *testing.T) {
	t.Parallel()
	l := &Library{}
	l.Sources = append(l.Sources, source(SourceWorkspace, rankWorkspace, "/ws/apps", map[string]string{"x/APP.md": "---\ntools: ['*']\n---\nBody.\n"}))
	ds := Check(t.Context(), open(t, l, "x"), Known{Packages: []KnownPackage{
		{Name: "disk-usage", Commands: []string{"use"}, Built: true},
		{Name: "disk-use", Commands: []string{"use"}, Built: true, Orphan: "/ws/.agentctl/prebuilt/disk-use"},
	}})
	if len(ds) != 1 || ds[0].Code != "app.function-collision" || ds[0].Fix != "delete the folder /ws/.agentctl/prebuilt/disk-use" ||
		!strings.Contains(ds[0].Message, "disk-use is the build of a package whose source is gone") {
		t.Errorf("got %v", ds)
	}
}

// TestFixesWork writes the line of each fix into the file and checks again.
func TestFixesWork(t *testing.T) {
	t.Parallel()
	for _, lines := range []string{
		"skills: [csv-summary, autor-skill]\ntools: []",
		"skills: [zzz]\ntools: []",
		"tools: [read_skill]",
		"tools: [data-fech]",
		"tools: [exec, 'data-fetch:x']",
		"tools: [data-fetch, 'other:fetch']",
		"tools: [exec, other]",
		"tools: [exec, 'data-fetch:fetch']\naliases: {exec: 'data-fetch:fetch'}",
		"tools: ['data-fetch:fetch']\naliases: {BAD: 'data-fetch:fetch', b: 'x:y'}",
		`tools: [exec, "*"]`,
	} {
		t.Run(lines, func(t *testing.T) {
			t.Parallel()
			text := lines
			for range 5 {
				ds := slices.DeleteFunc(checkLines(t, text), func(d diag.Diagnostic) bool { return d.Severity != diag.Error })
				if len(ds) == 0 {
					return
				}
				text = replaceLine(text, ds[0].Fix)
			}
			t.Errorf("still not clean:\n%s", text)
		})
	}
}

// Several mistakes on one line have one fix, in whatever order they are followed.
func TestFixesDoNotUndoEachOther(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ lines, want string }{
		{"skills: [autor-skill, zzz, csv-summry]", "skills: [author-skill, csv-summary]"},
		{"skills: [exec]\ntools: [exec, exek, read_skill, data-fech, 'data-fetch:fetchh', zzz]", "skills: []\ntools: [exec, data-fetch, data-fetch:fetch]"},
		{"tools: [data-fetch, other, exec]", "tools: [data-fetch, other, exec]\naliases: {other_exec: other:exec, other_fetch: other:fetch}"},
		{"tools: [data-fetch]\naliases: {BAD: 'data-fetch:fetch', b: 'x:y', C: 'data-fetch:list-source'}", "tools: [data-fetch]\naliases: {data_fetch_fetch: data-fetch:fetch, data_fetch_list_sources: data-fetch:list_sources}"},
	} {
		t.Run(tt.lines, func(t *testing.T) {
			t.Parallel()
			for _, first := range []int{0, 1, 2} {
				text := tt.lines
				ds := checkLines(t, text)
				for i := range ds {
					text = replaceLine(text, ds[(i+first)%len(ds)].Fix)
				}
				if text != tt.want {
					t.Errorf("from fix %d on:\n got %s\nwant %s", first, text, tt.want)
				}
				if left := checkLines(t, text); len(left) > 0 {
					t.Errorf("still wrong: %v", left)
				}
			}
		})
	}
}

// replaceLine puts a fix in place of the line of the same key, or adds it.
func replaceLine(text, fix string) string {
	key, _, _ := strings.Cut(fix, ":")
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, key+":") {
			lines[i] = fix
			return strings.Join(lines, "\n")
		}
	}
	return text + "\n" + fix
}

func TestEmbeddedFixSaysHowToOverride(t *testing.T) {
	t.Parallel()
	a := open(t, library(map[string]string{"x/APP.md": "---\ntools: [data-fetch, 'other:fetch']\n---\nBody.\n"}), "x")
	ds := Check(t.Context(), a, testKnown)
	if len(ds) != 1 || !strings.Contains(ds[0].Fix, "agentctl app show x > apps/x/APP.md") || !strings.Contains(ds[0].Fix, "aliases: {other_fetch: other:fetch}") {
		t.Errorf("got %+v", ds)
	}
}

// Aliases of app and profile join: a fix is for the file that has the mistake.
func TestAliasFixIsForTheFileOfTheAlias(t *testing.T) {
	t.Parallel()
	src := source(SourceWorkspace, rankWorkspace, "/ws/apps", map[string]string{
		"x/APP.md":            "---\ntools: [data-fetch]\naliases: {BAD: 'data-fetch:fetch'}\n---\nBody.\n",
		"x/profiles/p/APP.md": "---\naliases: {sources: 'data-fetch:list-sourcez'}\n---\nMore.\n",
	})
	l := &Library{}
	l.Sources = append(l.Sources, src)
	got := map[string]string{}
	for _, d := range Check(t.Context(), open(t, l, "x/p"), testKnown) {
		got[d.File] = d.Fix
	}
	want := map[string]string{
		"/ws/apps/x/APP.md":            "aliases: {data_fetch_fetch: data-fetch:fetch}",
		"/ws/apps/x/profiles/p/APP.md": "aliases: {sources: data-fetch:list_sources}",
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestProfileErrorsPointAtTheProfile(t *testing.T) {
	t.Parallel()
	a := open(t, library(map[string]string{
		"x/APP.md": "---\nskills: [author-skill]\n---\nBody.\n", "x/profiles/p/APP.md": "---\nname: p\nskills: [zzz]\n---\nMore.\n",
	}), "x/p")
	ds := Check(t.Context(), a, testKnown)
	if len(ds) != 1 || ds[0].File != "embedded/x/profiles/p/APP.md" || ds[0].Line != 3 {
		t.Errorf("got %+v", ds)
	}
}

func TestCheckModel(t *testing.T) {
	t.Parallel()
	k := Known{Model: func(name string) ([]string, error) {
		if name == "local" {
			return nil, nil
		}
		return []string{"local"}, fmt.Errorf("model %q is not known", name)
	}}
	for name, fix := range map[string]string{"local": "-", "lokal": "model: local", "qqq": ""} {
		a := open(t, library(map[string]string{"x/APP.md": "---\ntools: []\nmodel: " + name + "\n---\nBody.\n"}), "x")
		a.Source = SourceWorkspace
		ds := Check(t.Context(), a, k)
		if fix == "-" {
			if len(ds) > 0 {
				t.Errorf("%s: got %v", name, ds)
			}
			continue
		}
		if len(ds) != 1 || ds[0].Code != "app.unknown-model" || ds[0].Severity != diag.Warning || ds[0].Line != 3 || ds[0].Fix != fix {
			t.Errorf("%s: got %+v", name, ds)
		}
	}
}
