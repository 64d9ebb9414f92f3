package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/agentctl/agentctl/pkg/skill"
)

// program is the program as a process of its own: testscript puts this test
// binary on PATH under that name.
func program(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("agentctl")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// save is one run of `skill save` in dir.
func save(ctx context.Context, t *testing.T, dir, body string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(ctx, program(t), "skill", "save", "robust", "-d", "Use when testing.", "--body", "-")
	home := filepath.Join(dir, ".home")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(body)
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home, "XDG_CACHE_HOME="+home)
	return cmd
}

// bodyOf is a body that is either there whole or not at all.
func bodyOf(n int) string {
	return fmt.Sprintf("begin %d\n%send %d\n", n, strings.Repeat(fmt.Sprintf("line of body %d\n", n), 2500), n)
}

// wholeBody fails unless the skill loads and has one of the bodies.
func wholeBody(t *testing.T, dir string, count int) int {
	t.Helper()
	it, ds, err := skill.Open(t.Context(), filepath.Join(dir, ".skill", "robust"))
	if err != nil || len(ds) > 0 {
		t.Fatalf("the skill is damaged: %v, %v", err, ds)
	}
	for n := range count {
		if it.Value.Body == bodyOf(n) {
			return n
		}
	}
	t.Fatalf("the body is none of those that were saved: %d bytes, %.60q", len(it.Value.Body), it.Value.Body)
	return 0
}

// A kill at any moment leaves the old file or the new one, and the next save
// cleans up.
func TestSaveSurvivesKills(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if out, err := save(t.Context(), t, dir, bodyOf(0)).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	start := time.Now()
	if err := save(t.Context(), t, dir, bodyOf(1)).Run(); err != nil {
		t.Fatal(err)
	}
	whole := time.Since(start)
	const kills = 20
	done := 0
	for n := 2; n < kills; n++ {
		cmd := save(t.Context(), t, dir, bodyOf(n))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(whole * time.Duration(n) / kills)
		_ = cmd.Process.Signal(syscall.SIGKILL)
		if cmd.Wait() == nil {
			done++
		}
		wholeBody(t, dir, n+1)
	}
	if err := save(t.Context(), t, dir, bodyOf(kills)).Run(); err != nil {
		t.Fatal(err)
	}
	if got := wholeBody(t, dir, kills+1); got != kills {
		t.Errorf("the last save is not there, but body %d", got)
	}
	if left := leftovers(t, filepath.Join(dir, ".skill")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	t.Logf("%d of %d saves ended before they were killed", done, kills-2)
}

// leftovers are all files of a skills folder but the skill's own.
func leftovers(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() != skill.ManifestName {
			out = append(out, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Twenty saves at once all succeed, and one of them is what is there.
func TestSavesInParallel(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const count = 20
	var wg sync.WaitGroup
	errs := make([]error, count)
	for n := range count {
		cmd := save(t.Context(), t, dir, bodyOf(n))
		wg.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				errs[n] = fmt.Errorf("%w: %s", err, out)
			}
		})
	}
	wg.Wait()
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		t.Fatal(errs[i])
	}
	wholeBody(t, dir, count)
	if left := leftovers(t, filepath.Join(dir, ".skill")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A full disk fails the save, says so, and keeps the old skill.
func TestSaveOnAFullDisk(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t)
	if out, err := save(t.Context(), t, dir, "small\n").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	fill := filepath.Join(dir, "fill")
	if err := os.WriteFile(fill, make([]byte, 1<<20), 0o644); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	out, err := save(t.Context(), t, dir, bodyOf(1)).CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != exitFailed || !strings.Contains(string(out), "no space left") {
		t.Errorf("got %v, %s, want exit 1 and the reason", err, out)
	}
	it, _, err := skill.Open(t.Context(), filepath.Join(dir, ".skill", "robust"))
	if err != nil || it.Value.Body != "small\n" {
		t.Errorf("the old skill is damaged: %v", err)
	}
	if left := leftovers(t, filepath.Join(dir, ".skill")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := os.Remove(fill); err != nil {
		t.Fatal(err)
	}
	if out, err := save(t.Context(), t, dir, bodyOf(0)).CombinedOutput(); err != nil {
		t.Errorf("with room again: %v\n%s", err, out)
	}
}

// skipTest is t.Skip, unless nothing may be skipped.
func skipTest(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("AGENTCTL_TEST_NO_SKIP") == "1" {
		t.Fatalf("nothing may be skipped: %s", reason)
	}
	t.Skip(reason)
}

// smallDisk is a folder on a file system of its own with room for 128 KiB.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=128k"); err != nil {
		skipTest(t, "a small file system cannot be mounted: "+err.Error())
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, 0) })
	return dir
}
