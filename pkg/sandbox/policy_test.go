package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func mkdir(t *testing.T, parts ...string) string {
	t.Helper()
	dir := filepath.Join(parts...)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func realTemp(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func symlink(t *testing.T, target, link string) {
	t.Helper()
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
}

func TestRefusedPolicies(t *testing.T) {
	t.Parallel()
	tmp := realTemp(t)
	home := mkdir(t, tmp, "users", "me")
	ws := mkdir(t, home, "ws")
	symlink(t, home, filepath.Join(ws, "home-link"))
	symlink(t, tmp, filepath.Join(ws, "out"))
	tests := []struct {
		name string
		p    Policy
		want string // in the reason
	}{
		{"root", Policy{ReadWrite: []Mount{{Host: "/"}}}, "whole file system"},
		{"root read-only", Policy{ReadOnly: []Mount{{Host: "/"}}}, "whole file system"},
		{"home", Policy{ReadWrite: []Mount{{Host: home}}}, "home folder"},
		{"above home", Policy{ReadWrite: []Mount{{Host: filepath.Dir(home)}}}, "home folder"},
		{"a link to home", Policy{ReadOnly: []Mount{{Host: filepath.Join(ws, "home-link")}}}, "home folder"},
		{"home with dots", Policy{ReadWrite: []Mount{{Host: ws + "/.."}}}, "home folder"},
		{"relative", Policy{ReadWrite: []Mount{{Host: "ws"}}}, "not an absolute path"},
		{"missing", Policy{ReadWrite: []Mount{{Host: filepath.Join(ws, "none")}}}, "does not exist"},
		{"proc", Policy{ReadOnly: []Mount{{Host: "/proc/self"}}}, "kernel"},
		{"over proc", Policy{ReadOnly: []Mount{{Host: ws, Guest: "/proc/x"}}}, "fills itself"},
		{"over tmp", Policy{ReadOnly: []Mount{{Host: ws, Guest: "/tmp"}}}, "fills itself"},
		{"relative guest", Policy{ReadOnly: []Mount{{Host: ws, Guest: "x"}}}, "fills itself"},
		{"a place that would have to be made", Policy{ReadWrite: []Mount{{Host: ws}, {Host: ws, Guest: filepath.Join(ws, "new")}}}, "no real folder"},
		{"a place behind a link", Policy{ReadWrite: []Mount{{Host: ws}, {Host: ws, Guest: filepath.Join(ws, "out", "users")}}}, "no real folder"},
		{"network", Policy{Network: "some"}, "no network mode"},
		{"variable", Policy{Env: map[string]string{"A=B": "c"}}, "environment"},
		{"value", Policy{Env: map[string]string{"A": "b\x00c"}}, "environment"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := host{home: home}.check(tt.p)
			pe := (*PolicyError)(nil)
			if !errors.As(err, &pe) || !strings.Contains(pe.Reason, tt.want) {
				t.Errorf("error is %v, want a PolicyError with %q", err, tt.want)
			}
		})
	}
}

func TestOptionalMount(t *testing.T) {
	t.Parallel()
	pl, err := host{}.check(Policy{ReadOnly: []Mount{{Host: "/no/such/folder", Optional: true}}})
	if err != nil || len(pl.grants) != 0 {
		t.Errorf("grants %v, error %v", pl, err)
	}
}

func TestDeeperGrantsWin(t *testing.T) {
	t.Parallel()
	ws := realTemp(t)
	out := mkdir(t, ws, ".agentctl", "artifacts", "1")
	pl, err := host{}.check(Policy{
		ReadWrite: []Mount{{Host: out}, {Host: ws}},
		Protect:   []string{filepath.Join(ws, ".agentctl")},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []grant{
		{ws, ws, true}, {filepath.Join(ws, ".agentctl"), filepath.Join(ws, ".agentctl"), false}, {out, out, true},
	}
	if !slices.Equal(pl.grants, want) {
		t.Errorf("grants %v, want %v", pl.grants, want)
	}
}

func TestProtect(t *testing.T) {
	t.Parallel()
	ws := realTemp(t)
	git := mkdir(t, ws, "sub", "repo", ".git")
	mkdir(t, ws, "real")
	symlink(t, "real", filepath.Join(ws, ".claude"))
	symlink(t, "/usr/bin", filepath.Join(ws, "sub", "skills"))
	mkdir(t, ws, "far", "away")
	symlink(t, "far/away", filepath.Join(ws, "hop"))
	symlink(t, "hop/../away", filepath.Join(ws, "up"))
	symlink(t, "loop", filepath.Join(ws, "loop"))
	missing := filepath.Join(ws, ".skill")
	at := func(parts ...string) string { return filepath.Join(append([]string{ws}, parts...)...) }
	tests := []struct {
		name    string
		protect string
		grants  []grant
		watched []string
	}{
		{"pins every parent", git, []grant{{at("sub"), at("sub"), true}, {at("sub", "repo"), at("sub", "repo"), true}, {git, git, false}}, nil},
		{"missing", missing, nil, []string{missing}},
		{"missing, and no mount on the way", at("sub", "repo", "x", "y"), nil, []string{at("sub", "repo", "x", "y")}},
		{"link", at(".claude"), []grant{{at("real"), at("real"), false}}, []string{at(".claude")}},
		{"link in a folder", at("sub", "skills"), []grant{{at("sub"), at("sub"), true}}, []string{at("sub", "skills")}},
		{"link up from a link", at("up"), []grant{{at("far"), at("far"), true}, {at("far", "away"), at("far", "away"), false}}, []string{at("up")}},
		{"link to itself", at("loop"), nil, []string{at("loop")}},
		{"outside", "/usr/bin", nil, nil},
		{"the whole grant", ws, []grant{{ws, ws, false}}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			pl, err := host{}.check(Policy{ReadWrite: []Mount{{Host: ws}}, Protect: []string{tt.protect}})
			if err != nil {
				t.Fatal(err)
			}
			if got := pl.grants[1:]; !slices.Equal(got, tt.grants) {
				t.Errorf("grants %v, want %v", got, tt.grants)
			}
			var watched []string
			for _, w := range pl.watch {
				if !slices.Contains(watched, w.Real) {
					watched = append(watched, w.Real)
				}
			}
			if !slices.Equal(watched, tt.watched) {
				t.Errorf("watched %v, want %v", watched, tt.watched)
			}
		})
	}
}

func TestAppeared(t *testing.T) {
	t.Parallel()
	dir := realTemp(t)
	link := filepath.Join(dir, "link")
	symlink(t, "a", link)
	ws := []Watch{{Path: "missing", Real: filepath.Join(dir, "missing")}, {Path: "link", Real: link, Link: "a"}}
	if got := Appeared(ws); got != nil {
		t.Errorf("nothing changed, but %v appeared", got)
	}
	mkdir(t, dir, "missing")
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if got := Appeared(ws); !slices.Equal(got, []string{"missing"}) {
		t.Errorf("a link went away: %v appeared", got)
	}
	symlink(t, "b", link)
	if got := Appeared(ws); !slices.Equal(got, []string{"link", "missing"}) {
		t.Errorf("the link says something else: %v appeared", got)
	}
}

func invisible(path string) string {
	return fmt.Sprintf("%q is not visible in this sandbox: if it exists outside, grant it (sandbox run has --ro), or copy it into the workspace", path)
}

func TestHints(t *testing.T) {
	t.Parallel()
	dir := realTemp(t)
	ro, hidden := mkdir(t, dir, "ro"), mkdir(t, dir, "hidden")
	pl := &plan{grants: []grant{{ro, ro, false}}}
	tmp := ""
	if within(dir, guestTmp) {
		tmp = "; " + tmpHint
	}
	tests := []struct {
		name, stderr string
		exit         int
		want         []string
	}{
		{"fine", "cannot open " + hidden, 0, nil},
		{"hidden", "cannot open '" + hidden + "': No such file or directory", 1, []string{invisible(hidden) + tmp}},
		{"whether it exists or not", "cat: /no/such/file: No such file or directory", 1, []string{invisible("/no/such/file")}},
		{"in quotes of a book", "cat: ‘/no/such’: No such file or directory", 1, []string{invisible("/no/such")}},
		{"the private home", "cannot open '" + guestHome + "/.x': No such file or directory", 1, nil},
		{"the host's tmp", "cannot open '/tmp/data.csv': No such file or directory", 1, []string{invisible("/tmp/data.csv") + "; " + tmpHint}},
		{"a relative path", "cat: data/x.csv: No such file or directory", 1, nil},
		{"an address", "error: https://example.com/page not found", 1, nil},
		{"read-only", ro + ": Read-only file system", 1, []string{`"` + ro + `" can only be read in this sandbox`}},
		{"a traceback", "  File \"" + ro + "\", line 3, in f\n  File \"" + hidden + "\", line 4\nKeyError: 'nope'", 1, nil},
		{"in capitals", "PermissionError: [Errno 13] Permission denied: '" + ro + "'", 1, []string{`"` + ro + `" can only be read in this sandbox`}},
		{"a setuid bit", "chmod: changing permissions of 'x': Operation not permitted", 1, []string{specialHint}},
		{"system", "error in /usr/bin: x", 1, nil},
		{"network", "curl: (6) Could not resolve host: example.com", 6, []string{networkHint}},
		{"a server of this machine", "<urlopen error [Errno 111] Connection refused>", 1, []string{networkHint}},
		{"a server in Go", `dial tcp 127.0.0.1:99: connect: connection refused` + "\r\nexit status 1", 1, []string{networkHint}},
		{"a server in Rust", "Error: Connection refused (os error 111)", 1, []string{networkHint}},
		{"a server in Ruby", "Connection refused - connect(2) for 127.0.0.1:99 (Errno::ECONNREFUSED)", 1, []string{networkHint}},
		{"a server in quotes", `desc = "transport: Error while dialing: connection refused"; stop`, 1, []string{networkHint}},
		{"words about a refusal", "connection refused by policy file\nfailed to connect the dots", 3, nil},
		{"a shared repository", "fatal: Could not make /w/g/.git/hooks/ writable by group", 128, []string{specialHint}},
		{"what else is not permitted", "[Errno 1] Operation not permitted: 'e'", 1, nil},
		{"curl", "curl: (7) Failed to connect to 127.0.0.1 port 80 after 0 ms: Couldn't connect to server", 7, []string{networkHint}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := pl.hints(Result{Exit: tt.exit, Stderr: Capture{Head: []byte(tt.stderr)}})
			if !slices.Equal(got, tt.want) {
				t.Errorf("hints %q, want %q", got, tt.want)
			}
		})
	}
}

// In a shared folder any program may be refused a mode that it copies, and most say
// no more than that.
func TestHintInSharedFolders(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there is no setgid bit")
	}
	dir := realTemp(t)
	plain, shared := mkdir(t, dir, "plain"), mkdir(t, dir, "shared")
	below := mkdir(t, plain, "below")
	for _, d := range []string{shared, below} {
		if err := os.Chmod(d, 0o775|os.ModeSetgid); err != nil {
			t.Fatal(err)
		}
	}
	symlink(t, shared, filepath.Join(plain, "link"))
	for _, tt := range []struct {
		name string
		p    Policy
		want []string
	}{
		{"a shared workspace", Policy{ReadWrite: []Mount{{Host: shared}}}, []string{specialHint}},
		{"another place inside", Policy{ReadWrite: []Mount{{Host: shared, Guest: "/w"}}, Dir: "/w"}, []string{specialHint}},
		{"the working folder", Policy{ReadWrite: []Mount{{Host: plain}}, Dir: below}, []string{specialHint}},
		{"no shared folder", Policy{ReadWrite: []Mount{{Host: plain}}, Dir: plain}, nil},
		{"only to be read", Policy{ReadOnly: []Mount{{Host: shared}}}, nil},
		{"a link that leads out", Policy{ReadWrite: []Mount{{Host: plain}}, Dir: filepath.Join(plain, "link")}, nil},
	} {
		pl, err := host{}.check(tt.p)
		if err != nil {
			t.Fatal(err)
		}
		said := "shutil.Error: [('d', 'e', \"[Errno 1] Operation not permitted: 'e'\")]"
		if got := pl.hints(Result{Exit: 1, Stderr: Capture{Head: []byte(said)}}); !slices.Equal(got, tt.want) {
			t.Errorf("%s: hints %q, want %q", tt.name, got, tt.want)
		}
	}
}

