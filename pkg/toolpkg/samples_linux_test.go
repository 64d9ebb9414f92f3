package toolpkg

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agentctl/agentctl/internal/archive"
)

// TestSamplesRunAfterAMove copies each finished folder to another place, with new
// times, and runs its commands there as an ordinary user who sees nothing but the
// system's programs and the folder itself, read-only and without a network.
func TestSamplesRunAfterAMove(t *testing.T) {
	t.Parallel()
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		skip(t, "bwrap is not installed")
	}
	for _, s := range samples {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			p := s.built(t)
			moved, err := os.MkdirTemp(filepath.Dir(p.Root), "moved ä ")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { removeTree(moved) })
			if err := os.Chmod(moved, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.CopyFS(moved, os.DirFS(p.Dir)); err != nil {
				t.Fatal(err)
			}
			for _, c := range s.calls {
				s.runMoved(t, bwrap, moved, c)
			}
			if digest, err := archive.Digest(t.Context(), os.DirFS(moved), archive.ScanOptions{Links: true}); err != nil || digest != p.Digest {
				t.Errorf("the folder has the digest %s afterwards, %v; want %s", digest, err, p.Digest)
			}
		})
	}
}

func (s *sample) runMoved(t *testing.T, bwrap, moved string, c sampleCall) {
	t.Helper()
	work, err := os.MkdirTemp(filepath.Dir(moved), "work-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { removeTree(work) })
	table, err := os.ReadFile(filepath.Join(workFolder(t), "rides.csv"))
	if err != nil {
		t.Fatal(err)
	}
	writeTree(t, work, map[string]string{"rides.csv": string(table)})
	if err := os.Chmod(work, 0o777); err != nil {
		t.Fatal(err)
	}
	args := []string{
		"--unshare-all", "--die-with-parent", "--clearenv", "--setenv", "HOME", "/tmp", "--setenv", "PATH", "/usr/bin:/bin",
		"--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp",
		"--ro-bind", moved, "/elsewhere/pkg", "--bind", work, "/work", "--chdir", "/work",
	}
	for _, dir := range []string{"/usr", "/bin", "/lib", "/lib64", "/etc/alternatives"} {
		args = append(args, "--ro-bind-try", dir, dir)
	}
	cmd := exec.CommandContext(t.Context(), bwrap, append(args, "--", "/elsewhere/pkg/"+launchName, c.command, c.args)...)
	if os.Getuid() == 0 {
		const nobody = 65534
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil || !strings.Contains(out.String(), c.want) || !json.Valid(out.Bytes()) {
		t.Fatalf("%s: %v\n%s\n%s", c.command, err, out.String(), errs.String())
	}
	if c.writes != "" {
		if info, err := os.Stat(filepath.Join(work, c.writes)); err != nil || info.Size() < 1000 {
			t.Errorf("%s wrote %v, %v", c.command, info, err)
		}
	}
}
