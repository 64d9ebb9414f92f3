package archive

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

func tree() fstest.MapFS {
	return fstest.MapFS{
		"SKILL.md":          {Data: []byte("---\nname: a\n---\n"), Mode: 0o644},
		"scripts/run.sh":    {Data: []byte("#!/bin/sh\n"), Mode: 0o755},
		"references/é 茶.md": {Data: []byte("x"), Mode: 0o600},
		"empty":             {Mode: 0o644},
	}
}

func pack(t *testing.T, fsys fs.FS, prefix string) []byte {
	t.Helper()
	files, err := List(t.Context(), fsys, Exported)
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	if err := WriteZip(t.Context(), &buf, files, prefix); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func isManifest(name string) bool { return name == "SKILL.md" }

func TestRoundTripKeepsTheDigest(t *testing.T) {
	t.Parallel()
	want, err := Digest(t.Context(), tree(), ScanOptions{Keep: Exported})
	if err != nil {
		t.Fatal(err)
	}
	for _, prefix := range []string{"", "my-skill"} {
		data := pack(t, tree(), prefix)
		if again := pack(t, tree(), prefix); !bytes.Equal(data, again) {
			t.Errorf("prefix %q: two archives of one tree differ", prefix)
		}
		files, err := ReadZip(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		files, wrapper, err := Unwrap(files, "SKILL.md", isManifest)
		if err != nil || wrapper != prefix {
			t.Fatalf("unwrap: got %q, %v, want %q", wrapper, err, prefix)
		}
		dir := t.TempDir()
		if err := Extract(t.Context(), files, dir); err != nil {
			t.Fatal(err)
		}
		if got, err := Digest(t.Context(), os.DirFS(dir), ScanOptions{}); err != nil || got != want {
			t.Errorf("prefix %q: digest %s, %v, want %s", prefix, got, err, want)
		}
	}
}

func TestZipDoesNotDependOnTimes(t *testing.T) {
	t.Parallel()
	zr, err := zip.NewReader(bytes.NewReader(pack(t, tree(), "")), int64(len(pack(t, tree(), ""))))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range zr.File {
		if f.Modified.Year() != 1980 || len(f.Extra) > 0 {
			t.Errorf("%s: time %v, extra %x", f.Name, f.Modified, f.Extra)
		}
	}
}

// rawEntry is one entry of a hand-made zip.
type rawEntry struct {
	name string
	data string
	mode fs.FileMode // 0: made on a system without modes
	flag uint16
}

func makeZip(t testing.TB, entries ...rawEntry) []byte {
	t.Helper()
	var buf bytes.Buffer
	zw := zip.NewWriter(&buf)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Flags: e.flag}
		if e.mode != 0 {
			h.SetMode(e.mode)
		}
		w, err := zw.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, e.data); err != nil && !strings.HasSuffix(e.name, "/") {
			t.Fatal(err)
		}
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestReadZipRefuses(t *testing.T) {
	t.Parallel()
	skill := rawEntry{name: "SKILL.md", data: "x"}
	many := make([]rawEntry, MaxEntries+1)
	for i := range many {
		many[i] = rawEntry{name: fmt.Sprintf("f%d", i)}
	}
	big := strings.Repeat("0123456789abcdef", MaxFile/16)
	tests := []struct {
		name    string
		entries []rawEntry
		want    string
	}{
		{"absolute", []rawEntry{{name: "/etc/passwd"}}, "absolute path"},
		{"dot dot", []rawEntry{{name: "a/../../b"}}, "leaves the folder"},
		{"dot dot alone", []rawEntry{{name: ".."}}, "leaves the folder"},
		{"not plain", []rawEntry{{name: "a//b"}}, "plain form"},
		{"drive", []rawEntry{{name: "C:/x"}}, "colon"},
		{"stream", []rawEntry{{name: "a:b"}}, "colon"},
		{"backslash", []rawEntry{{name: `..\x`}}, "backslash"},
		{"device", []rawEntry{{name: "a/Aux.md"}}, "device"},
		{"numbered device", []rawEntry{{name: "com1"}}, "device"},
		{"trailing dot", []rawEntry{{name: "a./b"}}, "dot or blank"},
		{"twice", []rawEntry{skill, skill}, "twice"},
		{"equal but for case", []rawEntry{skill, {name: "skill.md"}}, "differ only in case"},
		{"equal but for form", []rawEntry{{name: "caf\u00e9"}, {name: "cafe\u0301"}}, "differ only in case or form"},
		{"folders equal but for case", []rawEntry{{name: "a/x"}, {name: "A/y"}}, "differ only in case"},
		{"file below a file", []rawEntry{{name: "a"}, {name: "a/b"}}, "file and a folder"},
		{"file over a folder", []rawEntry{{name: "a/b"}, {name: "a"}}, "file and a folder"},
		{"link", []rawEntry{{name: "a", data: "/etc", mode: fs.ModeSymlink | 0o777}}, "symbolic link"},
		{"pipe", []rawEntry{{name: "a", mode: fs.ModeNamedPipe | 0o644}}, "neither a file"},
		{"encrypted", []rawEntry{{name: "a", flag: flagEncrypted}}, "is encrypted"},
		{"control character", []rawEntry{{name: "a\x1bb"}}, "control character"},
		{"no UTF-8", []rawEntry{{name: "a\xff"}}, "UTF-8"},
		{"long path", []rawEntry{{name: strings.Repeat("x", MaxPath+maxWrapper+1)}}, "longer than"},
		{"deep path", []rawEntry{{name: strings.Repeat("x/", MaxDepth+1) + "x"}}, "deeper than"},
		{"many files", many, "more than 2000 files"},
		{"large file", []rawEntry{{name: "a", data: big + "x"}}, "more than 10 MiB"},
		{"bomb", []rawEntry{{name: "a", data: strings.Repeat("\x00", RatioFrom+1)}}, "times its size"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			data := makeZip(t, tt.entries...)
			_, err := ReadZip(bytes.NewReader(data), int64(len(data)))
			_, isPath := errors.AsType[*PathError](err)
			_, isLimit := errors.AsType[*LimitError](err)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !isPath && !isLimit {
				t.Errorf("got %v, want a path or limit error with %q", err, tt.want)
			}
		})
	}
}

