package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentctl/agentctl/pkg/agent/session"
	"github.com/agentctl/agentctl/pkg/skill"
)

// MaxContextFile is how many characters of one context file are attached. It
// rides along in every later request, so a book has no place there.
const MaxContextFile = 20_000

// MaxContextBytes is how much of a context file [Attach] has a use for: a character
// has at most 4 bytes, and the one after the last tells that there is more.
const MaxContextBytes = 4 * (MaxContextFile + 1)

// Turn is what a workspace has to say at the start of a turn.
type Turn struct {
	// Skills are the workspace's skills that the model may see; Session those of
	// the session's own index.
	Skills, Session []*skill.Item
	// Budget is that of the skills' block, in characters.
	Budget int
	// Files are the context files that exist, by path, with the first
	// MaxContextBytes of their text at least.
	Files map[string]string
}

// Attach returns what has to go with the user's turn: what differs from what the
// records say the model knows. Its text is empty when nothing changed.
func Attach(t Turn, records []session.Record) session.Context {
	knownSkills, knownFiles := known(records)
	out := session.Context{Files: map[string]string{}}
	var parts []string
	if block := skill.WorkspaceIndex(t.Skills, t.Session, knownSkills, t.Budget).Text; block != "" {
		out.Skills = block
		parts = append(parts, block)
	}
	for _, path := range slices.Sorted(maps.Keys(t.Files)) {
		text := shown(t.Files[path])
		if digest := digestOf(text); knownFiles[path] != digest {
			out.Files[path] = digest
			parts = append(parts, fmt.Sprintf("<context_file path=%q>\n%s\n</context_file>", path, inFile(strings.TrimRight(text, "\n"))))
		}
	}
	for _, path := range slices.Sorted(maps.Keys(knownFiles)) {
		if _, still := t.Files[path]; !still && knownFiles[path] != "" {
			out.Files[path] = ""
			parts = append(parts, fmt.Sprintf("<context_file path=%q removed=\"true\"/>", path))
		}
	}
	out.Text = strings.Join(parts, "\n\n")
	return out
}

// known collects what earlier turns attached.
func known(records []session.Record) (skills string, files map[string]string) {
	files = map[string]string{}
	for _, r := range records {
		switch c := r.Body.(type) {
		case session.Context:
			if c.Skills != "" {
				skills = c.Skills
			}
			maps.Copy(files, c.Files)
		case session.Compaction: // what was attached before it is gone
			skills = ""
			clear(files)
		}
	}
	return skills, files
}

func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// shown is what the model gets of a context file: it is cut at a line if it is too
// long.
func shown(text string) string {
	if utf8.RuneCountInString(text) <= MaxContextFile {
		return text
	}
	text = string([]rune(text)[:MaxContextFile])
	if i := strings.LastIndexByte(text, '\n'); i > 0 {
		text = text[:i+1]
	}
	return strings.TrimRight(text, "\n") + "\n(cut here; the rest is in the file)"
}
