package frontmatter

import (
	"strings"
	"testing"
)

func mustDecode(t *testing.T, in string) *Document {
	t.Helper()
	d, err := Decode("SKILL.md", []byte(in))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestSet: the lines of one key change, no other byte does.
func TestSet(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, key, value, want string }{
		{
			"one line", "---\nname: a\n# c\ndescription: d\n\nx: y\n---\nb\n", "description", "e",
			"---\nname: a\n# c\ndescription: e\n\nx: y\n---\nb\n",
		},
		{"comment stays", "---\nname: a  # c\ndescription: d\n---\n", "name", "b", "---\nname: b  # c\ndescription: d\n---\n"},
		{"comment behind quotes stays", "---\nname: a\ndescription: 'd # e' # c\n---\n", "description", "f", "---\nname: a\ndescription: f # c\n---\n"},
		{"text that was cut goes", "---\nname: a\ndescription: d # e\n---\n", "description", "f", "---\nname: a\ndescription: f\n---\n"},
		{"block scalar", "---\ndescription: |\n  d\n  # e\n\n# c\nname: a\n---\n", "description", "f", "---\ndescription: f\n\n# c\nname: a\n---\n"},
		{"wrapped in quotes at column 0", "---\ndescription: \"d\n# e\"\n# c\nname: a\n---\n", "description", "f", "---\ndescription: f\n# c\nname: a\n---\n"},
		{"flow list with a quote in a word", "---\nname: a # c\ndescription: d\nx: [a:'b]\n---\n", "license", "MIT", "---\nname: a # c\ndescription: d\nx: [a:'b]\nlicense: MIT\n---\n"},
		{"description without a name", "---\n# c\nDescription: d\n---\n", "description", "e", "---\n# c\nDescription: e\n---\n"},
		{"list", "---\nname: a\ndescription: d\naliases: [b,\n  c] # e\nx: y\n---\n", "aliases", "z", "---\nname: a\ndescription: d\naliases: z\nx: y\n---\n"},
		{"spelling stays", "---\nname: a\ndescription: d\n\"user_invocable\" : no\n---\n", "user-invocable", "yes", "---\nname: a\ndescription: d\n\"user_invocable\": 'yes'\n---\n"},
		{"CRLF and BOM stay", "\ufeff---\r\nname: a\r\ndescription: d\r\n---\r\nb\r\n", "name", "c", "\ufeff---\r\nname: c\r\ndescription: d\r\n---\r\nb\r\n"},
		{"CRLF for a new key", "---\r\nname: a\r\ndescription: d\r\n---\r\n", "license", "MIT", "---\r\nname: a\r\ndescription: d\r\nlicense: MIT\r\n---\r\n"},
		{"indented keys", "---\n  name: a\n  description: d\n---\n", "license", "MIT", "---\n  name: a\n  description: d\n  license: MIT\n---\n"},
		{"missing name comes first", "---\n# c\ndescription: d\n---\n", "name", "a", "---\nname: a\n# c\ndescription: d\n---\n"},
		{"duplicates go", "---\nname: a\nx: y\nname: a\ndescription: d\n---\n", "name", "b", "---\nname: b\nx: y\ndescription: d\n---\n"},
		{"repaired one", "---\nname: a\ndescription: Use when: x\n---b\n", "description", "Use when: y", "---\nname: a\ndescription: 'Use when: y'\n---b\n"},
		{"beside a repaired one", "---\nname: a\ndescription: Use when: x\n---b\n", "name", "c", "---\nname: c\ndescription: Use when: x\n---b\n"},
		{"joined one", "---\nname: a\ndescription: d\n1. e\n# c\n---\n", "description", "f", "---\nname: a\ndescription: f\n# c\n---\n"},
		{"new key beside a joined one", "---\nname: a\ndescription: d\n1. e\n---\n", "x", "z", "---\nx: z\nname: a\ndescription: d\n1. e\n---\n"},
		{"left out one", "---\nname: a\ndescription: d\nlicense: {\n---\n", "license", "MIT", "---\nname: a\ndescription: d\nlicense: MIT\n---\n"},
		{"empty value", "---\nname: a\ndescription: d\nlicense:\n---\n", "license", "MIT", "---\nname: a\ndescription: d\nlicense: MIT\n---\n"},
		{"empty value with a comment", "---\nname: a\ndescription: d\nlicense: # which?\n---\n", "license", "MIT", "---\nname: a\ndescription: d\nlicense: MIT # which?\n---\n"},
		{"leading comment stays", "<!-- c -->\n\n---\nname: a\ndescription: d\n---\n", "name", "b", "<!-- c -->\n\n---\nname: b\ndescription: d\n---\n"},
		{
			"JSON is written anew", "---\n{\"name\": \"a\", \"description\": \"d\", \"x\": [1, {w: no, 'z, z': \"q\"}], n: null}\n---\nb\n", "name", "c",
			"---\nname: c\ndescription: d\nx: [1, {w: 'no', 'z, z': q}]\n'n': null\n---\nb\n",
		},
		{"question marks are written anew", "---\n? name\n: a\n? description\n: d\n---\n", "name", "c", "---\nname: c\ndescription: d\n---\n"},
		{"several lines", "---\nname: a\ndescription: d\n---\n", "description", "e\n\tf", "---\nname: a\ndescription: \"e\\n\\tf\"\n---\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := mustDecode(t, tt.in)
			d.Set(tt.key, tt.value)
			if got := string(d.Encode()); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
			if got := d.Text(tt.key); got != tt.value {
				t.Errorf("the document says %q", got)
			}
			again := mustDecode(t, string(d.Encode()))
			if got := again.Text(tt.key); got != tt.value {
				t.Errorf("reads back as %q", got)
			}
			if again.BodyLine != d.BodyLine || again.Body != d.Body {
				t.Errorf("body %q at %d, decoded %q at %d", d.Body, d.BodyLine, again.Body, again.BodyLine)
			}
		})
	}
}

