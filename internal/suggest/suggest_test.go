package suggest

import (
	"slices"
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	keys := []string{"name", "description", "allowed-tools", "user-invocable", "when_to_use", "csv-column-summary", "csv-summary"}
	tests := []struct {
		name  string
		in    string
		known []string
		limit int
		want  []string
	}{
		{"one letter wrong", "descripton", keys, 3, []string{"description"}},
		{"case", "Name", keys, 3, []string{"name"}},
		{"underscore for hyphen", "allowed_tools", keys, 3, []string{"allowed-tools"}},
		{"hyphens for underscores", "when-to-use", keys, 3, []string{"when_to_use"}},
		{"another suffix", "user-invokable", keys, 3, []string{"user-invocable"}},
		{"swapped letters", "cvs-summary", keys, 1, []string{"csv-summary"}},
		{"swapped letters of a short word", "shwo", []string{"show", "path"}, 1, []string{"show"}},
		{"part of a name ranks last", "summary", keys, 3, []string{"csv-summary", "csv-column-summary"}},
		{"limit", "csv-sumary", keys, 1, []string{"csv-summary"}},
		{"nothing shared", "zzz", keys, 3, nil},
		{"short parts do not count", "me", keys, 3, nil},
		{"itself is no guess", "name", []string{"name", "names"}, 3, []string{"names"}},
		{"empty", "", keys, 3, nil},
		{"empty known", "name", []string{""}, 3, nil},
		{"no limit left", "nam", keys, 0, nil},
		{"a tie is alphabetical", "ab", []string{"ac", "aa"}, 2, []string{"aa", "ac"}},
		{"twice in the list", "nam", []string{"name", "name"}, 2, []string{"name"}},
		{"one letter is not close to another", "a", []string{"b"}, 2, nil},
		{"other scripts", "茶道入門", []string{"茶道入门"}, 2, []string{"茶道入门"}},
		{"over-long text is no slip", strings.Repeat("a", maxRunes+1), []string{strings.Repeat("a", maxRunes)}, 2, nil},
		{"the longest that is compared", strings.Repeat("a", maxRunes-1), []string{strings.Repeat("a", maxRunes)}, 2, []string{strings.Repeat("a", maxRunes)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Nearest(tt.in, tt.known, tt.limit); !slices.Equal(got, tt.want) {
				t.Errorf("Nearest(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}
