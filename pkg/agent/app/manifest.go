package app

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/frontmatter"
	"github.com/agentctl/agentctl/internal/registry"
	"github.com/agentctl/agentctl/internal/suggest"
)

// keys are what APP.md can say. A nil field was not given.
type keys struct {
	Name         *string           `yaml:"name"`
	Description  *string           `yaml:"description"`
	Model        *string           `yaml:"model"`
	Skills       any               `yaml:"skills"`        // "*" or a list
	SkillSources *[]string         `yaml:"skill-sources"` // classes of skills
	Tools        any               `yaml:"tools"`         // "*" or a list
	Aliases      map[string]string `yaml:"aliases"`
	ContextFiles *[]string         `yaml:"context-files"`
	Inventory    *string           `yaml:"inventory"`

	// The other spelling of the keys of two words.
	SkillSources2 *[]string `yaml:"skill_sources"`
	ContextFiles2 *[]string `yaml:"context_files"`
}

// manifest is one APP.md, read and checked by itself.
type manifest struct {
	file   string
	keys   keys
	skills Selection
	tools  Selection
	body   string
	doc    *frontmatter.Document
	diags  []diag.Diagnostic // warnings
	errs   []diag.Diagnostic
}

// The values that hold when a key is missing.
var (
	defaultSkillSources = []string{"workspace", "shared", "package"}
	defaultContextFiles = []string{"AGENTS.md", "MEMORY.md"}
)

var (
	knownSkillSources = []string{"workspace", "user", "shared", "package"}
	knownInventories  = []string{InventoryAuto, InventoryAlways, InventoryNever}
)

// readManifest reads rel/APP.md of an app. The error is a
// [*frontmatter.StrictError] for a file that is there and cannot be used, and
// [fs.ErrNotExist] for none.
func readManifest(l registry.Location, rel string) (*manifest, error) {
	dir := filepath.Join(l.Dir, filepath.FromSlash(rel))
	entries, err := fs.ReadDir(l.FS, rel)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", dir, err)
	}
	if found, cure := registry.Misspelled(entries, ManifestFile); found != "" {
		return nil, unusable(filepath.Join(dir, found), cure)
	}
	if !slices.ContainsFunc(entries, isManifest) {
		return nil, fmt.Errorf("read %s: %w", dir, fs.ErrNotExist)
	}
	file := filepath.Join(dir, ManifestFile)
	data, err := registry.ReadManifest(l, path.Join(rel, ManifestFile), frontmatter.MaxFile)
	if err != nil {
		return nil, unusable(file, err.Error())
	}
	return parseManifest(file, data)
}

// unusable is a manifest that is not even read.
func unusable(file, why string) error {
	return &frontmatter.StrictError{Diagnostics: []diag.Diagnostic{{
		File: file, Severity: diag.Error, Code: "app.unreadable", Message: why,
	}}}
}

func parseManifest(file string, data []byte) (*manifest, error) {
	m := &manifest{file: file}
	doc, err := frontmatter.DecodeStrict(file, data, &m.keys)
	if err != nil {
		wholeLines(diagnosticsOf(err), data)
		return nil, err
	}
	m.doc, m.body = doc, strings.TrimSpace(doc.Body)
	m.check()
	if len(m.errs) > 0 {
		return nil, &frontmatter.StrictError{Diagnostics: m.errs}
	}
	return m, nil
}

// wholeLines turns the fix of an unknown key, which is the known one, into the
// line to write.
func wholeLines(diags []diag.Diagnostic, data []byte) {
	lines := strings.Split(string(data), "\n")
	for i, d := range diags {
		if d.Code != "frontmatter.unknown-key" || d.Fix == "" || d.Line < 1 || d.Line > len(lines) {
			continue
		}
		if _, value, ok := strings.Cut(lines[d.Line-1], ":"); ok {
			diags[i].Fix = d.Fix + ":" + strings.TrimRight(value, " \r")
		}
	}
}