// What a command prints must not find out what the host has: neither a path of its
// choice, nor one behind a link that it makes.
func TestHintsAreNoOracle(t *testing.T) {
	t.Parallel()
	dir := realTemp(t)
	ws, out := mkdir(t, dir, "ws"), mkdir(t, dir, "out")
	if err := os.Symlink(out, filepath.Join(ws, "link")); err != nil {
		t.Fatal(err)
	}
	there := filepath.Join(out, "there")
	if err := os.WriteFile(there, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		if err := errors.Join(os.Chown(there, 4242, -1), os.Chown(out, 4242, -1)); err != nil {
			t.Fatal(err)
		}
	}
	pl := &plan{grants: []grant{{ws, ws, true}}}
	ask := func(path string) string {
		said := "cat: " + path + ": No such file or directory\n" + path + ": Permission denied\n"
		hints := pl.hints(Result{Exit: 1, Stderr: Capture{Head: []byte(said)}})
		return strings.ReplaceAll(strings.Join(hints, "\n"), path, "PATH")
	}
	for _, folder := range []string{out, filepath.Join(ws, "link"), "/root", "/opt"} {
		yes, no := ask(filepath.Join(folder, "there")), ask(filepath.Join(folder, "not-there"))
		if yes != no {
			t.Errorf("in %s: of what exists the hints are %q, of what does not %q", folder, yes, no)
		}
	}
}

func TestLimitsDefaults(t *testing.T) {
	t.Parallel()
	if got := (Limits{}).withDefaults(); got != DefaultLimits {
		t.Errorf("no limits become %+v, want %+v", got, DefaultLimits)
	}
	got := Limits{CPU: -1, Files: 3}.withDefaults()
	if got.CPU != -1 || got.Files != 3 || got.Wall != DefaultLimits.Wall {
		t.Errorf("got %+v", got)
	}
}