// TestSetKeepsRepairs: after an edit, an entry that was left out must not swallow
// another one.
// A block that is not one key a line is written anew, and loses no comment.
func TestSetKeepsCommentsOfOddBlocks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{
			"---\n# top\n{name: a, # one\n  # two\n  description: d, # three\n  x: [1, # four\n 2]\n}\n# end\n---\nb\n",
			"---\n# top\n# one\nname: a\n# two\n# three\ndescription: new\n# four\nx: [1, 2]\n# end\n---\nb\n",
		},
		{
			"---\r\n# h\r\n? name # a\r\n: x # b\r\n? description\r\n# mid\r\n: d # c\r\n---\r\nb\r\n",
			"---\r\n# h\r\n# a\r\n# b\r\nname: x\r\n# mid\r\n# c\r\ndescription: new\r\n---\r\nb\r\n",
		},
	} {
		d, err := Decode("SKILL.md", []byte(tt.in))
		if err != nil {
			t.Fatal(err)
		}
		d.Set("description", "new")
		if got := string(d.Encode()); got != tt.want {
			t.Errorf("got\n%s\nwant\n%s", got, tt.want)
		}
	}
}

func TestSetKeepsRepairs(t *testing.T) {
	t.Parallel()
	in := "---\na: 'b\nname: 'x': y\ndescription: d: e\nz: '\n---\n"
	want := "---\n# a: 'b\nname: moon\ndescription: 'd: e'\n# z: '\n---\n"
	d := mustDecode(t, in)
	d.Set("name", "moon")
	if got := string(d.Encode()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if again := mustDecode(t, want); again.Text("name") != "moon" || again.Text("description") != "d: e" || len(again.Diagnostics) > 0 {
		t.Errorf("name %q, description %q, %v", again.Text("name"), again.Text("description"), again.Diagnostics)
	}
	d = mustDecode(t, "---\na: 'b\nname: x: y\ndescription: 'd': e\nz: '\n---\n")
	d.Normalize()
	if got := mustDecode(t, string(d.Encode())); got.Text("description") != "'d': e" {
		t.Errorf("the normal form says %q", got.Text("description"))
	}
}

func TestSetBody(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, body, want string }{
		{"plain", "---\nname: a\ndescription: d\n---\nb\n", "c\n", "---\nname: a\ndescription: d\n---\nc\n"},
		{"without a line end", "---\nname: a\ndescription: d\n---", "c", "---\nname: a\ndescription: d\n---\nc"},
		{"CRLF", "---\r\nname: a\r\ndescription: d\r\n---\r\nb\r\n", "c\nd\n", "---\r\nname: a\r\ndescription: d\r\n---\r\nc\r\nd\r\n"},
		{"glued closer", "---\nname: a\ndescription: d\n---b\n", "c\n", "---\nname: a\ndescription: d\n---\nc\n"},
		{"dots", "---\nname: a\ndescription: d\n...\nb\n", "---\n", "---\nname: a\ndescription: d\n---\n---\n"},
		{"CR", "---\rname: a\rdescription: d\r---\rb\r", "c\n", "---\rname: a\rdescription: d\r---\rc\r"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := mustDecode(t, tt.in)
			d.SetBody(tt.body)
			if got := string(d.Encode()); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			again := mustDecode(t, string(d.Encode()))
			if again.Body != tt.body || d.Body != tt.body || again.BodyLine != d.BodyLine {
				t.Errorf("body %q at %d, decoded %q at %d", d.Body, d.BodyLine, again.Body, again.BodyLine)
			}
		})
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	d := New()
	if got := string(d.Encode()); got != "---\n---\n" {
		t.Errorf("empty: %q", got)
	}
	d.Set("license", "MIT")
	d.Set("description", "Use when: x")
	d.Set("name", "yes")
	d.Set("version", "1.10")
	d.SetBody("\n# B\n")
	want := "---\nname: 'yes'\ndescription: 'Use when: x'\nlicense: MIT\nversion: '1.10'\n---\n\n# B\n"
	if got := string(d.Encode()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if line, column := d.Position("license"); line != 4 || column != 1 {
		t.Errorf("license is at %d:%d", line, column)
	}
	if d.BodyLine != 7 {
		t.Errorf("the body begins on line %d", d.BodyLine)
	}
}

func TestNormalize(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"clean", "---\nname: a\ndescription: d\n---\nb\n", "---\nname: a\ndescription: d\n---\nb\n"},
		{
			"everything", "\ufeff\r\n<!-- c\r\nd -->\r\n---\r\nname: @a\r\ndescription: Use when: x\r\n1. y\r\nargument-hint: [a] [b]\r\n---# B\r\nb\r\n",
			"---\n# c\n# d\nname: '@a'\ndescription: 'Use when: x 1. y'\nargument-hint: '[a] [b]'\n---\n# B\nb\n",
		},
		{
			"a comment that could end early", "<!-- a\u2028b: c\x1b\n\n---\n# e -->\n---\nname: a\ndescription: d\n---\n",
			"---\n# a b: c\n#\n# ---\n# # e\nname: a\ndescription: d\n---\n",
		},
		{"CR alone", "---\rname: a\rdescription: d\r---\rb\r", "---\nname: a\ndescription: d\n---\nb\n"},
		{"dots", "---\nname: a\ndescription: d\n...\nb\n", "---\nname: a\ndescription: d\n---\nb\n"},
		{"blanks behind the fences", "---  \nname: a\ndescription: d\n--- \nb\n", "---\nname: a\ndescription: d\n---\nb\n"},
		{"a tab between keys", "---\nname: a\n\t\ndescription: d\n---\n", "---\nname: a\n\ndescription: d\n---\n"},
		{"left out stays", "---\nname: a\ndescription: d: e\nx: {\n---\n", "---\nname: a\ndescription: 'd: e'\nx: {\n---\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := mustDecode(t, tt.in)
			d.Normalize()
			if got := string(d.Encode()); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
			if again := mustDecode(t, tt.want); again.BodyLine != d.BodyLine || again.Body != d.Body || d.BOM || d.CRLF {
				t.Errorf("the document does not agree with its file: %+v", d)
			}
		})
	}
}

