package skill

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

//go:fix inline
func TestSaveNew(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), ".skill")
	res, err := Save(t.Context(), SaveRequest{Dir: dir, Name: " CSV: Summary ", Description: "Sums\n up: CSV.  Use when asked.", WhenToUse: "For # tables", Body: new("# CSV\r\n\r\nSteps.")})
	if err != nil {
		t.Fatal(err)
	}
	if want := (SaveResult{Name: "csv-summary", Dir: filepath.Join(dir, "csv-summary"), File: filepath.Join(dir, "csv-summary", ManifestName), Created: true}); res != want {
		t.Errorf("got %+v, want %+v", res, want)
	}
	want := "---\nname: csv-summary\ndescription: 'Sums up: CSV. Use when asked.'\nwhen_to_use: 'For # tables'\n---\n# CSV\n\nSteps.\n"
	if got := readFile(t, res.File); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestSaveKeepsWhatItDidNotSet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old := "---\n# a comment\nname: Moon Phases # my name\nlicense: MIT\ndescription: >\n  Old\n  words.\nmetadata:\n  deep: {a: [1, 2]} # kept\nunknown: 1.10\n---\n\nOld body.\n"
	writeFiles(t, dir, map[string]string{"group/moon/SKILL.md": old, "group/moon/scripts/a.sh": "#!/bin/sh\n"})
	file := filepath.Join(dir, "group", "moon", ManifestName)
	if err := os.Chmod(file, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Moon Phases", "moon", "moon-phases"} { // name, folder, slug
		res, err := Save(t.Context(), SaveRequest{Dir: dir, Name: name, Description: "New words."})
		if err != nil || res.Created || res.Name != "Moon Phases" || res.File != file {
			t.Fatalf("%s: got %+v, %v", name, res, err)
		}
		want := strings.Replace(old, "description: >\n  Old\n  words.\n", "description: New words.\n", 1)
		if got := readFile(t, file); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v, want 0600", info.Mode(), err)
	}
	if _, err := Save(t.Context(), SaveRequest{Dir: dir, Name: "moon", Description: "D.", Body: new("New body.")}); err != nil {
		t.Fatal(err)
	}
	if got := readFile(t, file); !strings.HasSuffix(got, "unknown: 1.10\n---\nNew body.\n") {
		t.Errorf("got\n%s", got)
	}
}

func TestSaveRefuses(t *testing.T) {
	t.Parallel()
	ok := SaveRequest{Name: "x", Description: "d", Body: new("b")}
	tests := []struct {
		name   string
		change func(*SaveRequest)
		field  string
		want   string
	}{
		{"no folder", func(r *SaveRequest) { r.Dir = "" }, "dir", "no workspace folder"},
		{"empty slug", func(r *SaveRequest) { r.Name = "😀" }, "name", "no letter or digit"},
		{"long slug", func(r *SaveRequest) { r.Name = strings.Repeat("a", 65) }, "name", "65 characters, at most 64"},
		{"a device", func(r *SaveRequest) { r.Name = "Con" }, "name", "the folder con, which is a device"},
		{"a folder that no scan enters", func(r *SaveRequest) { r.Name = "venv" }, "name", "where no skill is looked for"},
		{"empty description", func(r *SaveRequest) { r.Description = " \n" }, "description", "is empty"},
		{"long description", func(r *SaveRequest) { r.Description = strings.Repeat("茶", 1025) }, "description", "1025 characters, at most 1024"},
		{"no body", func(r *SaveRequest) { r.Body = nil }, "body", "a body is needed"},
		{"empty body", func(r *SaveRequest) { r.Body = new("\n \n") }, "body", "is empty"},
		{"long body", func(r *SaveRequest) { r.Body = new(strings.Repeat("茶", 50_001)) }, "body", "50001 characters, at most 50000"},
		{"front matter in the body", func(r *SaveRequest) { r.Body = new("\n---\nname: y\n--- \nx") }, "body", "its own --- block"},
		{"front matter that is not closed", func(r *SaveRequest) { r.Body = new("---\nname: y\ndescription: z\n\n# Y\n") }, "body", "its own --- block"},
		{"a whole file in a code block", func(r *SaveRequest) { r.Body = new("\n```markdown\n---\ndescription: z\n---\n# Y\n```\n") }, "body", "its own --- block"},
		{"front matter with CRLF", func(r *SaveRequest) { r.Body = new("\ufeff---\r\nname: y\r\n---\r\nx") }, "body", "its own --- block"},
		{"NUL", func(r *SaveRequest) { r.Body = new("a\x00") }, "body", "NUL"},
		{"no UTF-8", func(r *SaveRequest) { r.Description = "a\xff" }, "body", "UTF-8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			r := ok
			r.Dir = dir
			tt.change(&r)
			_, err := Save(t.Context(), r)
			if !isType[*RefusedError](err) || !strings.Contains(err.Error(), tt.want) || err.(*RefusedError).Field != tt.field { //nolint:errorlint // checked
				t.Errorf("got %v, want a refusal of %s with %q", err, tt.field, tt.want)
			}
			if entries, _ := os.ReadDir(dir); len(entries) > 0 {
				t.Errorf("something was written: %v", entries)
			}
		})
	}
}

