package skill

import (
	"strings"

	"github.com/gosimple/slug"
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
