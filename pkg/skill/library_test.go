package skill

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/agentctl/agentctl/internal/registry"
	"github.com/agentctl/agentctl/internal/userdirs"
)

func TestSources(t *testing.T) {
	t.Parallel()
	dirs := userdirs.Dirs{Home: "/h", Config: "/h/.config/agentctl"}
	base := SourceOptions{Workspace: "/w", Trusted: true, Dirs: dirs, Embedded: fstest.MapFS{}, Shared: []string{"/s"}, Package: "/w/apps/a/.skill"}
	tests := []struct {
		name string
		opts func(*SourceOptions)
		want string
	}{
		{"all, in order", func(*SourceOptions) {}, "workspace:/w/.skill workspace:/w/.agents/skills workspace:/w/.claude/skills " +
			"user:/h/.config/agentctl/skills user:/h/.agents/skills user:/h/.claude/skills shared:/w/skills shared:/s shared:embedded package:/w/apps/a/.skill"},
		{
			"some classes", func(o *SourceOptions) { o.Which = []string{SourceWorkspace, SourcePackage} },
			"workspace:/w/.skill workspace:/w/.agents/skills workspace:/w/.claude/skills package:/w/apps/a/.skill",
		},
		{"none, but what was named", func(o *SourceOptions) { o.Which, o.Extra = []string{}, []string{"/x"} }, "path:/x"},
		{
			"another folder to write to", func(o *SourceOptions) { o.Dir, o.Which = "/w/know", []string{SourceWorkspace} },
			"workspace:/w/know workspace:/w/.skill workspace:/w/.agents/skills workspace:/w/.claude/skills",
		},
		{
			"home as the workspace", func(o *SourceOptions) { o.Workspace, o.Which = "/h", []string{SourceWorkspace, SourceUser} },
			"workspace:/h/.skill user:/h/.config/agentctl/skills user:/h/.agents/skills user:/h/.claude/skills",
		},
		{
			"untrusted", func(o *SourceOptions) { o.Trusted, o.Shared, o.Embedded = false, []string{"/s", "/w/more"}, nil },
			"workspace:/w/.skill! workspace:/w/.agents/skills! workspace:/w/.claude/skills! user:/h/.config/agentctl/skills " +
				"user:/h/.agents/skills user:/h/.claude/skills shared:/w/skills! shared:/s shared:/w/more! package:/w/apps/a/.skill!",
		},
		{"folders that an untrusted configuration names", func(o *SourceOptions) {
			o.Trusted, o.Dir, o.DirOfWorkspace, o.SharedOfWorkspace, o.Which = false, "/x", true, true, []string{SourceWorkspace, SourceShared}
		}, "workspace:/x! workspace:/w/.skill! workspace:/w/.agents/skills! workspace:/w/.claude/skills! shared:/w/skills! shared:/s! shared:embedded"},
		{"no workspace", func(o *SourceOptions) { o.Workspace, o.Which = "", []string{SourceWorkspace, SourceShared} }, "shared:/s shared:embedded"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := base
			tt.opts(&o)
			var got []string
			rank := 0
			for _, s := range Sources(o) {
				mark := ""
				if s.Untrusted {
					mark = "!"
				}
				got = append(got, s.Name+":"+filepath.ToSlash(s.Root)+mark)
				if s.Rank < rank {
					t.Errorf("%s has rank %d after %d", s.Root, s.Rank, rank)
				}
				rank = s.Rank
			}
			if text := strings.Join(got, " "); text != tt.want {
				t.Errorf("got  %s\nwant %s", text, tt.want)
			}
		})
	}
}

func TestParseFields(t *testing.T) {
	t.Parallel()
	s, ds, err := Parse("x/SKILL.md", "x", []byte(`---
name: full
description: >-
  Does
  it.
when-to-use: Use when asked.
aliases: [one, two]
user_invocable: no
disable-model-invocation: "yes"
argument-hint: [file] [mode]
allowed_tools: Read Bash(git log:*)
license: MIT
compatibility: needs git
metadata:
  deep: {a: 1}
---
Body.
`))
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "full" || s.Description != "Does it." || s.WhenToUse != "Use when asked." || s.UserInvocable || !s.DisableModelInvocation ||
		s.ArgumentHint != "[file] [mode]" || s.License != "MIT" || s.Compatibility != "needs git" || s.Body != "Body.\n" || s.BodyLine != 17 {
		t.Errorf("got %+v", s)
	}
	if !slices.Equal(s.Aliases, []string{"one", "two"}) || !slices.Equal(s.AllowedTools, []string{"Read", "Bash(git log:*)"}) {
		t.Errorf("got aliases %q, tools %q", s.Aliases, s.AllowedTools)
	}
	if got := codesOf(ds); got != "frontmatter.read-verbatim" { // the two lists of the hint
		t.Errorf("diagnostics %s", got)
	}
}

func TestParseStandInNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "name:\n", "name: ~\n", "name: [a]\n", "name: {a: b}\n"} {
		s, ds, err := Parse("f/SKILL.md", "folder", []byte("---\n"+name+"description: d\n---\nx\n"))
		if err != nil || s.Name != "folder" || len(ds) != 1 {
			t.Errorf("%q: got %v, %v, %v, want the folder's name and one warning", name, s, ds, err)
		}
	}
}

func TestLoadOddFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{
		"good/SKILL.md": manifest("good"), "lower/skill.md": manifest("lower"), "both/SKILL.md": manifest("both"), "both/skill.md": "not read",
		"empty/README.md": "x", "huge/SKILL.md": manifest("huge") + strings.Repeat("x", 1<<20), "out.md": manifest("out"),
		"inside/real.md": manifest("inside"),
	})
	for _, d := range []string{"folder/SKILL.md", "pipe", "escape", "link-to-pipe"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	makePipe(t, filepath.Join(dir, "pipe", ManifestName))
	makePipe(t, filepath.Join(dir, "link-to-pipe", "p"))
	for from, to := range map[string]string{"escape": "../out.md", "inside": "real.md", "link-to-pipe": "p"} {
		if err := os.Symlink(to, filepath.Join(dir, from, ManifestName)); err != nil {
			t.Fatal(err)
		}
	}
	for _, source := range []string{SourceWorkspace, SourceShared} { // the latter are cached
		l, err := (&Library{Sources: []Source{{Name: source, Root: dir}}}).Load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		checkOddFolders(t, l)
	}
}

func checkOddFolders(t *testing.T, l *Listing) {
	t.Helper()
	if got := names(l.Items); got != "both good inside lower" {
		t.Errorf("loaded %s", got)
	}
	broken := map[string]string{}
	for _, b := range l.Broken {
		broken[b.Name] = b.Diagnostics[0].Message
	}
	for name, want := range map[string]string{
		"huge": "more than 1024 KiB", "pipe": "not a regular file", "link-to-pipe": "not a regular file", "escape": "link out of its folder",
	} {
		if !strings.Contains(broken[name], want) {
			t.Errorf("%s: got %q, want %q", name, broken[name], want)
		}
	}
	if len(broken) != 4 {
		t.Errorf("broken: %v", broken)
	}
}

// A workspace skill is read anew each time, another one when its file changed.
func TestLibraryCache(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, s := filepath.Join(dir, "w"), filepath.Join(dir, "s")
	lib := &Library{Sources: []Source{{Name: SourceWorkspace, Rank: 1, Root: w}, {Name: SourceShared, Rank: 3, Root: s}}}
	same := time.Now().Add(-time.Hour)
	put := func(text string) {
		for _, d := range []string{w, s} {
			name := filepath.Base(d)
			writeFiles(t, d, map[string]string{name + "/SKILL.md": manifest(name, "description: "+text)})
			if err := os.Chtimes(filepath.Join(d, name, ManifestName), same, same); err != nil {
				t.Fatal(err)
			}
		}
	}
	descriptions := func() string {
		l, err := lib.Load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return l.Items[0].Value.Description + " " + l.Items[1].Value.Description // s, w
	}
	put("old")
	if got := descriptions(); got != "old old" {
		t.Fatalf("got %s", got)
	}
	put("new") // same size, same time
	if got := descriptions(); got != "old new" {
		t.Errorf("got %s, want the shared one cached and the workspace one read again", got)
	}
	same = same.Add(time.Second)
	put("xyz")
	if got := descriptions(); got != "xyz xyz" {
		t.Errorf("got %s, want both read again", got)
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"good/SKILL.md": manifest("good"), "bad/SKILL.md": "no front matter", "none/x": ""})
	if it, _, err := Open(t.Context(), filepath.Join(dir, "good")); err != nil || it.Name != "good" || it.Source.Name != SourcePath {
		t.Errorf("got %v, %v", it, err)
	}
	_, _, err := Open(t.Context(), filepath.Join(dir, "bad"))
	if e, ok := errors.AsType[*BrokenError](err); !ok || !strings.Contains(e.Error(), "SKILL.md:1") {
		t.Errorf("got %v, want a broken error with the line", err)
	}
	for _, d := range []string{"none", "missing"} {
		_, _, err := Open(t.Context(), filepath.Join(dir, d))
		if _, ok := errors.AsType[*NotSkillError](err); !ok {
			t.Errorf("%s: got %v, want a not-skill error", d, err)
		}
	}
}

