package skill

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/archive"
)

func export(t *testing.T, it *Item, flat bool) (string, ExportResult) {
	t.Helper()
	var b bytes.Buffer
	res, err := Export(t.Context(), it, &b, flat)
	if err != nil {
		t.Fatal(err)
	}
	if res.Bytes != int64(b.Len()) {
		t.Errorf("says %d bytes of %d", res.Bytes, b.Len())
	}
	return b.String(), res
}

func zipNames(t *testing.T, data string) string {
	t.Helper()
	zr, err := zip.NewReader(strings.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range zr.File {
		out = append(out, f.Name)
	}
	return strings.Join(out, " ")
}

func TestExportImportIsTheSame(t *testing.T) {
	t.Parallel()
	it := makeSkill(t, "My Folder", map[string]string{
		ManifestName: manifest("My Skill"), "scripts/run": "#!/bin/sh\n", "references/é.md": "x", "evals/e.json": "[]", ".git/HEAD": "x", "a/evals/kept": "",
	})
	for _, flat := range []bool{false, true} {
		data, res := export(t, it, flat)
		again, _ := export(t, it, flat)
		if data != again {
			t.Error("two exports differ")
		}
		prefix := "my-skill/"
		if flat {
			prefix = ""
		}
		want := strings.Join([]string{prefix + "SKILL.md", prefix + "a/evals/kept", prefix + "references/é.md", prefix + "scripts/run"}, " ")
		if got := zipNames(t, data); got != want || res.Files != 4 || res.Name != "My Skill" {
			t.Errorf("got %s, %+v, want %s", got, res, want)
		}
		dir := t.TempDir()
		in, err := Import(t.Context(), ImportRequest{Source: "stdin", Data: strings.NewReader(data), Dir: dir})
		if err != nil || in.Digest != res.Digest || in.Dir != filepath.Join(dir, "my-skill") || in.Files != 4 || in.Name != "My Skill" {
			t.Fatalf("got %+v, %v, want digest %s", in, err, res.Digest)
		}
		back, _, err := Open(t.Context(), in.Dir)
		if err != nil {
			t.Fatal(err)
		}
		if digest, err := Digest(t.Context(), back); err != nil || digest != res.Digest {
			t.Errorf("on disk: %s, %v", digest, err)
		}
		if codesOf(in.Diagnostics) != "name.folder name.not-kebab" || in.Diagnostics[0].File != filepath.Join(in.Dir, ManifestName) {
			t.Errorf("findings %v", in.Diagnostics)
		}
	}
}

func TestExportRefuses(t *testing.T) {
	t.Parallel()
	it := makeSkill(t, "s", map[string]string{"a.md": "x"})
	if err := os.Symlink("a.md", filepath.Join(it.Dir, "l")); err != nil {
		t.Fatal(err)
	}
	if _, err := Export(t.Context(), it, io.Discard, false); !isType[*archive.PathError](err) {
		t.Errorf("a link went along: %v", err)
	}
}

func TestImportFolder(t *testing.T) {
	t.Parallel()
	src := filepath.Join(t.TempDir(), "Some Skill")
	writeFiles(t, src, map[string]string{"SKILL.md": "---\ndescription: d\n---\nb\n", ".DS_Store": "x", "x/.git/config": "x", "run": "#!/bin/sh\n"})
	dir := t.TempDir()
	res, err := Import(t.Context(), ImportRequest{Source: src, Dir: dir})
	if err != nil || res.Name != "Some Skill" || res.Dir != filepath.Join(dir, "some-skill") || res.Files != 2 {
		t.Fatalf("got %+v, %v", res, err)
	}
	if _, err := os.Stat(filepath.Join(res.Dir, "x")); !os.IsNotExist(err) {
		t.Error("VCS data came along")
	}
	if err := os.Symlink("SKILL.md", filepath.Join(src, "l")); err != nil {
		t.Fatal(err)
	}
	if _, err := Import(t.Context(), ImportRequest{Source: src, Dir: dir, Force: true}); !isType[*archive.PathError](err) {
		t.Errorf("a link came along: %v", err)
	}
	wrapped := t.TempDir()
	writeFiles(t, wrapped, map[string]string{"inner/SKILL.md": manifest("inner")})
	if res, err := Import(t.Context(), ImportRequest{Source: wrapped, Dir: dir}); err != nil || res.Name != "inner" {
		t.Errorf("a folder around it: %+v, %v", res, err)
	}
}

func TestImportExisting(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"group/old/SKILL.md": manifest("s"), "group/old/gone.md": "x", "bad/SKILL.md": "x", "plain/file": "x"})
	data, res := export(t, makeSkill(t, "s", map[string]string{"new.md": "x"}), false)
	req := ImportRequest{Source: "stdin", Dir: dir}
	load := func(force, dry bool, name string) (ImportResult, error) {
		r := req
		r.Data, r.Force, r.DryRun, r.Name = strings.NewReader(data), force, dry, name
		return Import(t.Context(), r)
	}
	if _, err := load(false, false, ""); !isType[*ExistsError](err) {
		t.Errorf("got %v, want it to exist", err)
	}
	if _, err := load(false, true, ""); !isType[*ExistsError](err) {
		t.Errorf("a dry run says %v, want it to exist", err)
	}
	if got, err := load(true, true, ""); err != nil || got.Digest != res.Digest {
		t.Errorf("a dry run with force: %+v, %v", got, err)
	}
	if got := readFile(t, dir, "group", "old", "gone.md"); got != "x" {
		t.Error("a dry run wrote")
	}
	got, err := load(true, false, "")
	if err != nil || got.Dir != filepath.Join(dir, "group", "old") {
		t.Fatalf("got %+v, %v, want it in its old folder", got, err)
	}
	if _, err := os.Stat(filepath.Join(got.Dir, "gone.md")); !os.IsNotExist(err) {
		t.Error("a file of the old one stayed")
	}
	for _, name := range []string{"bad", "plain"} {
		if _, err := load(false, false, name); !isType[*ExistsError](err) {
			t.Errorf("%s: got %v, want it to exist", name, err)
		}
	}
	named, err := load(false, false, "Other Name")
	if err != nil || named.Name != "other-name" || named.Digest == res.Digest || filepath.Base(named.Dir) != "other-name" {
		t.Fatalf("got %+v, %v", named, err)
	}
	if text := readFile(t, named.Dir, ManifestName); text != strings.Replace(manifest("s"), "name: s", "name: other-name", 1) {
		t.Errorf("--name changed more than a line:\n%s", text)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 4 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestImportRefuses(t *testing.T) {
	t.Parallel()
	zipOf := func(files ...string) string {
		var b bytes.Buffer
		zw := zip.NewWriter(&b)
		for n := 0; n < len(files); n += 2 {
			w, err := zw.Create(files[n])
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(w, files[n+1]); err != nil {
				t.Fatal(err)
			}
		}
		if err := zw.Close(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	tests := []struct {
		name, data, want string
		is               func(error) bool
	}{
		{"no zip", "hello", "not a zip archive", isType[*archive.FormatError]},
		{"no skill", zipOf("README.md", "x"), "holds no SKILL.md", isType[*archive.LayoutError]},
		{"two skills", zipOf("a/SKILL.md", manifest("a"), "b/SKILL.md", manifest("b")), "holds 2 folders", isType[*archive.LayoutError]},
		{"two manifests", zipOf("SKILL.md", manifest("a"), "skill.md", manifest("b")), "differ only in case", isType[*archive.PathError]},
		{"zip slip", zipOf("SKILL.md", manifest("a"), "../x", "y"), "leaves the folder", isType[*archive.PathError]},
		{"does not load", zipOf("w/SKILL.md", "---\nname: x\n---\n"), "stdin/w/SKILL.md:1", isType[*BrokenError]},
		{"no name for a folder", zipOf("SKILL.md", manifest("😀")), "pass --name", isType[*RefusedError]},
		{"long name", zipOf("SKILL.md", manifest(strings.Repeat("a", 65))), "65 characters", isType[*RefusedError]},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			_, err := Import(t.Context(), ImportRequest{Source: "stdin", Data: strings.NewReader(tt.data), Dir: dir})
			if err == nil || !tt.is(err) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %T %v, want %q", err, err, tt.want)
			}
			if entries, _ := os.ReadDir(dir); len(entries) > 0 {
				t.Errorf("left behind: %v", entries)
			}
		})
	}
	if _, err := Import(t.Context(), ImportRequest{Source: "/nowhere", Dir: t.TempDir()}); !isType[*RefusedError](err) {
		t.Errorf("got %v", err)
	}
}

