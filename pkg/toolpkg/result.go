package toolpkg

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/fspath"
	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/pkg/sandbox"
)

// The origins of a result: the tool ran and ended, or the host ended the call.
const (
	OriginTool = "tool"
	OriginHost = "host"
)

// The kinds of a result that is no success. Those of the tool follow from its
// exit code.
const (
	KindInvalidArguments = "invalid_arguments" // by the host's check, or the tool's marker line
	KindFailed           = "failed"
	KindConfiguration    = "configuration" // for a person, not for the model
	KindTransient        = "transient"     // the same call may succeed later
	KindSignal           = "signal"
	KindMemory           = "memory_limit"
	KindTimeout          = "timeout"
	KindInterrupted      = "interrupted"
	KindSandbox          = "sandbox"
	KindPolicy           = "sandbox_policy" // the sandbox refuses a path that was named
	KindBroken           = "broken"
	KindNotBuilt         = "not_built"
	KindNotFound         = "not_found"
)

// The exit codes that the host gives a call that it ended.
const (
	ExitTimeout     = 124
	ExitSandbox     = 125
	ExitBroken      = 126
	ExitMissing     = 127
	ExitInterrupted = 130
)

// InvokeResult is how one call ended. Its JSON form is that of tool invoke.
type InvokeResult struct {
	// Tool is the function name, or what was asked for when there is no such tool.
	Tool string `json:"tool"`
	// Origin is tool or host.
	Origin string `json:"origin" jsonschema:"enum=tool,enum=host"`
	// Kind is "" for a success.
	Kind       string            `json:"kind,omitempty"`
	ExitCode   int               `json:"exit_code"`
	Stdout     string            `json:"stdout"`
	Stderr     string            `json:"stderr"`
	DurationMS int64             `json:"duration_ms"`
	TimedOut   bool              `json:"timed_out"`
	Truncated  bool              `json:"truncated,omitempty"`
	Field      string            `json:"field,omitempty"` // the argument to blame
	Artifacts  []Artifact        `json:"artifacts"`
	Findings   []diag.Diagnostic `json:"diagnostics"`
	Sandbox    SandboxInfo       `json:"sandbox"`
	Coerced    []string          `json:"coerced"`
	StdoutFile string            `json:"stdout_file,omitempty"`
	StderrFile string            `json:"stderr_file,omitempty"`
	Message    string            `json:"message,omitempty"`
	Hint       string            `json:"hint,omitempty"`
	// Ungranted is the variable that the tool wants and the user did not grant.
	Ungranted string `json:"-"`
	// OutputErr is why a receiver of the streams did not take them; that ended the
	// run.
	OutputErr error `json:"-"`
}

// Artifact is a file that the tool left in the output folder.
type Artifact struct {
	Path  string `json:"path"` // absolute
	Bytes int64  `json:"bytes"`
}

// SandboxInfo says what the call ran in and what was not enforced.
type SandboxInfo struct {
	Backend string   `json:"backend"`
	Missing []string `json:"missing"`
}

// ModelLimit is how many characters of output a model gets of one call.
const ModelLimit = 30_000

// minStream is what the shorter stream keeps when both do not fit.
const minStream = 10_000

// ForModel is the text of a result for a model: the exit code, then a block for
// each stream, for the artifacts and for the next step, empty ones left out.
// Output that is cut names the file that holds the whole. Why the host ended a
// call stands where the tool's stderr does; that of a call that it did not end is
// unchanged.
func (r InvokeResult) ForModel() string {
	stderr := r.Stderr
	if r.Message != "" {
		stderr = strings.TrimRight(r.Message+"\n"+stderr, "\n")
	}
	outRoom, errRoom := shares(utf8.RuneCountInString(r.Stdout), utf8.RuneCountInString(stderr))
	var sb strings.Builder
	fmt.Fprintf(&sb, "exit_code: %d\n", r.ExitCode)
	block(&sb, "stdout", HeadTail(r.Stdout, outRoom, r.StdoutFile))
	block(&sb, "stderr", HeadTail(stderr, errRoom, r.StderrFile))
	block(&sb, "artifacts", listed(r.Artifacts))
	block(&sb, "hint", r.Hint)
	return sb.String()
}

// The bounds of what a model is told of artifacts.
const (
	maxListed     = 50
	maxListedText = 5_000 // bytes; a path can have 4,096
)

// listed names the artifacts one a line. Of many it says how many more there are,
// and where.
func listed(artifacts []Artifact) string {
	var sb strings.Builder
	for i, a := range artifacts {
		line := fmt.Sprintf("%s (%s)\n", a.Path, termtext.Count(int(a.Bytes), "byte"))
		if i == maxListed || sb.Len()+len(line) > maxListedText {
			fmt.Fprintf(&sb, "[… %d more in %s …]\n", len(artifacts)-i, commonDir(artifacts))
			break
		}
		sb.WriteString(line)
	}
	return sb.String()
}

// commonDir is the innermost folder that has all artifacts, which lie in one.
func commonDir(artifacts []Artifact) string {
	dir := filepath.Dir(artifacts[0].Path)
	for _, a := range artifacts {
		for !fspath.Within(dir, a.Path) && dir != filepath.Dir(dir) {
			dir = filepath.Dir(dir)
		}
	}
	return dir
}

// shares splits the limit: a stream that needs less leaves the rest to the other.
func shares(out, err int) (outRoom, errRoom int) {
	if out+err <= ModelLimit {
		return out, err
	}
	errRoom = min(err, max(minStream, ModelLimit-out))
	return ModelLimit - errRoom, errRoom
}

func block(sb *strings.Builder, name, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	fmt.Fprintf(sb, "%s:\n%s\n", name, strings.TrimRight(text, "\n"))
}

// HeadTail keeps the first two thirds and the last third of room characters of
// text, with a line between them that says what is missing and where the whole
// is ("" for nowhere).
func HeadTail(text string, room int, file string) string {
	runes := []rune(text)
	over := len(runes) - room
	if over <= 0 {
		return text
	}
	head := room * 2 / 3
	return string(runes[:head]) + cutMark(int64(over), "characters", file) + string(runes[head+over:])
}

func cutMark(n int64, unit, file string) string {
	if file == "" {
		return fmt.Sprintf("\n[… %d %s left out …]\n", n, unit)
	}
	return fmt.Sprintf("\n[… %d %s left out; the whole is in %s …]\n", n, unit, file)
}

// SandboxFindings are what the user has to know about a run besides how it ended:
// the protected places that it made, and what the sandbox warns of.
func SandboxFindings(res sandbox.Result) []diag.Diagnostic {
	var out []diag.Diagnostic
	for _, path := range res.Appeared {
		out = append(out, diag.Diagnostic{
			File: path, Severity: diag.Warning, Code: "sandbox.appeared",
			Message: res.Change() + " during the run; it can steer a model, so chat leaves it out until you agree",
			Fix:     "look at it, then run agentctl trust",
		})
	}
	for _, text := range res.Warnings {
		out = append(out, diag.Diagnostic{Severity: diag.Warning, Code: "sandbox.warning", Message: text})
	}
	return out
}
