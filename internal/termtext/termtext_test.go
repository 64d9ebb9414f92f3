package termtext_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/agentctl/agentctl/internal/termtext"
)

func TestSafe(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, line, block, strip string }{
		{"plain", "hello", "hello", "hello", "hello"},
		{"two lines", "a\n\tb", "a b", "a\n\tb", "a\n\tb"},
		{"blanks within and around", " a  b \n\n  c ", "a  b c", " a  b \n\n  c ", " a  b \n\n  c "},
		{"only white space", " \n\t ", "", " \n\t ", " \n\t "},
		{"a line separator", "a\u2028b", "a b", "a\u2028b", "a\u2028b"},
		{"escape sequence", "\x1b[31mred", "<U+001B>[31mred", "<U+001B>[31mred", "[31mred"},
		{"carriage return", "safe\revil", "safe evil", "safe<U+000D>evil", "safeevil"},
		{"bell and backspace", "a\a\b", "a<U+0007><U+0008>", "a<U+0007><U+0008>", "a"},
		{"C1 control", "a\u009bb", "a<U+009B>b", "a<U+009B>b", "ab"},
		{"bidi override", "a\u202eb", "a<U+202E>b", "a<U+202E>b", "ab"},
		{"zero width", "a\u200bb", "a<U+200B>b", "a<U+200B>b", "ab"},
		{"a C1 control as a byte", "a\x9b31mb\xff", "a<0x9B>31mb<0xFF>", "a<0x9B>31mb<0xFF>", "a31mb"},
		{"tag block", "a\U000e0041b", "a<U+E0041>b", "a<U+E0041>b", "ab"},
		{"CJK and emoji with a joiner", "茶道 👩\u200d🔬", "茶道 👩\u200d🔬", "茶道 👩\u200d🔬", "茶道 👩\u200d🔬"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for what, got := range map[string][2]string{
				"Line": {termtext.Line(tt.in), tt.line}, "Block": {termtext.Block(tt.in), tt.block}, "Strip": {termtext.Strip(tt.in), tt.strip},
			} {
				if got[0] != got[1] {
					t.Errorf("%s: got %q, want %q", what, got[0], got[1])
				}
			}
		})
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain \u00e9": "plain \u00e9", "\u009b2J": "\\u009b2J", "a\u202eb\u007f": "a\\u202eb\\u007f", "\U000e0041": "\\udb40\\udc41",
	} {
		encoded, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		got := termtext.JSON(encoded)
		var back string
		if err := json.Unmarshal(got, &back); string(got) != `"`+want+`"` || back != in || err != nil {
			t.Errorf("%q gives %s, which is %q: %v", in, got, back, err)
		}
	}
}

func FuzzBlock(f *testing.F) {
	f.Add("a\x1b]0;title\a\xff\u2066")
	f.Fuzz(func(t *testing.T, s string) {
		for _, got := range []string{termtext.Line(s), termtext.Block(s), termtext.Strip(s)} {
			if i := strings.IndexFunc(got, func(r rune) bool { return r != '\n' && r != '\t' && unicode.IsControl(r) }); i >= 0 {
				t.Errorf("%q keeps a control character at %d", got, i)
			}
		}
	})
}

func TestCount(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 files", 1: "1 file", 2: "2 files"} {
		if got := termtext.Count(n, "file"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
