package workspace

import (
	"os"
	"path/filepath"
	"testing"
)

// tree makes folders (ending in /) and empty files below a new folder.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		path := filepath.Join(root, filepath.FromSlash(name))
		dir := path
		if name[len(name)-1] != '/' {
			dir = filepath.Dir(path)
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if dir != path {
			if err := os.WriteFile(path, nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return root
}

func TestFind(t *testing.T) {
	t.Parallel()
	root := tree(t, "home/.git/", "home/plain/sub/", "home/repo/.git/", "home/repo/a/b/", "home/tree/.git",
		"home/conf/agentctl.yaml", "home/conf/x/", "home/own/.agentctl/", "home/own/x/", "home/hg/.hg/", "home/hg/x/", "other/x/")
	tests := []struct{ name, start, want string }{
		{"a repository", "home/repo/a/b", "home/repo"},
		{"its root", "home/repo", "home/repo"},
		{"a worktree's .git is a file", "home/tree", "home/tree"},
		{"agentctl.yaml", "home/conf/x", "home/conf"},
		{".agentctl", "home/own/x", "home/own"},
		{"another VCS", "home/hg/x", "home/hg"},
		{"no marker: the folder itself", "home/plain/sub", "home/plain/sub"},
		{"the home folder is never found", "home/plain", "home/plain"},
		{"the home folder as start", "home", "home"},
		{"above the home folder", ".", "."},
		{"beside the home folder", "other/x", "other/x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := Find(filepath.Join(root, tt.start), filepath.Join(root, "home"))
			if want := filepath.Join(root, tt.want); err != nil || got != want {
				t.Errorf("got %s, %v, want %s", got, err, want)
			}
		})
	}
}

func TestOverlap(t *testing.T) {
	t.Parallel()
	root := tree(t, "ws/skills/a/", "ws/know/", "other/")
	for link, target := range map[string]string{"ws/.skill": "know", "ws/gone": "missing", "link": "ws"} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"ws/skills", "ws/skills", true},
		{"ws/skills", "ws/skills/a", true},
		{"ws/skills/a", "ws/skills", true},
		{"ws/skills", "ws/skills-too", false},
		{"ws/skills", "other", false},
		{"link/skills/a", "ws/skills", true},
		{"ws/.skill", "ws/know", true},
		{"link/.skill", "ws/.skill", true},
		{"ws/gone", "link/gone/x", true},
	} {
		if got := Overlap(filepath.Join(root, tt.a), filepath.Join(root, tt.b)); got != tt.want {
			t.Errorf("%s and %s: got %t, want %t", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestExplicit(t *testing.T) {
	t.Parallel()
	root := tree(t, "dir/", "file")
	if got, err := Explicit(filepath.Join(root, "dir")); err != nil || got != filepath.Join(root, "dir") {
		t.Errorf("got %s, %v", got, err)
	}
	for _, name := range []string{"file", "nothing"} {
		if got, err := Explicit(filepath.Join(root, name)); err == nil {
			t.Errorf("%s: got %s, want an error", name, got)
		}
	}
}

func TestIsRisky(t *testing.T) {
	t.Parallel()
	root := tree(t, "home/user/work/")
	if err := os.Symlink(filepath.Join(root, "home"), filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(root, "home", "user")
	for dir, want := range map[string]bool{
		"/": true, home: true, filepath.Dir(home): true, filepath.Join(root, "link"): true,
		filepath.Join(root, "link", "user"): true, filepath.Join(home, "work"): false,
	} {
		if got := IsRisky(dir, home); got != want {
			t.Errorf("%s: got %t, want %t", dir, got, want)
		}
	}
}
