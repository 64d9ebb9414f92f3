package skill

import (
	"fmt"
	"strings"

	"github.com/gosimple/slug"

	"github.com/agentctl/agentctl/internal/archive"
	"github.com/agentctl/agentctl/internal/registry"
)

// MaxName is the longest name and slug, in characters, as the standard says.
const MaxName = 64

// Slug returns name as a folder is called: kebab-case ASCII, other scripts
// transliterated, "" when nothing is left of it.
func Slug(name string) string {
	if IsSlug(name) {
		return name
	}
	return slug.Make(strings.NewReplacer("_", "-", ".", "-", "/", "-", "'", "").Replace(name))
}

// slugFault says why no skill can lie in a folder that is called by the slug of its
// name, "" when one can: what is saved or packed must be found and unpacked again.
func slugFault(slug string) string {
	switch {
	case slug == "":
		return "has no letter or digit"
	case len(slug) > MaxName:
		return fmt.Sprintf("becomes a folder name of %d characters, at most %d are allowed", len(slug), MaxName)
	case archive.IsDevice(slug):
		return fmt.Sprintf("becomes the folder %s, which is a device on Windows", slug)
	case registry.Skipped(slug):
		return fmt.Sprintf("becomes the folder %s, where no skill is looked for", slug)
	}
	return ""
}

// IsSlug tells whether s is kebab-case ASCII. Its length does not count.
func IsSlug(s string) bool {
	if s == "" || s[0] == '-' || s[len(s)-1] == '-' || strings.Contains(s, "--") {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if c != '-' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}
