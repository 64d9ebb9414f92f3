package stage

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestLookup(t *testing.T) {
	t.Parallel()
	first, second := t.TempDir(), t.TempDir()
	for path, mode := range map[string]os.FileMode{
		filepath.Join(first, "plain"): 0o644, filepath.Join(second, "plain"): 0o755, filepath.Join(first, "only"): 0o644, filepath.Join(second, "tool"): 0o755,
	} {
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(first, "tool"), 0o755); err != nil {
		t.Fatal(err)
	}
	env := []string{"A=b", "PATH=" + first + ":" + second}
	tests := []struct {
		name, want string
		err        error
	}{
		{"tool", filepath.Join(second, "tool"), nil},
		{"plain", filepath.Join(second, "plain"), nil},
		{"only", "", syscall.EACCES},
		{"none", "", syscall.ENOENT},
		{"./any", "./any", nil},
		{"/any", "/any", nil},
	}
	for _, tt := range tests {
		if got, err := lookup(tt.name, env); got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("lookup(%q) = %q, %v; want %q, %v", tt.name, got, err, tt.want, tt.err)
		}
	}
}

func TestExplainExec(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/no/such\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := explainExec(script, syscall.ENOENT); got[:2] != "0 " {
		t.Errorf("a missing interpreter is explained as %q", got)
	}
	if got := explainExec("/no/such/program", syscall.ENOENT); got != "2 no such file or directory" {
		t.Errorf("a missing program is explained as %q", got)
	}
}

func TestLandlockAttributeSize(t *testing.T) {
	t.Parallel()
	for want, l := range map[uintptr]Landlock{8: {HandledFS: 1}, 16: {HandledFS: 1, HandledNet: 1}, 24: {Scoped: 1}} {
		if got := l.attrSize(); got != want {
			t.Errorf("%+v has size %d, want %d", l, got, want)
		}
	}
}

func TestBrokenFilterIsRefused(t *testing.T) {
	t.Parallel()
	for _, f := range [][]byte{nil, {1, 2, 3}} {
		if err := loadFilter(f); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("loadFilter(%v) = %v", f, err)
		}
	}
}
