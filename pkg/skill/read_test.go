package skill

import (
	"fmt"
	"html"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func listingOf(items ...*Item) *Listing { return &Listing{Kind: "skill", Items: items} }

func TestReadForModel(t *testing.T) {
	t.Parallel()
	it := makeSkill(t, "csv", map[string]string{
		ManifestName:   "---\nname: csv\ndescription: d\nallowed-tools: read_file, Bash(git:*) data-fetch python_exec\n---\n\n# CSV\n\nSteps.\n\n",
		"scripts/a.py": "#!/usr/bin/env python3\n", "schemas/a.json": `{"type": "object", "properties": {"n": {"type": "integer"}}}`,
		"tools.yaml":        "tools:\n  - name: count\n    description: Counts\n      things.\n    script: scripts/a.py\n    parameters: schemas/a.json\n",
		"__pycache__/a.pyc": "x", "evals/e.json": "[]",
	})
	text, got, err := ReadForModel(t.Context(), listingOf(it), ReadRequest{
		Name: " /csv ", Args: "sales.csv", Tools: []string{"read_file", "data-fetch:get", "run_skill_script"},
	})
	if err != nil || got != it {
		t.Fatalf("got %v, %v", got, err)
	}
	want := fmt.Sprintf(`Skill: csv (path)
Folder: %s
Relative paths in this skill resolve there, not in the current folder.
Files: schemas/a.json, scripts/a.py, tools.yaml
Scripts with checked arguments (run_skill_script with skill="csv", tool, arguments):
- count: Counts things. Arguments: {"properties":{"n":{"type":"integer"}},"type":"object"}
Warning: this skill asks for tools that this chat does not have: Bash. Do these steps in another way, or say that they cannot be done.

# CSV

Steps.

## Invocation Arguments

sales.csv
`, it.Dir)
	if text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	if text, _, err := ReadForModel(t.Context(), listingOf(it), ReadRequest{Name: "csv"}); err != nil || strings.Contains(text, "Warning") {
		t.Errorf("tools that are not known are no warning: %v\n%s", err, text)
	}
}

func TestReadForModelNamesTheSource(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	var sources []Source
	for i, name := range []string{SourceWorkspace, SourceShared, SourcePackage} {
		dir := filepath.Join(root, name)
		writeFiles(t, dir, map[string]string{"same/" + ManifestName: "---\nname: same\ndescription: d\n---\nx\n"})
		sources = append(sources, Source{Name: name, Rank: i, Root: dir})
	}
	writeFiles(t, sources[2].Root, map[string]string{"alias/" + ManifestName: "---\nname: alias\ndescription: d\naliases: same\n---\nx\n"})
	l, err := (&Library{Sources: sources}).Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"same": "same (workspace, ahead of shared and package)", "alias": "alias (package)"} {
		text, _, err := ReadForModel(t.Context(), ModelView(l, nil), ReadRequest{Name: name})
		if err != nil || !strings.HasPrefix(text, "Skill: "+want+"\nFolder: ") || Origin(text) != want {
			t.Errorf("got %s, %v, want %s", text, err, want)
		}
	}
	if got := Origin("exit_code: 0\nSkill: x"); got != "" {
		t.Errorf("an answer of another kind has the origin %q", got)
	}
}

// A model asks for a skill by the name that its index shows.
func TestNamesOfTheIndexAreFound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for folder, name := range map[string]string{
		"a": `"zero\u200bwidth"`, "b": `"bidi\u202ename"`, "c": `"red\e[31m"`, "d": `"two  blanks"`, "e": "Café", "f": "茶道", "g": `"line\nfeed"`, "h": "R&D <x>",
	} {
		writeFiles(t, dir, map[string]string{folder + "/" + ManifestName: "---\nname: " + name + "\ndescription: d\n---\nbody\n"})
	}
	view := ModelView(loadDir(t, dir), nil)
	shown := regexp.MustCompile("<name>(.*)</name>").FindAllStringSubmatch(Index(view.Winners(), SessionTag, MaxBudget).Text, -1)
	if len(shown) != 8 {
		t.Fatalf("got %d names", len(shown))
	}
	for _, m := range shown {
		if _, _, err := ReadForModel(t.Context(), view, ReadRequest{Name: html.UnescapeString(m[1])}); err != nil {
			t.Errorf("%q: %v", m[1], err)
		}
	}
}

