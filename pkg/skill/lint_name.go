package skill

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/agentctl/agentctl/internal/frontmatter"
	"github.com/agentctl/agentctl/internal/termtext"
)

// names checks the name against the standard and against the folder.
func (c *check) names() {
	name, folder := c.it.Name, c.it.Folder()
	doc := c.it.Value.Doc
	if doc.Has("name") && strings.TrimSpace(doc.Text("name")) == "" && doc.Kind("name") != frontmatter.List {
		c.key("name", "name.empty", "the name is empty: write name: %s", frontmatter.Quote(Slug(folder)))
		return
	}
	if !doc.Has("name") {
		return // the reader has said so
	}
	if r, bad := forbiddenRune(name); bad {
		c.key("name", "name.character", "the name holds %s: remove it", runeName(r))
		return
	}
	if n := utf8.RuneCountInString(name); n > MaxName {
		c.key("name", "name.too-long", "the name has %d characters, at most %d are allowed: shorten it", n, MaxName)
	}
	switch {
	case IsSlug(name):
	case isKebab(name):
		c.key("name", "name.not-ascii", "the name %q has letters outside a-z, which not every client takes", name)
	case cmp.Or(Slug(name), Slug(folder)) == "":
		c.key("name", "name.not-kebab", "the name %q is not kebab-case: give one such as csv-summary", name)
	default:
		fix := "name: " + cmp.Or(Slug(name), Slug(folder))
		c.key("name", "name.not-kebab", "the name %q is not kebab-case: write %s", name, fix).Fix = fix
	}
	if norm.NFKC.String(name) != norm.NFKC.String(folder) {
		c.key("name", "name.folder", "the name %q differs from the folder %q: rename one of them", name, folder)
	}
	if folder == "synced" {
		c.key("name", "name.reserved", "the folder name synced is reserved in Claude Code: choose another one")
	}
}

// isKebab is kebab-case in any script: letters without upper case, digits, marks
// and single hyphens between them.
func isKebab(s string) bool {
	if s == "" || strings.HasPrefix(s, "-") || strings.HasSuffix(s, "-") || strings.Contains(s, "--") {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		letter := unicode.IsLetter(r) && !unicode.IsUpper(r) && !unicode.IsTitle(r)
		return r != '-' && !letter && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
}

// forbiddenRune finds a character that no name may hold: one that cannot be
// seen, reorders text, or means something in a path.
func forbiddenRune(name string) (rune, bool) {
	for _, r := range name {
		if unicode.IsControl(r) || invisible(r) || r == '/' || r == '\\' || r == ':' {
			return r, true
		}
	}
	if name == "." || name == ".." {
		return '.', true
	}
	return 0, false
}

// invisible adds the joiners to what termtext hides: they are part of emoji and
// of some scripts' spelling, but never of a name.
func invisible(r rune) bool { return termtext.Invisible(r) || r == '\u200c' || r == '\u200d' }

// runeName names a character so that it can be found.
func runeName(r rune) string {
	if unicode.IsGraphic(r) && !invisible(r) {
		return fmt.Sprintf("the character %q", r)
	}
	return fmt.Sprintf("the invisible character U+%04X", r)
}
