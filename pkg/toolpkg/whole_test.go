package toolpkg

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOutputs(t *testing.T) {
	t.Parallel()
	ws := t.TempDir()
	for _, artifacts := range []string{filepath.Join(ws, ".agentctl", "artifacts"), ""} {
		o := NewOutputs(ws, artifacts)
		long := strings.Repeat("x", KeepHead+KeepTail+10)
		fmt.Fprint(o.Stdout(), long)
		fmt.Fprint(o.Stderr(), "short")
		var r InvokeResult
		if err := o.Fill(&r); err != nil {
			t.Fatal(err)
		}
		whole, err := os.ReadFile(r.StdoutFile)
		if err != nil || string(whole) != long || !r.Truncated || !strings.Contains(r.Stdout, "10 bytes left out") {
			t.Errorf("%d bytes in %q, %v", len(whole), r.StdoutFile, err)
		}
		if r.Stderr != "short" || r.StderrFile != "" {
			t.Errorf("stderr is %q, in %q", r.Stderr, r.StderrFile)
		}
		if artifacts == "" {
			wantPrivate(t, filepath.Dir(r.StdoutFile))
			removeTree(filepath.Dir(r.StdoutFile))
		}
	}
}

// A tool that prints without end fills no disk, and the file says what it lacks.
func TestOutputFileIsBounded(t *testing.T) {
	t.Parallel()
	ws := t.TempDir()
	o := NewOutputs(ws, ws)
	const most = 4 << 20
	o.stdout.most = most
	chunk := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	for range most/len(chunk) + 2 {
		if _, err := o.Stdout().Write(chunk); err != nil {
			t.Fatal(err)
		}
	}
	var r InvokeResult
	if err := o.Fill(&r); err != nil {
		t.Fatal(err)
	}
	const want = "\n[… 2097152 bytes left out: a file of output ends here …]\n"
	info, err := os.Stat(r.StdoutFile)
	if err != nil || info.Size() != most+int64(len(want)) {
		t.Errorf("%v, %v", info, err)
	}
}

// A program that runs meanwhile can put a link where the host writes: nothing of
// the host's gets out of the workspace, and no result names what is not the host's.
func TestOutputsPassNoLink(t *testing.T) {
	t.Parallel()
	long := bytes.Repeat([]byte("x"), KeepHead+KeepTail+1)
	for name, tt := range map[string]struct {
		early bool // the file is there when the program acts
		act   func(t *testing.T, ws, outside string)
	}{
		"a link before the file": {false, func(t *testing.T, ws, outside string) {
			mustDo(t, os.Mkdir(filepath.Join(ws, ".agentctl"), 0o755), os.Symlink(outside, filepath.Join(ws, ".agentctl", "artifacts")))
		}},
		"a link within the workspace": {false, func(t *testing.T, ws, _ string) {
			mustDo(t, os.MkdirAll(filepath.Join(ws, ".git", "hooks"), 0o755), os.Symlink(".git", filepath.Join(ws, ".agentctl")))
		}},
		"a link for the workspace": {false, func(t *testing.T, ws, outside string) {
			mustDo(t, os.Rename(ws, ws+"-moved"), os.Symlink(outside, ws))
		}},
		"a link for the folder of the file": {true, func(t *testing.T, ws, outside string) {
			dir := filepath.Join(ws, ".agentctl", "artifacts")
			mustDo(t, os.Rename(dir, dir+"-moved"), os.Symlink(outside, dir))
		}},
		"a link for the file": {true, func(t *testing.T, ws, outside string) {
			files, _ := filepath.Glob(filepath.Join(ws, ".agentctl", "artifacts", "*-stdout.txt"))
			mustDo(t, os.Remove(files[0]), os.Symlink(outside, files[0]))
		}},
		"another file": {true, func(t *testing.T, ws, outside string) {
			files, _ := filepath.Glob(filepath.Join(ws, ".agentctl", "artifacts", "*-stdout.txt"))
			mustDo(t, os.Remove(files[0]), os.WriteFile(files[0], []byte("other"), 0o600))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := tempDir(t)
			ws, outside := filepath.Join(dir, "ws"), tempDir(t)
			mustDo(t, os.Mkdir(ws, 0o755))
			o := NewOutputs(ws, filepath.Join(ws, ".agentctl", "artifacts"))
			if tt.early {
				_, err := o.Stdout().Write(long)
				mustDo(t, err)
			}
			tt.act(t, ws, outside)
			_, err := o.Stdout().Write(long)
			mustDo(t, err)
			var r InvokeResult
			if err := o.Fill(&r); err == nil || r.StdoutFile != "" || !r.Truncated {
				t.Errorf("got the file %q, error %v", r.StdoutFile, err)
			}
			for _, place := range []string{outside, filepath.Join(ws, ".git")} {
				if left, _ := os.ReadDir(place); len(left) > 0 && left[0].Name() != "hooks" {
					t.Errorf("%s holds %v", place, left)
				}
			}
		})
	}
}

func mustDo(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// Nothing stays open, whether or not there was something to write.
func TestOutputsCloseWhatTheyOpen(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("needs /proc")
	}
	count := func(ws string) (n int) {
		fds, _ := filepath.Glob("/proc/self/fd/*")
		for _, fd := range fds {
			if to, err := os.Readlink(fd); err == nil && strings.HasPrefix(to, ws) {
				n++
			}
		}
		return n
	}
	ws := tempDir(t)
	for _, size := range []int{1, KeepHead + KeepTail + 1} {
		o := NewOutputs(ws, filepath.Join(ws, ".agentctl", "artifacts"))
		if count(ws) == 0 {
			t.Fatal("nothing is open: the count is wrong")
		}
		_, err := o.Stdout().Write(make([]byte, size))
		var r InvokeResult
		mustDo(t, err, o.Fill(&r))
		if n := count(ws); n > 0 {
			t.Errorf("%d files are open", n)
		}
	}
	for _, text := range []string{"x", "x:flood", "x:artifact"} {
		c := echoCall(t, `{"text":"`+text+`"}`)
		c.ForModel = true
		invoker(t, ws).Invoke(t.Context(), c)
		c.OutputDir = filepath.Join(ws, "out")
		invoker(t, ws).Invoke(t.Context(), c)
		if n := count(ws); n > 0 {
			t.Errorf("%s: %d files are open", text, n)
		}
	}
}
