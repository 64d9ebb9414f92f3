package toolpkg

import (
	"bytes"
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