// spellings moves values to the fields of the usual spelling.
func (m *manifest) spellings() {
	for _, s := range []struct {
		key       string
		to, other **[]string
	}{
		{"skill-sources", &m.keys.SkillSources, &m.keys.SkillSources2},
		{"context-files", &m.keys.ContextFiles, &m.keys.ContextFiles2},
	} {
		switch {
		case *s.other == nil:
		case *s.to != nil:
			m.fail(s.key, "app.duplicate-key", "", "%s is given in both spellings, with - and with _: keep one of them", s.key)
		default:
			*s.to = *s.other
		}
	}
}

// check looks at values; keys and types were looked at by the parser.
func (m *manifest) check() {
	m.spellings()
	m.skills = m.selection("skills", m.keys.Skills)
	m.tools = m.selection("tools", m.keys.Tools)
	if m.keys.SkillSources != nil {
		m.skillSources(*m.keys.SkillSources)
	}
	if m.keys.Inventory != nil {
		m.inventory(*m.keys.Inventory)
	}
	if m.keys.ContextFiles != nil {
		m.contextFiles(*m.keys.ContextFiles)
	}
	if m.body == "" {
		m.diags = append(m.diags, diag.Diagnostic{
			File: m.file, Line: m.doc.BodyLine, Severity: diag.Warning, Code: "app.no-body",
			Message: "there is no text below the front matter: write there what the model is to do",
		})
	}
}

// selection reads "*" or a list of names. Nothing else is one: a text with
// commas could mean one name or several.
func (m *manifest) selection(key string, value any) Selection {
	switch v := value.(type) {
	case nil:
		if m.doc.Has(key) {
			m.fail(key, "app.bad-list", key+": []", "%s has no value: write [] for none, or leave the line out", key)
		}
		return Selection{}
	case string:
		if v == "*" {
			return Selection{Set: true, All: true}
		}
		m.fail(key, "app.bad-list", flowLine(key, strings.FieldsFunc(v, separator)), `%s is %q, want a list or "*"`, key, v)
		return Selection{}
	case []any:
		return m.names(key, v)
	}
	m.fail(key, "app.bad-list", key+": []", `%s must be a list of names, or "*": [] is none`, key)
	return Selection{}
}

func separator(r rune) bool { return r == ',' || r == ' ' }

func (m *manifest) names(key string, items []any) Selection {
	s := Selection{Set: true}
	var all []string // as names, for the line that is right
	for _, item := range items {
		if name := strings.TrimSpace(fmt.Sprint(item)); item != nil && name != "" {
			all = append(all, name)
		}
	}
	for _, item := range items {
		name, ok := item.(string)
		switch {
		case !ok || strings.TrimSpace(name) == "":
			m.fail(key, "app.bad-name", flowLine(key, all), "%s holds %v, want a name: put it in quotes", key, item)
		case name == "*":
			s.All = true
		case s.Has(name):
			m.diags = append(m.diags, m.warn(key, "app.repeated-name", "%s names %q twice", key, name))
		default:
			s.Names = append(s.Names, name)
		}
	}
	return s
}

// skillSources and inventory check values that are one of a few.
func (m *manifest) skillSources(values []string) {
	var right, wrong []string
	for _, v := range values {
		known := nearest(v, knownSkillSources)
		if known != v {
			wrong = append(wrong, v)
		}
		if known != "" && !slices.Contains(right, known) {
			right = append(right, known)
		}
	}
	if len(right) == 0 { // [] would mean no skills at all
		right = defaultSkillSources
	}
	for _, v := range wrong {
		m.unknownValue("skill-sources", v, knownSkillSources, flowLine("skill-sources", right))
	}
}

func (m *manifest) inventory(value string) {
	known := nearest(value, knownInventories)
	if known == value {
		return
	}
	m.unknownValue("inventory", value, knownInventories, "inventory: "+cmp.Or(known, InventoryAuto))
}

