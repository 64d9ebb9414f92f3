package toolpkg

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// NodeBuilder copies a Node project and installs its production dependencies
// beside it, so that the folder needs nothing but node. A project with a build
// script is built first. With a lock the same sources make the same folder.
type NodeBuilder struct{}

const (
	packageJSONName = "package.json"
	nodeProgram     = "node"
)

// npmLocks are the locks that npm ci takes.
var npmLocks = []string{"npm-shrinkwrap.json", "package-lock.json"}

// npmFlags make an installation quiet and whole: a dependency that is a folder of
// this machine is copied, since a link would leave the package.
var npmFlags = []string{"--no-audit", "--no-fund", "--no-progress", "--loglevel=error", "--install-links"}

// Name is node.
func (NodeBuilder) Name() string { return "node" }

// Marker is package.json.
func (NodeBuilder) Marker() string { return packageJSONName }

// Toolchain names node and, where it is needed, npm.
func (b NodeBuilder) Toolchain(ctx context.Context, job Build) (map[string]string, error) {
	n, err := b.open(job)
	if err != nil {
		return nil, err
	}
	version, err := n.version(ctx)
	if err != nil {
		return nil, err
	}
	chain := map[string]string{"node": version, "layout": "1"}
	if n.npm != "" {
		chain["npm"] = n.npmVersion()
	}
	return chain, nil
}

// Build copies, installs, and writes the launcher.
func (b NodeBuilder) Build(ctx context.Context, job Build) (Runtime, error) {
	n, err := b.open(job)
	if err != nil {
		return Runtime{}, err
	}
	app := filepath.Join(job.Out, "runtime", "app")
	if err := copyFiles(job.Source.Dir, app, job.Files); err != nil {
		return Runtime{}, err
	}
	if n.npm != "" {
		if err := n.install(ctx, app); err != nil {
			return Runtime{}, err
		}
	}
	if info, err := os.Stat(filepath.Join(app, filepath.FromSlash(n.entry))); err != nil || !info.Mode().IsRegular() {
		return Runtime{}, n.fail("entry %q does not exist in the package; name another file in entry of %s, or in bin of %s", n.entry, ManifestName, packageJSONName)
	}
	text := fmt.Sprintf("#!/bin/sh\ndir=$(CDPATH= cd -- \"${0%%/*}\" && pwd -P) || exit 126\nexport PATH=%s\nexec %s \"$dir\"/%s \"$@\"\n",
		strings.Join(systemPath, ":"), nodeProgram, shellWords([]string{"runtime/app/" + n.entry}))
	return Runtime{Interpreter: nodeProgram}, os.WriteFile(filepath.Join(job.Out, launchName), []byte(text), 0o755) //nolint:gosec // it is a program
}

// nodeBuild is one build.
type nodeBuild struct {
	job     Build
	project packageJSON
	entry   string // relative, with slashes
	node    string // the program on the fixed PATH
	npm     string // "" where there is nothing to install
}

// packageJSON is what the builder reads of a package.json.
type packageJSON struct {
	Bin          nodeBin           `json:"bin"`
	Scripts      map[string]string `json:"scripts"`
	Dependencies map[string]string `json:"dependencies"`
	Optional     map[string]string `json:"optionalDependencies"`
}

// nodeBin is one file, or files by name.
type nodeBin map[string]string

// UnmarshalJSON reads both forms.
func (b *nodeBin) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*b = nodeBin{"": one}
		return nil
	}
	var many map[string]string
	if err := json.Unmarshal(data, &many); err != nil {
		return errors.New("bin is neither a file nor files by name")
	}
	*b = many
	return nil
}

// open reads the project and finds the tools, without running them.
func (b NodeBuilder) open(job Build) (*nodeBuild, error) {
	n := &nodeBuild{job: job}
	data, err := os.ReadFile(filepath.Join(job.Source.Dir, packageJSONName))
	if err != nil {
		return nil, n.fail("%s cannot be read; the node builder needs one", packageJSONName)
	}
	if err := json.Unmarshal(data, &n.project); err != nil {
		return nil, n.fail("%s: %v", packageJSONName, err)
	}
	if n.entry, err = n.project.entry(job.Source.Manifest.Entry); err != nil {
		return nil, n.fail("%v", err)
	}
	if n.node, err = systemProgram(nodeProgram, envValue(job.Env, "HOME")); err != nil {
		return nil, n.fail("%v; install it from https://nodejs.org or with the system's packages (apt-get install nodejs npm)", err)
	}
	if !n.project.installs() {
		return n, nil
	}
	if n.npm, err = lookProgram("npm", job.Env); err != nil {
		return nil, n.fail("npm is not installed; it comes with node (https://nodejs.org), or: apt-get install npm")
	}
	return n, nil
}

func (n *nodeBuild) fail(format string, args ...any) error {
	return &BuildError{Builder: NodeBuilder{}.Name(), Reason: fmt.Sprintf(format, args...)}
}

// installs says whether there is anything that needs npm.
func (p packageJSON) installs() bool {
	return len(p.Dependencies)+len(p.Optional) > 0 || p.Scripts["build"] != ""
}

