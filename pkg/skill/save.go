package skill

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentctl/agentctl/internal/frontmatter"
	"github.com/agentctl/agentctl/internal/fspath"
	"github.com/agentctl/agentctl/internal/registry"
)

// MaxDescription is the longest description, in characters, as the standard says.
const MaxDescription = 1024

// SaveRequest is a skill to write.
type SaveRequest struct {
	// Dir is the folder of skills to write to; it is made where it is missing.
	// "" means that there is no place to write, which is refused.
	Dir string
	// Workspace has other folders of skills beside Dir, see [WorkspaceRoots]: a skill
	// that exists in one of them is changed there. "" means that Dir is alone.
	Workspace string
	// Name is any name; a skill that exists under it, or in its folder, is changed.
	Name string
	// Description is squeezed to one line.
	Description string
	// KeepDescription leaves the description of a skill that exists as it is.
	KeepDescription bool
	// WhenToUse is left as it is when empty.
	WhenToUse string
	// Body is the text below the front matter; nil keeps the one that exists.
	Body *string
}

// SaveResult says what was written.
type SaveResult struct {
	Name, Dir, File string
	// Created: there was no such skill before.
	Created bool
}

// Save writes a skill, for people and models alike. It replaces the file in one
// step, and of a skill that exists it changes what the request sets, and no
// other key or comment.
//
// What cannot become a skill that loads is a [*RefusedError].
func Save(ctx context.Context, req SaveRequest) (SaveResult, error) {
	if err := req.normalize(); err != nil {
		return SaveResult{}, err
	}
	old, err := existing(ctx, req.roots(), req.Name)
	if err != nil {
		return SaveResult{}, err
	}
	root := req.Dir
	if old != nil {
		root = old.item.Source.Root
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return SaveResult{}, fmt.Errorf("make the skills folder: %w", err)
	}
	unlock, err := lockDir(ctx, root)
	if err != nil {
		return SaveResult{}, err
	}
	defer unlock()
	if old, err = existing(ctx, req.roots(), req.Name); err != nil { // as it is now
		return SaveResult{}, err
	}
	switch {
	case old == nil:
		return req.create()
	case old.other:
		return SaveResult{}, old.soundsLike(req.Name)
	}
	return req.change(old)
}

// normalize brings the request into the form that is written, or refuses it.
func (r *SaveRequest) normalize() error {
	if r.Dir == "" {
		return refuse("dir", "there is no workspace folder to write to")
	}
	if r.KeepDescription {
		r.Description = ""
	}
	r.Name = strings.TrimSpace(r.Name)
	r.Description = squeeze(r.Description)
	r.WhenToUse = squeeze(r.WhenToUse)
	switch fault := slugFault(Slug(r.Name)); {
	case fault != "":
		return refuse("name", "name %q %s; give one such as csv-summary", r.Name, fault)
	case r.Description == "" && !r.KeepDescription:
		return noDescription()
	case utf8.RuneCountInString(r.Description) > MaxDescription:
		return refuse("description", "the description has %d characters, at most %d are allowed; move details to the body", utf8.RuneCountInString(r.Description), MaxDescription)
	}
	return r.normalizeBody()
}

func noDescription() error {
	return refuse("description", "the description is empty; say what the skill does and when to use it")
}

func (r *SaveRequest) normalizeBody() error {
	for _, text := range []string{r.Name, r.Description, r.WhenToUse, r.body()} {
		if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			return refuse("body", "the text is not plain UTF-8 without NUL bytes, so it would not load again")
		}
	}
	if r.Body == nil {
		return nil
	}
	body := strings.ReplaceAll(strings.TrimPrefix(*r.Body, "\ufeff"), "\r\n", "\n")
	if n := utf8.RuneCountInString(body); n > MaxBody {
		return refuse("body", "the body has %d characters, at most %d are allowed; move details to files in references/", n, MaxBody)
	}
	if strings.TrimSpace(body) == "" {
		return refuse("body", "the body is empty; write the steps (of a skill that exists the old ones stay when no body is given)")
	}
	if HasFrontMatter(body) {
		return refuse("body", "the body starts with its own --- block; give only the text below it: name and description are arguments of their own")
	}
	if !strings.HasSuffix(body, "\n") {
		body += "\n"
	}
	r.Body = &body
	return nil
}

func (r *SaveRequest) body() string {
	if r.Body == nil {
		return ""
	}
	return *r.Body
}

// squeeze puts a text on one line.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// HasFrontMatter tells whether a body begins with a block of its own:
// between two lines of three dashes, or one that somebody forgot to close, both
// also inside a code block. A single rule at the top is none.
func HasFrontMatter(body string) bool {
	lines := strings.Split(strings.TrimLeft(body, " \t\r\n"), "\n")
	if fenceMark(lines[0]) != "" {
		lines = strings.Split(strings.TrimLeft(strings.Join(lines[1:], "\n"), " \t\r\n"), "\n")
		return isFence(lines[0]) && hasManifestKey(lines[1:])
	}
	return isFence(lines[0]) && (slices.ContainsFunc(lines[1:], isFence) || hasManifestKey(lines[1:]))
}

func isFence(line string) bool { return strings.TrimRight(line, " \t\r") == "---" }

// hasManifestKey tells whether a name or description stands above the first
// blank line.
func hasManifestKey(lines []string) bool {
	for _, line := range lines {
		switch {
		case strings.HasPrefix(line, "name:"), strings.HasPrefix(line, "description:"):
			return true
		case strings.TrimSpace(line) == "" || isFence(line):
			return false
		}
	}
	return false
}

