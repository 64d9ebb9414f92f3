package frontmatter

import (
	"slices"
	"testing"
)

func TestLists(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in    string
		list, words []string
		ok          bool
	}{
		{"missing", "y: 1", nil, nil, true},
		{"null", "x:", nil, nil, true},
		{"blanks", "x: Read Bash(git:*)  Grep", []string{"Read Bash(git:*)  Grep"}, []string{"Read", "Bash(git:*)", "Grep"}, true},
		{"commas", "x: Bash(git add *), Read,Grep,", []string{"Bash(git add *)", "Read", "Grep"}, []string{"Bash(git add *)", "Read", "Grep"}, true},
		{"nested brackets", "x: A(b[c, d] {e, f}), g", []string{"A(b[c, d] {e, f})", "g"}, []string{"A(b[c, d] {e, f})", "g"}, true},
		{"flow list", "x: [Read, 'Bash(ls -la, pwd)', 1.10, ~]", []string{"Read", "Bash(ls -la, pwd)", "1.10"}, []string{"Read", "Bash(ls -la, pwd)", "1.10"}, true},
		{"block list", "x:\n- Read\n- a b\n- {no: no}", []string{"Read", "a b"}, []string{"Read", "a", "b"}, true},
		{"literal", "x: |\n  Read\n  Grep", []string{"Read\nGrep"}, []string{"Read", "Grep"}, true},
		{"map", "x: {a: b}", nil, nil, true},
		{"unclosed", "x: Read, Bash(git", []string{"Read", "Bash(git"}, []string{"Read", "Bash(git"}, false},
		{"closed too often", "x: Read), Grep", []string{"Read)", "Grep"}, []string{"Read)", "Grep"}, false},
		{"other scripts", "x: 茶道, ☕", []string{"茶道", "☕"}, []string{"茶道", "☕"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := mustDecode(t, withMore(tt.in+"\n"))
			if got := d.List("x"); !slices.Equal(got, tt.list) {
				t.Errorf("List = %q, want %q", got, tt.list)
			}
			if got, ok := d.Words("x"); !slices.Equal(got, tt.words) || ok != tt.ok {
				t.Errorf("Words = %q, %v, want %q, %v", got, ok, tt.words, tt.ok)
			}
		})
	}
}

func TestBool(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in        string
		value, ok bool
	}{
		{"x: true", true, true},
		{"x: True", true, true},
		{"x: yes", true, true},
		{"x: ON", true, true},
		{"x: y", true, true},
		{"x: 1", true, true},
		{"x: \" true \"", true, true},
		{"x: false", false, true},
		{"x: 'No'", false, true},
		{"x: off", false, true},
		{"x: n", false, true},
		{"x: 0", false, true},
	}
	for _, tt := range tests {
		d := mustDecode(t, withMore(tt.in+"\n"))
		if value, ok := d.Bool("x", !tt.value); value != tt.value || ok != tt.ok {
			t.Errorf("%s: %v, %v", tt.in, value, ok)
		}
	}
	for in, ok := range map[string]bool{"y: 1": true, "x:": true, "x: maybe": false, "x: [true]": false, "x: {a: b}": false} {
		d := mustDecode(t, withMore(in+"\n"))
		for _, fallback := range []bool{true, false} {
			if value, got := d.Bool("x", fallback); value != fallback || got != ok {
				t.Errorf("%s with %v: %v, %v", in, fallback, value, got)
			}
		}
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in  string
		kind      Kind
		text, raw string
	}{
		{"missing", "y: 1", Missing, "", ""},
		{"empty", "x:", Empty, "", ""},
		{"empty with a comment", "x: # c", Empty, "", ""},
		{"tilde", "x: ~", Empty, "", "~"},
		{"plain", "x: a b # c", Scalar, "a b", "a b"},
		{"quoted", "x: 'it''s' # c", Scalar, "it's", "'it''s'"},
		{"escaped", `x: "a\tb"`, Scalar, "a\tb", `"a\tb"`},
		{"several lines in quotes", "x: \"a\n  b\" # c\n# d", Scalar, "a b", "\"a\n  b\" # c"},
		{"literal", "x: |-\n  a\n   b\n\n  # c\n# d", Scalar, "a\n b\n\n# c", "|-\n  a\n   b\n\n  # c"},
		{"flow", "x: [a, 'b ]'] # c", List, "[a, 'b ]']", "[a, 'b ]']"},
		{"flow over lines", "x: {a: [1,\n  2], # ]\n  b: don't}\n", Map, "{a: [1,\n  2], # ]\n  b: don't}", "{a: [1,\n  2], # ]\n  b: don't}"},
		{"block list", "x:\n  - a\n  - b\n\n# c", List, "  - a\n  - b", "  - a\n  - b"},
		{"block map", "x: # c\n  a: b\n  c:\n    d: e", Map, "  a: b\n  c:\n    d: e", "# c\n  a: b\n  c:\n    d: e"},
		{"tagged", "x: !!str 1", Scalar, "1", "!!str 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := mustDecode(t, withMore(tt.in+"\n"))
			if got := d.Kind("x"); got != tt.kind {
				t.Errorf("Kind = %v, want %v", got, tt.kind)
			}
			if got := d.Text("x"); tt.name != "block map" && got != tt.text {
				t.Errorf("Text = %q, want %q", got, tt.text)
			}
			if got := d.Raw("x"); got != tt.raw {
				t.Errorf("Raw = %q, want %q", got, tt.raw)
			}
		})
	}
}