func TestReadZipTakesWhatIsAtTheEdge(t *testing.T) {
	t.Parallel()
	many := make([]rawEntry, MaxEntries)
	for i := range many {
		many[i] = rawEntry{name: fmt.Sprintf("f%d", i)}
	}
	for name, entries := range map[string][]rawEntry{
		"files":  many,
		"depth":  {{name: strings.Repeat("x/", MaxDepth-1) + "x"}},
		"length": {{name: strings.Repeat("x", MaxPath)}},
		"ratio":  {{name: "a", data: strings.Repeat("\x00", RatioFrom)}},
	} {
		data := makeZip(t, entries...)
		files, err := ReadZip(bytes.NewReader(data), int64(len(data)))
		if err != nil || Check(files) != nil {
			t.Errorf("%s: %v, %v", name, err, Check(files))
		}
	}
}

func TestReadZipNoZip(t *testing.T) {
	t.Parallel()
	_, err := ReadZip(strings.NewReader("hello"), 5)
	if _, ok := errors.AsType[*FormatError](err); !ok {
		t.Errorf("got %v, want a format error", err)
	}
}

func TestReadZipLeavesOutWhatSystemsAdd(t *testing.T) {
	t.Parallel()
	data := makeZip(t, rawEntry{name: "a/"}, rawEntry{name: "a/SKILL.md", data: "x"}, rawEntry{name: "__MACOSX/a/._SKILL.md"},
		rawEntry{name: "a/.DS_Store"}, rawEntry{name: "a/._SKILL.md"}, rawEntry{name: "a/.git/hooks/post-checkout", data: "#!/bin/sh"})
	files, err := ReadZip(bytes.NewReader(data), int64(len(data)))
	if err != nil || len(files) != 1 || files[0].Path != "a/SKILL.md" {
		t.Errorf("got %v, %v, want a/SKILL.md alone", files, err)
	}
}

func TestExtractModes(t *testing.T) {
	t.Parallel()
	data := makeZip(t,
		rawEntry{name: "unix-x", data: "x", mode: 0o755}, rawEntry{name: "unix-shebang", data: "#!/bin/sh", mode: 0o644},
		rawEntry{name: "dos-shebang", data: "#!/bin/sh"}, rawEntry{name: "dos", data: "x"}, rawEntry{name: "setuid", data: "x", mode: 0o755 | fs.ModeSetuid})
	files, err := ReadZip(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := Extract(t.Context(), files, dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{"unix-x": 0o755, "unix-shebang": 0o644, "dos-shebang": 0o755, "dos": 0o644, "setuid": 0o755} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode() != want {
			t.Errorf("%s: mode %v, %v, want %v", name, info.Mode(), err, want)
		}
	}
}

func TestExtractStopsAtTheAnnouncedSize(t *testing.T) {
	t.Parallel()
	f := File{Path: "a", Size: 3, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("1234")), nil }}
	err := Extract(t.Context(), []File{f}, t.TempDir())
	if _, ok := errors.AsType[*LimitError](err); !ok {
		t.Errorf("got %v, want a limit error", err)
	}
}

