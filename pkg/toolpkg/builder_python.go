package toolpkg

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/uv"
)

// PythonBuilder makes one environment for all commands of a Python project. It
// does not build on a virtual environment, which dies when it is moved: the
// dependencies lie in a folder of their own, and a boot file adds that folder to
// an interpreter that is called directly.
//
// With uv.lock the same sources make the same folder, byte for byte. Without it
// dependencies are resolved anew by each build.
type PythonBuilder struct{}

// The folders of runtime/ in a built package.
const (
	pyApp          = "app"           // the project itself
	pySitePackages = "site-packages" // its dependencies
	pyInterpreter  = "python"        // the interpreter, when it is the package's own
)

// pyLayout changes when the same inputs make another folder.
const pyLayout = "1"

//go:embed pyruntime/compile.py
var pyCompile string

//go:embed pyruntime/boot.py.tmpl
var pyBoot string

// Name is python.
func (PythonBuilder) Name() string { return "python" }

// Marker is pyproject.toml.
func (PythonBuilder) Marker() string { return pyprojectName }

// Toolchain names uv, where the project needs it, the interpreter and the layout.
func (b PythonBuilder) Toolchain(ctx context.Context, job Build) (map[string]string, error) {
	p, err := b.open(ctx, job)
	if err != nil {
		return nil, err
	}
	chain := map[string]string{"python": p.python.ID(), "layout": pyLayout}
	if p.uv != nil {
		if chain["uv"], err = p.uv.Version(ctx); err != nil {
			return nil, p.fail(ctx, err)
		}
	}
	return chain, nil
}

// Build installs the dependencies and the project, and writes the launcher.
func (b PythonBuilder) Build(ctx context.Context, job Build) (Runtime, error) {
	p, err := b.open(ctx, job)
	if err != nil {
		return Runtime{}, err
	}
	for _, step := range []func(context.Context) error{p.checkVersion, p.interpreter, p.dependencies, p.app} {
		if err := step(ctx); err != nil {
			return Runtime{}, p.fail(ctx, err)
		}
	}
	if err := p.launcher(); err != nil {
		return Runtime{}, err
	}
	if err := writeLayers(job.Out, p.layers); err != nil {
		return Runtime{}, err
	}
	if p.python.Home != "" {
		return Runtime{Portable: true}, nil
	}
	return Runtime{Interpreter: p.python.Name}, nil
}

// pyBuild is one build.
type pyBuild struct {
	job     Build
	project *pyproject
	entry   pyEntry
	python  uv.Python
	uv      *uv.UV // nil where there is nothing to install
	layers  map[string]layer
}

// open reads the project and finds the tools, without running them.
func (b PythonBuilder) open(ctx context.Context, job Build) (*pyBuild, error) {
	p := &pyBuild{job: job, layers: map[string]layer{}}
	src := os.DirFS(job.Source.Dir)
	var err error
	if p.project, err = readPyproject(src); err != nil {
		return nil, p.fail(ctx, err)
	}
	if p.entry, err = p.project.entry(job.Source.Manifest.Entry, job.Source.Dir, job.Files); err != nil {
		return nil, p.fail(ctx, err)
	}
	if p.project.installs() {
		if p.uv, err = uv.Find(ctx, p.env()); err != nil {
			return nil, p.fail(ctx, err)
		}
		p.uv.Log = job.Log
	}
	want, err := p.project.want(src)
	if err != nil {
		return nil, p.fail(ctx, err)
	}
	if p.python, err = uv.FindPython(want, job.Env, systemPath); err != nil {
		return nil, p.fail(ctx, err)
	}
	return p, nil
}

// env keeps uv from choosing another interpreter than we did, and fixes what
// could make two builds of one source differ.
func (p *pyBuild) env() []string {
	return append(slices.Clone(p.job.Env), "UV_PYTHON_DOWNLOADS=never", "UV_LINK_MODE=copy", "PYTHONHASHSEED=0", "PYTHONDONTWRITEBYTECODE=1")
}

