package skill

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/agentctl/agentctl/internal/registry"
	"github.com/agentctl/agentctl/internal/uv"
)

// Requirements is the file that names a skill's Python packages. Scripts with
// inline metadata (PEP 723) add to it.
const Requirements = "requirements.txt"

// Environment is a Python environment for the scripts of a skill.
type Environment struct {
	// Dir is the environment's folder in the cache, Digest what it is made of.
	Dir, Digest string
	// Python is the interpreter; ReadOnly are the folders that it needs to see.
	Python   string
	ReadOnly []string
}

// PrepareRequest is an environment to make.
type PrepareRequest struct {
	Item *Item
	// CacheDir is the user's cache folder.
	CacheDir string
	// Env is the whole environment of uv, as os.Environ returns it.
	Env []string
	// AllowBuilds lets packages run code of their own while they are installed.
	// Without it only wheels are taken.
	AllowBuilds bool
}

// NoRequirementsError reports a skill whose scripts want no packages.
type NoRequirementsError struct{ Name string }

func (e *NoRequirementsError) Error() string {
	return fmt.Sprintf("skill %q has neither a %s nor a script with inline metadata (PEP 723)", e.Name, Requirements)
}

// Prepare makes the environment of a skill's scripts with uv, or finds the one
// that is there: it is keyed by what the skill asks for, so that an edit makes a
// new one. It appears whole or not at all.
//
// The error is a [*NoRequirementsError], a *uv.NotInstalledError, a
// *uv.NoPythonError or a *uv.RunError.
func Prepare(ctx context.Context, req PrepareRequest) (env Environment, created bool, err error) {
	want, err := requirementsOf(ctx, req.Item)
	if err != nil {
		return Environment{}, false, err
	}
	if want.empty() {
		return Environment{}, false, &NoRequirementsError{Name: req.Item.Name}
	}
	env = want.environment(req.CacheDir)
	if exists(env.Python) {
		return env, false, env.complete()
	}
	tool, err := uv.Find(ctx, req.Env)
	if err != nil {
		return env, false, err
	}
	if err := os.RemoveAll(env.Dir); err != nil { // its interpreter is gone
		return env, false, err
	}
	if err := want.install(ctx, tool, req, env.Dir); err != nil {
		return env, false, err
	}
	return env, true, env.complete()
}

// FindEnvironment returns the environment that [Prepare] made for the skill as
// it is now; ok is false when there is none.
func FindEnvironment(ctx context.Context, it *Item, cacheDir string) (env Environment, ok bool, err error) {
	want, err := requirementsOf(ctx, it)
	if err != nil || want.empty() {
		return Environment{}, false, err
	}
	env = want.environment(cacheDir)
	if !exists(env.Python) {
		return Environment{}, false, nil
	}
	return env, true, env.complete()
}

// WantsEnvironment tells whether the scripts of a skill ask for packages.
func WantsEnvironment(ctx context.Context, it *Item) (bool, error) {
	want, err := requirementsOf(ctx, it)
	return err == nil && !want.empty(), err
}

// systemPython are the folders of interpreters that a sandbox has as well.
var systemPython = []string{"/usr/local/bin", "/usr/bin"}

// requirements is what the scripts of a skill ask for.
type requirements struct {
	files  []string // paths in the skill, sorted: requirements.txt and scripts
	texts  [][]byte // what counts of each
	python []string // version constraints of scripts
}

func (r requirements) empty() bool { return len(r.files) == 0 }

// requirementsOf reads requirements.txt and the metadata blocks of scripts.
func requirementsOf(ctx context.Context, it *Item) (requirements, error) {
	var r requirements
	files, err := Files(ctx, it)
	if err != nil {
		return r, err
	}
	for _, f := range files {
		if f != Requirements && path.Ext(f) != ".py" {
			continue
		}
		data, err := ReadFile(ctx, it, f)
		if err != nil {
			return r, err
		}
		if f != Requirements {
			if data = scriptMetadata(data); data == nil {
				continue
			}
			if m := requiresPython.FindSubmatch(data); m != nil {
				r.python = append(r.python, string(m[1]))
			}
		}
		r.files, r.texts = append(r.files, f), append(r.texts, data)
	}
	return r, nil
}

var (
	metadataBlock  = regexp.MustCompile(`(?m)^# /// script[ \t]*\r?\n((?:^#(?: .*)?\r?\n)+?)^# ///[ \t]*\r?$`)
	requiresPython = regexp.MustCompile(`(?m)^#\s*requires-python\s*=\s*["']([^"']+)["']`)
)

// scriptMetadata is the block of a script that says what it needs, nil without one.
func scriptMetadata(script []byte) []byte {
	if m := metadataBlock.FindSubmatch(script); m != nil {
		return m[1]
	}
	return nil
}

// environment is where the environment of these requirements lies.
func (r requirements) environment(cacheDir string) Environment {
	h := sha256.New()
	fmt.Fprintf(h, "agentctl environment 1\n%s/%s\n", runtime.GOOS, runtime.GOARCH)
	for i, f := range r.files {
		sum := sha256.Sum256(r.texts[i])
		fmt.Fprintf(h, "%s\x00%x\n", f, sum)
	}
	sum := hex.EncodeToString(h.Sum(nil))
	env := Environment{Digest: "sha256:" + sum, Dir: filepath.Join(cacheDir, "environments", sum[:24])}
	env.Python = filepath.Join(env.Dir, "bin", "python")
	if runtime.GOOS == "windows" {
		env.Python = filepath.Join(env.Dir, "Scripts", "python.exe")
	}
	return env
}

// install makes the environment beside its place and moves it there.
func (r requirements) install(ctx context.Context, tool *uv.UV, req PrepareRequest, dir string) error {
	folder, err := Dir(ctx, req.Item)
	if err != nil {
		return err
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	stage, err := os.MkdirTemp(parent, registry.StagingPrefix+"*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(stage) }()
	made := filepath.Join(stage, "env")
	want := uv.Want{Requires: strings.Join(r.python, ","), Preference: "system"}
	python, err := uv.FindPython(want, req.Env, systemPython)
	if err != nil {
		return err
	}
	if _, err := tool.Run(ctx, folder, "venv", "--quiet", "--relocatable", "--python", python.Program, made); err != nil {
		return err
	}
	install := []string{"pip", "install", "--quiet", "--python", made}
	if !req.AllowBuilds {
		install = append(install, "--no-build")
	}
	for _, f := range r.files {
		install = append(install, "--requirements", filepath.FromSlash(f))
	}
	if _, err := tool.Run(ctx, folder, install...); err != nil {
		return err
	}
	if err := os.Rename(made, dir); err != nil && !exists(filepath.Join(dir, "pyvenv.cfg")) {
		return err // else another run was faster
	}
	return nil
}

// complete adds the folders of the interpreter that the environment builds on.
func (e *Environment) complete() error {
	data, err := os.ReadFile(filepath.Join(e.Dir, "pyvenv.cfg"))
	if err != nil {
		return fmt.Errorf("environment %s is damaged, remove it: %w", e.Dir, err)
	}
	e.ReadOnly = []string{e.Dir}
	for line := range bytes.Lines(data) {
		key, value, _ := strings.Cut(string(line), "=")
		if home := strings.TrimSpace(value); strings.TrimSpace(key) == "home" && filepath.IsAbs(home) {
			e.ReadOnly = append(e.ReadOnly, filepath.Dir(home))
		}
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
