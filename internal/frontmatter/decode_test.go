package frontmatter

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/diag"
)

// skill wraps front matter into a file.
func skill(block string) string { return "---\n" + block + "---\n\n# Body\n" }

// withDescription is a valid skill with more keys from line 4 on.
func withMore(more string) string { return skill("name: a\ndescription: d\n" + more) }

// codes are the diagnostics as "code:line", without the common prefix.
func codes(ds []diag.Diagnostic) string {
	var all []string
	for _, d := range ds {
		all = append(all, fmt.Sprintf("%s:%d", strings.TrimPrefix(d.Code, "frontmatter."), d.Line))
	}
	return strings.Join(all, " ")
}

// TestDescription: what becomes of a value of the description, line 3.
func TestDescription(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in      string // in: all that follows "description:"
		want          string // "" = not loaded
		list, finding string // codes; of a skip its reason
	}{
		{name: "plain", in: " Does it.", want: "Does it."},
		{name: "colon in a URL", in: " see http://a:80", want: "see http://a:80"},
		{name: "colon at the end of a word", in: " use it for:", want: "use it for:", list: "read-verbatim:3"},
		{name: "colon and blank", in: " Use when: x", want: "Use when: x", list: "read-verbatim:3"},
		{name: "hash cuts", in: " Use C # and C++", want: "Use C", finding: "comment-cut:3"},
		{name: "hash inside a word", in: " Use C# and F#", want: "Use C# and F#"},
		{name: "hash in quotes", in: ` "Use C # and C++" # note`, want: "Use C # and C++"},
		{name: "hash on the second line", in: " Use C\n  or D # not E", want: "Use C or D", finding: "comment-cut:4"},
		{name: "all is a comment", in: " # nothing", list: "no-description:3"},
		{name: "tag", in: " !important x", want: "x", finding: "tag-dropped:3"},
		{name: "tag of YAML itself", in: " !!str 12", want: "12"},
		{name: "anchor", in: " &x text", want: "text", finding: "anchor-dropped:3"},
		{name: "at sign", in: " @x y", want: "@x y", list: "read-verbatim:3"},
		{name: "back tick", in: " `x` y", want: "`x` y", list: "read-verbatim:3"},
		{name: "percent", in: " %x y", want: "%x y", list: "read-verbatim:3"},
		{name: "star", in: " *x* y", want: "*x* y", list: "read-verbatim:3"},
		{name: "one star", in: " *x", want: "*x", list: "read-verbatim:3"},
		{name: "template", in: " {{x}}", want: "{{x}}", list: "read-verbatim:3"},
		{name: "template and text", in: " {{x}} y", want: "{{x}} y", list: "read-verbatim:3"},
		{name: "quoted word first", in: ` "A" and b`, want: `"A" and b`, list: "read-verbatim:3"},
		{name: "two quoted words", in: ` "A" and "b"`, want: `"A" and "b"`, list: "read-verbatim:3"},
		{name: "apostrophe in single quotes", in: ` 'it's'`, want: "it's", list: "read-verbatim:3"},
		{name: "quotes in quotes", in: ` "say "hi" now"`, want: `say "hi" now`, list: "read-verbatim:3"},
		{name: "dash", in: " - x", want: "- x", list: "read-verbatim:3"},
		{name: "question mark", in: " ? x", want: "? x", list: "read-verbatim:3"},
		{name: "greater than and text", in: " > x", want: "> x", list: "read-verbatim:3"},
		{name: "bar and text", in: " | x", want: "| x", list: "read-verbatim:3"},
		{name: "open bracket", in: " [beta] Does it", want: "[beta] Does it", list: "read-verbatim:3"},
		{name: "unclosed bracket", in: " [beta Does it", want: "[beta Does it", list: "read-verbatim:3"},
		{name: "path in double quotes", in: ` "In C:\users"`, want: `In C:\users`, list: "read-verbatim:3"},
		{name: "surrogate pair", in: ` "Hi \ud83d\ude00"`, want: "Hi 😀", list: "surrogate-escape:3"},
		{name: "half a surrogate pair", in: ` "Hi \ud83d"`, want: `Hi \ud83d`, list: "read-verbatim:3"},
		{name: "escaped backslash is no surrogate", in: ` "Hi \\ud83d\ude00: \q"`, want: `Hi \\ud83d\ude00: \q`, list: "read-verbatim:3"},
		{name: "open double quote", in: ` "never ends`, list: "open-quote:3"},
		{name: "open double quote with an escaped one", in: ` "never \" ends`, list: "open-quote:3"},
		{name: "open double quote and two more", in: ` "Says "hi" to all`, list: "open-quote:3"},
		{name: "open single quote and an apostrophe", in: ` 'Don't stop: go`, list: "open-quote:3"},
		{name: "quoted and an apostrophe", in: ` 'A' doesn't: b`, want: "'A' doesn't: b", list: "read-verbatim:3"},
		{name: "tag without a name", in: " ! x", want: "x", finding: "tag-dropped:3"},
		{name: "tag alone", in: " !x", list: "no-description:3"},
		{name: "anchor alone", in: " &x", list: "no-description:3"},
		{name: "open single quote", in: " 'tis: x", list: "open-quote:3"},
		{name: "folded", in: " >\n  a\n  b\n", want: "a b"},
		{name: "folded, stripped", in: " >-\n  a\n  b\n", want: "a b"},
		{name: "folded, kept", in: " >+\n  a\n\n\n", want: "a"},
		{name: "literal", in: " |\n  a\n  b: c\n  # d\n", want: "a b: c # d"},
		{name: "wrapped plain", in: " a\n  b\n  c", want: "a b c"},
		{name: "wrapped in double quotes", in: " \"a\n  b: c\"", want: "a b: c"},
		{name: "wrapped in quotes at column 0", in: " \"a\nlicense: c\"", want: "a license: c"},
		{name: "wrapped with a colon", in: " Helps\n  use when: x\n  and y", want: "Helps use when: x and y", list: "joined-lines:3"},
		{name: "wrapped with a tab", in: " Helps\n\tso: well", want: "Helps so: well", list: "joined-lines:3"},
		{name: "loose lines", in: " Helps\n1. sort\n- file", want: "Helps 1. sort - file", list: "joined-lines:3"},
		{name: "loose lines with blanks in the key", in: " Helps: a\nUse when: x", want: "Helps: a Use when: x", list: "joined-lines:3"},
		{name: "loose lines with a blank line", in: " Helps: well\n\nand more", want: "Helps: well and more", list: "joined-lines:3"},
		{name: "comment below", in: " Use when: x\n# licence\n", want: "Use when: x", list: "read-verbatim:3"},
		{name: "loose lines and an unknown key", in: " Helps\n1. sort\nNote: x", list: "unclear-description:5"},
		{name: "wrapped lines and an unknown key", in: " Helps: a\n  b\nNote: x", want: "Helps: a b", list: "joined-lines:3"},
		{name: "one line and an unknown key", in: " Helps: a\nNote: x", want: "Helps: a", list: "read-verbatim:3"},
		{name: "loose heading", in: " Helps: x\n\n# How to\n\nStart.", list: "unclear-description:5"},
		{name: "loose fence", in: " Helps: x\n```\ncode\n```", list: "unclear-description:4"},
		{name: "loose rule", in: " Helps: x\n----\ny", list: "unclear-description:4"},
		{name: "literal at column 0", in: " |\nHelps", list: "unclear-description:3"},
		{name: "quote over lines", in: " \"Helps\" with: x\n  y", list: "unclear-description:3"},
		{name: "quote open over lines", in: " Helps: \"a\n  b\"", list: "unclear-description:3"},
		{name: "standard key indented", in: " Helps: x\n  license: MIT", list: "unclear-description:4"},
		{name: "map that is no YAML", in: "\n  short: a: b\n  long: c", list: "unclear-description:4"},
		{name: "list that is no YAML", in: "\n  - a: b: c", list: "unclear-description:4"},
		{name: "no blank after a key", in: " Helps: x\nlicense:MIT", list: "no-blank-after-colon:4"},
		{name: "list", in: " [TODO: say it]", list: "description-not-text:3"},
		{name: "list below", in: "\n- a\n- b", list: "description-not-text:3"},
		{name: "map", in: "\n  a: b", list: "description-not-text:3"},
		{name: "flow map", in: " {a: b}", list: "description-not-text:3"},
		{name: "tilde", in: " ~", list: "no-description:3"},
		{name: "null", in: " null", list: "no-description:3"},
		{name: "empty", in: "", list: "no-description:3"},
		{name: "blank in quotes", in: ` "  "`, list: "no-description:3"},
		{name: "number", in: " 1.10", want: "1.10"},
		{name: "word with a type", in: " yes", want: "yes"},
		{name: "escapes that YAML has", in: ` "a\tb\u00e9\x41"`, want: "a béA"},
		{name: "a lone CR is a blank to YAML", in: " a\r b", want: "a b"},
		{name: "a line separator that breaks the entry", in: " a\u2028b", want: "a b", list: "read-verbatim:3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, err := Decode("SKILL.md", []byte(skill("name: a\ndescription:"+tt.in+"\nlicense: MIT\n")))
			if tt.want == "" {
				checkReason(t, d, err, tt.list)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := squeeze(d.Text("description")); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if got := codes(d.Diagnostics); got != tt.list {
				t.Errorf("list: got %s, want %s", got, tt.list)
			}
			if got := codes(d.Findings); got != tt.finding {
				t.Errorf("lint: got %s, want %s", got, tt.finding)
			}
			if d.Text("license") != "MIT" || d.Body != "\n# Body\n" {
				t.Errorf("the rest is lost: %q %q", d.Keys(), d.Body)
			}
		})
	}
}

