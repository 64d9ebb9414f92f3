package rawtext

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

func TestQuote(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"":            "",
		"/home/a":     "/home/a",
		"/家/é":        "/家/é",
		"/caf\xe9":    `"/caf\xe9"`,
		"�\xff\n\\\"": `"�\xff\n\\\""`,
		`"a"`:         `"\"a\""`,
		"`a`":         "`a`",
	} {
		if got := Quote(s); got != want {
			t.Errorf("%q is %s, want %s", s, got, want)
		}
	}
	if got := Unquote(`"a`); got != `"a` { // of something that knew no literals
		t.Errorf("got %q", got)
	}
}

func FuzzQuote(f *testing.F) {
	for _, s := range []string{"", "plain", "%", "\"", "\"a\"", "\xff\"", "a\x00\xffä\n", "`\xff`", "�"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text := Quote(s)
		data, err := json.Marshal(text)
		if err != nil || !utf8.ValidString(text) {
			t.Fatalf("%q became %q, %v", s, text, err)
		}
		var back string
		if err := json.Unmarshal(data, &back); err != nil || Unquote(back) != s {
			t.Errorf("%q came back as %q, %v", s, Unquote(back), err)
		}
	})
}
