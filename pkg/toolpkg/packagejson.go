package toolpkg

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/agentctl/agentctl/internal/fspath"
)

// packageJSON is what the builder reads of a package.json.
type packageJSON struct {
	Bin          nodeBin           `json:"bin"`
	Scripts      map[string]string `json:"scripts"`
	Dependencies map[string]string `json:"dependencies"`
	Optional     map[string]string `json:"optionalDependencies"`
}

// nodeBin is one file, or files by name.
type nodeBin map[string]string

// UnmarshalJSON reads both forms.
func (b *nodeBin) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*b = nodeBin{"": one}
		return nil
	}
	var many map[string]string
	if err := json.Unmarshal(data, &many); err != nil {
		return errors.New("bin is neither a file nor files by name")
	}
	*b = many
	return nil
}

// installs says whether there is anything that needs npm.
func (p packageJSON) installs() bool {
	return len(p.Dependencies)+len(p.Optional) > 0 || p.Scripts["build"] != ""
}

// entry is the one of TOOL.md, a file or the name of a bin, else the one bin.
func (p packageJSON) entry(entry string) (string, error) {
	if entry == "" {
		if len(p.Bin) != 1 {
			return "", fmt.Errorf("bin of %s has %d files (%s); leave one there, or name a file in entry of %s",
				packageJSONName, len(p.Bin), strings.Join(bothKeys(p.Bin, nil), ", "), ManifestName)
		}
		for _, file := range p.Bin {
			entry = file
		}
	} else if file, ok := p.Bin[entry]; ok {
		entry = file
	}
	if entry = path.Clean(entry); !filepath.IsLocal(entry) {
		return "", fmt.Errorf("entry %q leaves the package; name a file in it", entry)
	}
	return entry, nil
}

// systemProgram finds a program on the fixed PATH. One that is a link into the
// home folder cannot be run by a sandbox.
func systemProgram(name, home string) (string, error) {
	for _, dir := range systemPath {
		file := filepath.Join(dir, name)
		info, err := os.Stat(file)
		if err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
			continue
		}
		if home != "" && fspath.Within(fspath.Real(home), fspath.Real(file)) {
			return "", fmt.Errorf("%s lies in the home folder, where a sandbox cannot run it", file)
		}
		return file, nil
	}
	return "", fmt.Errorf("there is no %s in %s, where finished packages look for it", name, strings.Join(systemPath, ":"))
}
