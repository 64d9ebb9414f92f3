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
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/agentctl/agentctl/internal/frontmatter"
	"github.com/agentctl/agentctl/internal/registry"
)

// MaxDescription is the longest description, in characters, as the standard says.
const MaxDescription = 1024

// SaveRequest is a skill to write.
type SaveRequest struct {
	// Dir is the folder of skills to write to; it is made where it is missing.
	// "" means that there is no place to write, which is refused.
	Dir string
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
	if err := os.MkdirAll(req.Dir, 0o755); err != nil {
		return SaveResult{}, fmt.Errorf("make the skills folder: %w", err)
	}
	unlock, err := lockDir(ctx, req.Dir)
	if err != nil {
		return SaveResult{}, err
	}
	defer unlock()
	old, err := existing(ctx, req.Dir, req.Name)
	if err != nil {
		return SaveResult{}, err
	}
	switch {
	case old == nil:
		return req.create()
	case old.other:
		return SaveResult{}, refuse("name", "name %q becomes the folder %s, where there is another skill; give a new one another name, or to change that one the name %q", req.Name, Slug(req.Name), old.name)
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
	switch slug := Slug(r.Name); {
	case slug == "":
		return refuse("name", "name %q has no letter or digit; give one such as csv-summary", r.Name)
	case len(slug) > MaxName:
		return refuse("name", "name %q becomes a folder name of %d characters, at most %d are allowed; shorten it", r.Name, len(slug), MaxName)
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
	body := strings.NewReplacer("\r\n", "\n", "\ufeff", "").Replace(*r.Body)
	if n := utf8.RuneCountInString(body); n > MaxBody {
		return refuse("body", "the body has %d characters, at most %d are allowed; move details to files in references/", n, MaxBody)
	}
	if strings.TrimSpace(body) == "" {
		return refuse("body", "the body is empty; write the steps (of a skill that exists the old ones stay when no body is given)")
	}
	if startsWithFrontMatter(body) {
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

// startsWithFrontMatter tells whether a text begins with a block of its own:
// between two lines of three dashes, or one that somebody forgot to close, both
// also inside a code block. A single rule at the top is none.
func startsWithFrontMatter(body string) bool {
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

// existing finds the skill that a name means in one folder of skills: by name,
// else by folder or slug. One that does not load is refused: what its author
// wrote would be lost.
func existing(ctx context.Context, dir, name string) (*target, error) {
	lib := &Library{Sources: []Source{{Name: SourceWorkspace, Root: dir}}}
	l, err := lib.Load(ctx)
	if err != nil {
		return nil, err
	}
	for _, n := range []string{name, Slug(name)} {
		res, err := l.Resolve(n)
		if err == nil && (res.By != registry.ByAlias || Slug(name) == res.Winner.Slug) {
			it := res.Winner
			return &target{
				name: it.Name, dir: it.Dir, file: it.File(), doc: it.Value.Doc,
				other: soundsAlike(name, it) && (n != name || res.By == registry.BySlug),
			}, nil
		}
		if b, ok := errors.AsType[*BrokenError](err); ok {
			return nil, refuse("name", "%s exists and does not load (%s); fix or remove it first", b.File, b.Diagnostics[0].Message)
		}
	}
	return nil, nil
}

// target is a skill that is about to be changed.
type target struct {
	name, dir, file string
	doc             *frontmatter.Document
	// other: only the folder is the same, of words that sound alike in ASCII.
	other bool
}

// isForeign tells whether letters are lost on the way from a name to its slug.
func isForeign(name string) bool {
	return strings.ContainsFunc(norm.NFKC.String(name), func(r rune) bool { return r >= utf8.RuneSelf && unicode.IsLetter(r) })
}

// soundsAlike tells whether a name and a skill may have no more in common than the
// slug: letters were lost on the way to it.
func soundsAlike(name string, it *Item) bool {
	return isForeign(name) || slices.ContainsFunc(it.Aliases, func(a string) bool { return isForeign(a) && Slug(a) == Slug(name) })
}

// newDocument is the front matter of a new skill.
func newDocument(name, description string) (*frontmatter.Document, error) {
	text := "---\nname: " + Slug(name) + "\ndescription: " + frontmatter.Quote(description) + "\n"
	if isForeign(name) {
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
	t := &target{name: slug, dir: filepath.Join(r.Dir, slug), doc: doc}
	t.file = filepath.Join(t.dir, ManifestName)
	if err := os.Mkdir(t.dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return SaveResult{}, fmt.Errorf("make the skill's folder: %w", err)
	}
	res, err := r.write(t)
	res.Created = true
	if err != nil {
		_ = os.Remove(t.dir) // only when it is empty
	}
	return res, err
}

func (r *SaveRequest) change(t *target) (SaveResult, error) {
	r.apply(t.doc)
	return r.write(t)
}

func (r *SaveRequest) apply(doc *frontmatter.Document) {
	if !r.KeepDescription {
		doc.Set("description", r.Description)
	}
	if r.WhenToUse != "" {
		doc.Set("when_to_use", r.WhenToUse)
	}
	if r.Body != nil {
		doc.SetBody(*r.Body)
	}
}

// write replaces the file after proving that the new one loads.
func (r *SaveRequest) write(t *target) (SaveResult, error) {
	res := SaveResult{Name: t.name, Dir: t.dir, File: t.file}
	for _, p := range []string{t.dir, t.file} {
		if info, err := os.Lstat(p); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return res, refuse("name", "%s is a symbolic link; write to the folder that it points to", p)
		}
	}
	data := t.doc.Encode()
	if _, ds, err := Parse(t.file, filepath.Base(t.dir), data); err != nil {
		return res, refuse("", "the skill would not load: %s", ds[0].Message)
	}
	if err := replaceFile(t.file, data, r.Dir); err != nil {
		return res, fmt.Errorf("write %s: %w", t.file, err)
	}
	return res, nil
}
