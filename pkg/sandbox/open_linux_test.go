package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/pkg/sandbox"
)

func fault(t *testing.T, err error) *sandbox.Fault {
	t.Helper()
	f := (*sandbox.Fault)(nil)
	if !errors.As(err, &f) {
		t.Fatalf("error is %v, want a Fault", err)
	}
	return f
}

// Case 57: without bwrap auto is native or an error, never none.
func TestAutoWithoutBwrap(t *testing.T) {
	b, err := sandbox.Open(t.Context(), sandbox.Options{Path: t.TempDir()})
	if err != nil {
		_ = fault(t, err)
		return
	}
	if b.Name() != "native" {
		t.Errorf("auto chose %q", b.Name())
	}
}

// Case 58: a bwrap that came with the workspace is no bwrap.
func TestBwrapInTheWorkspaceIsIgnored(t *testing.T) {
	ws := t.TempDir()
	bin := filepath.Join(ws, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	trap := filepath.Join(ws, "ran")
	if err := os.WriteFile(filepath.Join(bin, "bwrap"), []byte("#!/bin/sh\ntouch "+trap+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := sandbox.Open(t.Context(), sandbox.Options{Name: "bwrap", Dir: ws, Path: bin})
	if f := fault(t, err); !strings.Contains(f.Reason, "not trusted") || f.Cure == "" {
		t.Errorf("reason %q, cure %q", f.Reason, f.Cure)
	}
	t.Chdir(ws)
	_, err = sandbox.Open(t.Context(), sandbox.Options{Name: "bwrap", Path: "bin:" + bin})
	_ = fault(t, err)
	if _, err := os.Stat(trap); err == nil {
		t.Error("the workspace's bwrap was run")
	}
}

// A bwrap that runs the command without confining it does not prove itself.
func TestBwrapThatDoesNotConfine(t *testing.T) {
	bin := t.TempDir()
	const script = `#!/bin/sh
while [ "$1" != "--" ]; do shift; done
shift
exec "$@"
`
	if err := os.WriteFile(filepath.Join(bin, "bwrap"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := sandbox.Open(t.Context(), sandbox.Options{Name: "bwrap", Path: bin})
	f := fault(t, err)
	if f.Backend != "bwrap" {
		t.Errorf("the fault is of %q", f.Backend)
	}
}

// A bwrap that fails as it does where user namespaces are forbidden.
func TestBwrapWithoutNamespaces(t *testing.T) {
	bin := t.TempDir()
	const script = "#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n"
	if err := os.WriteFile(filepath.Join(bin, "bwrap"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := sandbox.Open(t.Context(), sandbox.Options{Name: "bwrap", Path: bin})
	f := fault(t, err)
	if !strings.Contains(f.Reason, "uid map") || !strings.Contains(f.Cure, "bwrap-userns-restrict") {
		t.Errorf("reason %q, cure %q", f.Reason, f.Cure)
	}
}

func TestOpenUnknown(t *testing.T) {
	tests := map[string]sandbox.Options{
		"name":  {Name: "firejail"},
		"level": {MinLevel: "none"},
	}
	for name, o := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := sandbox.Open(t.Context(), o)
			if p := (*sandbox.PolicyError)(nil); !errors.As(err, &p) || p.Cure == "" {
				t.Errorf("error is %v, want a PolicyError with a cure", err)
			}
		})
	}
}

// A cached proof spares the trying; another user, boot or program does not have it.
func TestProofIsCached(t *testing.T) {
	dir := t.TempDir()
	o := sandbox.Options{Name: "native", CacheDir: dir}
	first := open(t, o)
	file := filepath.Join(dir, "sandbox-native.json")
	proof, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	tries := testing.AllocsPerRun(1, func() { open(t, o) })
	if tries > 1000 {
		t.Errorf("a cached open allocates %v times; it seems to try again", tries)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(proof), `"Key":"1 `, `"Key":"1 x`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if again := open(t, o); again.Name() != first.Name() {
		t.Error("another backend")
	}
	if renewed, err := os.ReadFile(file); err != nil || string(renewed) != string(proof) {
		t.Errorf("a proof for something else was taken: %s, %v", renewed, err)
	}
}

func TestDoctor(t *testing.T) {
	reports, chosen := sandbox.Doctor(t.Context(), sandbox.Options{})
	if len(reports) != 3 {
		t.Fatalf("%d reports", len(reports))
	}
	for i, name := range []string{"bwrap", "native", "container"} {
		r := reports[i]
		if r.Backend != name {
			t.Errorf("report %d is of %q, want %q", i, r.Backend, name)
		}
		if r.State == sandbox.Unavailable && (r.Reason == "" || r.Cure == "") {
			t.Errorf("%s is unavailable without reason or cure: %+v", name, r)
		}
		if chosen == "" && name != "container" && r.State != sandbox.Unavailable {
			t.Errorf("%s works, but nothing is chosen: %s", name, r.Reason)
		}
	}
}

func BenchmarkOpenCached(b *testing.B) {
	o := sandbox.Options{CacheDir: b.TempDir()}
	for b.Loop() {
		if _, err := sandbox.Open(b.Context(), o); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRun(b *testing.B) {
	for _, name := range []string{"none", "native", "bwrap"} {
		b.Run(name, func(b *testing.B) {
			be, err := sandbox.Open(b.Context(), sandbox.Options{Name: name})
			if err != nil {
				b.Skip(err)
			}
			for b.Loop() {
				if _, err := be.Run(b.Context(), sandbox.Policy{}, sandbox.Command{Args: []string{"/bin/true"}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
