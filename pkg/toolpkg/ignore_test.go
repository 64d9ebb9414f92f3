package toolpkg

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// gitKeeps are the files of a checkout that git would add, which is what the
// stamp must be about.
func gitKeeps(t *testing.T, root string) []string {
	t.Helper()
	run := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", root}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return string(out)
	}
	run("init", "--quiet")
	out := run("ls-files", "--others", "--exclude-per-directory=.gitignore", "-z")
	files := strings.FieldsFunc(out, func(r rune) bool { return r == 0 })
	slices.Sort(files)
	return files
}

func filterKeeps(t *testing.T, dir string) []string {
	t.Helper()
	f := newSourceFilter(dir)
	var files []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || p == ".":
			return err
		case !f.keep(p, d.IsDir()):
			if d.IsDir() {
				return fs.SkipDir
			}
		case !d.IsDir():
			files = append(files, p)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	return files
}

func needGit(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		skip(t, "git is not installed")
	}
}

// TestIgnoreIsThatOfGit lays each set of rules over one tree and asks git.
func TestIgnoreIsThatOfGit(t *testing.T) {
	t.Parallel()
	needGit(t)
	paths := []string{
		"a", "b.txt", "keep.log", "x.log", "main.go", "#x", "!x", "x ", "x", "{a,b}", "[a", "]", "é.txt", "ab", "b\\c", "f.TXT", "tmp1.dat",
		"keep/x.log", "keep/keep.log", "sub/a", "sub/b/a", "sub/b/c/a", "sub/b/c/x.log", "deep/sub/b/a", "build/out.bin", "lib/build/out.bin",
	}
	rules := []string{
		"*.log", "*.log\n!keep.log", "*.log\n!keep/", "keep/\n!keep/keep.log", "keep/*\n!keep/keep.log", "*\n!*/\n!*.go", "/*\n!/sub\n!/keep/",
		"?.txt", "??.txt", "tmp?.dat", "*.dat", "*\\.dat", "[ab].txt", "[!b].txt", "[^b].txt", "[a-c].*", "[]x]", "[!]x]", "[[:alpha:]].txt",
		"[[:upper:]]*", "[[:nonsense:]]", "[a", "a\\", "\\[a", "\\#x", "#x", "\\!x", "x ", "x\\ ", "x \\ ", "{a,b}", "b\\\\c", "*.[tT]*",
		"sub/a", "/a", "a/", "sub/", "/sub/b/", "b/", "**/b", "sub/**", "sub/**/a", "sub/**/b/**/a", "**/c/**", "/**", "**", "**/", "s**b", "sub/*/a",
		"*/a", "sub/*", "sub/b*", "build", "/build", "build/\n!build/", "*.txt\r", "\ufeff*.log", "", "!", "/", "//", "sub//a", "***/a", "sub/***",
		"!a\na", "a\n!a\na", "   ", "s[u/]b", "sub[/]a", "sub/[!a]", "sub[--9]a", "*/[--z]", "sub?a", "é*", "[é].txt", "?.txt\n??.txt\n!é.txt",
	}
	for _, text := range rules {
		t.Run(strings.ReplaceAll(text, "/", "|"), func(t *testing.T) {
			t.Parallel()
			root := tempDir(t)
			files := map[string]string{".gitignore": text}
			for _, p := range paths {
				files[p] = ""
			}
			writeTree(t, root, files)
			if got, want := filterKeeps(t, root), gitKeeps(t, root); !slices.Equal(got, want) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
}

// TestNestedIgnoreIsThatOfGit builds trees with rules at several depths.
func TestNestedIgnoreIsThatOfGit(t *testing.T) {
	t.Parallel()
	needGit(t)
	lines := strings.Fields(`* !*/ !*.go *.log !keep.log keep/ !keep/ !keep /a /a/ a/* !a/b a/** **/b a/**/b ?.txt [ab]* [!a]* [a-c]/ ** b/ !b/ /* !/a */b /*/b !/*/b/keep.log ? *a*b* a**b`)
	names := strings.Fields("a b keep keep.log x.log c.txt a.txt foobar main.go é.txt ab aXb")
	pick := func(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }
	var grow func(r *rand.Rand, files map[string]string, dir string, depth int)
	grow = func(r *rand.Rand, files map[string]string, dir string, depth int) {
		if depth == 0 || r.IntN(3) == 0 {
			for range 1 + r.IntN(4) {
				files[filepath.Join(dir, ".gitignore")] += pick(r, lines) + "\n"
			}
		}
		for range 2 + r.IntN(5) {
			name := filepath.Join(dir, pick(r, names))
			if depth < 3 && r.IntN(2) == 0 {
				grow(r, files, name+".d", depth+1)
			} else {
				files[name] = ""
			}
		}
	}
	for seed := range uint64(60) {
		root := tempDir(t)
		files := map[string]string{}
		grow(rand.New(rand.NewPCG(seed, seed)), files, "", 0)
		writeTree(t, root, files)
		if got, want := filterKeeps(t, root), gitKeeps(t, root); !slices.Equal(got, want) {
			t.Errorf("seed %d: got  %q\nwant %q\nfiles %q", seed, got, want, files)
		}
	}
}

// TestIgnoredPackage: rules above a package count for its files, but not those
// that leave the whole package out.
func TestIgnoredPackage(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		above, own string
		want       string
	}{
		"rules above":                   {"*.log\ntools/*/tmp\n/a.txt\n", "", "a.txt main.go sub/a.txt"},
		"the package is left out":       {"/tools/gen/\n*.log\n", "", "a.txt main.go sub/a.txt tmp/b.txt"},
		"a folder above it is left out": {"tools\n*.log\n", "", "a.txt main.go sub/a.txt tmp/b.txt"},
		"everything is left out":        {"*\n", "", "a.txt main.go run.log sub/a.txt tmp/b.txt"},
		"only some files are let in":    {"*\n!*/\n!*.go\n", "", "main.go"},
		"its own rules come last":       {"*.log\n*.txt\n", "!a.txt\n/tmp/\n", ".gitignore a.txt main.go sub/a.txt"},
		"left out and let in again":     {"tools/*\n!tools/gen\n*.log\n", "", "a.txt main.go sub/a.txt tmp/b.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := tempDir(t)
			dir := filepath.Join(root, "tools", "gen")
			writeTree(t, root, map[string]string{".git/HEAD": "", ".gitignore": tt.above})
			writeTree(t, dir, map[string]string{"main.go": "", "a.txt": "", "run.log": "", "sub/a.txt": "", "tmp/b.txt": ""})
			if tt.own != "" {
				writeTree(t, dir, map[string]string{".gitignore": tt.own})
			}
			if got := strings.Join(filterKeeps(t, dir), " "); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}
