package toolpkg

import (
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
	"sync"

	"github.com/gofrs/flock"

	"github.com/agentctl/agentctl/internal/schema"
)

// Package is one prebuilt package as it was frozen. It is immutable and safe
// for concurrent use; [LoadPackage] reads it without running anything.
type Package struct {
	Meta
	// Root is the package's folder, with current in it; Dir the digest's folder
	// below, absolute; Digest has the form "sha256:…".
	Root, Dir, Digest string
	// Commands are sorted by name.
	Commands []Command

	mu       sync.Mutex
	compiled map[string]*schema.Schema
}

var digestPattern = regexp.MustCompile(`^[0-9a-f]{64}$`)

// readCurrent is the digest in use, in hex.
func readCurrent(fsys fs.FS) (string, error) {
	data, err := fs.ReadFile(fsys, currentName)
	if err != nil {
		return "", err
	}
	digest := strings.TrimSpace(string(data))
	if !digestPattern.MatchString(digest) {
		return "", fmt.Errorf("file current holds %q, want the hex digest of a build", digest)
	}
	return digest, nil
}

// LoadPackage reads the build in use below root, whose folder name is the
// package's name. The error is a [*BrokenError].
func LoadPackage(root string) (*Package, error) {
	name := filepath.Base(root)
	broken := func(format string, args ...any) (*Package, error) {
		return nil, &BrokenError{Package: name, Reason: fmt.Sprintf(format, args...)}
	}
	fsys := os.DirFS(root)
	digest, err := readCurrent(fsys)
	if err != nil {
		return broken("%v", err)
	}
	p := &Package{Root: root, Dir: filepath.Join(root, digest), Digest: "sha256:" + digest, compiled: map[string]*schema.Schema{}}
	if err := readJSON(fsys, path.Join(digest, metaName), &p.Meta); err != nil {
		return broken("%v", err)
	}
	switch {
	case p.Format != packageFormat || p.Contract != ContractVersion:
		return broken("it was made by another version of agentctl (format %d, contract %d)", p.Format, p.Contract)
	case p.Name != name:
		return broken("it calls itself %q; the folder must have that name", p.Name)
	case !ValidName(p.Name):
		return broken("%q is no package name: lower-case words joined by hyphens", p.Name)
	}
	if p.Commands, err = readCommands(fsys, digest); err != nil {
		return broken("%v", err)
	}
	if info, err := os.Stat(filepath.Join(p.Dir, launchName)); err != nil || !info.Mode().IsRegular() {
		return broken("its launch is missing")
	}
	return p, nil
}

func readCommands(fsys fs.FS, digest string) ([]Command, error) {
	var frozen []frozenCommand
	if err := readJSON(fsys, path.Join(digest, commandsName), &frozen); err != nil {
		return nil, err
	}
	if len(frozen) == 0 {
		return nil, errors.New("commands.json lists no command")
	}
	commands := make([]Command, len(frozen))
	for i, f := range frozen {
		if _, ok := FunctionName(f.Name); !ok {
			return nil, fmt.Errorf("command %q cannot be a function name", f.Name)
		}
		commands[i] = Command{Name: f.Name, Description: f.Description, Annotations: f.Annotations, OutputSchema: f.OutputSchema}
		if err := readJSON(fsys, path.Join(digest, schemaFile(f.Name)), &commands[i].Params); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(commands, func(a, b Command) int { return strings.Compare(a.Name, b.Name) })
	return commands, checkNames(commands)
}

func readJSON(fsys fs.FS, name string, v any) error {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return fmt.Errorf("its %s cannot be read: %w", path.Base(name), errors.Unwrap(err))
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("its %s is no valid JSON: %w", path.Base(name), err)
	}
	return nil
}

// Command returns a command by its name or its function name.
func (p *Package) Command(name string) (Command, error) {
	for _, c := range p.Commands {
		if sameName(name, c.Name) {
			return c, nil
		}
	}
	return Command{}, p.commandNotFound(name)
}

// Schema is the compiled schema of a command's arguments.
func (p *Package) Schema(c Command) (*schema.Schema, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.compiled[c.Name]; s != nil {
		return s, nil
	}
	s, err := schema.Compile(c.Params)
	if err != nil {
		return nil, &BrokenError{Package: p.Name, Reason: fmt.Sprintf("schema of %s: %v", c.Name, err)}
	}
	p.compiled[c.Name] = s
	return s, nil
}

// systemPath is where a sandbox looks for programs, and so where an
// interpreter that a package is bound to must be.
var systemPath = []string{"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"}

// Usable checks that the package can run on this machine before anything is
// spawned. The error is a [*BrokenError].
func (p *Package) Usable() error {
	if p.Platform != AnyPlatform && p.Platform != Platform() {
		return &BrokenError{Package: p.Name, Reason: fmt.Sprintf("it was built for %s, this machine is %s", p.Platform, Platform())}
	}
	name := p.Runtime.Interpreter
	if name == "" || p.Runtime.Portable {
		return nil
	}
	for _, dir := range systemPath {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode()&0o111 != 0 {
			return nil
		}
	}
	return &BrokenError{Package: p.Name, Reason: fmt.Sprintf("it needs %s, which is not in %s", name, strings.Join(systemPath, ":"))}
}

// holdName is the lock file that keeps a build from being cleaned up.
func holdName(digest string) string { return ".hold-" + strings.TrimPrefix(digest, "sha256:") }

// Hold keeps this build in place for the time of a session, also when a newer
// one is published. Where the folder cannot be written, nobody can clean up
// either, and there is nothing to hold.
func (p *Package) Hold() (release func()) {
	file := filepath.Join(p.Root, holdName(p.Digest))
	if noLinks(p.Root, file) != nil {
		return func() {}
	}
	lock := flock.New(file)
	if ok, err := lock.TryRLock(); err != nil || !ok {
		return func() {}
	}
	return func() { _ = lock.Unlock() }
}
