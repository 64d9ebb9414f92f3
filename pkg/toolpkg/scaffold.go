package toolpkg

import (
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/schema"
)

//go:embed all:scaffold
var scaffoldFS embed.FS

// dispatchSource is the Go author's library, which a new package carries.
//
//go:embed dispatch/dispatch.go
var dispatchSource string

// authorLibs are the author's libraries of one file for other languages.
//
//go:embed authorlib
var authorLibs embed.FS

// libraries says what a new package carries beside the files of its template.
var libraries = map[string]struct{ from, to string }{
	"python": {"authorlib/python/agentctl_tool.py", "agentctl_tool.py"},
	"node":   {"authorlib/node/agentctl-tool.mjs", "agentctl-tool.mjs"},
}

// Languages are those that [New] takes.
func Languages() []string { return []string{"go", "python", "node", "sh"} }

// NewRequest is what a new package shall be.
type NewRequest struct {
	Name string
	// Dir is the folder in which the package's folder is made.
	Dir string
	// Lang is one of [Languages]; ignored with Scripts.
	Lang        string
	Description string
	// Scripts, if not nil, makes a package of a skill's scripts.
	Scripts *ScriptSet
}

// ScriptSet are scripts of a skill that become commands.
type ScriptSet struct {
	Skill   string
	FS      fs.FS    // the skill's folder
	Files   []string // those that the scripts may need besides themselves, relative
	Scripts []Script
	// Dependencies are the Python packages that the scripts import. With some the
	// package is one in Python, else it needs no builder.
	Dependencies []string
	// RequiresPython is a version constraint; "" means the oldest that tool new writes.
	RequiresPython string
}

// Script is one of them.
type Script struct {
	Name, Description string
	// Path is the script in the skill; Interpreter what runs it.
	Path        string
	Interpreter []string
	Schema      json.RawMessage
}

// NewResult is what was made.
type NewResult struct {
	Name  string   `json:"name"`
	Dir   string   `json:"dir"`
	Files []string `json:"files"` // relative to Dir, sorted
}

// ExistsError reports a folder that is in the way.
type ExistsError struct{ Dir string }

func (e *ExistsError) Error() string { return fmt.Sprintf("%q exists already", e.Dir) }

// NameError reports a name that no tool package can have.
type NameError struct{ Name string }

func (e *NameError) Error() string {
	return fmt.Sprintf("%q is no name of a tool package: lower-case words of letters and digits, joined by hyphens", e.Name)
}

// New makes the source folder of a package that builds, passes lint and runs at
// once. The error is a [*NameError] or an [*ExistsError]; what was written before
// another failure is removed.
func New(r NewRequest) (NewResult, error) {
	if !ValidName(r.Name) || len(r.Name) > 60 {
		return NewResult{}, &NameError{r.Name}
	}
	files, err := r.files()
	if err != nil {
		return NewResult{}, err
	}
	res := NewResult{Name: r.Name, Dir: filepath.Join(r.Dir, r.Name)}
	if err := os.MkdirAll(r.Dir, 0o755); err != nil {
		return NewResult{}, err
	}
	if err := os.Mkdir(res.Dir, 0o755); errors.Is(err, fs.ErrExist) {
		return NewResult{}, &ExistsError{res.Dir}
	} else if err != nil {
		return NewResult{}, err
	}
	for _, f := range files {
		if err := f.write(res.Dir); err != nil {
			removeTree(res.Dir)
			return NewResult{}, err
		}
		res.Files = append(res.Files, f.name)
	}
	slices.Sort(res.Files)
	return res, nil
}

type scaffoldFile struct {
	name string
	text []byte
	exec bool
}

