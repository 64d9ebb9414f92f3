package toolpkg

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// requirements are the pinned dependencies, one a line, of the lock where there
// is one.
func (p *pyBuild) requirements(ctx context.Context) (string, error) {
	if slices.Contains(p.job.Files, uvLockName) {
		return p.uv.Run(ctx, p.job.Source.Dir, "export", "--quiet", "--frozen", "--no-dev", "--no-editable",
			"--no-emit-project", "--no-header", "--no-annotate", "--python", p.python.Program)
	}
	if p.job.Log != nil {
		fmt.Fprintf(p.job.Log, "%s has no %s: dependencies are resolved anew; uv lock makes builds repeatable\n", p.job.Source.Name, uvLockName)
	}
	return p.uv.Run(ctx, p.job.Source.Dir, "pip", "compile", "--quiet", "--no-header", "--no-annotate",
		"--generate-hashes", "--python", p.python.Program, pyprojectName)
}

// dependencies fills site-packages, which is there even when it is empty.
func (p *pyBuild) dependencies(ctx context.Context) error {
	if !p.project.hasDependencies() {
		return os.MkdirAll(filepath.Join(p.job.Out, "runtime", pySitePackages), 0o755)
	}
	text, err := p.requirements(ctx)
	if err != nil {
		return err
	}
	key := layerKey(pyLayout, Platform(), p.python.ID(), text)
	if localRequirement(text) {
		key = "" // what lies in another folder can change without a word here
	}
	return p.layer(ctx, pySitePackages, key, func(dir string) error {
		work, err := os.MkdirTemp("", "agentctl-python-")
		if err != nil {
			return err
		}
		defer removeTree(work)
		file := filepath.Join(work, "requirements.txt")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return err
		}
		return p.install(ctx, p.job.Source.Dir, dir, "--requirements", file)
	})
}

// localRequirement finds a dependency that is a folder of this machine.
func localRequirement(text string) bool {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "/") || strings.Contains(line, "file:") {
			return true
		}
	}
	return false
}

// install installs into an empty folder and removes what names this machine or
// is of no use there.
func (p *pyBuild) install(ctx context.Context, cwd, dir string, args ...string) error {
	argv := append([]string{"pip", "install", "--quiet", "--python", p.python.Program, "--target", dir}, args...)
	if _, err := p.uv.Run(ctx, cwd, argv...); err != nil {
		return err
	}
	return cleanTarget(dir)
}

// app puts the project itself into its folder: installed where it is a package,
// else as it is. A copy is built, since build backends write into their source.
func (p *pyBuild) app(ctx context.Context) error {
	dir := filepath.Join(p.job.Out, "runtime", pyApp)
	if !p.project.installable() {
		if err := copyFiles(p.job.Source.Dir, dir, p.job.Files); err != nil {
			return err
		}
		return p.compile(ctx, "+"+dir)
	}
	work, err := os.MkdirTemp("", "agentctl-python-")
	if err != nil {
		return err
	}
	defer removeTree(work)
	if err := copyFiles(p.job.Source.Dir, work, p.job.Files); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	if err := p.install(ctx, work, dir, "--no-deps", "."); err != nil {
		return err
	}
	if err := p.compile(ctx, "+"+dir); err != nil {
		return err
	}
	return checkNoPath(dir, work, p.job.Out)
}

var compiling = regexp.MustCompile(`(?m)^\*\*\* Error compiling .*\n`)

func (p *pyBuild) compile(ctx context.Context, folders ...string) error {
	_, err := p.run(ctx, p.python.Program, append([]string{"-c", pyCompile, p.job.Out}, folders...)...)
	if bad, ok := errors.AsType[*BuildError](err); ok {
		bad.Reason = "the project's Python does not compile"
		bad.Output = compiling.ReplaceAllString(bad.Output, "") // what follows names the file too
	}
	return err
}

// cleanTarget removes what an installation leaves that names this machine, its
// time, or an interpreter by its path.
func cleanTarget(dir string) error {
	if err := os.Remove(filepath.Join(dir, ".lock")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, name := range []string{"direct_url.json", "uv_cache.json", "uv_build.json"} {
		found, err := filepath.Glob(filepath.Join(dir, "*.dist-info", name))
		if err != nil {
			return err
		}
		for _, file := range found {
			if err := os.Remove(file); err != nil {
				return err
			}
		}
	}
	if err := removeScripts(filepath.Join(dir, "bin")); err != nil {
		return err
	}
	return cleanRecords(dir)
}

// removeScripts removes the programs of packages that start an interpreter by
// its path. Compiled programs stay: their package runs them.
func removeScripts(bin string) error {
	entries, _ := os.ReadDir(bin) // there is none
	for _, e := range entries {
		file := filepath.Join(bin, e.Name())
		if line, err := readStart(file); err == nil && !bytes.HasPrefix(line, []byte("#!/")) {
			continue
		}
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	_ = os.Remove(bin) // stays when something is in it
	return nil
}

// cleanRecords takes the removed files out of the lists of installed ones.
func cleanRecords(dir string) error {
	records, err := filepath.Glob(filepath.Join(dir, "*.dist-info", "RECORD"))
	if err != nil {
		return err
	}
	for _, record := range records {
		data, err := os.ReadFile(record)
		if err != nil {
			return err
		}
		var kept []string
		for line := range strings.Lines(string(data)) {
			name, _, _ := strings.Cut(line, ",")
			if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name))); err == nil || strings.HasPrefix(name, `"`) {
				kept = append(kept, line)
			}
		}
		if err := os.WriteFile(record, []byte(strings.Join(kept, "")), 0o644); err != nil {
			return err
		}
	}
	return nil
}
