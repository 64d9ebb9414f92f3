package skill

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// git runs git in dir with an identity and without the user's settings.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func needGit(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		skip(t, "git is not installed")
	}
}

// skip is t.Skip, unless nothing may be skipped.
func skip(t testing.TB, reason string) {
	t.Helper()
	if os.Getenv("AGENTCTL_TEST_NO_SKIP") == "1" {
		t.Fatalf("nothing may be skipped: %s", reason)
	}
	t.Skip(reason)
}

// checkout makes an upstream with three skills and a clone of it.
func checkout(t *testing.T) (upstream, clone string) {
	t.Helper()
	needGit(t)
	dir := t.TempDir()
	upstream, clone = filepath.Join(dir, "up"), filepath.Join(dir, "clone")
	writeFiles(t, upstream, map[string]string{"skills/a/SKILL.md": manifest("a"), "skills/b/SKILL.md": manifest("b"), "skills/c/SKILL.md": manifest("c")})
	git(t, upstream, "init", "-q")
	git(t, upstream, "add", ".")
	git(t, upstream, "commit", "-qm", "one")
	git(t, dir, "clone", "-q", "file://"+upstream, "clone")
	return upstream, clone
}

func sync1(t *testing.T, root string) SyncResult {
	t.Helper()
	res, err := Sync(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestSync(t *testing.T) {
	t.Parallel()
	upstream, clone := checkout(t)
	root := filepath.Join(clone, "skills")
	if res := sync1(t, root); res.Status != SyncCurrent || res.From != res.To || res.Err != nil {
		t.Errorf("got %+v, want current", res)
	}
	// A hook that would tell, and a change of all three kinds.
	writeFiles(t, clone, map[string]string{".git/hooks/post-merge": "#!/bin/sh\ntouch \"$(git rev-parse --show-toplevel)/hook-ran\"\n"})
	writeFiles(t, upstream, map[string]string{"skills/b/extra.md": "x", "skills/d/SKILL.md": manifest("d"), "README.md": "x"})
	git(t, upstream, "rm", "-rq", "skills/c")
	git(t, upstream, "add", ".")
	git(t, upstream, "commit", "-qm", "two")
	writeFiles(t, clone, map[string]string{"untracked": "mine"})
	res := sync1(t, root)
	if res.Status != SyncUpdated || res.From == res.To || res.To != git(t, upstream, "rev-parse", "HEAD") {
		t.Errorf("got %+v, want updated", res)
	}
	if got := strings.Join(res.Added, ",") + " " + strings.Join(res.Changed, ",") + " " + strings.Join(res.Removed, ","); got != "d b c" {
		t.Errorf("added, changed, removed: %s", got)
	}
	if _, err := os.Stat(filepath.Join(clone, "hook-ran")); err == nil {
		t.Error("a hook ran")
	}
	git(t, clone, "commit", "-qm", "mine", "--allow-empty")
	if res := sync1(t, root); res.Status != SyncCurrent {
		t.Errorf("a checkout that is ahead: %+v", res)
	}
}

func TestSyncLeavesWorkAlone(t *testing.T) {
	t.Parallel()
	upstream, clone := checkout(t)
	head := git(t, clone, "rev-parse", "HEAD")
	writeFiles(t, upstream, map[string]string{"new": "x"})
	git(t, upstream, "add", ".")
	git(t, upstream, "commit", "-qm", "two")

	writeFiles(t, clone, map[string]string{"skills/a/SKILL.md": "mine"})
	if res := sync1(t, clone); res.Status != SyncDirty || res.Err == nil {
		t.Errorf("got %+v, want dirty", res)
	}
	git(t, clone, "commit", "-qam", "mine")
	mine := git(t, clone, "rev-parse", "HEAD")
	if res := sync1(t, clone); res.Status != SyncDiverged || res.Err == nil || res.To != mine {
		t.Errorf("got %+v, want diverged", res)
	}
	if got := git(t, clone, "rev-parse", "HEAD"); got != mine || mine == head {
		t.Errorf("the commit moved to %s", got)
	}
}

func TestSyncFailures(t *testing.T) {
	t.Parallel()
	upstream, clone := checkout(t)
	empty := t.TempDir()
	git(t, empty, "init", "-q")
	for name, tt := range map[string]struct{ root, want string }{
		"no commit":   {empty, "has no commit yet"},
		"no checkout": {t.TempDir(), "is no git checkout"},
		"missing":     {filepath.Join(clone, "nowhere"), "is no git checkout"},
		"no upstream": {upstream, "on no branch that follows another one"},
	} {
		if res := sync1(t, tt.root); res.Status != SyncFailed || res.Err == nil || !strings.Contains(res.Err.Error(), tt.want) {
			t.Errorf("%s: got %+v, want a failure with %q", name, res, tt.want)
		}
	}
	writeFiles(t, upstream, map[string]string{"new": "theirs"})
	git(t, upstream, "add", ".")
	git(t, upstream, "commit", "-qm", "two")
	writeFiles(t, clone, map[string]string{"new": "mine"}) // untracked and in the way
	if res := sync1(t, clone); res.Status != SyncFailed || readFile(t, clone, "new") != "mine" {
		t.Errorf("got %+v, want a failure that keeps the file", res)
	}
	if err := os.RemoveAll(upstream); err != nil {
		t.Fatal(err)
	}
	if res := sync1(t, clone); res.Status != SyncFailed || res.Err == nil {
		t.Errorf("the upstream is gone: %+v", res)
	}
}

// Submodules that are checked out move along; the next run finds a clean tree.
func TestSyncSubmodules(t *testing.T) {
	t.Setenv("GIT_ALLOW_PROTOCOL", "file")
	upstream, clone := checkout(t)
	part, _ := checkout(t)
	git(t, upstream, "submodule", "--quiet", "add", part, "skills/part")
	git(t, upstream, "commit", "-qm", "with a part")
	if res := sync1(t, clone); res.Status != SyncUpdated || res.Err != nil {
		t.Fatalf("got %+v", res)
	}
	git(t, clone, "submodule", "--quiet", "update", "--init")
	writeFiles(t, part, map[string]string{"skills/new/SKILL.md": manifest("new")})
	git(t, part, "add", ".")
	git(t, part, "commit", "-qm", "more")
	git(t, filepath.Join(upstream, "skills", "part"), "pull", "-q")
	git(t, upstream, "commit", "-qam", "newer part")
	if res := sync1(t, clone); res.Status != SyncUpdated || strings.Join(res.Added, " ") != "new" {
		t.Errorf("got %+v, want the new skill of the submodule", res)
	}
	if res := sync1(t, clone); res.Status != SyncCurrent {
		t.Errorf("got %+v, want it to be current", res)
	}
	git(t, filepath.Join(clone, "skills", "part"), "checkout", "-q", "HEAD~1")
	if res := sync1(t, clone); res.Status != SyncDirty || !strings.Contains(res.Err.Error(), "git submodule update") {
		t.Errorf("got %+v, want a hint about submodules", res)
	}
}

func TestSyncWithoutGit(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := Sync(t.Context(), t.TempDir()); !isType[*NoGitError](err) {
		t.Errorf("got %v, want no git", err)
	}
}
