package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestWorkspacePolicy(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	ws := filepath.Join(home, "project")
	mkdirs(t, ws)
	tests := []struct {
		name    string
		opts    WorkspaceOptions
		ro, rw  int
		dir     string
		protect bool
	}{
		{"read and write", WorkspaceOptions{Dir: ws, Home: home}, 0, 1, ws, true},
		{"read only", WorkspaceOptions{Dir: ws, Home: home, Access: WorkspaceRO}, 1, 0, ws, false},
		{"none", WorkspaceOptions{Dir: ws, Home: home, Access: WorkspaceNone}, 0, 0, "", false},
		{"no workspace", WorkspaceOptions{Home: home}, 0, 0, "", false},
		{"home itself", WorkspaceOptions{Dir: home, Home: home}, 0, 0, "", false},
		{"above home", WorkspaceOptions{Dir: filepath.Dir(home), Home: home}, 0, 0, "", false},
		{"root", WorkspaceOptions{Dir: "/", Home: home}, 0, 0, "", false},
		{"home not known", WorkspaceOptions{Dir: ws}, 0, 1, ws, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := WorkspacePolicy(tt.opts)
			if len(p.ReadOnly) != tt.ro || len(p.ReadWrite) != tt.rw || p.Dir != tt.dir || (len(p.Protect) > 0) != tt.protect {
				t.Errorf("got %+v", p)
			}
			if p.Network != NetworkNone {
				t.Errorf("network is %q, want none", p.Network)
			}
		})
	}
}

func TestMountableFollowsLinks(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(home, link); err != nil {
		t.Fatal(err)
	}
	if Mountable(link, home) {
		t.Errorf("a link to the home folder is mountable")
	}
}

func TestProtectedPaths(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		make []string
		more []string
		want []string
		no   []string // must not be listed
	}{
		{"nothing there", nil, nil, []string{".git", ".hg", ".svn", ".agentctl", ".skill", ".agents", ".claude", "agentctl.yaml", "skills", "apps"}, nil},
		{"apps of ours", []string{"apps/x/APP.md"}, nil, []string{"apps"}, []string{"apps/x/APP.md"}},
		{"apps of somebody else", []string{"apps/web/index.ts"}, nil, []string{"apps/web/APP.md", "apps/default/APP.md"}, []string{"apps"}},
		{"configured roots", nil, []string{"more/skills"}, []string{"more/skills"}, []string{"more"}},
		{"the workspace itself, and what holds it", nil, []string{".", "..", "../elsewhere"}, []string{"../elsewhere"}, []string{".", ".."}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ws := t.TempDir()
			for _, file := range tt.make {
				mkdirs(t, filepath.Join(ws, filepath.Dir(file)))
				if err := os.WriteFile(filepath.Join(ws, file), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got := ProtectedPaths(ws, joinAll(ws, tt.more)...)
			for _, path := range joinAll(ws, tt.want) {
				if !slices.Contains(got, path) {
					t.Errorf("%s is missing in %v", path, got)
				}
			}
			for _, path := range joinAll(ws, tt.no) {
				if slices.Contains(got, path) {
					t.Errorf("%s is listed in %v", path, got)
				}
			}
		})
	}
}

func joinAll(dir string, names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = filepath.Join(dir, n)
	}
	return out
}

func mkdirs(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o750); err != nil {
		t.Fatal(err)
	}
}
