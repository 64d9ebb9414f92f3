package contracttest_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/pkg/sandbox"
	"github.com/agentctl/agentctl/pkg/toolpkg"
	"github.com/agentctl/agentctl/pkg/toolpkg/contracttest"
)

// TestDataFetch builds the sample package as a user does, runs the suite against
// it, and calls it.
func TestDataFetch(t *testing.T) {
	t.Parallel()
	b, err := sandbox.Open(t.Context(), sandbox.Options{})
	if err != nil {
		if os.Getenv("AGENTCTL_TEST_NO_SKIP") == "1" {
			t.Fatal(err)
		}
		t.Skip("no sandbox on this machine: ", err)
	}
	ws, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.Abs("../../../tools/data-fetch")
	if err != nil {
		t.Fatal(err)
	}
	src, err := toolpkg.ReadSource(dir)
	if err != nil {
		t.Fatal(err)
	}
	p := &toolpkg.Prebuilder{
		Out: filepath.Join(ws, "prebuilt"), Getenv: os.Getenv,
		Sandbox: func(context.Context) (sandbox.RunFunc, error) { return b.Run, nil },
	}
	outcomes, err := p.Prebuild(t.Context(), []*toolpkg.Source{src})
	if err != nil || outcomes[0].Err != nil {
		t.Fatal(err, outcomes[0].Err)
	}
	pkg, err := toolpkg.LoadPackage(filepath.Join(ws, "prebuilt", "data-fetch"))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("contract", func(t *testing.T) { contracttest.Run(t, toolpkg.SandboxLauncher(b.Run, pkg.Dir)) })
	t.Run("call", func(t *testing.T) {
		v := &toolpkg.Invoker{
			Run: b.Run, Artifacts: filepath.Join(ws, "artifacts"),
			Workspace: sandbox.WorkspaceOptions{Dir: ws},
		}
		f := toolpkg.Function{Name: "data_fetch", Package: pkg, Command: pkg.Commands[0]}
		r := v.Invoke(t.Context(), toolpkg.Call{Function: f, Args: []byte(`{"name":"city-temperatures","output":"data/t.csv"}`)})
		data, err := os.ReadFile(filepath.Join(ws, "data", "t.csv"))
		if r.ExitCode != 0 || !strings.Contains(r.Stdout, `"rows":48`) || err != nil || !bytes.Contains(data, []byte("Porto Vela,2025-07,23.1")) {
			t.Errorf("got %+v, %v", r, err)
		}
	})
	t.Run("the go builder is reproducible", func(t *testing.T) {
		again := &toolpkg.Prebuilder{Out: filepath.Join(ws, "again"), Getenv: os.Getenv, Sandbox: p.Sandbox}
		copied := filepath.Join(ws, "elsewhere", "data-fetch")
		if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		src, err := toolpkg.ReadSource(copied)
		if err != nil {
			t.Fatal(err)
		}
		second, err := again.Prebuild(t.Context(), []*toolpkg.Source{src})
		if err != nil || second[0].Digest != outcomes[0].Digest {
			t.Errorf("from two folders: %s and %s, %v, %v", outcomes[0].Digest, second[0].Digest, err, second[0].Err)
		}
	})
}

// TestTheSampleCarriesTheLibrary holds the copy and the original equal.
func TestTheSampleCarriesTheLibrary(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("../dispatch/dispatch.go")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../../tools/data-fetch/internal/dispatch/dispatch.go")
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("copy pkg/toolpkg/dispatch/dispatch.go to tools/data-fetch/internal/dispatch (%v)", err)
	}
}
