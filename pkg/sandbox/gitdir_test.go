package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// put writes a file and the folders above it.
func put(t *testing.T, text string, parts ...string) {
	t.Helper()
	path := filepath.Join(parts...)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestGitFolder(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		files map[string]string // MAIN and WS stand for the folders
		want  string            // below MAIN; "-" for none
	}{
		{"ordinary checkout", map[string]string{"ws/.git/HEAD": "ref"}, "-"},
		{"no repository", nil, "-"},
		{"linked worktree", map[string]string{
			"ws/.git": "gitdir: MAIN/.git/worktrees/ws\n", "main/.git/worktrees/ws/gitdir": "WS/.git\n", "main/.git/worktrees/ws/commondir": "../..\n",
		}, ".git"},
		{"linked worktree, relative", map[string]string{
			"ws/.git": "gitdir: ../main/.git/worktrees/ws\n", "main/.git/worktrees/ws/gitdir": "../../../../ws/.git\n", "main/.git/worktrees/ws/commondir": "../..\n",
		}, ".git"},
		{"submodule", map[string]string{
			"ws/.git": "gitdir: ../main/.git/modules/ws\n", "main/.git/modules/ws/config": "[core]\n\tbare = false\n\tworktree = ../../../../ws\n",
		}, ".git/modules/ws"},
		// What a workspace from elsewhere could say to see a folder of the machine.
		{"a folder that knows nothing of it", map[string]string{"ws/.git": "gitdir: MAIN/secret\n", "main/secret/key": "x"}, "-"},
		{"another worktree's folder", map[string]string{
			"ws/.git": "gitdir: MAIN/.git/worktrees/other\n", "main/.git/worktrees/other/gitdir": "MAIN/other/.git\n", "main/.git/worktrees/other/commondir": "../..\n", "main/other/.git": "gitdir: x\n",
		}, "-"},
		{"its own files name a folder outside", map[string]string{
			"ws/.git": "gitdir: fake\n", "ws/fake/gitdir": "WS/.git\n", "ws/fake/commondir": "MAIN/secret\n", "main/secret/key": "x",
		}, "-"},
		{"another submodule's folder", map[string]string{"ws/.git": "gitdir: MAIN/.git/modules/o\n", "main/.git/modules/o/config": "worktree = MAIN\n"}, "-"},
		{"nonsense", map[string]string{"ws/.git": "hello\n"}, "-"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			main, ws := filepath.Join(root, "main"), filepath.Join(root, "ws")
			mkdirs(t, main)
			mkdirs(t, ws)
			for name, text := range tt.files {
				put(t, replaced(text, main, ws), root, name)
			}
			want := ""
			if tt.want != "-" {
				want = filepath.Join(main, tt.want)
			}
			if got := gitFolder(ws); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			for _, access := range []WorkspaceAccess{WorkspaceRW, WorkspaceRO} {
				p := WorkspacePolicy(WorkspaceOptions{Dir: ws, Access: access})
				if got := len(p.ReadOnly) > 0 && p.ReadOnly[0].Host == want; got != (want != "") {
					t.Errorf("%s: read-only mounts are %v", access, p.ReadOnly)
				}
			}
		})
	}
}

// A folder of the workspace itself that claims to be the repository, by way of a
// link, must not be followed out of it.
func TestGitFolderThroughLink(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	ws, secret := filepath.Join(root, "ws"), filepath.Join(root, "secret")
	mkdirs(t, filepath.Join(secret, "worktrees"))
	put(t, "gitdir: fake\n", ws, ".git")
	put(t, filepath.Join(ws, ".git"), ws, "fake", "gitdir")
	put(t, secret, ws, "fake", "commondir")
	if got := gitFolder(ws); got != "" {
		t.Errorf("got %q", got)
	}
}

func replaced(text, main, ws string) string {
	return strings.NewReplacer("MAIN", main, "WS", ws).Replace(text)
}
