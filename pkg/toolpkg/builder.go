package toolpkg

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Builder turns a source folder into a folder with a launcher. Builders run
// like make: outside the sandbox, with declared variables only.
type Builder interface {
	// Name is what TOOL.md says in builder.
	Name() string
	// Toolchain names everything besides the source that decides the result, such
	// as compiler versions and flags. It is called on every freshness check, so it
	// reads files rather than spawning programs.
	Toolchain(ctx context.Context, b Build) (map[string]string, error)
	// Build fills b.Out with a file launch and what it needs. Nothing in it may
	// name b.Out or b.Source.Dir: the folder is moved afterwards.
	Build(ctx context.Context, b Build) (Runtime, error)
}

// Build is one job for a builder.
type Build struct {
	Source *Source
	// Files are the source's files, relative and sorted.
	Files []string
	// Out is an empty folder.
	Out string
	// Builds are the folders of finished builds, the package's own first, from which
	// a builder may take over what did not change.
	Builds []string
	// Env is the whole environment of what the builder runs.
	Env []string
	// Log receives what the builder's programs print.
	Log io.Writer
}

// Runtime says what a built package needs besides itself.
type Runtime struct {
	// Portable: it runs on any machine of its platform.
	Portable bool `json:"portable"`
	// Interpreter is a program that must be on the fixed PATH, "" for none.
	Interpreter string `json:"interpreter"`
}

// DefaultBuilders are the builders that agentctl knows, in the order in which
// messages name them.
func DefaultBuilders() []Builder {
	return []Builder{GoBuilder{}, PythonBuilder{}, NodeBuilder{}, ExecBuilder{}}
}

func builderByName(builders []Builder, name string) Builder {
	for _, b := range builders {
		if b.Name() == name {
			return b
		}
	}
	return nil
}

// Variables that every builder may see: where programs, caches and mirrors are.
// They decide where things come from, never what is built, so they are no part
// of the stamp.
var placeVariables = []string{
	"PATH", "HOME", "TMPDIR", "USER", "SSL_CERT_FILE", "SSL_CERT_DIR",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "SystemRoot", "LOCALAPPDATA", "APPDATA", "USERPROFILE",
	"GOPATH", "GOCACHE", "GOMODCACHE", "GOPROXY", "GOPRIVATE", "GONOSUMDB", "GOSUMDB", "GOROOT",
	"UV_CACHE_DIR", "UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_PYTHON_INSTALL_DIR", "UV_PYTHON_INSTALL_MIRROR", "UV_PYTHON_DOWNLOADS", "UV_OFFLINE", "UV_FIND_LINKS",
	"PIP_INDEX_URL", "npm_config_registry", "npm_config_cache", "NPM_CONFIG_REGISTRY", "NPM_CONFIG_CACHE",
}

// buildEnv is the environment of a builder's programs: the places above and
// what TOOL.md declares.
func buildEnv(getenv func(string) string, declared []string) []string {
	env := []string{"LANG=C.UTF-8"}
	for _, name := range append(append([]string{}, placeVariables...), declared...) {
		if v := getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// runProgram runs one program of a builder. On cancellation it is interrupted
// first and killed after a grace period. The error is a [*BuildError].
func runProgram(ctx context.Context, b Build, builder, dir string, env []string, argv ...string) ([]byte, error) {
	path, err := argv[0], error(nil)
	if !filepath.IsAbs(path) {
		path, err = lookProgram(argv[0], env)
	}
	if err != nil {
		return nil, &BuildError{Builder: builder, Reason: fmt.Sprintf("%s is not installed; install it, or put it on PATH", argv[0])}
	}
	var stdout bytes.Buffer
	log := &buildLog{pass: b.Log}
	cmd := exec.CommandContext(ctx, path, argv[1:]...)
	cmd.Dir, cmd.Env = dir, env
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&stdout, log), log
	ownGroup(cmd)
	cmd.WaitDelay = 2 * time.Second
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		endGroup(cmd)
		return nil, ctx.Err()
	case errors.Is(err, exec.ErrWaitDelay):
		return stdout.Bytes(), nil // it ended well; something it started still held the pipe
	case err != nil:
		return nil, &BuildError{
			Builder: builder, Reason: fmt.Sprintf("%s: %v", strings.Join(argv[:min(2, len(argv))], " "), err),
			Output: log.end(),
		}
	}
	return stdout.Bytes(), nil
}

// lookProgram finds a program on the PATH of the given environment.
func lookProgram(name string, env []string) (string, error) {
	for _, kv := range env {
		list, ok := strings.CutPrefix(kv, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(list) {
			if !filepath.IsAbs(dir) {
				continue // the current folder must not decide what runs
			}
			if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
				return path, nil
			}
		}
	}
	return "", exec.ErrNotFound
}

// Platform is the operating system and architecture that a build runs on.
func Platform() string { return runtime.GOOS + "/" + runtime.GOARCH }

// AnyPlatform is the platform of a package that holds no machine code.
const AnyPlatform = "any"
