package toolpkg

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/fspath"
)

// GoBuilder compiles one main package of a Go module into one static program.
type GoBuilder struct{}

// The flags that make two builds of one source the same file: without them the
// folder, the commit and the build ID are part of it.
var goFlags = []string{"-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid="}

// Name is go.
func (GoBuilder) Name() string { return "go" }

// Toolchain reads the version of the go command from its VERSION file.
func (b GoBuilder) Toolchain(ctx context.Context, job Build) (map[string]string, error) {
	version, err := b.version(ctx, job)
	return map[string]string{
		"go": version, "flags": strings.Join(goFlags, " "), "cgo": b.cgo(job),
	}, err
}

func (b GoBuilder) version(ctx context.Context, job Build) (string, error) {
	goTool, err := lookProgram("go", job.Env)
	if err != nil {
		return "", &BuildError{Builder: b.Name(), Reason: "go is not installed; install it from https://go.dev/dl, or put it on PATH"}
	}
	if real, err := filepath.EvalSymlinks(goTool); err == nil {
		file := filepath.Join(filepath.Dir(filepath.Dir(real)), "VERSION")
		if data, err := os.ReadFile(file); err == nil {
			line, _, _ := strings.Cut(string(data), "\n")
			return strings.TrimSpace(line), nil
		}
	}
	out, err := runProgram(ctx, job, b.Name(), job.Source.Dir, b.env(job), "go", "env", "GOVERSION")
	return strings.TrimSpace(string(out)), err
}

// cgo is off unless the package asks for it by declaring the variable.
func (GoBuilder) cgo(job Build) string {
	for _, kv := range job.Env {
		if v, ok := strings.CutPrefix(kv, "CGO_ENABLED="); ok {
			return v
		}
	}
	return "0"
}

// env keeps a go.work around the package and flags of the user out of the build:
// only a GOFLAGS that says something replaces that of the user's go/env file.
func (b GoBuilder) env(job Build) []string {
	return append(slices.Clone(job.Env), "CGO_ENABLED="+b.cgo(job), "GOWORK=off", "GOFLAGS=-trimpath")
}

// Build compiles the entry, or the one main package there is.
func (b GoBuilder) Build(ctx context.Context, job Build) (Runtime, error) {
	entry, err := b.entry(ctx, job)
	if err != nil {
		return Runtime{}, err
	}
	argv := append([]string{"go", "build", "-o", filepath.Join(job.Out, launchName)}, goFlags...)
	_, err = runProgram(ctx, job, b.Name(), job.Source.Dir, b.env(job), append(argv, entry)...)
	return Runtime{Portable: b.cgo(job) == "0"}, err
}

func (b GoBuilder) entry(ctx context.Context, job Build) (string, error) {
	if e := job.Source.Manifest.Entry; e != "" {
		if !filepath.IsLocal(e) {
			return "", &BuildError{Builder: b.Name(), Reason: fmt.Sprintf("entry %q leaves the package; name a folder below it", e)}
		}
		if path.Ext(e) == ".go" {
			e = path.Dir(e)
		}
		return "./" + filepath.ToSlash(e), nil
	}
	out, err := runProgram(ctx, job, b.Name(), job.Source.Dir, b.env(job),
		"go", "list", "-buildvcs=false", "-find", "-f", `{{if eq .Name "main"}}{{.Dir}}{{end}}`, "./...")
	if err != nil {
		return "", err
	}
	var mains []string
	for line := range strings.SplitSeq(strings.TrimSpace(string(out)), "\n") {
		if line == "" {
			continue
		}
		rel, err := filepath.Rel(fspath.Real(job.Source.Dir), fspath.Real(line))
		if err != nil {
			return "", err
		}
		mains = append(mains, "./"+filepath.ToSlash(rel))
	}
	if slices.Contains(mains, "./.") {
		return ".", nil
	}
	if len(mains) != 1 {
		return "", &BuildError{Builder: b.Name(), Reason: fmt.Sprintf(
			"the module has %d main packages (%s); name one in entry of TOOL.md", len(mains), strings.Join(mains, ", "))}
	}
	return mains[0], nil
}