// The name in the front matter cannot lead out of the folder of skills.
func TestImportNameStaysInside(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	dir := filepath.Join(parent, "skills")
	src := filepath.Join(t.TempDir(), "x")
	writeFiles(t, src, map[string]string{"SKILL.md": manifest("../../evil")})
	res, err := Import(t.Context(), ImportRequest{Source: src, Dir: dir})
	if err != nil || res.Dir != filepath.Join(dir, "evil") {
		t.Errorf("got %+v, %v", res, err)
	}
	if entries, _ := os.ReadDir(parent); len(entries) != 1 {
		t.Errorf("written outside: %v", entries)
	}
}

func TestPromote(t *testing.T) {
	t.Parallel()
	it := makeSkill(t, "s", map[string]string{"scripts/a.sh": "#!/bin/sh\n", "evals/e.json": "[]"})
	to := filepath.Join(t.TempDir(), "shared", "skills")
	res, err := Promote(t.Context(), PromoteRequest{Item: it, To: to})
	if err != nil || res.Dir != filepath.Join(to, "s") || !strings.HasPrefix(res.CommitMessage, "Add skill s\n\nDoes s. Use when asked.\n\nDigest: sha256:") {
		t.Fatalf("got %+v, %v", res, err)
	}
	if again, err := Promote(t.Context(), PromoteRequest{Item: it, To: to}); err != nil || !again.Unchanged || again.Digest != res.Digest {
		t.Errorf("again: %+v, %v", again, err)
	}
	writeFiles(t, it.Dir, map[string]string{"more.md": "x"})
	if _, err := Promote(t.Context(), PromoteRequest{Item: it, To: to}); !isType[*ExistsError](err) {
		t.Errorf("got %v, want it to exist", err)
	}
	res, err = Promote(t.Context(), PromoteRequest{Item: it, To: to, Force: true})
	if err != nil || !strings.HasPrefix(res.CommitMessage, "Update skill s\n") || readFile(t, res.Dir, "more.md") != "x" {
		t.Errorf("got %+v, %v", res, err)
	}
	if _, err := os.Stat(filepath.Join(res.Dir, "evals")); !os.IsNotExist(err) {
		t.Error("evals were promoted")
	}
	if err := os.Symlink("more.md", filepath.Join(it.Dir, "l")); err != nil {
		t.Fatal(err)
	}
	if _, err := Promote(t.Context(), PromoteRequest{Item: it, To: filepath.Join(it.Dir, "references")}); !isType[*RefusedError](err) {
		t.Errorf("got %v, want a refusal to copy into itself", err)
	}
	rejected, err := Promote(t.Context(), PromoteRequest{Item: it, To: to, Force: true})
	if !isType[*LintError](err) || rejected.Findings.Summary.Errors != 1 {
		t.Errorf("got %+v, %v, want a lint error", rejected, err)
	}
}

