package sandbox

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"
)

func write(t *testing.T, path, content string) {
	t.Helper()
	mkdirs(t, filepath.Dir(path))
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, target, path string) {
	t.Helper()
	mkdirs(t, filepath.Dir(path))
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

// What is watched outlives the process that started the command: it is kept as
// JSON, and says later what came into being.
func TestWatchedSources(t *testing.T) {
	t.Parallel()
	ws := realTemp(t)
	write(t, filepath.Join(ws, "apps/web/index.ts"), "")
	p := WorkspacePolicy(WorkspaceOptions{Dir: ws})
	data, err := json.Marshal(Watched(nil, p))
	if err != nil {
		t.Fatal(err)
	}
	var watches []Watch
	if err := json.Unmarshal(data, &watches); err != nil {
		t.Fatal(err)
	}
	if got := Appeared(watches); got != nil {
		t.Errorf("before anything happened: %q", got)
	}
	write(t, filepath.Join(ws, "apps/rca/APP.md"), "")
	write(t, filepath.Join(ws, ".agentctl/artifacts/x"), "") // agentctl's own doing
	write(t, filepath.Join(ws, ".agents/skills/a/SKILL.md"), "")
	want := joinAll(ws, []string{".agents", "apps/rca/APP.md"})
	if got := Appeared(watches); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A backend that mounts nothing holds nothing, so that what exists is watched.
func TestWatchedWithoutMounts(t *testing.T) {
	t.Parallel()
	ws := realTemp(t)
	file := filepath.Join(ws, ".skill/a/SKILL.md")
	write(t, file, "good")
	busy := joinAll(ws, []string{".git/HEAD", ".hg/branch", ".svn/entries"})
	for _, file := range busy {
		write(t, file, "")
	}
	policy := WorkspacePolicy(WorkspaceOptions{Dir: ws})
	watches := Watched(newNone(Options{}), policy)
	for _, file := range busy {
		write(t, file, "another branch")
	}
	if got := Appeared(watches); got != nil {
		t.Errorf("before anything happened: %q", got)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond) // the kernel's clock for files is coarse
	write(t, file, "evil")
	if err := os.Chtimes(file, time.Time{}, info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if got := Appeared(watches); !slices.Equal(got, []string{filepath.Join(ws, ".skill")}) {
		t.Errorf("a change under its old time: %q", got)
	}
}

// A link that still says the same leads elsewhere once a folder above it, or a
// link behind it, is another one.
func TestWatchedLinkLeadsElsewhere(t *testing.T) {
	t.Parallel()
	for name, swap := range map[string]func(at func(string) string) error{
		"a folder above": func(at func(string) string) error {
			return errors.Join(os.Rename(at("team"), at("old")), os.Symlink("x/y", at("team")))
		},
		"a link behind": func(at func(string) string) error {
			return errors.Join(os.Remove(at("shared")), os.Symlink("x/shared", at("shared")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ws := realTemp(t)
			at := func(name string) string { return filepath.Join(ws, name) }
			write(t, at("good/a/SKILL.md"), "")
			link(t, "good", at("shared"))
			link(t, "../shared", at("team/skills"))
			link(t, "../shared", at("x/y/skills"))
			write(t, at("x/shared/evil/SKILL.md"), "")
			watch := Watch{Path: at("team/skills"), Real: at("team/skills"), Link: "../shared", To: at("good")}
			watches := Watched(nil, Policy{ReadWrite: []Mount{{Host: ws}}, Protect: []string{watch.Path}})
			if !slices.ContainsFunc(watches, func(w Watch) bool { return reflect.DeepEqual(w, watch) }) {
				t.Errorf("watched is %+v, want %+v in it", watches, watch)
			}
			if got := watch.Appeared(); got != nil {
				t.Errorf("before anything happened: %q", got)
			}
			if err := swap(at); err != nil {
				t.Fatal(err)
			}
			if got := watch.Appeared(); !slices.Equal(got, []string{watch.Path}) {
				t.Errorf("appeared is %q", got)
			}
		})
	}
}

// A folder that cannot be looked at may have anything in it.
func TestWatchedFolderUnreadable(t *testing.T) {
	t.Parallel()
	apps := filepath.Join(realTemp(t), "apps")
	mkdirs(t, apps)
	w := Watch{Path: apps, Real: apps, File: appFile}
	if err := os.Remove(apps); err != nil {
		t.Fatal(err)
	}
	if got := w.Appeared(); got != nil {
		t.Errorf("it is gone: %q", got)
	}
	write(t, apps, "")
	if got := w.Appeared(); got != nil {
		t.Errorf("it is a file: %q", got)
	}
	if err := os.Remove(apps); err != nil {
		t.Fatal(err)
	}
	link(t, "apps", apps) // to itself, which fails for root as well
	if got := w.Appeared(); !slices.Equal(got, []string{apps}) {
		t.Errorf("it cannot be read: %q", got)
	}
	w.Had = foldersWith(apps, appFile)
	if got := w.Appeared(); got != nil {
		t.Errorf("as before: %q", got)
	}
}

func TestPackageLinks(t *testing.T) {
	t.Parallel()
	root := realTemp(t)
	write(t, filepath.Join(root, "SKILL.md"), "") // the root is no package
	write(t, filepath.Join(root, "current/SKILL.md"), "")
	write(t, filepath.Join(root, "a/SKILL.md"), "")
	link(t, "../x", filepath.Join(root, "a/data"))
	link(t, "../know", filepath.Join(root, "linked"))
	link(t, "../more", filepath.Join(root, "group/inner/linked"))
	write(t, filepath.Join(root, "app/APP.md"), "")
	link(t, "../data", filepath.Join(root, "app/data"))
	link(t, "../../p", filepath.Join(root, "app/profiles/p"))
	write(t, filepath.Join(root, "app/profiles/q/APP.md"), "")
	link(t, "../../../s", filepath.Join(root, "app/profiles/q/.skill/s"))
	want := joinAll(root, []string{"app/profiles/p", "app/profiles/q/.skill/s", "group/inner/linked", "linked"})
	got := PackageLinks(root)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := PackageLinks(filepath.Join(root, "missing")); got != nil {
		t.Errorf("of nothing: %q", got)
	}
}

// A path elsewhere that leads into a writable folder is protected there, and each
// link on its way is watched.
func TestProtectBehindLinks(t *testing.T) {
	t.Parallel()
	ws, home := realTemp(t), realTemp(t)
	mkdirs(t, filepath.Join(ws, "know/b"))
	link(t, "know", filepath.Join(ws, "again"))
	link(t, filepath.Join(ws, "again"), filepath.Join(home, "skills"))
	pl, err := host{}.check(Policy{ReadWrite: []Mount{{Host: ws}}, Protect: []string{filepath.Join(home, "skills/b"), filepath.Join(home, "other")}})
	if err != nil {
		t.Fatal(err)
	}
	held := grant{host: filepath.Join(ws, "know/b"), guest: filepath.Join(ws, "know/b")}
	if !slices.Contains(pl.grants, held) {
		t.Errorf("grants are %+v, want %+v among them", pl.grants, held)
	}
	if len(pl.watch) != 1 || pl.watch[0].Real != filepath.Join(ws, "again") {
		t.Errorf("watched is %+v", pl.watch)
	}
}

// A folder that is granted twice, by a link and by its name, is protected at both
// places, the folders on the way included.
func TestProtectEveryView(t *testing.T) {
	t.Parallel()
	ws, dir := realTemp(t), realTemp(t)
	mkdirs(t, filepath.Join(ws, "a/.skill"))
	mkdirs(t, filepath.Join(ws, "out"))
	by := filepath.Join(dir, "by")
	link(t, ws, by)
	pl, err := host{}.check(Policy{
		ReadWrite: []Mount{{Host: ws}, {Host: by}, {Host: filepath.Join(ws, "out")}, {Host: filepath.Join(ws, "a"), Guest: "/opt/a"}},
		Protect:   []string{filepath.Join(ws, "a/.skill")},
	})
	if err != nil {
		t.Fatal(err)
	}
	held := filepath.Join(ws, "a/.skill")
	for _, want := range []grant{
		{held, held, false},
		{held, filepath.Join(by, "a/.skill"), false},
		{filepath.Join(ws, "a"), filepath.Join(by, "a"), true},
		{held, "/opt/a/.skill", false},
	} {
		if !slices.Contains(pl.grants, want) {
			t.Errorf("%+v is missing in %+v", want, pl.grants)
		}
	}
}