func TestSaveChangesASkillWhereItLies(t *testing.T) {
	t.Parallel()
	ws, outside := t.TempDir(), t.TempDir()
	writeFiles(t, ws, map[string]string{".agents/skills/ag/SKILL.md": manifest("ag"), ".claude/skills/README.md": "x"})
	writeFiles(t, outside, map[string]string{ManifestName: manifest("linked")})
	if err := os.Symlink(outside, filepath.Join(ws, ".claude", "skills", "linked")); err != nil {
		t.Fatal(err)
	}
	r := SaveRequest{Dir: filepath.Join(ws, ".skill"), Workspace: ws, Name: "ag", Description: "New."}
	res, err := Save(t.Context(), r)
	if want := filepath.Join(ws, ".agents", "skills", "ag", ManifestName); err != nil || res.File != want || res.Created {
		t.Errorf("got %+v, %v, want %s", res, err, want)
	}
	if got := readFile(t, res.File); !strings.Contains(got, "description: New.") {
		t.Errorf("got %s", got)
	}
	if _, err := os.Stat(r.Dir); err == nil {
		t.Error("a second folder of skills was made")
	}
	r.Name = "linked"
	if _, err := Save(t.Context(), r); !isType[*RefusedError](err) || !strings.Contains(err.Error(), "a link out of the workspace") {
		t.Errorf("wrote out of the workspace: %v", err)
	}
	r.Name, r.Workspace = "ag", ""
	if _, err := Save(t.Context(), r); !isType[*RefusedError](err) || !strings.Contains(err.Error(), "no skill \"ag\" yet") {
		t.Errorf("with one folder alone: %v", err)
	}
}

func TestSaveTakesWhatIsAtTheEdge(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]SaveRequest{
		"name":              {Name: strings.Repeat("a", 64), Description: "d", Body: new("b")},
		"description":       {Name: "x", Description: strings.Repeat("茶", 1024), Body: new("b")},
		"body":              {Name: "x", Description: "d", Body: new(strings.Repeat("茶", 50_000))},
		"code at the top":   {Name: "x", Description: "d", Body: new("```\n---\nb: c\n---\n```\n")},
		"a rule, then text": {Name: "x", Description: "d", Body: new("---\nText.\n\nname: the thing\n")},
		"a rule at the top": {Name: "x", Description: "d", Body: new("---\n\nText.\n")},
	} {
		r.Dir = t.TempDir()
		if _, err := Save(t.Context(), r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSaveLeavesOtherThingsAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"broken/SKILL.md": "---\nname: [\n", "real/SKILL.md": manifest("real"), "aliased/SKILL.md": manifest("aliased", "description: d", "aliases: other")})
	for from, to := range map[string]string{"linked": "real"} {
		if err := os.Symlink(filepath.Join(dir, to), filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Save(t.Context(), SaveRequest{Dir: dir, Name: "broken", Description: "d", Body: new("b")})
	if !isType[*RefusedError](err) || !strings.Contains(err.Error(), "does not load") {
		t.Errorf("a broken skill was overwritten: %v", err)
	}
	if got := readFile(t, dir, "broken", ManifestName); got != "---\nname: [\n" {
		t.Errorf("broken is now %q", got)
	}
	if _, err := Save(t.Context(), SaveRequest{Dir: dir, Name: "linked", Description: "d", Body: new("b")}); !isType[*RefusedError](err) {
		t.Errorf("wrote through a link: %v", err)
	}
	res, err := Save(t.Context(), SaveRequest{Dir: dir, Name: "other", Description: "d", Body: new("b")})
	if err != nil || !res.Created || filepath.Base(res.Dir) != "other" {
		t.Errorf("an alias is no name to save to: %+v, %v", res, err)
	}
}

func TestSaveSweepsLeftovers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{
		".SKILL.md123": "half", ".SKILL.md": "mine", ".SKILL.md12x": "mine", "x/.SKILL.md1": "elsewhere",
		".agentctl-123/skill/SKILL.md": "half", ".agentctl-45/old/SKILL.md": "the only copy", ".agentctl-mine/x": "mine",
	})
	if _, err := Save(t.Context(), SaveRequest{Dir: dir, Name: "x", Description: "d", Body: new("b")}); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != ".SKILL.md .SKILL.md12x .agentctl-45 .agentctl-mine x" {
		t.Errorf("got %v", got)
	}
}

func TestSaveReadOnlyFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "file")
	writeFiles(t, filepath.Dir(dir), map[string]string{"file": "x"})
	_, err := Save(t.Context(), SaveRequest{Dir: dir, Name: "x", Description: "d", Body: new("b")})
	if err == nil || !strings.Contains(err.Error(), "make the skills folder") {
		t.Errorf("got %v", err)
	}
}

func TestSaveWaitsForAnother(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	unlock, err := lockDir(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, unlock)
	start := time.Now()
	if _, err := Save(t.Context(), SaveRequest{Dir: dir, Name: "x", Description: "d", Body: new("b")}); err != nil || time.Since(start) < 40*time.Millisecond {
		t.Errorf("got %v after %v, want it to wait", err, time.Since(start))
	}
}

func TestSaveStopsWithContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Save(ctx, SaveRequest{Dir: t.TempDir(), Name: "x", Description: "d", Body: new("b")}); err == nil {
		t.Error("a cancelled save went on")
	}
}

// What is saved is read again as it was given.
func FuzzSaveRoundTrip(f *testing.F) {
	for _, s := range []string{"plain", "yes", "a # b", "Use when: x", "🙂", "two\nlines", "'q'", `"q" and b`, "- x", "\u2028", "\x7f", "null", "1.10", "é", "{{x}}", "a\tb"} {
		f.Add("name "+s, s, s)
	}
	f.Fuzz(func(t *testing.T, name, description, body string) {
		dir := t.TempDir()
		res, err := Save(t.Context(), SaveRequest{Dir: dir, Name: name, Description: description, WhenToUse: description, Body: &body})
		if err != nil {
			if !isType[*RefusedError](err) {
				t.Fatalf("%q, %q, %q: %v", name, description, body, err)
			}
			return
		}
		it, ds, err := Open(t.Context(), res.Dir)
		if err != nil || len(ds) > 0 {
			t.Fatalf("%q, %q, %q: saved and then: %v, %v", name, description, body, err, ds)
		}
		want := strings.NewReplacer("\r\n", "\n", "\ufeff", "").Replace(body)
		if !strings.HasSuffix(want, "\n") {
			want += "\n"
		}
		if it.Value.Description != squeeze(description) || it.Value.Body != want || it.Name != res.Name {
			t.Errorf("%q, %q, %q came back as %q, %q, %q", name, description, body, it.Name, it.Value.Description, it.Value.Body)
		}
	})
}

// Words that sound alike in ASCII are other words: none replaces the other's skill.
func TestSaveOfNamesThatSoundAlike(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ first, second, slug string }{
		{"权利", "权力", "quan-li"}, {"Größe", "Grosse", "grosse"}, {"Grosse", "Größe", "grosse"},
	} {
		dir := t.TempDir()
		save := func(name string) (SaveResult, error) {
			return Save(t.Context(), SaveRequest{Dir: dir, Name: name, Description: "Of " + name, Body: &name})
		}
		first, err := save(tt.first)
		if err != nil || first.Name != tt.slug {
			t.Fatalf("%s: %+v, %v", tt.first, first, err)
		}
		if _, err := save(tt.second); !isType[*RefusedError](err) || !strings.Contains(err.Error(), tt.slug) {
			t.Errorf("%s after %s: %v", tt.second, tt.first, err)
		}
		if _, err := New(t.Context(), NewRequest{Dir: dir, Name: tt.second, Description: "x"}); !isType[*RefusedError](err) {
			t.Errorf("new %s after %s: %v", tt.second, tt.first, err)
		}
		if got := readFile(t, first.File); !strings.Contains(got, "Of "+tt.first) {
			t.Errorf("%s is gone: %s", tt.first, got)
		}
		for _, name := range []string{tt.first, tt.slug} { // the skill itself
			if res, err := save(name); err != nil || res.Created || res.Dir != first.Dir {
				t.Errorf("%s again: %+v, %v", name, res, err)
			}
		}
	}
}

func TestSaveTheSameAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old := "---\nname: x\ndescription: Use when asked. # seen by all\n---\nA\ufeffB\n"
	writeFiles(t, dir, map[string]string{"x/SKILL.md": old})
	if _, err := Save(t.Context(), SaveRequest{Dir: dir, Name: "x", Description: "Use when  asked.", Body: new("\ufeffA\ufeffB\r\n")}); err != nil {
		t.Fatal(err)
	}
	if got := readFile(t, dir, "x", ManifestName); got != old {
		t.Errorf("got %q, want %q", got, old)
	}
}

// Marks and case make no other name.
func TestSaveOfNamesWithMarks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	body := "Steps."
	for i, name := range []string{"Café Menu", "Cafe Menu", "café  menu", "cafe-menu"} {
		res, err := Save(t.Context(), SaveRequest{Dir: dir, Name: name, Description: "x", Body: &body})
		if err != nil || res.Name != "cafe-menu" || res.Created != (i == 0) {
			t.Errorf("%s: %+v, %v", name, res, err)
		}
	}
}
