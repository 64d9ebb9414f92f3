package toolpkg

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/frontmatter"
	"github.com/agentctl/agentctl/pkg/sandbox"
)

// ManifestName is the optional file that holds a package's policy.
const ManifestName = "TOOL.md"

// What holds when TOOL.md says nothing.
const (
	DefaultTimeout          = time.Minute
	DefaultMemory  ByteSize = 2 << 30
)

// Manifest is the front matter of TOOL.md. Commands, their descriptions and
// schemas come from the launcher alone.
type Manifest struct {
	// Builder is go, python, node or exec; "" means the one that the folder shows.
	Builder string `yaml:"builder"`
	// Entry is what to build or start; "" means the one there is.
	Entry string   `yaml:"entry"`
	Env   []EnvVar `yaml:"env"`
	// Network: commands may reach the network.
	Network   bool          `yaml:"network"`
	Workspace Access        `yaml:"workspace"`
	Timeout   time.Duration `yaml:"timeout"`
	Memory    ByteSize      `yaml:"memory"`
	// BuildEnv names variables that a builder sees.
	BuildEnv    []string `yaml:"build_env"`
	Description string   `yaml:"description"`
	Version     string   `yaml:"version"`
	// Body is the documentation for people.
	Body string `yaml:"-"`
}

// EnvVar is a variable that a package's commands see once a user grants it.
type EnvVar struct {
	Name        string `yaml:"name" json:"name"`
	Required    bool   `yaml:"required" json:"required,omitempty"`
	Secret      bool   `yaml:"secret" json:"secret,omitempty"`
	Description string `yaml:"description" json:"description,omitempty"`
}

// Access is how a package's commands see the workspace.
type Access sandbox.WorkspaceAccess

// UnmarshalText accepts rw, ro and none.
func (a *Access) UnmarshalText(text []byte) error {
	switch s := sandbox.WorkspaceAccess(text); s {
	case sandbox.WorkspaceRW, sandbox.WorkspaceRO, sandbox.WorkspaceNone:
		*a = Access(s)
		return nil
	}
	return fmt.Errorf("%q is no access; write rw, ro or none", text)
}

// ByteSize is a number of bytes, written as 512MiB, 2GiB or 1000.
type ByteSize int64

var (
	sizePattern = regexp.MustCompile(`^([0-9]+)(B|KiB|MiB|GiB)?$`)
	sizeUnits   = map[string]int64{"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
)

// UnmarshalText reads the number and its unit.
func (b *ByteSize) UnmarshalText(text []byte) error {
	m := sizePattern.FindStringSubmatch(string(text))
	if m == nil {
		return fmt.Errorf("%q is no size; write a number with KiB, MiB or GiB", text)
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	if unit := sizeUnits[m[2]]; err != nil || n == 0 || n > math.MaxInt64/unit {
		return fmt.Errorf("size %q is out of range", text)
	}
	*b = ByteSize(n * sizeUnits[m[2]])
	return nil
}

// ParseManifest reads TOOL.md strictly: an unknown key is an error, since a
// dropped line would change rights. file is its name in messages. The error is a
// [*frontmatter.StrictError] with everything that is wrong.
func ParseManifest(file string, data []byte) (Manifest, error) {
	m := defaultManifest()
	doc, err := frontmatter.DecodeStrict(file, data, &m)
	if err != nil {
		return Manifest{}, err
	}
	m.Body = doc.Body
	c := &manifestCheck{doc: doc}
	c.check(m)
	if len(c.found) > 0 {
		return Manifest{}, &frontmatter.StrictError{Diagnostics: c.found}
	}
	return m, nil
}

func defaultManifest() Manifest {
	return Manifest{Workspace: Access(sandbox.WorkspaceRW), Timeout: DefaultTimeout, Memory: DefaultMemory}
}

// builderNames are the words that builder takes.
var builderNames = []string{"go", "python", "node", "exec"}

type manifestCheck struct {
	doc   *frontmatter.Document
	found []diag.Diagnostic
}

func (c *manifestCheck) fail(key, code, format string, args ...any) {
	line, column := c.doc.Position(key)
	c.found = append(c.found, diag.Diagnostic{
		File: c.doc.File, Line: line, Column: column, Severity: diag.Error, Code: "tool." + code,
		Message: fmt.Sprintf(format, args...),
	})
}

func (c *manifestCheck) check(m Manifest) {
	if m.Builder != "" && !slices.Contains(builderNames, m.Builder) {
		c.fail("builder", "unknown-builder", "builder %q is not known; write one of %s", m.Builder, strings.Join(builderNames, ", "))
	}
	if m.Timeout <= 0 {
		c.fail("timeout", "bad-timeout", "timeout %v is not positive; write a duration such as 90s", m.Timeout)
	}
	seen := map[string]bool{}
	for _, v := range m.Env {
		if reason := forbiddenVariable(v.Name); reason != "" {
			c.fail("env", "bad-variable", "env: %q %s", v.Name, reason)
		} else if seen[v.Name] {
			c.fail("env", "bad-variable", "env: %q is listed twice", v.Name)
		}
		seen[v.Name] = true
	}
	for _, name := range m.BuildEnv {
		if !variablePattern.MatchString(name) {
			c.fail("build_env", "bad-variable", "build_env: %q is no name of a variable", name)
		}
	}
}

var variablePattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// steering variables change which code runs, in the shell, the loader or an
// interpreter, or belong to the sandbox.
var (
	steeringNames = []string{
		"PATH", "HOME", "TMPDIR", "IFS", "ENV", "BASH_ENV", "SHELLOPTS", "BASHOPTS", "PS4", "NODE_OPTIONS", "NODE_PATH",
		"PERL5LIB", "PERL5OPT", "RUBYLIB", "RUBYOPT", "JAVA_TOOL_OPTIONS", "GOFLAGS",
	}
	steeringPrefixes = []string{"LD_", "DYLD_", "PYTHON", "GIT_", "AGENTCTL_", "BASH_FUNC_"}
)

// forbiddenVariable says why a variable cannot be declared, "" when it can.
func forbiddenVariable(name string) string {
	if !variablePattern.MatchString(name) {
		return "is no name of a variable; use letters, digits and _"
	}
	upper := strings.ToUpper(name)
	if slices.Contains(steeringNames, upper) {
		return "decides what code runs, so it cannot be declared"
	}
	for _, prefix := range steeringPrefixes {
		if strings.HasPrefix(upper, prefix) {
			return fmt.Sprintf("cannot be declared: %s* decides what code runs", prefix)
		}
	}
	return ""
}