func (f scaffoldFile) write(dir string) error {
	full := filepath.Join(dir, filepath.FromSlash(f.name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if f.exec {
		mode = 0o755
	}
	return os.WriteFile(full, f.text, mode)
}

// words are what the templates' @WORDS@ stand for.
func (r NewRequest) words() map[string]string {
	command := r.Name
	if command[0] >= '0' && command[0] <= '9' {
		command = "run-" + command // a function's name begins with a letter
	}
	description := r.Description
	if description == "" {
		description = "Say what this package is for."
	}
	quoted, _ := schema.Encode(description) // a JSON string is a YAML string
	return map[string]string{"@NAME@": r.Name, "@COMMAND@": command, "@DESCRIPTION@": strings.Trim(string(quoted), `"`)}
}

func (r NewRequest) files() ([]scaffoldFile, error) {
	words := r.words()
	if r.Scripts != nil {
		return r.Scripts.files(words)
	}
	if !slices.Contains(Languages(), r.Lang) {
		return nil, fmt.Errorf("unknown language %q; choose one of %s", r.Lang, strings.Join(Languages(), ", "))
	}
	files, err := template(r.Lang, words)
	if err != nil {
		return nil, err
	}
	if r.Lang == "go" {
		return append(files, scaffoldFile{name: "internal/dispatch/dispatch.go", text: []byte(dispatchSource)}), nil
	}
	lib, ok := libraries[r.Lang]
	if !ok {
		return files, nil
	}
	text, err := authorLibs.ReadFile(lib.from)
	return append(files, scaffoldFile{name: lib.to, text: text}), err
}

// template reads the files of one language and puts the words in.
func template(lang string, words map[string]string) ([]scaffoldFile, error) {
	root := "scaffold/" + lang
	var files []scaffoldFile
	err := fs.WalkDir(scaffoldFS, root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := scaffoldFS.ReadFile(p)
		name := strings.TrimSuffix(strings.TrimPrefix(p, root+"/"), ".tmpl")
		files = append(files, scaffoldFile{
			name: fill(name, words), text: []byte(fill(string(text), words)), exec: name == launchName,
		})
		return err
	})
	return files, err
}

func fill(text string, words map[string]string) string {
	for word, value := range words {
		text = strings.ReplaceAll(text, word, value)
	}
	return text
}

// files are those of a package of scripts: a launcher, what it says about each
// command, and the files of the skill.
func (s *ScriptSet) files(words map[string]string) ([]scaffoldFile, error) {
	if len(s.Scripts) == 0 {
		return nil, fmt.Errorf("skill %q describes no script in tools.yaml", s.Skill)
	}
	files, err := s.described()
	if err != nil {
		return nil, err
	}
	launcher := s.shellLauncher
	if len(s.Dependencies) > 0 {
		launcher = s.pythonLauncher
	}
	more, err := launcher(words)
	if err != nil {
		return nil, err
	}
	files = append(files, more...)
	copied, err := s.copied(files)
	return append(files, copied...), err
}

// described says what each command is.
func (s *ScriptSet) described() ([]scaffoldFile, error) {
	type entry struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	}
	var files []scaffoldFile
	var list []entry
	for _, sc := range s.Scripts {
		about, err := schema.Encode(Command{Name: sc.Name, Description: sc.Description, Params: withProperties(sc.Schema)})
		if err != nil {
			return nil, err
		}
		files = append(files, scaffoldFile{name: "commands/" + sc.Name + ".json", text: append(about, '\n')})
		list = append(list, entry{sc.Name, sc.Description})
	}
	text, err := schema.Encode(list)
	return append(files, scaffoldFile{name: "commands/list.json", text: append(text, '\n')}), err
}

// shellLauncher starts the scripts from a shell.
func (s *ScriptSet) shellLauncher(words map[string]string) ([]scaffoldFile, error) {
	var names, cases []string
	for _, sc := range s.Scripts {
		names = append(names, sc.Name)
		cases = append(cases, sc.Name+") run() { "+shellWords(sc.Interpreter)+` "$dir"/`+shellWords([]string{sc.Path})+` "$@"; } ;;`)
	}
	words["@SKILL@"], words["@CASES@"], words["@COMMANDS@"] = s.Skill, strings.Join(cases, "\n"), strings.Join(names, ", ")
	files, err := template("skill", words)
	if err != nil {
		return nil, err
	}
	reader, err := scaffoldFS.ReadFile("scaffold/sh/json.sh")
	return append(files, scaffoldFile{name: "json.sh", text: reader}), err
}

// oldestPython is the one that the library for authors supports.
const oldestPython = ">=3.10"

// pythonLauncher runs the scripts in an interpreter that has their packages.
func (s *ScriptSet) pythonLauncher(words map[string]string) ([]scaffoldFile, error) {
	scripts := map[string][]any{}
	for _, sc := range s.Scripts {
		scripts[sc.Name] = []any{sc.Interpreter, path.Clean(sc.Path)}
	}
	table, err := json.MarshalIndent(scripts, "", "    ") // texts, lists and objects are Python's too
	if err != nil {
		return nil, err
	}
	packages, err := schema.Encode(s.Dependencies) // and TOML's
	if err != nil {
		return nil, err
	}
	words["@SKILL@"], words["@SCRIPTS@"], words["@DEPENDENCIES@"] = s.Skill, string(table), string(packages)
	words["@PYTHON@"] = cmp.Or(s.RequiresPython, oldestPython)
	return template("skill-python", words)
}

// withProperties adds what a root must have for every provider.
func withProperties(raw json.RawMessage) json.RawMessage {
	v, err := schema.Decode(raw)
	obj, ok := v.(map[string]any)
	if err != nil || !ok || obj["properties"] != nil {
		return raw
	}
	obj["properties"] = map[string]any{}
	out, err := schema.Encode(obj)
	if err != nil {
		return raw
	}
	return out
}

// notCopied are the files of a skill that are for models and for its own build.
var notCopied = []string{"tools.yaml", "requirements.txt", "README.md"}

// copied are the files of the skill that a script may read or import.
func (s *ScriptSet) copied(made []scaffoldFile) ([]scaffoldFile, error) {
	names := slices.Clone(s.Files)
	for _, sc := range s.Scripts {
		names = append(names, path.Clean(sc.Path))
	}
	slices.Sort(names)
	var files []scaffoldFile
	for _, name := range slices.Compact(names) {
		if slices.Contains(notCopied, name) {
			continue
		}
		if slices.ContainsFunc(made, func(f scaffoldFile) bool { return strings.EqualFold(f.name, name) }) {
			return nil, fmt.Errorf("file %q of skill %q would be in the way of the package's own; rename it", name, s.Skill)
		}
		text, err := fs.ReadFile(s.FS, name)
		if err != nil {
			return nil, err
		}
		files = append(files, scaffoldFile{name: name, text: text})
	}
	return files, nil
}

// shellWords quotes words for a shell.
func shellWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return strings.Join(quoted, " ")
}
