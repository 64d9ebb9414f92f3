package sandbox_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agentctl/agentctl/pkg/sandbox"
	"github.com/agentctl/agentctl/pkg/sandbox/sandboxtest"
)

// landlockWeaker are the cases that Landlock alone cannot hold.
var landlockWeaker = map[int]string{
	9:  "Landlock has no right for mode and times",
	10: "Landlock does not hide names",
	12: "Landlock cannot take a folder out of one that is granted",
	16: "the private folder is not limited in size",
	23: "sockets by path need Landlock ABI 9",
	55: "there is no private /dev/shm",
}

func open(t *testing.T, o sandbox.Options) sandbox.Backend {
	t.Helper()
	b, err := sandbox.Open(t.Context(), o)
	if err != nil {
		sandboxtest.Skip(t, err.Error())
	}
	return b
}

func TestSuiteBwrap(t *testing.T) {
	home := t.TempDir()
	sandboxtest.Run(t, sandboxtest.Config{Backend: open(t, sandbox.Options{Name: "bwrap", Home: home}), Home: home})
}

func TestSuiteNative(t *testing.T) {
	home := t.TempDir()
	sandboxtest.Run(t, sandboxtest.Config{Backend: open(t, sandbox.Options{Name: "native", Home: home}), Home: home})
}

func TestSuiteLandlock(t *testing.T) {
	home := t.TempDir()
	b, err := sandbox.OpenLandlock(t.Context(), sandbox.Options{Home: home})
	if err != nil {
		sandboxtest.Skip(t, err.Error())
	}
	sandboxtest.Run(t, sandboxtest.Config{Backend: b, Home: home, Weaker: landlockWeaker})
}

// containerWeaker are the cases that depend on the engine and its image.
var containerWeaker = map[int]string{
	25: "the engine's seccomp profile leaves vsock and netlink sockets",
	31: "the engine's seccomp profile leaves user namespaces",
	33: "process 1 is the engine's, with the command's user",
	35: "the engine's seccomp profile leaves keyctl and ptrace",
	50: "the engine reports a signal as an exit code",
	55: "the image need not have Python",
	61: "the engine's seccomp profile leaves setuid modes",
}

func TestSuiteContainer(t *testing.T) {
	home := t.TempDir()
	b, err := sandbox.Open(t.Context(), sandbox.Options{Name: "container", Home: home})
	if err != nil {
		t.Skip(err) // an engine is not part of a test machine
	}
	sandboxtest.Run(t, sandboxtest.Config{Backend: b, Home: home, Names: []string{"HOSTNAME", "TERM", "container"}, Weaker: containerWeaker})
}

// nobody is a user without any rights on every Linux.
const nobody = 65534

// TestSuitesAsOrdinaryUser runs the suites once more without being root, each in
// a process of its own and all at the same time.
func TestSuitesAsOrdinaryUser(t *testing.T) {
	if os.Geteuid() != 0 {
		return // the other tests just did
	}
	dir := publicDir(t)
	exe := filepath.Join(dir, "sandbox.test")
	copyProgram(t, exe)
	for _, name := range []string{"TestSuiteBwrap", "TestSuiteNative", "TestSuiteLandlock"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), exe, "-test.run", "^"+name+"$", "-test.v")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "TMPDIR="+dir, "HOME="+dir)
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, withoutPasses(string(out)))
			}
			if !strings.Contains(string(out), "--- PASS: "+name+" ") {
				sandboxtest.Skip(t, name+" did not run as an ordinary user")
			}
		})
	}
}

func withoutPasses(log string) string {
	var out []string
	for line := range strings.SplitSeq(log, "\n") {
		if !strings.Contains(line, "=== RUN") && !strings.Contains(line, "--- PASS") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

func publicDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "sandbox-user-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chown(dir, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	return dir
}

func copyProgram(t *testing.T, to string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}
