package registry

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/agentctl/agentctl/internal/diag"
)

// manifest is a file of the test kind: lines "key=value"; "broken" does not load.
const manifest = "M"

func testKind() Kind[string] {
	return Kind[string]{
		Name: "thing", Depth: 6,
		Detect: func(entries []fs.DirEntry) (string, bool) {
			return manifest, slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == manifest })
		},
		Parse: parseTest,
	}
}

func parseTest(_ context.Context, l Location) (Parsed[string], []diag.Diagnostic, error) {
	data, err := fs.ReadFile(l.FS, l.Manifest)
	if err != nil {
		return Parsed[string]{}, nil, err
	}
	p := Parsed[string]{Value: string(data)}
	var ds []diag.Diagnostic
	for line := range strings.Lines(string(data)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch key {
		case "name":
			p.Name = value
		case "slug":
			p.Slug = value
		case "alias":
			p.Aliases = append(p.Aliases, value)
		case "warn":
			ds = append(ds, diag.Diagnostic{File: l.File(), Line: 1, Severity: diag.Warning, Code: "test.warn", Message: value})
		case "broken":
			return p, ds, errors.New("cannot be read")
		}
	}
	return p, ds, nil
}

// files makes an fs.FS of folder: manifest text.
func files(packages map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for dir, text := range packages {
		fsys[dir+"/"+manifest] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

func load(t *testing.T, opts Options, sources ...Source) *Listing[string] {
	t.Helper()
	l, err := testKind().Load(t.Context(), sources, opts)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// states lists the items as "dir=state".
func states(l *Listing[string]) string {
	var out []string
	for _, it := range l.Items {
		out = append(out, it.Dir+"="+string(it.State))
	}
	return strings.Join(out, " ")
}

func codes(ds []diag.Diagnostic) string {
	var out []string
	for _, d := range ds {
		out = append(out, d.Code)
	}
	return strings.Join(out, " ")
}

func memory(name string, rank int, root string, packages map[string]string) Source {
	return Source{Name: name, Rank: rank, Root: root, FS: files(packages)}
}

func TestResolveOrder(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		sources []Source
		ask     string
		want    string // folder of the winner
		by      Match
		reasons []string
	}{
		{
			"rank decides",
			[]Source{memory("shared", 2, "/s", map[string]string{"a": ""}), memory("workspace", 1, "/w", map[string]string{"a": ""})},
			"a", "/w/a", ByName,
			[]string{"workspace wins over shared"},
		}, {
			"then the order of roots",
			[]Source{memory("workspace", 1, "/w2", map[string]string{"a": ""}), memory("workspace", 1, "/w1", map[string]string{"a": ""})},
			"a", "/w2/a", ByName,
			[]string{"/w2 is searched before /w1"},
		}, {
			"then the path",
			[]Source{memory("workspace", 1, "/w", map[string]string{"y/a": "", "x/a": ""})},
			"a", "/w/x/a", ByName,
			[]string{"/w/x/a sorts before /w/y/a"},
		}, {
			"a name beats an alias of a better source",
			[]Source{memory("workspace", 1, "/w", map[string]string{"b": "alias=a"}), memory("shared", 2, "/s", map[string]string{"a": ""})},
			"a", "/s/a", ByName,
			[]string{"matches by alias, /s/a/M by name"},
		}, {
			"folder before slug before alias",
			[]Source{memory("w", 1, "/w", map[string]string{"1": "name=A\nalias=x", "2": "name=B\nslug=x", "x": "name=C"})},
			"x", "/w/x", ByFolder,
			[]string{"matches by slug, /w/x/M by folder", "matches by alias, /w/x/M by folder"},
		}, {
			"trust before rank",
			[]Source{
				{Name: "workspace", Rank: 1, Root: "/w", FS: files(map[string]string{"a": ""}), Untrusted: true},
				memory("shared", 2, "/s", map[string]string{"a": ""}),
			},
			"a", "/s/a", ByName,
			[]string{"is not trusted"},
		}, {
			"composed and decomposed are one name",
			[]Source{memory("w", 1, "/w", map[string]string{"x": "name=caf\u00e9"})},
			"cafe\u0301", "/w/x", ByName, nil,
		}, {
			"blanks around do not count, case does",
			[]Source{memory("w", 1, "/w", map[string]string{"x": "name=A", "y": "name=a"})},
			" a ", "/w/y", ByName, nil,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			res, err := load(t, Options{}, tt.sources...).Resolve(tt.ask)
			if err != nil {
				t.Fatal(err)
			}
			var reasons []string
			for _, o := range res.Others {
				reasons = append(reasons, o.Reason)
			}
			if res.Winner.Dir != tt.want || res.By != tt.by || !slices.Equal(reasons, tt.reasons) {
				t.Errorf("got %s by %s, %q\nwant %s by %s, %q", res.Winner.Dir, res.By, reasons, tt.want, tt.by, tt.reasons)
			}
		})
	}
}

func TestStates(t *testing.T) {
	t.Parallel()
	w := map[string]string{"a": "", "off": "", "bad": ""}
	trusted := Source{Name: "workspace", Rank: 1, Root: "/w", FS: files(w)}
	untrusted := trusted
	untrusted.Untrusted = true
	shared := memory("shared", 2, "/s", map[string]string{"a": "", "off": ""})
	off := Options{Disabled: func(n string) bool { return n == "off" }}
	for name, tt := range map[string]struct {
		first Source
		want  string
	}{
		"trusted":   {trusted, "/w/a=active /s/a=shadowed /w/bad=active /w/off=disabled /s/off=shadowed"},
		"untrusted": {untrusted, "/s/a=active /w/a=untrusted /w/bad=untrusted /s/off=disabled /w/off=disabled"},
	} {
		l := load(t, off, tt.first, shared)
		if got := states(l); got != tt.want {
			t.Errorf("%s: got %s\nwant %s", name, got, tt.want)
		}
	}
	l := load(t, Options{}, trusted, shared)
	i := slices.IndexFunc(l.Items, func(it *Item[string]) bool { return it.Dir == "/s/a" })
	if got := l.Items[i].ShadowedBy; got != "/w/a/M" {
		t.Errorf("shadowed by %q, want /w/a/M", got)
	}
}

func TestBrokenPackages(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		sources []Source
		codes   string
		ask     string
		want    string // folder, or the error
	}{
		{
			"alone",
			[]Source{memory("w", 1, "/w", map[string]string{"a": "broken"})},
			"package.broken", "a", `thing "a" does not load: /w/a/M: error: cannot be read (package.broken)`,
		}, {
			"by its own name",
			[]Source{memory("w", 1, "/w", map[string]string{"a": "name=b\nbroken"})},
			"package.broken", "b", `thing "b" does not load: /w/a/M: error: cannot be read (package.broken)`,
		}, {
			"by its folder all the same",
			[]Source{memory("w", 1, "/w", map[string]string{"a": "name=b\nbroken"})},
			"package.broken", "a", `thing "a" does not load: /w/a/M: error: cannot be read (package.broken)`,
		}, {
			"it would win, a good one loads",
			[]Source{memory("w", 1, "/w", map[string]string{"a": "broken"}), memory("s", 2, "/s", map[string]string{"a": ""})},
			"package.broken package.broken-winner", "a", "/s/a",
		}, {
			"a good one wins anyway",
			[]Source{memory("w", 1, "/w", map[string]string{"a": ""}), memory("s", 2, "/s", map[string]string{"a": "broken"})},
			"package.broken", "a", "/w/a",
		}, {
			"an untrusted one is no winner",
			[]Source{
				{Name: "w", Rank: 1, Root: "/w", FS: files(map[string]string{"a": "broken"}), Untrusted: true}, memory("s", 2, "/s", map[string]string{"a": ""}),
			},
			"package.broken", "a", "/s/a",
		}, {
			"the error comes before the warnings",
			[]Source{memory("w", 1, "/w", map[string]string{"a": "warn=x\nbroken"})},
			"package.broken test.warn", "a", `thing "a" does not load: /w/a/M: error: cannot be read (package.broken)`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := load(t, Options{}, tt.sources...)
			if got := codes(l.Diagnostics); got != tt.codes {
				t.Errorf("diagnostics %s, want %s", got, tt.codes)
			}
			res, err := l.Resolve(tt.ask)
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				got = res.Winner.Dir
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestNotFound(t *testing.T) {
	t.Parallel()
	l := load(t, Options{Disabled: func(n string) bool { return n == "csv-off" }},
		memory("w", 1, "/w", map[string]string{"csv-summary": "", "csv-off": ""}), Source{Name: "s", Rank: 2, Root: "/none"})
	_, err := l.Resolve("cvs-summary")
	e, ok := errors.AsType[*NotFoundError](err)
	if !ok || !slices.Equal(e.Nearest, []string{"csv-summary"}) || !slices.Equal(e.Available, []string{"csv-summary"}) || !slices.Equal(e.Looked, []string{"/w", "/none"}) {
		t.Errorf("got %+v, %v", e, err)
	}
	if want := `thing "cvs-summary" not found`; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}

func TestFilterAndWithhold(t *testing.T) {
	t.Parallel()
	l := load(t, Options{}, memory("w", 1, "/w", map[string]string{"a": "", "c": "alias=b"}), memory("s", 2, "/s", map[string]string{"a": "", "b": ""}))
	withheld := l.Withhold(func(it *Item[string]) string {
		if it.Dir == "/w/a" || it.Dir == "/s/b" {
			return "is secret"
		}
		return ""
	})
	for _, name := range []string{"a", "b"} { // neither the shadowed a nor the alias b
		_, err := withheld.Resolve(name)
		if e, ok := errors.AsType[*WithheldError](err); !ok || e.Name != name || err.Error() != fmt.Sprintf("thing %q is secret", name) {
			t.Errorf("%s: got %v, want it withheld", name, err)
		}
	}
	if got := names(withheld.Winners()); got != "c" {
		t.Errorf("winners of the view: %s, want c", got)
	}
	filtered := l.Filter(func(it *Item[string]) bool { return it.Source.Name == "s" })
	if res, err := filtered.Resolve("a"); err != nil || res.Winner.Dir != "/s/a" {
		t.Errorf("filtered: got %v, %v, want /s/a", res.Winner, err)
	}
	both := withheld.Filter(func(it *Item[string]) bool { return it.Source.Name == "s" })
	if res, err := both.Resolve("a"); err != nil || res.Winner.Dir != "/s/a" {
		t.Errorf("what a filter drops is not withheld: got %v, %v", res.Winner, err)
	}
	if got := names(l.Winners()); got != "a b c" {
		t.Errorf("the listing itself changed: %s", got)
	}
	partly := l.Withhold(func(it *Item[string]) string {
		if it.Dir == "/s/a" {
			return "is secret"
		}
		return ""
	})
	if res, err := partly.Resolve("a"); err != nil || len(res.Others) > 0 {
		t.Errorf("a withheld loser shows: %v, %v", res.Others, err)
	}
}

func names(items []*Item[string]) string {
	var out []string
	for _, it := range items {
		out = append(out, it.Name)
	}
	return strings.Join(out, " ")
}

func TestScan(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("d/", 5)
	tests := []struct {
		name   string
		fsys   fstest.MapFS
		single bool
		want   string // folders found
		codes  string
	}{
		{"the root is no package", fstest.MapFS{"M": {}, "a/M": {}}, false, "/r/a", ""},
		{"a single one is", fstest.MapFS{"M": {}, "a/M": {}}, true, "/r", ""},
		{"a single one that is none", fstest.MapFS{"a/M": {}}, true, "", "scan.no-package"},
		{"nothing below a package", fstest.MapFS{"a/M": {}, "a/b/M": {}}, false, "/r/a", ""},
		{"six levels", fstest.MapFS{deep + "6/M": {}, deep + "6/7/x": {}, deep + "x/7/M": {}}, false, "/r/" + deep + "6", ""},
		{"other people's trees", fstest.MapFS{
			"node_modules/a/M": {}, ".git/a/M": {}, "x/.venv/a/M": {}, "venv/a/M": {}, "__pycache__/a/M": {}, ".agentctl/a/M": {},
			".agentctl-123/a/M": {}, "env/pyvenv.cfg": {}, "env/lib/a/M": {}, ".hidden/a/M": {},
		}, false, "/r/.hidden/a", ""},
		{"a virtualenv at the root is a strange root, not a virtualenv", fstest.MapFS{"pyvenv.cfg": {}, "a/M": {}}, false, "/r/a", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := load(t, Options{}, Source{Name: "w", Rank: 1, Root: "/r", FS: tt.fsys, Single: tt.single})
			var dirs []string
			for _, it := range l.Items {
				dirs = append(dirs, it.Dir)
			}
			if got := strings.Join(dirs, " "); got != tt.want || codes(l.Diagnostics) != tt.codes {
				t.Errorf("got %q, %q, want %q, %q", got, codes(l.Diagnostics), tt.want, tt.codes)
			}
		})
	}
}

// wideFS is a folder with that many empty folders in it.
type wideFS int

func (w wideFS) Open(string) (fs.File, error) { return nil, fs.ErrNotExist }

func (w wideFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if name != "." {
		return nil, nil
	}
	entries := make([]fs.DirEntry, w)
	for i := range entries {
		entries[i] = emptyDir(i)
	}
	return entries, nil
}

type emptyDir int

func (d emptyDir) Name() string               { return fmt.Sprintf("d%05d", int(d)) }
func (d emptyDir) IsDir() bool                { return true }
func (d emptyDir) Type() fs.FileMode          { return fs.ModeDir }
func (d emptyDir) Info() (fs.FileInfo, error) { return nil, fs.ErrNotExist }

// TestScanBound scans a root at the bound, and one with a folder more.
func TestScanBound(t *testing.T) {
	t.Parallel()
	for extra, want := range map[int]string{0: "", 1: "scan.too-many-folders"} {
		l := load(t, Options{}, Source{Name: "w", Rank: 1, Root: "/r", FS: wideFS(MaxFolders - 1 + extra)}) // the root counts too
		if got := codes(l.Diagnostics); got != want {
			t.Errorf("%d folders more than the bound: %q, want %q", extra, got, want)
		}
		if want != "" && !strings.Contains(l.Diagnostics[0].Message, "/r") {
			t.Errorf("the message does not name the root: %s", l.Diagnostics[0].Message)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

func TestLinksOnDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root, other := filepath.Join(dir, "root"), filepath.Join(dir, "other")
	write(t, filepath.Join(root, "a", "M"), "")
	write(t, filepath.Join(other, "linked", "M"), "")
	write(t, filepath.Join(other, "tree", "deep", "M"), "")
	link(t, filepath.Join(other, "linked"), filepath.Join(root, "l"))    // a package: followed
	link(t, filepath.Join(root, "a"), filepath.Join(root, "again"))      // the same package twice: once
	link(t, filepath.Join(other, "tree"), filepath.Join(root, "forest")) // a tree: not entered
	link(t, root, filepath.Join(root, "loop"))
	link(t, filepath.Join(dir, "nowhere"), filepath.Join(root, "dangling"))
	link(t, root, filepath.Join(dir, "entry")) // the root itself: followed

	l := load(t, Options{}, Source{Name: "w", Rank: 1, Root: filepath.Join(dir, "entry")})
	var dirs []string
	for _, it := range l.Items {
		rel, err := filepath.Rel(dir, it.Dir)
		if err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, filepath.ToSlash(rel))
	}
	if got := strings.Join(dirs, " "); got != "entry/a entry/l" || len(l.Diagnostics) > 0 {
		t.Errorf("got %s, %v, want entry/a entry/l", got, l.Diagnostics)
	}
}

func TestOnePackageInTwoRoots(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "one", "a", "M"), "")
	link(t, filepath.Join(dir, "one"), filepath.Join(dir, "two"))
	l := load(t, Options{}, Source{Name: "w", Rank: 1, Root: filepath.Join(dir, "two")}, Source{Name: "s", Rank: 2, Root: filepath.Join(dir, "one")})
	if got := states(l); got != filepath.Join(dir, "two", "a")+"=active" {
		t.Errorf("got %s, want it once", got)
	}
}

func TestUnreadableFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "file"), "")
	l := load(t, Options{}, Source{Name: "w", Rank: 1, Root: filepath.Join(dir, "file")})
	if got := codes(l.Diagnostics); got != "scan.unreadable" {
		t.Errorf("a root that is a file: %q, want scan.unreadable", got)
	}
	loop := filepath.Join(dir, "loop")
	link(t, loop, loop)
	l = load(t, Options{}, Source{Name: "w", Rank: 1, Root: loop})
	if got := codes(l.Diagnostics); got != "scan.unreadable" {
		t.Errorf("a root that links to itself: %q, want scan.unreadable", got)
	}
}

func TestLoadStopsWithContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := testKind().Load(ctx, []Source{memory("w", 1, "/w", map[string]string{"a": ""})}, Options{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestLocationPaths(t *testing.T) {
	t.Parallel()
	l := load(t, Options{}, Source{Name: "s", Rank: 1, Root: EmbeddedRoot, FS: files(map[string]string{"x/a": ""})})
	if it := l.Items[0]; it.Dir != "embedded/x/a" || it.File() != "embedded/x/a/M" || it.Folder() != "a" || it.Rel != "x/a" {
		t.Errorf("got dir %s, file %s, folder %s, rel %s", it.Dir, it.File(), it.Folder(), it.Rel)
	}
	if got := (Location{Dir: "/x"}).File(); got != "/x" {
		t.Errorf("without a manifest: got %s, want the folder", got)
	}
}

func BenchmarkResolveAll(b *testing.B) {
	packages := map[string]string{}
	for i := range 1000 {
		packages[fmt.Sprintf("p%04d", i)] = ""
	}
	src := memory("w", 1, "/w", packages)
	for b.Loop() {
		l, err := testKind().Load(b.Context(), []Source{src}, Options{})
		if err != nil || len(l.Winners()) != 1000 {
			b.Fatal(err)
		}
	}
}