func TestCancelledMoves(t *testing.T) {
	t.Parallel()
	it := makeSkill(t, "s", nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	if _, err := Import(ctx, ImportRequest{Source: it.Dir, Dir: dir}); err == nil {
		t.Error("a cancelled import went on")
	}
	if _, err := Promote(ctx, PromoteRequest{Item: it, To: dir}); err == nil {
		t.Error("a cancelled promotion went on")
	}
	if entries, _ := os.ReadDir(dir); len(entries) > 0 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestImportFileAndLimits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	nameless, _ := export(t, makeSkill(t, "s", map[string]string{ManifestName: "---\ndescription: d\n---\nx\n"}), true)
	writeFiles(t, dir, map[string]string{"Some Archive.zip": nameless, "text.zip": "x"})
	res, err := Import(t.Context(), ImportRequest{Source: filepath.Join(dir, "Some Archive.zip"), Dir: filepath.Join(dir, "in")})
	if err != nil || res.Name != "Some Archive" || filepath.Base(res.Dir) != "some-archive" {
		t.Errorf("the archive's name stands in: %+v, %v", res, err)
	}
	if _, err := Import(t.Context(), ImportRequest{Source: filepath.Join(dir, "text.zip"), Dir: dir}); !isType[*archive.FormatError](err) {
		t.Errorf("got %v", err)
	}
	endless := io.LimitReader(zeros{}, archive.MaxZip+2)
	if _, err := Import(t.Context(), ImportRequest{Source: "stdin", Data: endless, Dir: dir}); !isType[*archive.LimitError](err) {
		t.Errorf("got %v, want a limit", err)
	}
	if _, err := Import(t.Context(), ImportRequest{Source: dir, Dir: filepath.Join(dir, "Some Archive.zip")}); err == nil {
		t.Error("imported into a file")
	}
}

// zeros is an endless reader.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestReplaceFolderBringsTheOldOneBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"old/x": "old"})
	err := replaceFolder(filepath.Join(dir, "missing"), filepath.Join(dir, "old"), filepath.Join(dir, "aside"))
	if err == nil || readFile(t, dir, "old", "x") != "old" {
		t.Errorf("got %v, and the old folder is gone", err)
	}
}