// entry is the one of TOOL.md, a file or the name of a bin, else the one bin.
func (p packageJSON) entry(entry string) (string, error) {
	if entry == "" {
		if len(p.Bin) != 1 {
			return "", fmt.Errorf("bin of %s has %d files (%s); leave one there, or name a file in entry of %s",
				packageJSONName, len(p.Bin), strings.Join(bothKeys(p.Bin, nil), ", "), ManifestName)
		}
		for _, file := range p.Bin {
			entry = file
		}
	} else if file, ok := p.Bin[entry]; ok {
		entry = file
	}
	if entry = path.Clean(entry); !filepath.IsLocal(entry) {
		return "", fmt.Errorf("entry %q leaves the package; name a file in it", entry)
	}
	return entry, nil
}

// systemProgram finds a program on the fixed PATH. One that is a link into the
// home folder cannot be run by a sandbox.
func systemProgram(name, home string) (string, error) {
	for _, dir := range systemPath {
		file := filepath.Join(dir, name)
		info, err := os.Stat(file)
		if err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
			continue
		}
		if rel, err := filepath.Rel(realPath(home), realPath(file)); err == nil && home != "" && filepath.IsLocal(rel) {
			return "", fmt.Errorf("%s lies in the home folder, where a sandbox cannot run it", file)
		}
		return file, nil
	}
	return "", fmt.Errorf("there is no %s in %s, where finished packages look for it", name, strings.Join(systemPath, ":"))
}

func envValue(env []string, name string) string {
	for _, kv := range slices.Backward(env) {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}

var nodeVersionPattern = regexp.MustCompile(`(?m)^#define NODE_(?:MAJOR|MINOR|PATCH)_VERSION (\d+)$`)

// version reads the header that comes with node; where there is none, node is
// asked, which costs more than a check of freshness should.
func (n *nodeBuild) version(ctx context.Context) (string, error) {
	header := filepath.Join(filepath.Dir(filepath.Dir(realPath(n.node))), "include", "node", "node_version.h")
	if data, err := os.ReadFile(header); err == nil {
		if m := nodeVersionPattern.FindAllSubmatch(data, -1); len(m) == 3 {
			return fmt.Sprintf("v%s.%s.%s", m[0][1], m[1][1], m[2][1]), nil
		}
	}
	out, err := runProgram(ctx, n.job, NodeBuilder{}.Name(), n.job.Source.Dir, n.job.Env, n.node, "--version")
	return strings.TrimSpace(string(out)), err
}

// npmVersion reads npm's own package.json; one that is laid out otherwise is
// known by its path alone.
func (n *nodeBuild) npmVersion() string {
	var about struct{ Version string }
	real := realPath(n.npm)
	data, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(real)), packageJSONName))
	if err != nil || json.Unmarshal(data, &about) != nil {
		return filepath.Base(real)
	}
	return about.Version
}

// install runs npm in the copy, builds where the project says how, and leaves
// what runs.
func (n *nodeBuild) install(ctx context.Context, app string) error {
	verb := "install"
	if slices.ContainsFunc(npmLocks, func(lock string) bool { return slices.Contains(n.job.Files, lock) }) {
		verb = "ci"
	} else if n.job.Log != nil {
		fmt.Fprintf(n.job.Log, "%s has no package-lock.json: dependencies are resolved anew; npm install makes builds repeatable\n", n.job.Source.Name)
	}
	steps := [][]string{{verb, "--omit=dev"}}
	if n.project.Scripts["build"] != "" {
		steps = [][]string{{verb, "--include=dev"}, {"run", "build"}, {"prune", "--omit=dev"}}
	}
	for _, step := range steps {
		if err := n.run(ctx, app, step...); err != nil {
			return err
		}
	}
	return n.clean(app)
}

// run runs npm with the node that the finished package runs with: what is
// compiled for another one does not load.
func (n *nodeBuild) run(ctx context.Context, app string, args ...string) error {
	argv := slices.Concat([]string{n.npm}, args, npmFlags)
	if real := realPath(n.npm); path.Ext(real) == ".js" {
		argv = slices.Concat([]string{n.node, real}, args, npmFlags)
	}
	env := append(slices.Clone(n.job.Env),
		"PATH="+filepath.Dir(n.node)+string(filepath.ListSeparator)+envValue(n.job.Env, "PATH"), "NO_COLOR=1", "NO_UPDATE_NOTIFIER=1")
	_, err := runProgram(ctx, n.job, NodeBuilder{}.Name(), app, env, argv...)
	return err
}

// clean removes what installing and compiling leave that is not run and names
// this machine.
func (n *nodeBuild) clean(app string) error {
	modules := filepath.Join(app, "node_modules")
	for _, name := range []string{".package-lock.json", ".cache"} {
		if err := os.RemoveAll(filepath.Join(modules, name)); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(npmLocks, func(lock string) bool { return slices.Contains(n.job.Files, lock) }) {
		if err := os.RemoveAll(filepath.Join(app, "package-lock.json")); err != nil {
			return err
		}
	}
	if err := removeGyp(modules); err != nil {
		return err
	}
	if err := checkNoPath(app, n.job.Out); err != nil {
		return n.fail("%v", err)
	}
	return nil
}

// removeGyp removes what node-gyp compiled from and keeps what it made.
func removeGyp(dir string) error {
	return filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // no dependency was installed
		}
		if err != nil || d.Name() != "config.gypi" || filepath.Base(filepath.Dir(file)) != "build" {
			return err
		}
		build := filepath.Dir(file)
		err = eachFile(build, func(file string, _ []byte) error {
			if path.Ext(file) == ".node" {
				return nil
			}
			return os.Remove(file)
		})
		return errors.Join(err, fs.SkipDir)
	})
}
