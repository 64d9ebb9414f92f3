package app

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/registry"
)

const (
	profilesDir = "profiles"
	// skillsDir holds the package skills of a profile.
	skillsDir = ".skill"
)

// Package is one app folder: the app and its profiles.
type Package struct {
	Description string

	base     *manifest
	profiles []*profile
}

// Profiles are the names of the profiles, sorted; one that does not load is
// among them, since its name exists.
func (p *Package) Profiles() []string {
	var names []string
	for _, pr := range p.profiles {
		names = append(names, pr.name)
	}
	return names
}

// profile is one folder below profiles/.
type profile struct {
	name     string
	file     string
	manifest *manifest // nil when it does not load
	diags    []diag.Diagnostic
	skills   string // its .skill folder, "" when there is none
	fsys     fs.FS  // of the app's folder when it is embedded
}

func (p *Package) profile(name string) *profile {
	i := slices.IndexFunc(p.profiles, func(pr *profile) bool { return pr.name == name })
	if i < 0 {
		return nil
	}
	return p.profiles[i]
}

func readProfiles(l registry.Location) ([]*profile, error) {
	entries, err := fs.ReadDir(l.FS, profilesDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read profiles of %s: %w", l.Dir, err)
	}
	var out []*profile
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue // an editor's or a system's
		}
		if info, err := fs.Stat(l.FS, path.Join(profilesDir, e.Name())); err == nil && info.IsDir() {
			out = append(out, readProfile(l, e.Name()))
		}
	}
	return out, nil
}

// readProfile reads one profile. One that does not load is kept with the reason:
// it costs itself, not its app.
func readProfile(l registry.Location, name string) *profile {
	rel := path.Join(profilesDir, name)
	dir := filepath.Join(l.Dir, profilesDir, name)
	p := &profile{name: name, file: filepath.Join(dir, ManifestFile), fsys: l.FS}
	m, err := readManifest(l, rel)
	switch {
	case err == nil:
		if given := m.name(); given != "" && given != name {
			m.diags = append(m.diags, m.warn("name", "app.name-not-folder", "name %q is not used: a profile is called as its folder, %q", given, name))
		}
		p.manifest, p.diags = m, m.diags
	case errors.Is(err, fs.ErrNotExist):
		p.diags = []diag.Diagnostic{{
			File: dir, Severity: diag.Error, Code: "app.no-manifest",
			Message: fmt.Sprintf("profile %q has no %s: add one, an empty front matter and a body are enough", name, ManifestFile),
		}}
	default:
		if p.diags = diagnosticsOf(err); len(p.diags) == 0 {
			p.diags = []diag.Diagnostic{{File: p.file, Severity: diag.Error, Code: "package.broken", Message: err.Error()}}
		}
	}
	if info, err := fs.Stat(l.FS, path.Join(rel, skillsDir)); err == nil && info.IsDir() {
		p.skills = filepath.Join(dir, skillsDir)
	}
	return p
}

// merge lays a profile over the app.
func (a *App) merge(p *profile) {
	p.manifest.apply(a)
	a.Profile, a.ProfileFile = p.name, p.file
	if p.skills == "" || !slices.Contains(a.SkillSources, "package") {
		return
	}
	a.PackageSkills = p.skills
	if a.Source == SourceEmbedded {
		// The rel path is one of ours and valid, so Sub cannot fail.
		a.PackageSkillsFS, _ = fs.Sub(p.fsys, path.Join(profilesDir, p.name, skillsDir))
	}
}