func TestQuote(t *testing.T) {
	t.Parallel()
	tests := []struct{ in, want string }{
		{"plain words", "plain words"},
		{"Plain, with (marks): none", "'Plain, with (marks): none'"},
		{"Does it. Use when asked!", "Does it. Use when asked!"},
		{"", "''"},
		{"yes", "'yes'"},
		{"No", "'No'"},
		{"null", "'null'"},
		{"~", "'~'"},
		{"1.10", "'1.10'"},
		{"2048", "'2048'"},
		{"0x1F", "'0x1F'"},
		{"2026-01-02", "'2026-01-02'"},
		{"12:30:45", "'12:30:45'"},
		{".inf", "'.inf'"},
		{"a # b", "'a # b'"},
		{"it's", "it's"},
		{"'it's'", "'''it''s'''"},
		{`"a" \ b`, `'"a" \ b'`},
		{"a ", "'a '"},
		{"- a", "'- a'"},
		{"茶道の手順", "茶道の手順"},
		{"🐦 sings", "'🐦 sings'"},
		{"sings 👩\u200d🚀 loud", "'sings 👩\u200d🚀 loud'"},
		{"a\nb", `"a\nb"`},
		{"a\t\"b\"\\", `"a\t\"b\"\\"`},
		{"a\r\x1b\u2028", `"a\u000d\u001b\u2028"`},
		{"a\u00a0b", "'a\u00a0b'"},
		{"a\xffb", "a\ufffdb"},
	}
	for _, tt := range tests {
		if got := Quote(tt.in); got != tt.want {
			t.Errorf("Quote(%q) = %s, want %s", tt.in, got, tt.want)
		}
		checkQuote(t, strings.ToValidUTF8(tt.in, "\ufffd"))
	}
}
