package skill

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Dependencies are the Python packages that the scripts of a skill ask for.
type Dependencies struct {
	// Packages are requirements such as "six>=1.16", each once, in the order of
	// the files.
	Packages []string
	// RequiresPython is the constraint of the scripts, "" for none.
	RequiresPython string
}

// DependenciesOf reads requirements.txt and inline metadata (PEP 723). The error
// is a [*RefusedError] for a line that is no requirement of its own, such as an
// option of pip: it means nothing outside of the file.
func DependenciesOf(ctx context.Context, it *Item) (Dependencies, error) {
	want, err := requirementsOf(ctx, it)
	if err != nil {
		return Dependencies{}, err
	}
	d := Dependencies{RequiresPython: strings.Join(want.python, ",")}
	for i, file := range want.files {
		read := inlineDependencies
		if file == Requirements {
			read = requirementLines
		}
		packages, err := read(file, want.texts[i])
		if err != nil {
			return d, err
		}
		for _, p := range packages {
			if !slices.Contains(d.Packages, p) {
				d.Packages = append(d.Packages, p)
			}
		}
	}
	return d, nil
}

// requirementLines are the requirements of a requirements.txt.
func requirementLines(file string, text []byte) ([]string, error) {
	var out []string
	n := 0
	for line := range bytes.Lines(text) {
		n++
		req, _, _ := strings.Cut(" "+strings.TrimSpace(string(line)), " #")
		if req = strings.TrimSpace(req); strings.HasPrefix(req, "#") || req == "" {
			continue
		}
		if strings.HasPrefix(req, "-") || strings.Contains(req, " --") || strings.HasSuffix(req, "\\") {
			return nil, refuse("requirements", "line %d of %s, %q, is an option of pip and cannot be carried over; write requirements alone, such as six==1.17.0", n, file, req)
		}
		out = append(out, req)
	}
	return out, nil
}

// inlineDependencies are those of a script's metadata block.
func inlineDependencies(file string, block []byte) ([]string, error) {
	var text bytes.Buffer
	for line := range bytes.Lines(block) {
		line = bytes.TrimPrefix(line, []byte("#"))
		text.Write(bytes.TrimPrefix(line, []byte(" ")))
	}
	var metadata struct {
		Dependencies []string `toml:"dependencies"`
	}
	if err := toml.Unmarshal(text.Bytes(), &metadata); err != nil {
		return nil, fmt.Errorf("the inline metadata of %s: %w", file, err)
	}
	return metadata.Dependencies, nil
}
