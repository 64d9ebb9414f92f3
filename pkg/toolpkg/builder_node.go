package toolpkg

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/fspath"
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

// npmFlags make an installation quiet and whole: a dependency that is a folder
// elsewhere on this machine is copied, since a link would leave the package.
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
		return Runtime{}, n.fail("entry %q %s; name another file in entry of %s, or in bin of %s", n.entry, noFile(job.Source.Dir, n.entry), ManifestName, packageJSONName)
	}
	text := fmt.Sprintf("#!/bin/sh\ndir=$(CDPATH= cd -- \"${0%%/*}\" && pwd -P) || exit 126\nexport PATH=%s\nexec %s \"$dir\"/%s \"$@\"\n",
		strings.Join(systemPath, ":"), nodeProgram, shellWords([]string{"runtime/app/" + n.entry}))
	return Runtime{Interpreter: nodeProgram}, os.WriteFile(filepath.Join(job.Out, launchName), []byte(text), 0o755)
}

// nodeBuild is one build.
type nodeBuild struct {
	job     Build
	project packageJSON
	entry   string // relative, with slashes
	node    string // the program on the fixed PATH
	npm     string // "" where there is nothing to install
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
	header := filepath.Join(filepath.Dir(filepath.Dir(fspath.Real(n.node))), "include", "node", "node_version.h")
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
	real := fspath.Real(n.npm)
	data, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(real)), packageJSONName))
	if err != nil || json.Unmarshal(data, &about) != nil {
		return filepath.Base(real)
	}
	return about.Version
}