// fail makes a [*BuildError] of what can go wrong, with the cure in it.
func (p *pyBuild) fail(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	out := &BuildError{Builder: PythonBuilder{}.Name(), Reason: err.Error()}
	if _, ok := errors.AsType[*BuildError](err); ok {
		return err
	}
	if e, ok := errors.AsType[*uv.RunError](err); ok {
		out.Reason, out.Output = fmt.Sprintf("uv %s: %v", strings.Join(e.Args[:min(2, len(e.Args))], " "), e.Err), endOf(e.Stderr, keptLog)
	}
	if e, ok := errors.AsType[interface {
		error
		Cure() string
	}](err); ok {
		out.Reason += "; " + e.Cure()
	}
	return out
}

// run runs the interpreter in the finished folder's place.
func (p *pyBuild) run(ctx context.Context, program string, args ...string) ([]byte, error) {
	argv := append([]string{program, "-S", "-P"}, args...)
	if p.olderThan(11) {
		argv = append([]string{program, "-S"}, args...) // -P came with 3.11
	}
	return runProgram(ctx, p.job, PythonBuilder{}.Name(), p.job.Out, p.env(), argv...)
}

func (p *pyBuild) olderThan(minor int) bool {
	var have int
	_, err := fmt.Sscanf(p.python.Version, "3.%d", &have)
	return err == nil && have < minor
}

// checkVersion asks an interpreter of the system for its exact version, which its
// name does not tell.
func (p *pyBuild) checkVersion(ctx context.Context) error {
	out, err := p.run(ctx, p.python.Program, "-c", "import sys; print('%d.%d.%d' % sys.version_info[:3])")
	if err != nil {
		return err
	}
	version := strings.TrimSpace(string(out))
	want, err := p.project.want(os.DirFS(p.job.Source.Dir))
	if err != nil {
		return err
	}
	if !want.Accepts(version) {
		return &uv.NoPythonError{Want: want, Seen: []string{p.python.Program + " (" + version + ")"}}
	}
	return nil
}

// launcher writes launch and runtime/boot.py.
func (p *pyBuild) launcher() error {
	folders := []string{pyApp}
	if !p.project.installable() {
		folders = p.entry.folders(p.job.Files)
	}
	list, err := json.Marshal(folders) // JSON texts and lists are Python's too
	if err != nil {
		return err
	}
	boot := strings.ReplaceAll(pyBoot, "@FIRST@", string(list)) + p.entry.start()
	if err := os.WriteFile(filepath.Join(p.job.Out, "runtime", "boot.py"), []byte(boot), 0o644); err != nil {
		return err
	}
	var sh bytes.Buffer
	sh.WriteString("#!/bin/sh\ndir=$(CDPATH= cd -- \"${0%/*}\" && pwd -P) || exit 126\n")
	sh.WriteString("export PYTHONDONTWRITEBYTECODE=1\n")
	program := `"$dir"/runtime/` + path.Join(pyInterpreter, "bin", p.python.Name)
	if p.python.Home == "" {
		program = p.python.Name
		fmt.Fprintf(&sh, "export PATH=%s\n", strings.Join(systemPath, ":"))
	}
	fmt.Fprintf(&sh, "exec %s -I -S -B -X utf8 \"$dir\"/runtime/boot.py \"$@\"\n", program)
	return os.WriteFile(filepath.Join(p.job.Out, launchName), sh.Bytes(), 0o755)
}

// start is the last lines of boot.py.
func (e pyEntry) start() string {
	if e.File != "" {
		return fmt.Sprintf("\nimport runpy\n\nrunpy.run_module(%q, run_name=\"__main__\", alter_sys=True)\n",
			strings.TrimSuffix(path.Base(e.File), ".py"))
	}
	return fmt.Sprintf("\nfrom importlib import import_module\n\nmain = import_module(%q)\nfor name in %q.split(\".\"):\n    main = getattr(main, name)\nsys.exit(main())\n",
		e.Module, e.Function)
}
