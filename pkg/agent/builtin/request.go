package builtin

import (
	"fmt"
	"strings"

	"github.com/agentctl/agentctl/pkg/sandbox"
)

// reach says what a command may touch, for the person who decides.
func (e *Env) reach(access sandbox.WorkspaceAccess, network bool) string {
	if e.Unconfined {
		return "without a sandbox: it can do what you can do\n"
	}
	net, files := "no network", "no files of yours"
	if network {
		net = "with network"
	}
	switch {
	case access == sandbox.WorkspaceNone || !sandbox.Mountable(e.Workspace, e.Home):
	case access == sandbox.WorkspaceRO:
		files = "it can read in " + e.Workspace
	default:
		files = "it can read and write in " + e.Workspace
	}
	return fmt.Sprintf("in the sandbox: %s; %s\n", net, files)
}

// maxSummary is how many characters of a command fit on the line that a person
// decides on; maxDetail how many are shown below it.
const (
	maxSummary = 200
	maxDetail  = 4000
)

// shown splits what would run into one line, and the whole below it when that
// line does not hold it.
func shown(verb, text string) (summary, detail string) {
	first, _, more := strings.Cut(text, "\n")
	if runes := []rune(first); len(runes) > maxSummary {
		first, more = string(runes[:maxSummary]), true
	}
	if !more {
		return verb + first, ""
	}
	if runes := []rune(text); len(runes) > maxDetail {
		text = fmt.Sprintf("%s… %d more characters", string(runes[:maxDetail]), len(runes)-maxDetail)
	}
	return verb + first + "…", text + "\n"
}

// shellLine shows argv as a person would type it.
func shellLine(argv []string) string {
	words := make([]string, len(argv))
	for i, a := range argv {
		words[i] = a
		if a == "" || strings.ContainsFunc(a, needsQuotes) {
			words[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

func needsQuotes(r rune) bool {
	return !strings.ContainsRune("-_./:=,+@%", r) && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
}