func TestChildren(t *testing.T) {
	t.Parallel()
	d := mustDecode(t, withMore("metadata:\n  a: 1.10\n  b:\n  c: [1, x: 2]\n  d: {e: yes}\n"))
	want := []Child{
		{"a", Scalar, "1.10", 5, 3},
		{"b", Empty, "", 6, 3},
		{"c", List, "[1, {x: 2}]", 7, 3},
		{"d", Map, "{e: 'yes'}", 8, 3},
	}
	if got := d.Children("metadata"); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	d.Set("license", "MIT")
	d.Set("name", "b")
	if got := d.Children("metadata"); !slices.Equal(got, want) {
		t.Errorf("after an edit: got %+v", got)
	}
	for _, key := range []string{"name", "none"} {
		if got := d.Children(key); got != nil {
			t.Errorf("%s has the children %v", key, got)
		}
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	d := mustDecode(t, withMore("user_invocable: no\nx: {\nLicense: MIT\nallowedTools: a\n"))
	if got := d.Keys(); !slices.Equal(got, []string{"name", "description", "user_invocable", "License", "allowedTools"}) {
		t.Errorf("keys %q", got)
	}
	for key, want := range map[string]bool{"user-invocable": true, "license": true, "x": false, "allowed-tools": true, "none": false} {
		if d.Has(key) != want {
			t.Errorf("Has(%s) = %v", key, !want)
		}
	}
	if line, column := d.Position("x"); line != 5 || column != 1 {
		t.Errorf("x is at %d:%d", line, column)
	}
	if line, column := d.Position("none"); line != 0 || column != 0 {
		t.Errorf("none is at %d:%d", line, column)
	}
}

func TestCanonical(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"name": "name", "Name": "name", "allowed_tools": "allowed-tools", "allowedTools": "allowed-tools",
		"when-to-use": "when_to_use", "when_to_use": "when_to_use", "user-invokable": "user-invocable",
		"USER_INVOKABLE": "user-invocable", "model": "model", "Foo_Bar": "Foo_Bar",
	} {
		if got := Canonical(in); got != want {
			t.Errorf("Canonical(%s) = %s, want %s", in, got, want)
		}
	}
	if len(StandardKeys()) != 6 || len(SkillKeys()) != 11 {
		t.Errorf("%d standard keys of %d", len(StandardKeys()), len(SkillKeys()))
	}
}
