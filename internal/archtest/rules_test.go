// Package archtest holds the rules on what may import what, as tests:
// `go test ./internal/archtest` names the file that breaks one.
package archtest

// ranks gives each package its place. A package imports only packages of a lower
// rank, so two of the same rank never meet. The tens are the layers of
// docs/layout.md; the units order those of one layer that build on each other.
//
// A package that is not listed fails the test: decide where it belongs.
var ranks = map[string]int{
	// layer 0: knows nothing of skills, tools or chat
	"internal/diag":        0,
	"internal/fspath":      0,
	"internal/iostreams":   0,
	"internal/suggest":     0,
	"internal/termtext":    0,
	"internal/userdirs":    0,
	"skills":               0, // the embedded skills
	"apps":                 0, // the embedded apps
	"internal/archive":     1,
	"internal/workspace":   1,
	"internal/frontmatter": 1,
	"internal/schema":      1,

	// layer 1: finds, remembers, runs
	"internal/config":              10,
	"internal/registry":            10,
	"internal/uv":                  10,
	"pkg/sandbox/internal/rawtext": 9,
	"pkg/sandbox/internal/stage":   10,
	"pkg/sandbox/internal/probe":   11,
	"pkg/sandbox":                  12,
	"pkg/sandbox/sandboxtest":      13,
	"internal/state":               13, // remembers what sandboxed programs made
	"pkg/toolpkg/dispatch":         10, // copied into other people's packages

	// layer 2: the two kinds of package
	"pkg/skill":                20,
	"pkg/toolpkg":              20,
	"pkg/toolpkg/contracttest": 21,

	// layer 3: the agent, from the wire up to the loop, its tools and its screen
	"pkg/agent/repair":              30,
	"pkg/agent/model":               31,
	"pkg/agent/model/internal/wire": 32,
	"pkg/agent/session":             32,
	"pkg/agent/model/anthropic":     33,
	"pkg/agent/model/openai":        33,
	"pkg/agent/prompt":              33,
	"pkg/agent/app":                 34,
	"pkg/agent/model/scripted":      34,
	"pkg/agent/textmode":            34,
	"pkg/agent/agenttest":           35,
	"pkg/agent/model/choose":        35,
	"pkg/agent":                     36,
	"pkg/agent/builtin":             37,
	"pkg/agent/chat":                38,
	"pkg/agent/check":               38,
	"internal/tui":                  39,

	// layer 4: the command tree
	"internal/cli": 40,

	// layer 5: programs
	"cmd/agentctl":   50,
	"internal/bench": 50,
	"internal/live":  50,
}

// imports says which packages may import a module. Modules that are not listed
// are free.
var imports = []importRule{
	{"github.com/spf13/cobra", []string{"internal/cli"}, "libraries know no command line"},
	{"github.com/spf13/pflag", []string{"internal/cli"}, "libraries know no command line"},
	{"github.com/charmbracelet/glamour", []string{"internal/cli"}, "Markdown is rendered where it is printed"},
	{"github.com/yuin/goldmark", []string{"internal/cli"}, "Markdown is rendered where it is printed"},
	{"charm.land/bubbletea", []string{"internal/tui"}, "one package draws on the terminal"},
	{"github.com/spf13/viper", []string{"internal/config"}, "configuration is a plain struct everywhere else"},
	{"gopkg.in/yaml.v3", []string{"internal/frontmatter", "internal/config"}, "one parser reads manifests and data files"},
	{"go.yaml.in/yaml", nil, "gopkg.in/yaml.v3 is the one YAML library"},
	{"github.com/invopop/jsonschema", []string{"internal/schema", "pkg/toolpkg/dispatch"}, "schemas are made in one profile"},
	{"github.com/santhosh-tekuri/jsonschema", []string{"internal/schema"}, "values are checked in one place"},
	{"github.com/elastic/go-seccomp-bpf", []string{"pkg/sandbox", "pkg/sandbox/internal/stage"}, "confinement is the sandbox's work"},
	{"github.com/tmaxmax/go-sse", []string{"pkg/agent/model/internal/wire", "pkg/agent/model/openai", "pkg/agent/model/anthropic"}, "the wire layer decodes streams"},
	{"github.com/rogpeppe/go-internal", nil, "scripts are for tests"},
	{"github.com/creack/pty", []string{"pkg/sandbox/sandboxtest"}, "terminals are for tests"},
}

type importRule struct {
	module  string
	allowed []string // packages; none means tests only
	reason  string
}

// process says which packages may use what belongs to the whole process. stage
// and probe run as processes of their own, dispatch in those of other people.
var process = []processRule{
	{"os", "Exit", []string{"cmd/agentctl", "internal/bench", "internal/live", "pkg/toolpkg/dispatch", "pkg/sandbox/internal/stage", "pkg/sandbox/internal/probe"}},
	{"os", "Stdin", []string{"internal/iostreams", "internal/bench", "internal/live", "pkg/toolpkg/dispatch", "pkg/sandbox/internal/probe"}},
	{"os", "Stdout", []string{"internal/iostreams", "internal/bench", "internal/live", "pkg/toolpkg/dispatch", "pkg/sandbox/internal/probe"}},
	{"os", "Stderr", []string{"internal/iostreams", "internal/bench", "internal/live", "pkg/toolpkg/dispatch", "pkg/sandbox/internal/stage", "pkg/sandbox/internal/probe"}},
	{"log", "Fatal", nil},
	{"log", "Fatalf", nil},
	{"log", "Fatalln", nil},
	{"fmt", "Print", nil},
	{"fmt", "Printf", nil},
	{"fmt", "Println", nil},
}

type processRule struct {
	pkg, name string
	allowed   []string // packages that are programs, or the wrapper of the streams
}

// leaves import nothing of this module but their own subpackages: they can be
// taken out and used elsewhere.
var leaves = []string{"pkg/sandbox", "pkg/toolpkg/dispatch"}

// standardOnly lists the only modules that a package may take from outside the
// standard library.
var standardOnly = map[string][]string{
	"pkg/toolpkg/dispatch": {"github.com/invopop/jsonschema"},
}
