package tui

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/termtext"
)

// maxChoices bounds how many candidates Tab looks at: a folder can hold anything.
const maxChoices = 200

// complete is Tab: it completes the word before the cursor as far as the
// candidates agree, and shows them when there are several.
func (m *screen) complete() {
	from, candidates := m.candidates()
	word := m.ed.text[from:m.ed.at]
	hits := slices.DeleteFunc(candidates, func(c string) bool { return !strings.HasPrefix(c, word) })
	m.choices = nil
	switch len(hits) {
	case 0:
		m.notice = "nothing begins with that"
		if word == "" {
			m.notice = "there is nothing to complete here"
		}
		return
	case 1:
		text := hits[0]
		if !strings.HasSuffix(text, "/") {
			text += " "
		}
		m.ed.remove(from, m.ed.at)
		m.ed.insert(text)
		return
	}
	m.ed.remove(from, m.ed.at)
	m.ed.insert(commonPrefix(hits))
	for _, h := range hits {
		m.choices = append(m.choices, termtext.Line(h))
	}
}

// candidates are what the word before the cursor can become, and where it begins.
func (m *screen) candidates() (from int, names []string) {
	before := m.ed.text[:m.ed.at]
	from = strings.LastIndexAny(before, " \n") + 1
	switch {
	case from == 0 && strings.HasPrefix(before, "/"):
		return 0, m.slashNames()
	case from == len("/skill ") && strings.HasPrefix(before, "/skill "):
		return from, slices.Clone(m.skills)
	case from == len("/model ") && strings.HasPrefix(before, "/model "):
		return from, slices.Clone(m.models)
	case from == len("/tools ") && strings.HasPrefix(before, "/tools "):
		return from, []string{"last"}
	case takesNoFiles(before):
		return from, nil
	}
	return from, files(m.host.Workspace, before[from:])
}

// takesNoFiles tells whether a line is a command, other than the call of a skill,
// that names no files.
func takesNoFiles(line string) bool {
	word, _, _ := strings.Cut(line, " ")
	return word != "/export" && word != "/skill" && slices.ContainsFunc(commands(), func(c command) bool { return "/"+c.name == word })
}

func (m *screen) slashNames() []string {
	var names []string
	for _, c := range commands() {
		names = append(names, "/"+c.name)
	}
	for _, s := range m.skills {
		names = append(names, "/"+s)
	}
	return names
}

// files are the entries of the workspace folder that a word points into. Hidden
// ones are left out until the word asks for them.
func files(workspace, word string) []string {
	dir, base := path.Split(word)
	root, err := os.OpenRoot(workspace)
	if err != nil {
		return nil
	}
	defer root.Close()
	f, err := root.Open(filepath.FromSlash(path.Clean("./" + dir)))
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, _ := f.ReadDir(10_000)
	var names []string
	for _, e := range entries {
		name := e.Name()
		hidden := strings.HasPrefix(name, ".") && !strings.HasPrefix(base, ".")
		if hidden || !strings.HasPrefix(name, base) || strings.Contains(name, "\n") || termtext.Strip(name) != name {
			continue
		}
		if e.IsDir() {
			name += "/"
		}
		if names = append(names, dir+name); len(names) == maxChoices {
			break
		}
	}
	slices.Sort(names)
	return names
}

// commonPrefix is what all names begin with; it ends between characters.
func commonPrefix(names []string) string {
	prefix := names[0]
	for _, n := range names[1:] {
		for !strings.HasPrefix(n, prefix) {
			cs := clusters(prefix)
			prefix = strings.Join(cs[:len(cs)-1], "")
		}
	}
	return prefix
}