func TestReplaceFolderPutsTheNewOneThere(t *testing.T) {
	t.Parallel()
	for _, exists := range []bool{true, false} {
		dir := t.TempDir()
		writeFiles(t, dir, map[string]string{"new/x": "new"})
		if exists {
			writeFiles(t, dir, map[string]string{"place/x": "old", "place/y": "old"})
		}
		err := replaceFolder(filepath.Join(dir, "new"), filepath.Join(dir, "place"), filepath.Join(dir, asideName))
		if err != nil || readFile(t, dir, "place", "x") != "new" {
			t.Errorf("there before: %v: got %v", exists, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "place", "y")); err == nil {
			t.Error("the old folder shows through")
		}
	}
}

func TestCommitMessageWraps(t *testing.T) {
	t.Parallel()
	text := commitMessage(item(SourceShared, "s", strings.Repeat("word ", 40)), "sha256:x", "")
	for line := range strings.Lines(text) {
		if len(line) > 73 {
			t.Errorf("line of %d: %q", len(line), line)
		}
	}
	if got := strings.Count(text, "word"); got != 40 {
		t.Errorf("%d words", got)
	}
}

func TestArchiveNameWithoutASlug(t *testing.T) {
	t.Parallel()
	it := makeSkill(t, "folder", map[string]string{ManifestName: manifest("😀")})
	if got := ArchiveName(it); got != "folder" {
		t.Errorf("got %q", got)
	}
}

// What an import would not take under its own name is not packed.
func TestExportRefusesNames(t *testing.T) {
	t.Parallel()
	for name, ok := range map[string]bool{
		"con": false, "lpt1": false, "venv": false, "site-packages": false, "aux": false,
		strings.Repeat("a", MaxName): true, strings.Repeat("a", MaxName+1): false, strings.Repeat("茶", MaxName): false,
		"console": true,
	} {
		it := makeSkill(t, "x", map[string]string{ManifestName: manifest(name)})
		for _, flat := range []bool{false, true} {
			var zip bytes.Buffer
			_, err := Export(t.Context(), it, &zip, flat)
			if isType[*NameError](err) == ok {
				t.Errorf("%s: got %v", name, err)
			}
			if !ok {
				continue
			}
			res, err := Import(t.Context(), ImportRequest{Source: "x.zip", Data: &zip, Dir: t.TempDir()})
			if want, _ := Digest(t.Context(), it); err != nil || res.Digest != want {
				t.Errorf("%s: got %+v, %v, want digest %s", name, res, err, want)
			}
		}
		found, err := Lint(t.Context(), it, LintOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if codes := codesOf(found); ok == (strings.Contains(codes, "file.export") || strings.Contains(codes, "name.too-long")) {
			t.Errorf("%s: lint says %s", name, codes)
		}
	}
}