func TestModelView(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, files := range []map[string]string{{
		"w/plain/SKILL.md": manifest("plain"), "w/people/SKILL.md": manifest("people", "description: d", "disable-model-invocation: true"),
		"w/off/SKILL.md": manifest("off"), "s/people/SKILL.md": manifest("people"), "s/off/SKILL.md": manifest("off"),
		"s/shared/SKILL.md": manifest("shared"), "s/extra/SKILL.md": manifest("extra"), "u/plain/SKILL.md": manifest("plain"),
		"u/stranger/SKILL.md": manifest("stranger"), "u/bad/SKILL.md": "x",
	}} {
		writeFiles(t, dir, files)
	}
	lib := &Library{
		Sources: []Source{
			{Name: SourceWorkspace, Rank: 0, Root: filepath.Join(dir, "u"), Untrusted: true},
			{Name: SourceWorkspace, Rank: 1, Root: filepath.Join(dir, "w")},
			{Name: SourceShared, Rank: 3, Root: filepath.Join(dir, "s")},
		},
		Disabled: func(n string) bool { return n == "off" },
	}
	l, err := lib.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	view := ModelView(l, func(it *Item) bool { return it.Source.Name != SourceShared || it.Name == "shared" || it.Name == "off" })
	if got := names(view.Winners()); got != "plain shared" {
		t.Errorf("the model sees %s, want plain shared", got)
	}
	for _, name := range []string{"people", "off"} {
		if _, err := view.Resolve(name); !isType[*WithheldError](err) {
			t.Errorf("%s: got %v, want it withheld", name, err)
		}
	}
	for _, name := range []string{"extra", "stranger", "bad"} {
		if _, err := view.Resolve(name); !isType[*NotFoundError](err) {
			t.Errorf("%s: got %v, want it not found", name, err)
		}
	}
	if res, err := view.Resolve("plain"); err != nil || res.Winner.Source.Untrusted {
		t.Errorf("plain: got %v, %v, want the trusted one", res.Winner, err)
	}
}

func isType[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}

func TestDirOfEmbedded(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	fsys := fstest.MapFS{"a/SKILL.md": {Data: []byte(manifest("a"))}, "a/.hidden/x": {Data: []byte("y")}}
	lib := &Library{Sources: []Source{{Name: SourceShared, Root: registry.EmbeddedRoot, FS: fsys}}, CacheDir: cache}
	l, err := lib.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	it := l.Items[0]
	dir, err := lib.Dir(t.Context(), it)
	if err != nil || readFile(t, dir, ".hidden", "x") != "y" {
		t.Fatalf("got %s, %v", dir, err)
	}
	writeFiles(t, dir, map[string]string{"SKILL.md": "tampered"})
	again, err := Dir(t.Context(), it)
	if err != nil || again != dir || readFile(t, dir, "SKILL.md") != manifest("a") {
		t.Errorf("a damaged copy stayed: %s, %v", again, err)
	}
	entries, err := os.ReadDir(filepath.Join(cache, "skills"))
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	it.Value.cacheDir = ""
	if _, err := Dir(t.Context(), it); err == nil {
		t.Error("an embedded skill has a folder without a cache")
	}
}

func TestSlug(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"csv-summary": "csv-summary", "CSV Summary": "csv-summary", "a_b.c": "a-b-c", "茶道": "cha-dao", "Café": "cafe",
		"  x  ": "x", "don't": "dont", "../../etc": "etc", "😀": "", "--": "", "": "", "A/B": "a-b", "1.0": "1-0",
	} {
		if got := Slug(in); got != want {
			t.Errorf("Slug(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzSlug(f *testing.F) {
	for _, s := range []string{"CSV Summary", "茶道", "a--b", "-", "\x00", "é_é"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		slug := Slug(s)
		if slug != "" && !IsSlug(slug) {
			t.Errorf("Slug(%q) = %q, which is none", s, slug)
		}
		if Slug(slug) != slug {
			t.Errorf("Slug(%q) = %q, and its slug is %q", s, slug, Slug(slug))
		}
	})
}

func TestHeldBack(t *testing.T) {
	t.Parallel()
	ws := t.TempDir()
	for _, dir := range []string{".skill/made", ".skill/named", "skills/ours"} {
		file := filepath.Join(ws, filepath.FromSlash(dir), "SKILL.md")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("---\ndescription: Does it. Use when asked.\n---\nDo it.\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var held []string
	l := &Library{
		Sources: Sources(SourceOptions{
			Workspace: ws, Trusted: true, Extra: []string{filepath.Join(ws, ".skill", "named")},
			Which: []string{SourceWorkspace, SourceShared},
		}),
		HeldBack: func() ([]string, error) { return held, nil },
	}
	seen := func() (names []string) {
		t.Helper()
		all, err := l.Load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range ModelView(all, nil).Winners() {
			names = append(names, it.Name)
		}
		return names
	}
	if got, want := seen(), []string{"made", "named", "ours"}; !slices.Equal(got, want) {
		t.Errorf("nothing held back: got %q, want %q", got, want)
	}
	held = []string{filepath.Join(ws, ".skill")} // between two turns
	if got, want := seen(), []string{"named", "ours"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	l.HeldBack = func() ([]string, error) { return nil, errors.New("no state") }
	if _, err := l.Load(t.Context()); err == nil {
		t.Error("a state that cannot be read holds nothing back")
	}
}
