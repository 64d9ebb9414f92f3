package skill

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/frontmatter"
	"github.com/agentctl/agentctl/internal/registry"
)

// maxScanDepth is how far below a root a skill may lie: skills/<group>/<name> is
// common, more than six levels were never seen.
const maxScanDepth = 6

// kind is how the registry finds and reads skills; parse reads one.
func kind(parse func(context.Context, registry.Location) (registry.Parsed[*Skill], []Diagnostic, error)) registry.Kind[*Skill] {
	return registry.Kind[*Skill]{Name: "skill", Depth: maxScanDepth, Slug: Slug, Detect: detect, Parse: parse}
}

// detect finds the manifest of a folder: SKILL.md, else the same in other case.
func detect(entries []fs.DirEntry) (string, bool) {
	other := ""
	for _, e := range entries {
		switch {
		case e.IsDir():
		case e.Name() == ManifestName:
			return ManifestName, true
		case other == "" && isManifest(e.Name()):
			other = e.Name()
		}
	}
	return other, other != ""
}

// isManifest tells whether a file name is SKILL.md in any case.
func isManifest(name string) bool { return strings.EqualFold(name, ManifestName) }

// parseLocation reads the skill of a folder.
func parseLocation(_ context.Context, l registry.Location) (registry.Parsed[*Skill], []Diagnostic, error) {
	data, err := readManifest(l)
	if err != nil {
		return registry.Parsed[*Skill]{}, []Diagnostic{{
			File: l.File(), Line: 1, Column: 1, Severity: diag.Error, Code: "skill.unreadable", Message: err.Error(),
		}}, err
	}
	s, ds, err := Parse(l.File(), filepath.Base(filepath.FromSlash(l.Dir)), data)
	if err != nil {
		name := ""
		if skip, ok := errors.AsType[*frontmatter.SkipError](err); ok {
			name = skip.Name
		}
		return registry.Parsed[*Skill]{Name: name}, ds, err
	}
	return registry.Parsed[*Skill]{Value: s, Name: s.Name, Aliases: s.Aliases, Given: s.Given, Slug: Slug(s.Name)}, ds, nil
}

// readManifest reads the SKILL.md of a folder.
func readManifest(l registry.Location) ([]byte, error) {
	return registry.ReadManifest(l, l.Manifest, frontmatter.MaxFile) // the parser refuses what is longer
}

// givenName is the key of metadata for the name that a person or model gave a
// skill, where its folder and name in ASCII do not say it: other words can sound
// the same. It is one more name that the skill answers to.
const givenName = "agentctl-name"

// Parse reads a SKILL.md leniently. file is its name for diagnostics, folder
// stands in for a missing name. The diagnostics say what was repaired, or why
// the skill does not load; the error is then a *frontmatter.SkipError.
func Parse(file, folder string, data []byte) (*Skill, []Diagnostic, error) {
	doc, err := frontmatter.Decode(file, data)
	if err != nil {
		if skip, ok := errors.AsType[*frontmatter.SkipError](err); ok {
			return nil, skip.Diagnostics, err
		}
		return nil, nil, err
	}
	s := &Skill{
		Name:          strings.TrimSpace(doc.Text("name")),
		Description:   doc.Text("description"),
		WhenToUse:     doc.Text("when_to_use"),
		ArgumentHint:  doc.Text("argument-hint"),
		Aliases:       doc.List("aliases"),
		License:       doc.Text("license"),
		Compatibility: doc.Text("compatibility"),
		Body:          doc.Body,
		BodyLine:      doc.BodyLine,
		Doc:           doc,
		findings:      doc.Findings,
	}
	if k := doc.Kind("name"); s.Name == "" || k != frontmatter.Scalar {
		s.Name = folder
	}
	for _, child := range doc.Children("metadata") {
		if child.Key == givenName && child.Text != "" {
			s.Given = child.Text
			s.Aliases = append(s.Aliases, child.Text)
		}
	}
	s.AllowedTools, _ = doc.Words("allowed-tools")
	s.UserInvocable, _ = doc.Bool("user-invocable", true)
	s.DisableModelInvocation, _ = doc.Bool("disable-model-invocation", false)
	return s, doc.Diagnostics, nil
}