// Existing is the skill that Save would change, nil for a new one.
func (r SaveRequest) Existing(ctx context.Context) (*Item, error) {
	t, err := existing(ctx, r.roots(), strings.TrimSpace(r.Name))
	if t == nil || err != nil {
		return nil, err
	}
	return t.item, nil
}

// roots are the folders in which a skill can be changed, the one for new ones first.
func (r SaveRequest) roots() []string {
	roots := []string{r.Dir}
	if r.Workspace != "" {
		roots = append(roots, WorkspaceRoots(r.Workspace)...)
	}
	return roots
}

// existing finds the skill that a name means in folders of skills: by name, else
// by folder or slug. One that does not load is refused: what its author wrote would
// be lost.
func existing(ctx context.Context, roots []string, name string) (*target, error) {
	lib := &Library{}
	for _, root := range roots {
		lib.Sources = append(lib.Sources, Source{Name: SourceWorkspace, Root: root})
	}
	l, err := lib.Load(ctx)
	if err != nil {
		return nil, err
	}
	for _, n := range []string{name, Slug(name)} {
		res, err := l.Resolve(n)
		if err == nil && (res.By != registry.ByAlias || Slug(name) == res.Winner.Slug) {
			it := res.Winner
			slugOnly := n != name || res.By == registry.BySlug
			foreign := it.Given != "" || registry.Foreign(name)
			return &target{item: it, other: slugOnly && foreign && !registry.SameWords(name, it.Given)}, nil
		}
		if b, ok := errors.AsType[*BrokenError](err); ok {
			return nil, refuse("name", "%s exists and does not load (%s); fix or remove it first", b.File, b.Diagnostics[0].Message)
		}
	}
	return nil, nil
}

// target is a skill that is about to be changed.
type target struct {
	item *Item
	// other: only the folder is the same, of words that sound alike in ASCII.
	other bool
}

// soundsLike refuses a name that would take the place of this other skill.
func (t *target) soundsLike(name string) error {
	return refuse("name", "name %q becomes the folder %s, where there is another skill; give a new one another name, or to change that one the name %q", name, Slug(name), t.item.Name)
}

// newDocument is the front matter of a new skill.
func newDocument(name, description string) (*frontmatter.Document, error) {
	text := "---\nname: " + Slug(name) + "\ndescription: " + frontmatter.Quote(description) + "\n"
	if registry.Foreign(name) {
		text += "metadata:\n  " + givenName + ": " + frontmatter.Quote(name) + "\n"
	}
	return frontmatter.Decode(ManifestName, []byte(text+"---\n"))
}

func (r *SaveRequest) create() (SaveResult, error) {
	slug := Slug(r.Name)
	if r.KeepDescription {
		return SaveResult{}, noDescription() // there is none yet
	}
	if r.Body == nil {
		return SaveResult{}, refuse("body", "there is no skill %q yet, so a body is needed", r.Name)
	}
	doc, err := newDocument(r.Name, r.Description)
	if err != nil {
		return SaveResult{}, err
	}
	r.apply(doc)
	dir := filepath.Join(r.Dir, slug)
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return SaveResult{}, fmt.Errorf("make the skill's folder: %w", err)
	}
	res := SaveResult{Name: slug, Dir: dir, File: filepath.Join(dir, ManifestName), Created: true}
	if err := res.write(r.Dir, doc); err != nil {
		_ = os.Remove(dir) // only when it is empty
		return res, err
	}
	return res, nil
}

func (r *SaveRequest) change(t *target) (SaveResult, error) {
	it := t.item
	res := SaveResult{Name: it.Name, Dir: it.Dir, File: it.File()}
	if it.Source.Root != r.Dir && !fspath.Within(fspath.Real(r.Workspace), fspath.Real(it.Dir)) {
		return res, refuse("dir", "the skill %q is %s, a link out of the workspace; change the one that it leads to", it.Name, it.File())
	}
	r.apply(it.Value.Doc)
	return res, res.write(it.Source.Root, it.Value.Doc)
}

func (r *SaveRequest) apply(doc *frontmatter.Document) {
	if !r.KeepDescription {
		setText(doc, "description", r.Description)
	}
	if r.WhenToUse != "" {
		setText(doc, "when_to_use", r.WhenToUse)
	}
	if r.Body != nil {
		doc.SetBody(*r.Body)
	}
}

// setText gives a key a text. One that says so already keeps its form, and the
// comment beside it, in a file that needed no repair.
func setText(doc *frontmatter.Document, key, text string) {
	if squeeze(doc.Text(key)) != text || len(doc.Diagnostics) > 0 {
		doc.Set(key, text)
	}
}

// write replaces the file of a skill below root after proving that the new one
// loads.
func (r SaveResult) write(root string, doc *frontmatter.Document) error {
	for _, p := range []string{r.Dir, r.File} {
		if info, err := os.Lstat(p); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return refuse("dir", "%s is a symbolic link; write to the folder that it points to", p)
		}
	}
	data := doc.Encode()
	if _, ds, err := Parse(r.File, filepath.Base(r.Dir), data); err != nil {
		return refuse("", "the skill would not load: %s", ds[0].Message)
	}
	if err := replaceFile(r.File, data, root); err != nil {
		return fmt.Errorf("write %s: %w", r.File, err)
	}
	return nil
}
