package app

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/agentctl/agentctl/apps"
	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/frontmatter"
	"github.com/agentctl/agentctl/internal/registry"
	"github.com/agentctl/agentctl/internal/userdirs"
)

// library is one source over files of an apps folder, seen as embedded.
func library(files map[string]string) *Library {
	return &Library{Sources: []registry.Source{source(SourceEmbedded, rankEmbedded, registry.EmbeddedRoot, files)}}
}

func source(name string, rank int, root string, files map[string]string) registry.Source {
	fsys := fstest.MapFS{}
	for path, text := range files {
		fsys[path] = &fstest.MapFile{Data: []byte(text)}
	}
	return registry.Source{Name: name, Rank: rank, Root: root, FS: fsys}
}

func open(t *testing.T, l *Library, ref string) *App {
	t.Helper()
	a, err := l.Open(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	a := open(t, library(map[string]string{"x/APP.md": "---\ndescription: d\n---\n\nBody.\n"}), "x")
	want := App{
		Name: "x", Description: "d", Prompt: "Body.", SkillSources: []string{"workspace", "shared", "package"},
		ContextFiles: []string{"AGENTS.md", "MEMORY.md"}, Aliases: map[string]string{},
		Source: SourceEmbedded, Dir: "embedded/x", File: "embedded/x/APP.md",
	}
	a.places = nil
	if !reflect.DeepEqual(*a, want) {
		t.Errorf("got  %+v\nwant %+v", *a, want)
	}
	if a.Ref() != "x" {
		t.Errorf("Ref is %q, want x", a.Ref())
	}
}

func TestSelections(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, line string
		want       Selection
	}{
		{"missing", "", Selection{}},
		{"empty", "tools: []", Selection{Set: true}},
		{"star", `tools: "*"`, Selection{Set: true, All: true}},
		{"star in a list", `tools: ["*"]`, Selection{Set: true, All: true}},
		{"names", "tools: [exec, a:b]", Selection{Set: true, Names: []string{"exec", "a:b"}}},
		{"names and star", `tools: [exec, "*"]`, Selection{Set: true, All: true, Names: []string{"exec"}}},
		{"twice", "tools: [exec, exec]", Selection{Set: true, Names: []string{"exec"}}},
		{"block list", "tools:\n  - exec\n  - a", Selection{Set: true, Names: []string{"exec", "a"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := "---\nname: x\n" + tt.line + "\n---\nBody.\n"
			if got := open(t, library(map[string]string{"x/APP.md": text}), "x").Tools; !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestStrict(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, lines, code, message, fix string
		line                            int
	}{
		{"unknown key", "modell: x", "frontmatter.unknown-key", "did you mean model", "model: x", 2},
		{"text for a list", "skills: a, b", "app.bad-list", `want a list or "*"`, "skills: [a, b]", 2},
		{"no value", "tools:", "app.bad-list", "write [] for none", "tools: []", 2},
		{"a map", "tools: {a: b}", "app.bad-list", "must be a list", "tools: []", 2},
		{"a number", "tools: [1]", "app.bad-name", "put it in quotes", `tools: ["1"]`, 2},
		{"unknown source", "skill-sources: [worspace]", "app.unknown-value", `"worspace" is not known`, "skill-sources: [workspace]", 2},
		{"unknown inventory", "inventory: alwys", "app.unknown-value", "auto, always, never", "inventory: always", 2},
		{"context file above", "context-files: [../x, a.md]", "app.bad-path", "relative to it", "context-files: [a.md]", 2},
		{"unknown source, nothing near", "skill-sources: [qqq]", "app.unknown-value", `"qqq" is not known`, "skill-sources: [workspace, shared, package]", 2},
		{"two unknown sources", "skill_sources: [sharet, qqq, usr]", "app.unknown-value", `"sharet" is not known`, "skill-sources: [shared, user]", 2},
		{"unknown inventory, nothing near", "inventory: sometimes", "app.unknown-value", "auto, always, never", "inventory: auto", 2},
		{"context file absolute", "context_files: [/etc/passwd]", "app.bad-path", "relative to it", "context-files: []", 2},
		{"both spellings", "skill-sources: []\nskill_sources: [user]", "app.duplicate-key", "both spellings", "", 2},
		{"no front matter", "", "frontmatter.missing", "must begin with", "", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := "---\n" + tt.lines + "\n---\nBody.\n"
			if tt.lines == "" {
				text = "Body.\n"
			}
			_, err := library(map[string]string{"x/APP.md": text}).Open(t.Context(), "x")
			broken, ok := errors.AsType[*registry.BrokenError](err)
			if !ok {
				t.Fatalf("got error %v, want a BrokenError", err)
			}
			d := broken.Diagnostics[0]
			if d.Code != tt.code || d.Line != tt.line || d.Fix != tt.fix || !strings.Contains(d.Message, tt.message) || d.File != "embedded/x/APP.md" {
				t.Errorf("got %+v", d)
			}
		})
	}
}

func TestBothSpellings(t *testing.T) {
	t.Parallel()
	a := open(t, library(map[string]string{"x/APP.md": "---\nskill_sources: [user]\ncontext_files: []\n---\nBody.\n"}), "x")
	if !slices.Equal(a.SkillSources, []string{"user"}) || len(a.ContextFiles) != 0 {
		t.Errorf("got %v and %v", a.SkillSources, a.ContextFiles)
	}
}

func TestProfiles(t *testing.T) {
	t.Parallel()
	l := library(map[string]string{
		"x/APP.md":                             "---\ndescription: app\nmodel: m\nskills: [a]\ntools: [exec]\naliases: {one: p:c}\n---\nApp body.\n",
		"x/profiles/default/APP.md":            "---\ndescription: standard\n---\n",
		"x/profiles/p/APP.md":                  "---\ntools: []\nskill-sources: []\naliases: {two: p:d}\nmodel: other\n---\n\nProfile body.\n\n",
		"x/profiles/skilled/APP.md":            "---\nname: skilled\n---\nSkilled.\n",
		"x/profiles/skilled/.skill/s/SKILL.md": "---\nname: s\ndescription: d\n---\n",
		"x/profiles/broken/APP.md":             "---\nmodle: x\n---\n",
		"x/profiles/bare/note.txt":             "no manifest",
	})
	if a := open(t, l, "x"); a.Profile != "default" || a.Description != "standard" || a.Prompt != "App body." {
		t.Errorf("without a profile: got %+v", a)
	}
	a := open(t, l, "x/p")
	if a.Prompt != "App body.\n\nProfile body." || a.Description != "app" || a.Model != "other" || a.Ref() != "x/p" {
		t.Errorf("got %+v", a)
	}
	if !a.Tools.Set || len(a.Tools.Names) != 0 || !a.Skills.Has("a") || !a.NoSkills || len(a.Aliases) != 2 {
		t.Errorf("lists are not replaced: %+v", a)
	}
	if s := open(t, l, "x/skilled"); s.PackageSkills != "embedded/x/profiles/skilled/.skill" {
		t.Errorf("package skills are %q", s.PackageSkills)
	} else if _, err := s.PackageSkillsFS.Open("s/SKILL.md"); err != nil {
		t.Error(err)
	}
	for ref, want := range map[string]string{"x/broken": "modle", "x/bare": "has no APP.md"} {
		_, err := l.Open(t.Context(), ref)
		if _, ok := errors.AsType[*registry.BrokenError](err); !ok || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v", ref, err)
		}
	}
	_, err := l.Open(t.Context(), "x/skiled")
	nf, ok := errors.AsType[*NotFoundError](err)
	if !ok || !slices.Equal(nf.Nearest, []string{"x/skilled"}) || len(nf.Available) != 5 || nf.Kind != "profile" {
		t.Errorf("got %+v", err)
	}
}

func TestPackageSkillsNeedTheirSource(t *testing.T) {
	t.Parallel()
	l := library(map[string]string{
		"x/APP.md":                       "---\nskill-sources: [shared]\n---\nBody.\n",
		"x/profiles/p/APP.md":            "---\n---\nMore.\n",
		"x/profiles/p/.skill/s/SKILL.md": "---\nname: s\ndescription: d\n---\n",
	})
	if a := open(t, l, "x/p"); a.PackageSkills != "" {
		t.Errorf("package skills are %q", a.PackageSkills)
	}
}

func TestPrecedenceAndTrust(t *testing.T) {
	t.Parallel()
	files := func(text string) map[string]string {
		return map[string]string{"x/APP.md": "---\n---\n" + text, "only/APP.md": "---\n---\nHere.\n"}
	}
	ws := source(SourceWorkspace, rankWorkspace, "/ws/apps", files("workspace"))
	l := &Library{Sources: []registry.Source{ws, source(SourceEmbedded, rankEmbedded, registry.EmbeddedRoot, map[string]string{"x/APP.md": "---\n---\nembedded"})}}
	if a := open(t, l, "x"); a.Source != SourceWorkspace || a.RequireTrust() != nil {
		t.Errorf("trusted: got %+v", a)
	}
	l.Sources[0].Untrusted = true
	if a := open(t, l, "x"); a.Source != SourceEmbedded {
		t.Errorf("an untrusted app hides the embedded one")
	}
	err := open(t, l, "only").RequireTrust()
	if e, ok := errors.AsType[*UntrustedError](err); !ok || e.App != "only" {
		t.Errorf("got error %v, want an UntrustedError", err)
	}
	_, err = l.Open(t.Context(), "onlyy")
	if nf, ok := errors.AsType[*NotFoundError](err); !ok || !slices.Equal(nf.Nearest, []string{"only"}) {
		t.Errorf("got error %v", err)
	}
}

func TestOpenDir(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("x/APP.md", "---\n---\nApp.\n")
	write("x/profiles/p/APP.md", "---\n---\nProfile.\n")
	write("x/profiles/p/.skill/s/SKILL.md", "---\nname: s\ndescription: d\n---\n")
	write("bad/APP.md", "---\nnope: 1\n---\n")
	a, err := OpenDir(t.Context(), filepath.Join(root, "x", "profiles", "p"))
	if err != nil {
		t.Fatal(err)
	}
	if a.Ref() != "x/p" || a.Source != SourcePath || a.PackageSkills != filepath.Join(root, "x", "profiles", "p", ".skill") || a.PackageSkillsFS != nil {
		t.Errorf("got %+v", a)
	}
	if _, err := OpenDir(t.Context(), filepath.Join(root, "bad")); err == nil || !strings.Contains(err.Error(), "nope") {
		t.Errorf("got error %v", err)
	}
	if _, err := OpenDir(t.Context(), root); err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("got error %v", err)
	}
}

func TestListing(t *testing.T) {
	t.Parallel()
	listing, err := library(map[string]string{
		"b/APP.md":              "---\nname: other\n---\n",
		"a/APP.md":              "---\ndescription: d\n---\nBody.\n",
		"a/profiles/p/APP.md":   "---\nname: q\n---\nBody.\n",
		"bad/APP.md":            "---\nx: 1\n---\n",
		"no-app/README.md":      "x",
		"a/profiles/readme.txt": "a file is no profile",
	}).Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, it := range listing.Items {
		names = append(names, it.Name)
	}
	if !slices.Equal(names, []string{"a", "other"}) || !slices.Equal(listing.Items[0].Value.Profiles(), []string{"p"}) {
		t.Errorf("got %v", names)
	}
	if got := codes(listing.Diagnostics); !slices.Equal(got, []string{
		"app.name-not-folder", "app.name-not-folder", "app.no-body", "frontmatter.unknown-key",
	}) {
		t.Errorf("got codes %v", got)
	}
}

// TestFormatReadsBack holds the printed form and the parser together.
func TestFormatReadsBack(t *testing.T) {
	t.Parallel()
	l := library(map[string]string{
		"x/APP.md": "---\ndescription: 'a: b # c'\nmodel: m:1\ninventory: never\nskills: '*'\ntools: [exec, 'yes', '*']\n" +
			"skill-sources: []\naliases: {one: p:c}\ncontext-files: [a b.md]\n---\nBody.\n",
		"x/profiles/p/APP.md": "---\n---\nMore.\n",
	})
	a := open(t, l, "x/p")
	b := open(t, library(map[string]string{"x/APP.md": a.Format()}), "x")
	for _, x := range []*App{a, b} {
		x.places, x.Profile, x.ProfileFile, x.Profiles = nil, "", "", nil
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("got  %+v\nwant %+v\nfrom %s", b, a, a.Format())
	}
}

// TestEmbeddedApps opens every app of the binary with every profile.
func TestEmbeddedApps(t *testing.T) {
	t.Parallel()
	l := &Library{Sources: Sources(SourceOptions{Workspace: t.TempDir(), Dirs: userdirs.Dirs{Config: t.TempDir()}, Embedded: apps.FS})}
	listing, err := l.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(listing.Diagnostics) > 0 || len(listing.Items) != 4 {
		t.Fatalf("%d apps, diagnostics %v", len(listing.Items), listing.Diagnostics)
	}
	for _, it := range listing.Items {
		for _, profile := range append([]string{""}, it.Value.Profiles()...) {
			a, err := Compose(it, profile)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range a.Tools.Names {
				if strings.Contains(name, ":") {
					t.Errorf("%s names the package command %s", a.Ref(), name)
				}
			}
			if a.Description == "" || len(a.Prompt) > 3000 {
				t.Errorf("%s: no description, or a prompt of %d characters", a.Ref(), len(a.Prompt))
			}
		}
	}
	if a := open(t, l, "rca/methodology"); a.PackageSkillsFS == nil {
		t.Error("rca/methodology has no package skills")
	}
}

func codes(ds []diag.Diagnostic) []string {
	var out []string
	for _, d := range ds {
		out = append(out, d.Code)
	}
	slices.Sort(out)
	return out
}

func FuzzParseManifest(f *testing.F) {
	for _, seed := range []string{
		"---\nname: x\n---\nBody.\n", "---\ntools: [a, '*', 1, null, [b]]\n---\n", "---\nskills: &a b\naliases: {a: 1}\n---\n",
		"---\nskill-sources: [x]\nskill_sources: []\n---\n", "", "---\n---", "---\ntools:\n---\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parseManifest("APP.md", data)
		if err != nil {
			if e, ok := errors.AsType[*frontmatter.StrictError](err); !ok || len(e.Diagnostics) == 0 {
				t.Fatalf("got error %v, want a StrictError with a reason", err)
			}
			return
		}
		for _, s := range []Selection{m.skills, m.tools} {
			if !s.Set && (s.All || len(s.Names) > 0) || s.Has("*") {
				t.Fatalf("selection %+v makes no sense", s)
			}
		}
	})
}
