package toolpkg

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/frontmatter"
)

func TestParseManifest(t *testing.T) {
	t.Parallel()
	text := `---
builder: go
entry: cmd/tool
env:
  - name: API_KEY
    required: true
    secret: true
    description: "Key, of the service."
network: true
workspace: ro
timeout: 90s
memory: 512MiB
build_env: [CC]
description: Does things.
version: 1.0
---
Docs.
`
	m, err := ParseManifest("TOOL.md", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if m.Builder != "go" || m.Entry != "cmd/tool" || !m.Network || m.Workspace != "ro" || m.Timeout != 90*time.Second ||
		m.Memory != 512<<20 || len(m.BuildEnv) != 1 || m.Version != "1.0" || strings.TrimSpace(m.Body) != "Docs." ||
		len(m.Env) != 1 || m.Env[0] != (EnvVar{"API_KEY", true, true, "Key, of the service."}) {
		t.Errorf("got %+v", m)
	}
}

func TestParseManifestRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, yaml, want string }{
		{"an unknown key", "bulder: go", "builder"},
		{"an unknown builder", "builder: rust", `TOOL.md:2: builder "rust" is not known; write one of go, python, node, exec`},
		{"an access", "workspace: write", `"write" is no access; write rw, ro or none`},
		{"a size", "memory: 2 gigs", `"2 gigs" is no size`},
		{"a huge size", "memory: 99999999999GiB", "out of range"},
		{"a timeout", "timeout: soon", "timeout"},
		{"a negative timeout", "timeout: -5s", "is not positive"},
		{"PATH", "env: [{name: PATH}]", `env: "PATH" decides what code runs`},
		{"the loader", "env: [{name: LD_PRELOAD}]", "LD_* decides what code runs"},
		{"the interpreter", "env: [{name: PYTHONPATH}]", "PYTHON* decides"},
		{"git", "env: [{name: GIT_DIR}]", "GIT_* decides"},
		{"node", "env: [{name: NODE_OPTIONS}]", "cannot be declared"},
		{"no name", "env: [{name: 'A B'}]", "is no name of a variable"},
		{"twice", "env: [{name: A}, {name: A}]", "is listed twice"},
		{"an unknown key below env", "env: [{name: A, requird: true}]", "required"},
		{"build_env", "build_env: ['a-b']", "build_env"},
		{"a text for a list", "env: API_KEY", "env"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := ParseManifest("TOOL.md", []byte("---\n"+tt.yaml+"\n---\n"))
			if _, ok := errors.AsType[*frontmatter.StrictError](err); !ok || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestLoadSources(t *testing.T) {
	t.Parallel()
	ws, other := tempDir(t), tempDir(t)
	writeTree(t, filepath.Join(ws, "tools"), map[string]string{
		"by-go/go.mod":           "module x\n",
		"by-launch/launch*":      "#!/bin/sh\n",
		"by-launch/go.mod":       "module x\n",
		"by-toml/pyproject.toml": "",
		"by-json/package.json":   "{}",
		"both/go.mod":            "module x\n",
		"both/pyproject.toml":    "",
		"said/go.mod":            "module x\n",
		"said/pyproject.toml":    "",
		"said/TOOL.md":           "---\nbuilder: python\n---\n",
		"flat/launch":            "#!/bin/sh\n",
		"none/TOOL.md":           "---\nversion: 1\n---\n",
		"typo/TOOL.md":           "---\nbuildr: go\n---\n",
		"Upper/go.mod":           "module x\n",
		"nothing/readme.txt":     "",
	})
	writeTree(t, other, map[string]string{"launch*": "#!/bin/sh\n"})
	more := tempDir(t)
	writeTree(t, more, map[string]string{"extra/go.mod": "module x\n", "by-go/go.mod": "module other\n"})
	single := filepath.Join(other, "single")
	writeTree(t, single, map[string]string{"launch*": "#!/bin/sh\n"})
	l, err := LoadSources(t.Context(), SourceRoots(ws, []string{single, more}))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, it := range l.Winners() {
		got = append(got, it.Name+"="+it.Value.Builder)
	}
	want := "by-go=go by-json=node by-launch=exec by-toml=python extra=go said=python single=exec"
	if strings.Join(got, " ") != want {
		t.Errorf("got %s\nwant %s", strings.Join(got, " "), want)
	}
	reasons := map[string]string{
		"both":  "both go.mod and pyproject.toml are there; say which builder to use: builder: go or builder: python",
		"flat":  "launch cannot be executed; run chmod +x on it",
		"none":  "nothing says how to build this package",
		"typo":  "buildr",
		"Upper": `folder "Upper" is no package name`,
	}
	for _, b := range l.Broken {
		if !strings.Contains(b.Diagnostics[0].Message, reasons[b.Name]) || reasons[b.Name] == "" {
			t.Errorf("%s: got %q, want %q", b.Name, b.Diagnostics[0].Message, reasons[b.Name])
		}
		delete(reasons, b.Name)
	}
	if len(reasons) > 0 {
		t.Errorf("not reported: %v", reasons)
	}
}

func TestConfiguredFoldersThatDoNotExist(t *testing.T) {
	t.Parallel()
	ws := tempDir(t)
	gone := filepath.Join(ws, "gone")
	sources, err := LoadSources(t.Context(), SourceRoots(ws, []string{gone}))
	if err != nil || len(sources.Diagnostics) != 1 || sources.Diagnostics[0].Code != "tool.no-root" || sources.Diagnostics[0].File != gone {
		t.Errorf("sources: %v, %v", sources.Diagnostics, err)
	}
	c, err := LoadCatalog(t.Context(), []string{filepath.Join(ws, "prebuilt"), gone}, nil)
	if err != nil || len(c.Diagnostics) != 1 || c.Diagnostics[0].File != gone {
		t.Errorf("prebuilt: %v, %v", c.Diagnostics, err)
	}
}

func TestReadSourceRefusesAFolderWithoutMarkers(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(tempDir(t), "notes")
	writeTree(t, dir, map[string]string{"readme.txt": ""})
	if _, err := ReadSource(dir); err == nil || !strings.Contains(err.Error(), "is no tool package: it has none of launch") {
		t.Errorf("got %v", err)
	}
	if _, err := ReadSource(filepath.Join(dir, "nowhere")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func FuzzParseManifest(f *testing.F) {
	f.Add([]byte(shellManifest))
	f.Add([]byte("---\nbuilder: go\n---\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ParseManifest("TOOL.md", data)
		if err != nil {
			return
		}
		for _, v := range m.Env {
			if forbiddenVariable(v.Name) != "" {
				t.Errorf("let in %q", v.Name)
			}
		}
	})
}