// nearest is the value itself if it is known, else the one that was meant, "" for
// none.
func nearest(value string, known []string) string {
	if slices.Contains(known, value) {
		return value
	}
	return first(suggest.Nearest(value, known, 1))
}

func (m *manifest) unknownValue(key, value string, known []string, fix string) {
	m.fail(key, "app.unknown-value", fix, "%s: %q is not known, want %s", key, value, strings.Join(known, ", "))
}

func (m *manifest) contextFiles(files []string) {
	outside := func(f string) bool { return !filepath.IsLocal(f) || strings.Contains(f, `\`) }
	for _, f := range files {
		if outside(f) {
			fix := flowLine("context-files", slices.DeleteFunc(slices.Clone(files), outside))
			m.fail("context-files", "app.bad-path", fix, "context-files: %q does not lie in the workspace: give a path relative to it", f)
		}
	}
}

func (m *manifest) fail(key, code, fix, format string, args ...any) {
	d := m.warn(key, code, format, args...)
	d.Severity, d.Fix = diag.Error, fix
	m.errs = append(m.errs, d)
}

func (m *manifest) warn(key, code, format string, args ...any) diag.Diagnostic {
	if !m.doc.Has(key) {
		key = strings.ReplaceAll(key, "-", "_")
	}
	line, column := m.doc.Position(key)
	return diag.Diagnostic{
		File: m.file, Line: line, Column: column, Severity: diag.Warning, Code: code, Message: fmt.Sprintf(format, args...),
	}
}

func (m *manifest) name() string        { return text(m.keys.Name) }
func (m *manifest) description() string { return text(m.keys.Description) }

func text(p *string) string {
	if p == nil {
		return ""
	}
	return strings.TrimSpace(*p)
}

// app is the app that the manifest describes by itself, with the defaults.
func (m *manifest) app(it *registry.Item[*Package]) *App {
	a := &App{
		Name: it.Name, Source: it.Source.Name, Dir: it.Dir, File: m.file, Untrusted: it.Source.Untrusted,
		SkillSources: slices.Clone(defaultSkillSources), ContextFiles: slices.Clone(defaultContextFiles),
		Aliases: map[string]string{}, places: map[string]place{},
	}
	m.apply(a)
	return a
}

// apply lays what the manifest says over the app. Scalars and lists replace,
// aliases join, the body is appended.
func (m *manifest) apply(a *App) {
	k := m.keys
	for _, s := range []struct {
		from *string
		to   *string
	}{{k.Description, &a.Description}, {k.Model, &a.Model}, {k.Inventory, &a.Inventory}} {
		if s.from != nil {
			*s.to = text(s.from)
		}
	}
	if m.skills.Set {
		a.Skills = m.skills
	}
	if m.tools.Set {
		a.Tools = m.tools
	}
	if k.SkillSources != nil {
		a.SkillSources, a.NoSkills = slices.Clone(*k.SkillSources), len(*k.SkillSources) == 0
	}
	if k.ContextFiles != nil {
		a.ContextFiles = slices.Clone(*k.ContextFiles)
	}
	maps.Copy(a.Aliases, k.Aliases)
	a.Prompt = strings.TrimSpace(a.Prompt + "\n\n" + m.body)
	a.Diagnostics = append(a.Diagnostics, m.diags...)
	for _, key := range m.doc.Keys() {
		line, _ := m.doc.Position(key)
		a.places[strings.ReplaceAll(key, "_", "-")] = place{m.file, line}
	}
	for alias := range k.Aliases {
		a.places[aliasKey(alias)] = a.places["aliases"]
	}
}

// diagnosticsOf returns the findings of a file that does not load.
func diagnosticsOf(err error) []diag.Diagnostic {
	if e, ok := errors.AsType[*frontmatter.StrictError](err); ok {
		return e.Diagnostics
	}
	return nil
}