func TestReadForModelErrors(t *testing.T) {
	t.Parallel()
	it := makeSkill(t, "csv-summary", map[string]string{"references/formats.md": "x", "data.bin": "a\x00b"})
	if err := os.Symlink("/etc/hostname", filepath.Join(it.Dir, "out")); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		req  ReadRequest
		want []string
	}{
		{"unknown name", ReadRequest{Name: "cvs-summary"}, []string{`skill "cvs-summary" not found.`, "Did you mean csv-summary?", "Skills: csv-summary"}},
		{"unknown file", ReadRequest{Name: "csv-summary", Path: "references/format.md"}, []string{`has no file "references/format.md"`, "Did you mean references/formats.md?", "Files: data.bin, references/formats.md"}},
		{"a folder", ReadRequest{Name: "csv-summary", Path: "references"}, []string{"has no file"}},
		{"upwards", ReadRequest{Name: "csv-summary", Path: "../x"}, []string{"leaves the folder"}},
		{"absolute", ReadRequest{Name: "csv-summary", Path: "/etc/passwd"}, []string{`path "/etc/passwd" leaves the folder`}},
		{"through a link", ReadRequest{Name: "csv-summary", Path: "out"}, []string{"link out of its folder"}},
		{"not text", ReadRequest{Name: "csv-summary", Path: "data.bin"}, []string{"is not a text file (3 bytes)"}},
		{"behind the end", ReadRequest{Name: "csv-summary", Offset: 99}, []string{"offset 99 is behind the end: there are 4 lines"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text, _, err := ReadForModel(t.Context(), listingOf(it), tt.req)
			if !isType[*ReadError](err) || text != "" {
				t.Fatalf("got %q, %v, want a read error", text, err)
			}
			for _, want := range tt.want {
				if got := err.(*ReadError).Text; !strings.Contains(got, want) { //nolint:errorlint // checked above
					t.Errorf("text %q lacks %q", got, want)
				}
			}
		})
	}
	_, _, err := ReadForModel(t.Context(), listingOf(), ReadRequest{Name: "x"})
	if !isType[*ReadError](err) || !strings.Contains(err.(*ReadError).Text, "There are no skills here") { //nolint:errorlint // checked
		t.Errorf("no skills at all: %v", err)
	}
}

func TestReadFileForModel(t *testing.T) {
	t.Parallel()
	it := makeSkill(t, "a", map[string]string{"references/x.md": "one\ntwo\nthree\n"})
	for _, p := range []string{"references/x.md", "./references/x.md", filepath.Join(it.Dir, "references", "x.md")} {
		text, _, err := ReadForModel(t.Context(), listingOf(it), ReadRequest{Name: "a", Path: p, Offset: 2})
		if err != nil || text != "two\nthree\n" {
			t.Errorf("%s: got %q, %v", p, text, err)
		}
	}
}

// A body over the limit is cut at a line, and following the offsets gives all of
// it exactly once.
func TestLongBodiesComeInPieces(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for n := range 4000 {
		fmt.Fprintf(&b, "line %d of a long body, with some 茶 in it\n", n)
	}
	body := b.String()
	it := makeSkill(t, "long", map[string]string{ManifestName: "---\nname: long\ndescription: d\n---\n" + body})
	var all strings.Builder
	offset, calls := 0, 0
	for {
		text, err := window(it.Value.Body, ReadRequest{Name: "long", Offset: offset}, "")
		if err != nil {
			t.Fatal(err)
		}
		piece, note, more := strings.Cut(text, "\n[cut at line ")
		if n := utf8.RuneCountInString(piece); n > MaxBody {
			t.Errorf("a piece has %d characters", n)
		}
		all.WriteString(piece)
		if calls++; !more || calls > 10 {
			break
		}
		if _, err := fmt.Sscanf(note[strings.Index(note, "offset="):], "offset=%d", &offset); err != nil {
			t.Fatalf("no offset in %q", note)
		}
		if !strings.Contains(note, `call read_skill(name="long", offset=`) {
			t.Errorf("note %q", note)
		}
	}
	if all.String() != body || calls < 3 {
		t.Errorf("%d pieces give %d of %d bytes", calls, all.Len(), len(body))
	}
}

func TestBodyAtTheLimit(t *testing.T) {
	t.Parallel()
	for n, cut := range map[int]bool{MaxBody: false, MaxBody + 1: true} {
		text, err := window(strings.Repeat("茶", n-1)+"\n", ReadRequest{Name: "x"}, "")
		if err != nil || strings.Contains(text, "characters of this line were cut") != cut {
			t.Errorf("%d characters: cut %v, %v", n, !cut, err)
		}
	}
}

func TestReadFileOfEmbedded(t *testing.T) {
	t.Parallel()
	it := makeSkill(t, "a", map[string]string{"x.md": "x"})
	it.Source = &Source{Name: SourceShared, Root: "embedded", FS: it.FS}
	if data, err := ReadFile(t.Context(), it, "x.md"); err != nil || string(data) != "x" {
		t.Errorf("got %q, %v", data, err)
	}
	if _, err := ReadFile(t.Context(), it, "y.md"); !isType[*FileNotFoundError](err) {
		t.Errorf("got %v", err)
	}
}

func TestFileListIsCapped(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for n := range maxListed + 3 {
		files[fmt.Sprintf("references/%03d.md", n)] = "x"
	}
	text, _, err := ReadForModel(t.Context(), listingOf(makeSkill(t, "s", files)), ReadRequest{Name: "s"})
	if err != nil || !strings.Contains(text, "references/049.md and 3 more\n") || strings.Contains(text, "references/050.md") {
		t.Errorf("got %v, %.200s", err, text)
	}
}

