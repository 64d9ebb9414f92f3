package toolpkg

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/agentctl/agentctl/internal/uv"
)

// pyproject is what the python builder reads of a pyproject.toml.
type pyproject struct {
	Project struct {
		Name           string            `toml:"name"`
		RequiresPython string            `toml:"requires-python"`
		Dependencies   []string          `toml:"dependencies"`
		Dynamic        []string          `toml:"dynamic"`
		Scripts        map[string]string `toml:"scripts"`
	} `toml:"project"`
	BuildSystem map[string]any `toml:"build-system"`
	Tool        struct {
		UV struct {
			Package          *bool  `toml:"package"`
			PythonPreference string `toml:"python-preference"`
		} `toml:"uv"`
	} `toml:"tool"`
}

const (
	pyprojectName = "pyproject.toml"
	uvLockName    = "uv.lock"
)

func readPyproject(fsys fs.FS) (*pyproject, error) {
	data, err := fs.ReadFile(fsys, pyprojectName)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read; the python builder needs one with the dependencies", pyprojectName)
	}
	p := &pyproject{}
	if err := toml.Unmarshal(data, p); err != nil {
		if bad, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, column := bad.Position()
			return nil, fmt.Errorf("%s:%d:%d: %s", pyprojectName, line, column, strings.TrimPrefix(bad.Error(), "toml: "))
		}
		return nil, fmt.Errorf("%s: %w", pyprojectName, err)
	}
	return p, nil
}

// installable says whether the project is installed like a wheel, as uv decides
// it; else its files run as they are.
func (p *pyproject) installable() bool {
	if p.Tool.UV.Package != nil {
		return *p.Tool.UV.Package
	}
	return p.BuildSystem != nil
}

func (p *pyproject) hasDependencies() bool {
	return len(p.Project.Dependencies) > 0 || slices.Contains(p.Project.Dynamic, "dependencies")
}

// installs says whether there is anything that needs uv. A script with nothing
// but the standard library builds without it.
func (p *pyproject) installs() bool { return p.installable() || p.hasDependencies() }

// want is the interpreter that the project asks for.
func (p *pyproject) want(fsys fs.FS) (uv.Want, error) {
	pin, err := uv.ReadPin(fsys)
	return uv.Want{Requires: p.Project.RequiresPython, Pin: pin, Preference: p.Tool.UV.PythonPreference}, err
}

// pyEntry is what a launcher starts: a function of a module, or a file.
type pyEntry struct {
	Module, Function string
	File             string // relative, with slashes
}

var pyEntryPattern = regexp.MustCompile(`^([A-Za-z_][\w.]*):([A-Za-z_][\w.]*)$`)

// entry is the one of TOOL.md, which is module:function, the name of a script or
// a file; else the one script there is.
func (p *pyproject) entry(entry, dir string, files []string) (pyEntry, error) {
	if entry == "" {
		if len(p.Project.Scripts) != 1 {
			return pyEntry{}, fmt.Errorf("[project.scripts] has %s; %s", countScripts(p.Project.Scripts),
				"leave one there, or say module:function or a file in entry of TOOL.md")
		}
		for _, target := range p.Project.Scripts {
			entry = target
		}
	} else if target, ok := p.Project.Scripts[entry]; ok {
		entry = target
	}
	if m := pyEntryPattern.FindStringSubmatch(strings.TrimSpace(entry)); m != nil {
		return pyEntry{Module: m[1], Function: m[2]}, nil
	}
	file := path.Clean(entry)
	if path.Ext(file) != ".py" {
		return pyEntry{}, fmt.Errorf("entry %q is neither module:function nor a script of [project.scripts] nor a .py file", entry)
	}
	if !slices.Contains(files, file) {
		return pyEntry{}, fmt.Errorf("entry %q %s; name another file in entry of %s", entry, noFile(dir, file), ManifestName)
	}
	return pyEntry{File: file}, nil
}

func countScripts(scripts map[string]string) string {
	if len(scripts) == 0 {
		return "no script"
	}
	return fmt.Sprintf("%d scripts (%s)", len(scripts), strings.Join(bothKeys(scripts, nil), ", "))
}

// folders are those of runtime/ that imports look into first: the project's own,
// and its src/ where the module lies there; for a file the one that it is in.
func (e pyEntry) folders(files []string) []string {
	if e.File != "" {
		return []string{path.Join(pyApp, path.Dir(e.File))}
	}
	top, _, _ := strings.Cut(e.Module, ".")
	for _, file := range files {
		if file == "src/"+top+".py" || strings.HasPrefix(file, "src/"+top+"/") {
			return []string{pyApp + "/src"}
		}
	}
	return []string{pyApp}
}
