package toolpkg

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/fspath"
)

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
	if real := fspath.Real(n.npm); path.Ext(real) == ".js" {
		argv = slices.Concat([]string{n.node, real}, args, npmFlags)
	}
	env := append(slices.Clone(n.job.Env),
		"PATH="+filepath.Dir(n.node)+string(filepath.ListSeparator)+envValue(n.job.Env, "PATH"), "NO_COLOR=1", "NO_UPDATE_NOTIFIER=1")
	_, err := runProgram(ctx, n.job, NodeBuilder{}.Name(), app, env, argv...)
	if bad, ok := errors.AsType[*BuildError](err); ok { // it names the programs that run npm
		bad.Reason = "npm " + strings.Join(args, " ") + bad.Reason[strings.LastIndex(bad.Reason, ": "):]
	}
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
		if err != nil {
			return err
		}
		return fs.SkipDir
	})
}