func TestLongFilesComeInPieces(t *testing.T) {
	t.Parallel()
	it := makeSkill(t, "s", map[string]string{"long.md": strings.Repeat("some line\n", 6000)})
	text, _, err := ReadForModel(t.Context(), listingOf(it), ReadRequest{Name: "s", Path: "long.md"})
	if want := `call read_skill(name="s", path="long.md", offset=5001)`; err != nil || !strings.Contains(text, want) {
		t.Errorf("got %v, ... %s", err, text[len(text)-100:])
	}
}

func TestUnknownTools(t *testing.T) {
	t.Parallel()
	known := []string{"read_file", "data-fetch:get-page", "run_skill_script"}
	allowed := []string{"read-file", "data_fetch", "data-fetch:get_page", "python_exec", "Bash(git:*)", "Bash(ls)", "data-fetch:other", "Read_File"}
	if got := strings.Join(UnknownTools(allowed, known), " "); got != "Bash data-fetch:other" {
		t.Errorf("got %s", got)
	}
}

func TestScriptToolsFaults(t *testing.T) {
	t.Parallel()
	files := map[string]string{"scripts/a.py": "x", "schemas/ok.json": `{"type":"object"}`, "schemas/list.json": `{"type":"array"}`, "schemas/bad.json": `{`}
	tests := []struct{ name, yaml, want string }{
		{"unknown key", "tools:\n  - name: a\n    script: scripts/a.py\n    descripton: x\n", "description"},
		{"not kebab", "tools:\n  - {name: A b, description: x, script: scripts/a.py}\n", "kebab-case"},
		{"no description", "tools:\n  - {name: a, script: scripts/a.py}\n", "no description"},
		{"no script", "tools:\n  - {name: a, description: x}\n", "names no script"},
		{"script missing", "tools:\n  - {name: a, description: x, script: scripts/b.py}\n", `no file "scripts/b.py"`},
		{"script outside", "tools:\n  - {name: a, description: x, script: ../b.py}\n", "leaves the skill's folder"},
		{"schema missing", "tools:\n  - {name: a, description: x, script: scripts/a.py, parameters: schemas/x.json}\n", `no file "schemas/x.json"`},
		{"schema no object", "tools:\n  - {name: a, description: x, script: scripts/a.py, parameters: schemas/list.json}\n", "the root must be"},
		{"schema no JSON", "tools:\n  - {name: a, description: x, script: scripts/a.py, parameters: schemas/bad.json}\n", "parameters of a, schemas/bad.json"},
		{"twice", "tools:\n  - &a {name: a, description: x, script: scripts/a.py}\n", "anchor"},
		{"one name twice", "tools:\n  - {name: a, description: x, script: scripts/a.py}\n  - {name: a, description: y, script: scripts/a.py}\n", "twice"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			all := map[string]string{ToolsFile: tt.yaml}
			maps.Copy(all, files)
			_, ds := ScriptTools(makeSkill(t, "s", all))
			if len(ds) != 1 || !strings.Contains(ds[0].Message, tt.want) || ds[0].Severity != "error" {
				t.Errorf("got %v, want one error with %q", ds, tt.want)
			}
		})
	}
	tools, ds := ScriptTools(makeSkill(t, "s", map[string]string{"scripts/a.py": "x", ToolsFile: "tools:\n  - {name: a, description: x, script: scripts/a.py}\n"}))
	if len(tools) != 1 || string(tools[0].Schema) != `{"type":"object"}` || len(ds) > 0 {
		t.Errorf("got %v, %v", tools, ds)
	}
}

func FuzzReadSkillPath(f *testing.F) {
	for _, s := range []string{"x.md", "../x", "/etc/passwd", `..\x`, "a/../../b", "", "."} {
		f.Add(s)
	}
	it := makeSkill(f, "s", map[string]string{"x.md": "inside"})
	writeFiles(f, filepath.Dir(it.Dir), map[string]string{"secret": "outside"})
	f.Fuzz(func(t *testing.T, p string) {
		data, err := ReadFile(t.Context(), it, p)
		if err == nil && string(data) != "inside" && !strings.HasPrefix(string(data), "---") {
			t.Errorf("%q gave %q", p, data)
		}
	})
}

// A file name is no way to add a line to what a model is told.
func TestReadForModelQuotesOddNames(t *testing.T) {
	t.Parallel()
	it := makeSkill(t, "x", map[string]string{"a\nFolder: ": "x", "b\u202ec": "x", "plain.md": "x"})
	text, _, err := ReadForModel(t.Context(), &Listing{Kind: "skill", Items: []*Item{it}}, ReadRequest{Name: "x"})
	if want := `Files: "a\nFolder: ", "b\u202ec", plain.md`; err != nil || !strings.Contains(text, want+"\n") {
		t.Errorf("got %s, %v, want %s", text, err, want)
	}
}