func checkReason(t *testing.T, d *Document, err error, want string) {
	t.Helper()
	var skip *SkipError
	if !errors.As(err, &skip) {
		t.Fatalf("got %v, %v, want a skip with %s", d, err, want)
	}
	if got := codes(skip.Diagnostics[:1]); got != want {
		t.Errorf("got %s (%v), want %s", got, err, want)
	}
	line := want[strings.LastIndexByte(want, ':')+1:]
	if place := "SKILL.md:" + line + ": "; line != "0" && !strings.HasPrefix(err.Error(), place) {
		t.Errorf("the error %q does not begin with %q", err, place)
	}
}

// TestSplit: where front matter and body begin and end.
func TestSplit(t *testing.T) {
	t.Parallel()
	const block = "name: a\ndescription: d\n"
	tests := []struct {
		name, in string
		body     string
		bodyLine int
		list     string // codes; of a skip its reason, with bodyLine 0
		lint     string
	}{
		{"plain", "---\n" + block + "---\nb\n", "b\n", 5, "", ""},
		{"BOM", "\ufeff---\n" + block + "---\nb\n", "b\n", 5, "", ""},
		{"CRLF", "---\r\nname: a\r\ndescription: d\r\n---\r\nb\r\nc\r\n", "b\nc\n", 5, "", ""},
		{"BOM and CRLF and blanks", "\ufeff--- \t\r\nname: a\r\ndescription: d\r\n---  \r\nb", "b", 5, "", ""},
		{"CR alone everywhere", "---\rname: a\rdescription: d\r---\rb\rc\r", "b\nc\n", 5, "", ""},
		{"lone CR in the body stays", "---\n" + block + "---\nb\rc\n", "b\rc\n", 5, "", ""},
		{"CRLF in the body only", "---\n" + block + "---\nb\r\nc\n", "b\nc\n", 5, "", ""},
		{"body without a line end", "---\n" + block + "---\nb", "b", 5, "", ""},
		{"ends at the closer", "---\n" + block + "---\n", "", 5, "", ""},
		{"ends at the closer without a line end", "---\n" + block + "---", "", 5, "", ""},
		{"ends at the closer with a CR", "---\n" + block + "---\r", "", 5, "", ""},
		{"blanks after both fences", "---  \n" + block + "--- \t\nb\n", "b\n", 5, "", ""},
		{"three dots close", "---\n" + block + "...\nb\n", "b\n", 5, "", "dots-closer:4"},
		{"three dots and blanks close", "---\n" + block + "... \nb\n", "b\n", 5, "", "dots-closer:4"},
		{"rules in the body", "---\n" + block + "---\n---\nname: x\n---\n", "---\nname: x\n---\n", 5, "", ""},
		{"glued closer", "---\n" + block + "---b\nc\n---\nd\n", "b\nc\n---\nd\n", 4, "glued-closer:4", ""},
		{"glued closer with blanks", "---\n" + block + "---  # B\nc\n", "# B\nc\n", 4, "glued-closer:4", ""},
		{"glued closer at the end", "---\n" + block + "---b", "b", 4, "glued-closer:4", ""},
		{"glued closer with CRLF", "---\r\nname: a\r\ndescription: d\r\n---b\r\nc\r\n", "b\nc\n", 4, "glued-closer:4", ""},
		{"indented dashes are text", "---\nname: a\ndescription: |\n  d\n  ---\n  e\n---\nb\n", "b\n", 8, "", ""},
		{"four dashes are no fence", "---\n" + block + "----\n---\nb\n", "", 0, "unclear-description:4", ""},
		{"blank lines first", "\n \t\n---\n" + block + "---\nb\n", "b\n", 7, "leading-lines:1", ""},
		{"blank lines with CRLF first", "\r\n\r\n---\r\nname: a\r\ndescription: d\r\n---\r\nb\r\n", "b\n", 7, "leading-lines:1", ""},
		{"a comment first", "<!-- c -->\n---\n" + block + "---\nb\n", "b\n", 6, "leading-lines:1", ""},
		{"a comment of several lines first", "\n<!-- c\n---\nd -->\n\n---\n" + block + "---\nb\n", "b\n", 10, "leading-lines:1", ""},
		{"two comments first", "<!-- c -->\n<!-- d -->\n---\n" + block + "---\n", "", 0, "missing:1", ""},
		{"text behind the comment", "<!-- c --> x\n---\n" + block + "---\n", "", 0, "missing:1", ""},
		{"a comment that does not end", "<!-- c\n---\n" + block + "---\n", "", 0, "missing:1", ""},
		{"text first", "# Title\n---\n" + block + "---\n", "", 0, "missing:1", ""},
		{"glued opener", "---x\n" + block + "---\n", "", 0, "missing:1", ""},
		{"indented opener", "\n ---\n" + block + "---\n", "", 0, "missing:2", ""},
		{"four dashes open nothing", "----\n" + block + "----\n", "", 0, "missing:1", ""},
		{"TOML", "+++\nname = 'a'\n+++\n", "", 0, "missing:1", ""},
		{"empty file", "", "", 0, "missing:1", ""},
		{"BOM alone", "\ufeff", "", 0, "missing:1", ""},
		{"two BOMs", "\ufeff\ufeff---\n" + block + "---\n", "", 0, "missing:1", ""},
		{"blank lines only", "\n\n", "", 0, "missing:1", ""},
		{"not closed", "---\n" + block + "\n# T\n", "", 0, "not-closed:1", ""},
		{"not closed, indented closer", "\n---\n" + block + " ---\nb\n", "", 0, "not-closed:2", ""},
		{"opener alone", "---", "", 0, "not-closed:1", ""},
		{"not closed, but a rule in the body", "---\n" + block + "\n# T\n\nText.\n\n---\nb\n", "", 0, "unclear-description:5", ""},
		{"not closed behind a known key", "---\n" + block + "license: MIT\n\n# T\n\nText.\n\n---\nb\n", "", 0, "runs-on:4", ""},
		{"empty front matter", "---\n---\nb\n", "", 0, "no-description:1", ""},
		{"comments only", "---\n# c\n---\nb\n", "", 0, "no-description:1", ""},
		{"NUL", "---\n" + block + "---\nb\x00\n", "", 0, "nul-byte:5", ""},
		{"bad UTF-8 in the body", "---\n" + block + "---\n\nb\xe9\n", "", 0, "bad-utf8:6", ""},
		{"NUL where lines end in CR", "---\rname: a\r\x00\r", "", 0, "nul-byte:3", ""},
		{"UTF-16", "\xff\xfe-\x00-\x00-\x00\n\x00", "", 0, "nul-byte:1", ""},
		{"conflict", "---\nname: a\n<<<<<<< ours\ndescription: d\n=======\ndescription: e\n>>>>>>> theirs\n---\n", "", 0, "conflict-marker:3", ""},
		{"conflict in diff3 style", "---\nname: a\n||||||| base\ndescription: d\n---\n", "", 0, "conflict-marker:3", ""},
		{"the middle of a conflict", "---\nname: a\ndescription: d\n=======\n---\n", "", 0, "conflict-marker:4", ""},
		{"the end of a conflict", "---\nname: a\ndescription: d\n>>>>>>> x\n---\n", "", 0, "conflict-marker:4", ""},
		{"conflict around the opener", "<<<<<<< ours\n---\n" + block + "---\n", "", 0, "conflict-marker:1", ""},
		{"conflict in the body is not ours", "---\n" + block + "---\n<<<<<<< x\n", "<<<<<<< x\n", 5, "", ""},
		{"marks inside a literal are text", "---\nname: a\ndescription: |\n  <<<<<<< d\n---\nb\n", "b\n", 6, "", ""},
		{"a list", "---\n- name: a\n---\n", "", 0, "not-a-mapping:2", ""},
		{"a scalar", "---\n\njust text\n---\n", "", 0, "not-a-mapping:3", ""},
		{"null", "---\n~\n---\n", "", 0, "not-a-mapping:2", ""},
		{"a key without a blank", "---\nname:a\n---\n", "", 0, "no-blank-after-colon:2", ""},
		{"the first key without a blank", "---\nname:a\ndescription: d\n---\n", "", 0, "no-blank-after-colon:2", ""},
		{"the second key without a blank", "---\nname: a\ndescription:d\n---\n", "", 0, "no-blank-after-colon:3", ""},
		{"full-width colons", "---\nname：a\ndescription：d\n---\n", "", 0, "no-blank-after-colon:2", ""},
		{"no-break space", "---\nname:\u00a0a\ndescription: d\n---\n", "", 0, "no-blank-after-colon:2", ""},
		{"escape character", "---\nname: a\ndescription: d\x1b[31m\n---\n", "", 0, "control-character:3", ""},
		{"C1 control", "---\nname: a\ndescription: d\u009b\n---\n", "", 0, "control-character:3", ""},
		{"escape character in the body", "---\n" + block + "---\n\x1b\n", "\x1b\n", 5, "", ""},
		{"indented keys", "---\n  name: a\n  description: d\n---\nb\n", "b\n", 5, "", ""},
		{"keys indented unevenly", "---\nname: a\n description: d\n---\n", "", 0, "not-yaml:2", ""},
		{"all indented and broken", "---\n  name: a\n  description: d: e\n---\n", "", 0, "not-yaml:2", ""},
		{"a tab between keys", "---\nname: a\n\t\ndescription: d\n---\nb\n", "b\n", 6, "not-yaml:3", ""},
		{"a line separator between keys", "---\n# c\u2028x\nname: a\ndescription: d\n---\nb\n", "b\n", 6, "not-yaml:2", ""},
		{"JSON", "---\n{\"name\": \"a\", \"description\": \"d\"}\n---\nb\n", "b\n", 4, "", ""},
		{"directive", "---\n%YAML 1.2\nname: a\ndescription: d\n---\n", "", 0, "not-yaml:2", ""},
		{"a document hidden behind a line separator", "---\nname: a\u2028--- x\ndescription: d\n---\n", "", 0, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, err := Decode("SKILL.md", []byte(tt.in))
			if tt.bodyLine == 0 && tt.list != "" {
				checkReason(t, d, err, tt.list)
				return
			}
			if tt.name == "a document hidden behind a line separator" {
				if err == nil && (d.Text("name") == "a" || d.Text("description") != "d") {
					t.Errorf("text was dropped: %q", d.Text("name"))
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d.Body != tt.body || d.BodyLine != tt.bodyLine {
				t.Errorf("body %q from line %d, want %q from %d", d.Body, d.BodyLine, tt.body, tt.bodyLine)
			}
			if got := codes(d.Diagnostics); got != tt.list {
				t.Errorf("list: got %s, want %s", got, tt.list)
			}
			if got := codes(d.Findings); got != tt.lint {
				t.Errorf("lint: got %s, want %s", got, tt.lint)
			}
			if got := string(d.Encode()); got != tt.in {
				t.Errorf("encodes to %q, want %q", got, tt.in)
			}
			if got := d.Keys(); !slices.Equal(got, []string{"name", "description"}) {
				t.Errorf("keys %q", got)
			}
		})
	}
}

// TestLimits: one byte less is read, one more is not.
func TestLimits(t *testing.T) {
	t.Parallel()
	head := "name: a\ndescription: d\nx: "
	block := func(size int) string { return head + strings.Repeat("y", size-len(head)-1) + "\n" }
	file := func(size int) string {
		text := skill("name: a\ndescription: d\n")
		return text + strings.Repeat("z", size-len(text))
	}
	tests := []struct{ name, in, reason string }{
		{"front matter at the limit", skill(block(MaxFrontMatter)), ""},
		{"front matter over the limit", skill(block(MaxFrontMatter + 1)), "too-long:1"},
		{"front matter at the limit with CRLF", strings.ReplaceAll(skill(block(MaxFrontMatter)), "\n", "\r\n"), ""},
		{"file at the limit", file(MaxFile), ""},
		{"file over the limit", file(MaxFile + 1), "too-large:1"},
		{"nothing closes", "---\n" + strings.Repeat("a: b\n", MaxFrontMatter/4), "too-long:1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, err := Decode("SKILL.md", []byte(tt.in))
			if tt.reason != "" {
				checkReason(t, d, err, tt.reason)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

// TestOtherKeys: what becomes of keys other than the description, from line 4 on.
func TestOtherKeys(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, more string
		key, want  string // Text of key; "-" = it was left out
		list, lint string // codes; with key "" the reason of a skip
	}{
		{"float", "version: 1.10\n", "version", "1.10", "", "unquoted-value:4"},
		{"octal", "version: 0123\n", "version", "0123", "", "unquoted-value:4"},
		{"date", "version: 2026-01-01\n", "version", "2026-01-01", "", "unquoted-value:4"},
		{"boolean word", "license: no\n", "license", "no", "", "unquoted-value:4"},
		{"quoted number", "version: '1.10'\n", "version", "1.10", "", ""},
		{"number where none is missed", "year: 2026\n", "year", "2026", "", ""},
		{"hint as a list", "argument-hint: [a]\n", "argument-hint", "[a]", "", ""},
		{"hint as two lists", "argument-hint: [a] [b]\n", "argument-hint", "[a] [b]", "read-verbatim:4", ""},
		{"hint with a comment", "argument-hint: [a, b] # c\n", "argument-hint", "[a, b]", "", ""},
		{"hint that is cut", "argument-hint: file #1\n", "argument-hint", "file", "", "comment-cut:4"},
		{"hint with an open quote", "argument-hint: \"a\n", "argument-hint", "-", "left-out:4", ""},
		{"when_to_use with a colon", "when-to-use: Use when: x\n", "when_to_use", "Use when: x", "read-verbatim:4", ""},
		{"when_to_use with loose lines", "when-to-use: Use when\nx\n", "when_to_use", "-", "left-out:4", ""},
		{"comment that is meant", "license: MIT # see LICENSE\n", "license", "MIT", "", ""},
		{"broken map", "metadata: {a: b\n", "metadata", "-", "left-out:4", ""},
		{"broken map, several lines", "metadata:\n  a: b: c\n", "metadata", "-", "left-out:4", ""},
		{"broken licence", "license: MIT: x\n", "license", "-", "left-out:4", ""},
		{"broken and running on, known", "license: MIT\nand more\n", "license", "-", "left-out:4", ""},
		{"broken and running on, unknown", "Note: x\nand more\n", "", "", "runs-on:4", ""},
		{"broken, unknown", "Note: a: b\n", "Note", "-", "left-out:4", ""},
		{"tab", "metadata:\n\ta: b\n", "metadata", "-", "left-out:4", ""},
		{"duplicate", "license: MIT\nlicense: BSD\n", "license", "MIT", "duplicate-key:5", ""},
		{"three times", "x: 1\nx: 2\nx: 3\n", "x", "1", "duplicate-key:5 duplicate-key:6", ""},
		{"duplicate in another spelling", "allowed-tools: a\nallowed_tools: b\n", "allowed-tools", "a", "duplicate-key:5", ""},
		{"an unknown key in two spellings is two keys", "x-y: a\nx_y: b\n", "x_y", "b", "", ""},
		{"name twice, equal", "name: 'a'\n", "name", "a", "duplicate-key:4", ""},
		{"name twice, different", "name: b\n", "", "", "conflicting-key:4", ""},
		{"description twice, equal", "description:\n  d\n", "description", "d", "duplicate-key:4", ""},
		{"description twice, different", "description: e\n", "", "", "conflicting-key:4", ""},
		{"description twice, one a list", "description: [d]\n", "", "", "conflicting-key:4", ""},
		{"description twice, broken", "description: e: f\n", "", "", "conflicting-key:4", ""},
		{"another Name beside name", "Name: B\n", "name", "a", "", ""},
		{"boolean", "user-invocable: maybe\n", "user-invocable", "maybe", "not-boolean:4", ""},
		{"boolean as a list", "disable_model_invocation: [true]\n", "disable-model-invocation", "[true]", "not-boolean:4", ""},
		{"near miss", "user-invokable: false\n", "user-invocable", "false", "", "key-spelling:4"},
		{"capitals", "License: MIT\n", "license", "MIT", "key-case:4", ""},
		{"alias", "a: &x 1\nb: *x\n", "b", "-", "left-out:5", "anchor-dropped:4"},
		{"alias in one entry", "metadata: {a: &x 1, b: *x}\n", "metadata", "-", "left-out:4", ""},
		{"merge", "a: &x {b: c}\nmetadata:\n  <<: *x\n", "metadata", "-", "left-out:5", "anchor-dropped:4"},
		{"alias bomb", "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n", "c", "-", "left-out:5 left-out:6", "anchor-dropped:4"},
		{"nested brackets", "metadata: " + strings.Repeat("[", 20000) + "\n", "metadata", "-", "left-out:4", ""},
		{"nested brackets, closed", "metadata: " + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + "\n", "metadata", "-", "left-out:4", ""},
		{"key that is a map", "metadata: {{a: b}: c}\n", "metadata", "-", "left-out:4", ""},
		{"surrogates", `metadata: {"e": "\ud83d\udc26", 'f': "\u00e9"}` + "\n", "metadata", `{"e": "\ud83d\udc26", 'f': "\u00e9"}`, "surrogate-escape:4", ""},
		{"numbers in metadata", "metadata:\n  version: 1.10\n  name: x\n  on: \"2\"\n", "metadata", "  version: 1.10\n  name: x\n  on: \"2\"", "", "unquoted-value:5"},
		{"quoted key", "\"license\": MIT\n", "license", "MIT", "", ""},
		{"quoted key in a broken block", "\"license\": MIT\nx: y: z\n", "license", "MIT", "left-out:5", ""},
		{"blank before the colon", "license : MIT\nx: y: z\n", "license", "MIT", "left-out:5", ""},
		{"block list", "aliases:\n- a\n- b\n", "aliases", "- a\n- b", "", ""},
		{"a quote in a word of a list", "x: [a:'b, \"c\":'d]']\ny: e: f\n", "x", "[a:'b, \"c\":'d]']", "left-out:5", ""},
		{"two entries on a line", "x: y\u2028z: w\n", "z", "w", "", ""},
		{"two entries on a line of a broken block", "x: y\u2028z: w\nv: u: t\n", "x", "-", "left-out:4 left-out:5", ""},
		{"emoji key", "🐦: x\n", "🐦", "x", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, err := Decode("SKILL.md", []byte(withMore(tt.more)))
			if tt.key == "" {
				checkReason(t, d, err, tt.list)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := d.Text(tt.key); got != strings.TrimPrefix(tt.want, "-") && tt.want != got || d.Has(tt.key) == (tt.want == "-") {
				t.Errorf("Text(%s) = %q, want %q", tt.key, got, tt.want)
			}
			if got := codes(d.Diagnostics); got != tt.list {
				t.Errorf("list: got %s, want %s", got, tt.list)
			}
			if got := codes(d.Findings); got != tt.lint {
				t.Errorf("lint: got %s, want %s", got, tt.lint)
			}
		})
	}
}

// TestName: faults of a name cost the name, not the skill.
func TestName(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want, list string }{
		{"missing", "", "", "no-name:1"},
		{"empty", "name:\n", "", "no-name:2"},
		{"null", "name: null\n", "", "no-name:2"},
		{"blank", "name: ' '\n", " ", "no-name:2"},
		{"list", "name: [a]\n", "[a]", "name-not-text:2"},
		{"number", "name: 3000\n", "3000", ""},
		{"octal", "name: 0123\n", "0123", ""},
		{"colon", "name: Moon: phases\n", "Moon: phases", "read-verbatim:2"},
		{"at", "name: @moon\n", "@moon", "read-verbatim:2"},
		{"as written", "name: Moon Phases\n", "Moon Phases", ""},
		{"capitals", "Name: moon\n", "moon", "key-case:2"},
		{"other script", "name: 茶道\n", "茶道", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, err := Decode("SKILL.md", []byte(skill(tt.in+"description: d\n")))
			if err != nil {
				t.Fatal(err)
			}
			if got := d.Text("name"); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if got := codes(d.Diagnostics); got != tt.list {
				t.Errorf("list: got %s, want %s", got, tt.list)
			}
		})
	}
}

// TestSkipNames: a skipped file still tells its name, so that a list can show it.
func TestSkipNames(t *testing.T) {
	t.Parallel()
	_, err := Decode("x/SKILL.md", []byte("\n---\nname: rain-gauge\n---\n"))
	var skip *SkipError
	if !errors.As(err, &skip) || skip.Name != "rain-gauge" {
		t.Fatalf("got %#v", err)
	}
	if got := codes(skip.Diagnostics); got != "no-description:2 leading-lines:1" {
		t.Errorf("got %s", got)
	}
	if want := "x/SKILL.md:2: no description: add a line"; !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %q", err)
	}
	if _, err := Decode("big", make([]byte, MaxFile+1)); !strings.HasPrefix(err.Error(), "big:1: the file has more than 1024 KiB") {
		t.Errorf("got %q", err)
	}
}

// TestMessages: each names the cure.
func TestMessages(t *testing.T) {
	t.Parallel()
	tests := []struct{ in, want, fix string }{
		{"description: Use when: x\n", `description is not valid YAML and was read as written: a value with ": " in it must be quoted`, "description: 'Use when: x'"},
		{"description: \"C:\\users\"\n", "use single quotes", `description: 'C:\users'`},
		{"description: d\nmetadata:\n  a:\n\t\tb: c\n", "line 5 is indented with a tab (0x09): use blanks", ""},
		{"description: d\nmetadata:\n  a: b: c\n", "line 4: a value with", ""},
		{"description: d # e\n", "put the value in quotes", "description: 'd # e'"},
	}
	for _, tt := range tests {
		d, err := Decode("SKILL.md", []byte(skill(tt.in+"name: a\n")))
		if err != nil {
			t.Fatal(err)
		}
		all := append(d.Diagnostics, d.Findings...)
		if len(all) != 1 || !strings.Contains(all[0].Message, tt.want) || all[0].Fix != tt.fix {
			t.Errorf("%q: got %v (fix %q), want %q (fix %q)", tt.in, all, all[0].Fix, tt.want, tt.fix)
		}
	}
}