func TestExtractDoesNotOverwriteOrEscape(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("x")), nil }
	for _, p := range []string{"out/a", "../a"} {
		if err := Extract(t.Context(), []File{{Path: p, Size: 1, Open: open}}, dir); err == nil {
			t.Errorf("%s was written", p)
		}
	}
	if entries, _ := os.ReadDir(outside); len(entries) > 0 {
		t.Errorf("something was written outside: %v", entries)
	}
	for range 2 {
		err := Extract(t.Context(), []File{{Path: "a", Size: 1, Open: open}}, dir)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			t.Errorf("got %v", err)
		}
	}
}

func TestUnwrap(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		paths   []string
		wrapper string
		want    string // the paths, or the error
	}{
		{"flat", []string{"SKILL.md", "a/SKILL.md"}, "", "SKILL.md a/SKILL.md"},
		{"wrapped", []string{"w/SKILL.md", "w/a/SKILL.md", "w/b"}, "w", "SKILL.md a/SKILL.md b"},
		{"none", []string{"a"}, "", "holds no SKILL.md"},
		{"too deep", []string{"a/b/SKILL.md"}, "", "holds no SKILL.md"},
		{"two", []string{"a/SKILL.md", "b/SKILL.md"}, "", "holds 2 folders with a SKILL.md (a, b)"},
		{"something beside", []string{"a/SKILL.md", "LICENSE"}, "", `"LICENSE" lies beside the folder "a"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var files []File
			for _, p := range tt.paths {
				files = append(files, File{Path: p})
			}
			out, wrapper, err := Unwrap(files, "SKILL.md", isManifest)
			var got []string
			for _, f := range out {
				got = append(got, f.Path)
			}
			text := strings.Join(got, " ")
			if err != nil {
				text = err.Error()
			}
			if wrapper != tt.wrapper || !strings.Contains(text, tt.want) {
				t.Errorf("got %q, %q, want %q, %q", wrapper, text, tt.wrapper, tt.want)
			}
		})
	}
}

func TestListRefusesAndLimits(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		fsys fstest.MapFS
		want string
	}{
		"link":      {fstest.MapFS{"a": {Mode: fs.ModeSymlink, Data: []byte("b")}}, "symbolic link"},
		"case":      {fstest.MapFS{"a": {}, "A": {}}, "differ only in case"},
		"backslash": {fstest.MapFS{`a\b`: {}}, "backslash"},
		"total": {fstest.MapFS{
			"1": {Data: make([]byte, MaxFile)}, "2": {Data: make([]byte, MaxFile)}, "3": {Data: make([]byte, MaxFile)},
			"4": {Data: make([]byte, MaxFile)}, "5": {Data: make([]byte, MaxFile)}, "6": {Data: make([]byte, 1)},
		}, "more than 50 MiB"},
	} {
		if _, err := List(t.Context(), tt.fsys, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
}

func FuzzReadZip(f *testing.F) {
	f.Add(makeZip(f, rawEntry{name: "SKILL.md", data: "x"}, rawEntry{name: "a/b.sh", data: "#!", mode: 0o755}))
	f.Add(makeZip(f, rawEntry{name: "w/SKILL.md"}, rawEntry{name: "../x"}))
	f.Add([]byte("PK\x05\x06"))
	f.Fuzz(func(t *testing.T, data []byte) {
		files, err := ReadZip(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		parent := t.TempDir()
		dir := filepath.Join(parent, "in")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		_ = Extract(t.Context(), files, dir)
		entries, err := os.ReadDir(parent)
		if err != nil || len(entries) != 1 {
			t.Errorf("something was written outside: %v, %v", entries, err)
		}
	})
}

// A file that packs like a bomb can be read back all the same.
func TestZipOfAFileThatPacksWell(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "zeros.bin"), make([]byte, 3*RatioFrom), 0o644); err != nil {
		t.Fatal(err)
	}
	files, err := List(t.Context(), os.DirFS(dir), nil)
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	if err := WriteZip(t.Context(), &buf, files, "x"); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadZip(bytes.NewReader(buf.Bytes()), int64(buf.Len())); err != nil || len(got) != 1 {
		t.Errorf("got %v, error %v", got, err)
	}
}

// Some programs write the folder that they pack as ./
func TestReadZipWithADotFolder(t *testing.T) {
	t.Parallel()
	var buf bytes.Buffer
	zw := zip.NewWriter(&buf)
	for _, name := range []string{"./", "./zed/", "./zed/SKILL.md"} {
		if _, err := zw.Create(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := ReadZip(bytes.NewReader(buf.Bytes()), int64(buf.Len()))
	if err != nil || len(files) != 1 || files[0].Path != "zed/SKILL.md" {
		t.Errorf("got %v, error %v", files, err)
	}
}
