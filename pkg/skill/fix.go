package skill

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/frontmatter"
)

// Fix is what can be mended in a SKILL.md without touching its meaning: quotes
// around values that were read as text anyway, plain fences, no byte order mark,
// LF line ends, a missing or badly spelled name, the file's own name.
type Fix struct {
	// File is the file as it is, NewFile as it will be called.
	File, NewFile string
	Before, After []byte
}

// FixOf works out the fix of a skill on disk; nil means that there is nothing
// that can be mended by machine. The new text is proven to say the same.
func FixOf(it *Item) (*Fix, error) {
	if !onDisk(it) {
		return nil, nil
	}
	before, err := readManifest(it.Location)
	if err != nil {
		return nil, err
	}
	f := &Fix{File: it.File(), NewFile: filepath.Join(it.Dir, ManifestName), Before: before}
	doc, err := frontmatter.Decode(f.File, before)
	if err != nil {
		return nil, err
	}
	f.After = mend(doc, it)
	if bytes.Equal(f.Before, f.After) && f.File == f.NewFile {
		return nil, nil
	}
	return f, f.prove(it)
}

// mend edits a document and returns its new bytes.
func mend(doc *frontmatter.Document, it *Item) []byte {
	var quote []string // found before an edit moves the lines that findings name
	for _, key := range doc.Keys() {
		if unquoted(doc, key) {
			quote = append(quote, key)
		}
	}
	if needsNormalize(doc) {
		doc.Normalize()
	}
	folder := it.Folder()
	switch {
	case strings.TrimSpace(doc.Text("name")) == "":
		if slug := Slug(folder); slug != "" {
			doc.Set("name", slug)
		}
	case !isKebab(it.Name) && Slug(it.Name) == folder:
		doc.Set("name", folder)
	}
	for _, key := range quote {
		doc.Requote(key)
	}
	return doc.Encode()
}

// needsNormalize tells whether the file's form has to change at all. A file
// without such a fault keeps every byte.
func needsNormalize(doc *frontmatter.Document) bool {
	if doc.BOM || doc.CRLF {
		return true
	}
	for _, d := range append(doc.Diagnostics, doc.Findings...) {
		switch strings.TrimPrefix(d.Code, "frontmatter.") {
		case "leading-lines", "glued-closer", "dots-closer", "read-verbatim", "joined-lines", "surrogate-escape":
			return true
		}
	}
	return false
}

// unquoted tells whether the value of a key is one that only quotes keep as it is.
func unquoted(doc *frontmatter.Document, key string) bool {
	line, column := doc.Position(key)
	return slices.ContainsFunc(doc.Findings, func(d Diagnostic) bool {
		return d.Code == "frontmatter.unquoted-value" && d.Line == line && d.Column == column
	})
}

// prove refuses a fix that would change what a reader makes of the skill.
func (f *Fix) prove(it *Item) error {
	s, _, err := Parse(f.File, it.Folder(), f.After)
	if err != nil {
		return fmt.Errorf("fix of %s does not load: %w", f.File, err)
	}
	old := it.Value
	if s.Description != old.Description || s.WhenToUse != old.WhenToUse || s.Body != old.Body {
		return fmt.Errorf("fix of %s would change what it says; mend it by hand", f.File)
	}
	return nil
}

// Diff shows the fix as a unified diff.
func (f *Fix) Diff() string {
	return udiff.Unified(f.File, f.NewFile, string(f.Before), string(f.After))
}

// Apply writes the fix.
func (f *Fix) Apply() error {
	if f.File != f.NewFile {
		if err := os.Rename(f.File, f.NewFile); err != nil {
			return err
		}
	}
	if bytes.Equal(f.Before, f.After) {
		return nil
	}
	return replaceFile(f.NewFile, f.After, filepath.Dir(filepath.Dir(f.NewFile)))
}

// HasErrors tells whether a lint result must fail a check.
func (r LintResult) HasErrors() bool { return diag.HasErrors(r.Diagnostics) }
