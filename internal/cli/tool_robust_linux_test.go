package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// launchText is a whole tool package in sh: it describes one command and answers
// with version.
func launchText(version int) string {
	return fmt.Sprintf(`#!/bin/sh
case "$#:$1" in
0:) echo '[{"name":"say","description":"Says its version."}]' ;;
1:say) echo '{"name":"say","description":"Says its version.","params_json_schema":{"type":"object","properties":{}}}' ;;
2:say) echo "version %d" ;;
*) echo "unknown command" >&2; exit 2 ;;
esac
`, version)
}

// edit writes the package's launcher anew.
func (p place) edit(version int) {
	p.t.Helper()
	file := filepath.Join(p.dir, "tools", "talker", "launch")
	p.write(file, launchText(version))
	if err := os.Chmod(file, 0o755); err != nil {
		p.t.Fatal(err)
	}
}

func toolPlace(t *testing.T) place {
	t.Helper()
	p := newPlace(t, map[string]string{})
	p.edit(0)
	p.mustRun("tool", "prebuild")
	return p
}

func (p place) mustRun(args ...string) string {
	p.t.Helper()
	out, errOut, exit := p.run(args...)
	if exit != 0 {
		p.t.Fatalf("%s: exit %d, %s", strings.Join(args, " "), exit, errOut)
	}
	return out
}

// builds are the folders of the package's output that hold a build, and others
// those that do not.
func (p place) builds() (builds, others []string) {
	p.t.Helper()
	entries, err := os.ReadDir(filepath.Join(p.dir, ".agentctl", "prebuilt", "talker"))
	if err != nil {
		p.t.Fatal(err)
	}
	for _, e := range entries {
		switch {
		case e.IsDir() && len(e.Name()) == 64:
			builds = append(builds, e.Name())
		case e.IsDir():
			others = append(others, e.Name())
		}
	}
	return builds, others
}

// A prebuild that is killed at any moment leaves a package that can be called:
// the old build or the new one, whole. The next prebuild finishes the work and
// leaves nothing of the killed ones behind.
func TestPrebuildKilled(t *testing.T) {
	t.Parallel()
	p := toolPlace(t)
	start := time.Now()
	p.edit(1)
	p.mustRun("tool", "prebuild")
	whole := time.Since(start)
	const rounds = 16
	for i := 1; i <= rounds; i++ {
		p.edit(i + 1)
		cmd := p.program(t.Context(), "tool", "prebuild")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(whole * time.Duration(i) / rounds)
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed, or done already
		if out := p.mustRun("tool", "invoke", "talker:say"); !strings.HasPrefix(out, "version ") {
			t.Fatalf("round %d: got %q", i, out)
		}
	}
	p.edit(1000)
	p.mustRun("tool", "prebuild")
	if out := p.mustRun("tool", "invoke", "talker:say"); out != "version 1000\n" {
		t.Errorf("got %q", out)
	}
	if builds, others := p.builds(); len(builds) > 2 || len(others) > 0 {
		t.Errorf("%d builds and %q are left", len(builds), others)
	}
}

// Twenty edits do not leave twenty builds.
func TestPrebuildCollects(t *testing.T) {
	t.Parallel()
	p := toolPlace(t)
	for i := 1; i <= 20; i++ {
		p.edit(i)
		p.mustRun("tool", "prebuild")
	}
	if builds, _ := p.builds(); len(builds) != 2 {
		t.Errorf("%d builds are left, want the one in use and the one before", len(builds))
	}
}

// A full disk fails a prebuild with the reason, and the old build stays in use.
func TestPrebuildFullDisk(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t)
	p := place{t, dir}
	p.write(filepath.Join(dir, ".git", "HEAD"), "")
	p.edit(0)
	p.mustRun("tool", "prebuild")
	p.edit(1)
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 1<<20), 0o600); err == nil {
		t.Fatal("the disk is not full")
	}
	_, errOut, exit := p.run("tool", "prebuild")
	if exit != exitFailed || !strings.Contains(errOut, "no space left on device") {
		t.Errorf("exit %d, %s", exit, errOut)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if out := p.mustRun("tool", "invoke", "talker:say"); out != "version 0\n" {
		t.Errorf("got %q, want the old build", out)
	}
	p.mustRun("tool", "prebuild")
	if out := p.mustRun("tool", "invoke", "talker:say"); out != "version 1\n" {
		t.Errorf("got %q, want the new build", out)
	}
}

// A terminal shows a bar for each package that is built; one that has no height,
// as those of some CI systems, and a dumb one get lines.
func TestPrebuildOnATerminal(t *testing.T) {
	t.Parallel()
	p := toolPlace(t)
	for _, tt := range []struct {
		name, term string
		rows       uint16
		bars       bool
	}{
		{"bars", "xterm", 30, true},
		{"no height", "xterm", 0, false},
		{"dumb", "dumb", 30, false},
	} {
		cmd := p.program(t.Context(), "tool", "prebuild", "--force")
		cmd.Env = append(cmd.Env, "TERM="+tt.term)
		screen, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: tt.rows, Cols: 100})
		if err != nil {
			t.Fatal(err)
		}
		data, _ := io.ReadAll(screen) // it ends with an error once the program is gone
		_ = screen.Close()
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		text := string(data)
		if !strings.Contains(text, "talker   built   sha256:") {
			t.Errorf("%s: no result in %q", tt.name, text)
		}
		if lines, bars := strings.Contains(text, "talker: built in"), strings.Contains(text, "⠋"); bars != tt.bars || lines == tt.bars {
			t.Errorf("%s: lines %v, bars %v in %q", tt.name, lines, bars, text)
		}
	}
}
