package frontmatter

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

type manifest struct {
	Builder   string            `yaml:"builder"`
	Network   bool              `yaml:"network"`
	Timeout   time.Duration     `yaml:"timeout"`
	Retries   int               `yaml:"retries"`
	Share     float64           `yaml:"share"`
	Env       []variable        `yaml:"env"`
	Aliases   map[string]string `yaml:"aliases"`
	Tools     *[]string         `yaml:"tools"`
	Skills    choice            `yaml:"skills"`
	Memory    size              `yaml:"memory"`
	Free      any               `yaml:"free"`
	Untagged  string
	Hidden    string `yaml:"-"`
	Inner     `yaml:",inline"`
	invisible string //nolint:unused // the decoder must leave it alone
}

type Inner struct {
	Version string `yaml:"version,omitempty"`
}

type variable struct {
	Name     string `yaml:"name"`
	Required bool   `yaml:"required"`
}

// choice reads itself: "*" or a list.
type choice struct {
	All   bool
	Names []string
}

func (c *choice) UnmarshalYAML(unmarshal func(any) error) error {
	var text string
	if unmarshal(&text) == nil {
		if text != "*" {
			return fmt.Errorf("%q is neither \"*\" nor a list", text)
		}
		c.All = true
		return nil
	}
	return unmarshal(&c.Names)
}

type size int64

func (s *size) UnmarshalText(text []byte) error {
	_, err := fmt.Sscanf(string(text), "%dGiB", (*int64)(s))
	if err != nil {
		return fmt.Errorf("%q is no size such as 2GiB", text)
	}
	return nil
}

func TestDecodeStrict(t *testing.T) {
	t.Parallel()
	in := "\ufeff---\r\nbuilder: go\r\nnetwork: yes\r\ntimeout: 90s\r\nretries: 3\r\nshare: 0.5\r\nversion: 1.10\r\nuntagged: 2026-01-02\r\n" +
		"env:\r\n- name: A\r\n  required: true\r\n- {name: B}\r\naliases: {x: 'y:z'}\r\ntools: []\r\nskills: \"*\"\r\nmemory: 2GiB\r\nfree: {a: [1, 2]}\r\n---\r\n\r\n# B\r\n"
	var m manifest
	d, err := DecodeStrict("TOOL.md", []byte(in), &m)
	if err != nil {
		t.Fatal(err)
	}
	if m.Builder != "go" || !m.Network || m.Timeout != 90*time.Second || m.Retries != 3 || m.Share != 0.5 || m.Version != "1.10" || m.Untagged != "2026-01-02" {
		t.Errorf("scalars: %+v", m)
	}
	if len(m.Env) != 2 || !m.Env[0].Required || m.Env[1].Name != "B" || m.Aliases["x"] != "y:z" || m.Tools == nil || len(*m.Tools) != 0 || !m.Skills.All || m.Memory != 2 {
		t.Errorf("others: %+v", m)
	}
	if d.Body != "\n# B\n" || d.BodyLine != 19 || string(d.Encode()) != in {
		t.Errorf("body %q at %d", d.Body, d.BodyLine)
	}
	if line, column := d.Position("retries"); line != 5 || column != 1 || d.Text("version") != "1.10" {
		t.Errorf("retries at %d:%d, version %s", line, column, d.Text("version"))
	}
}

// TestStrictFaults: block is what stands between the fences, from line 2 on.
func TestStrictFaults(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, block, want, message string }{
		{"unknown key", "nework: true\n", "unknown-key:2", `unknown key "nework": did you mean network?`},
		{"unknown key that is like none", "zzz: true\n", "unknown-key:2", `known are aliases, builder, env, free, memory, network, retries, share, skills, timeout, tools, untagged, version`},
		{"unknown key inside", "env:\n- name: A\n  requird: true\n", "unknown-key:4", `unknown key "env[0].requird": did you mean required?`},
		{"hidden field", "hidden: x\n", "unknown-key:2", ""},
		{"unexported field", "invisible: x\n", "unknown-key:2", ""},
		{"all at once", "nework: true\nretries: many\nbuildr: go\n", "unknown-key:2 wrong-type:3 unknown-key:4", ""},
		{"duplicate", "builder: go\nbuilder: node\n", "duplicate-key:3", "builder was given on line 2 already"},
		{"duplicate in a map", "aliases:\n  a: b\n  a: c\n", "duplicate-key:4", "aliases.a was given on line 3 already"},
		{"duplicate in a free value", "free:\n  - a: b\n    a: c\n", "duplicate-key:4", "free[0].a was given on line 3 already"},
		{"list for text", "builder: [go]\n", "wrong-type:2", "builder must be text, not a list"},
		{"map for text", "builder: {go: x}\n", "wrong-type:2", "builder must be text, not a map"},
		{"text for a boolean", "network: full\n", "wrong-type:2", `network must be true or false, not "full"`},
		{"text for a number", "retries: many\n", "wrong-type:2", `retries must be a whole number, not "many"`},
		{"fraction for a whole number", "retries: 1.5\n", "wrong-type:2", `retries must be a whole number, not "1.5"`},
		{"text for a fraction", "share: much\n", "wrong-type:2", `share must be a number, not "much"`},
		{"number for a time", "timeout: 60\n", "wrong-type:2", `timeout must be a time such as 60s, not "60"`},
		{"text for a list", "env: A\n", "wrong-type:2", `env must be a list, not "A"`},
		{"text in a list of maps", "env:\n- A\n", "wrong-type:3", `env[0] must be a map of keys, not "A"`},
		{"list for a map", "aliases: [a]\n", "wrong-type:2", "aliases must be a map of keys, not a list"},
		{"null for a list", "env:\n", "no-value:2", "env has no value: it must be a list; remove the line if nothing is meant"},
		{"null for text", "builder: ~\n", "no-value:2", "builder has no value: it must be text"},
		{"type of its own refuses", "skills: all\n", "wrong-value:2", `skills: "all" is neither "*" nor a list`},
		{"type of its own, wrong kind", "skills: {a: b}\n", "wrong-type:2", "skills must be a value that choice accepts, not a map"},
		{"text type of its own refuses", "memory: much\n", "wrong-value:2", `memory: "much" is no size such as 2GiB`},
		{"colon", "builder: go: x\n", "not-yaml:2", `not valid YAML: a value with ": " in it must be quoted`},
		{"colon, further down", "builder: go\nenv:\n- name: A\n  required: a: b\n", "not-yaml:5", ""},
		{"open quote", "builder: \"go\nnetwork: true\n", "not-yaml:2", "a quote is not closed"},
		{"bracket", "tools: [a\nnetwork: true\n", "not-yaml:2", "a bracket or brace is not closed"},
		{"tab", "env:\n\t- name: A\n", "not-yaml:3", ""},
		{"no blank", "builder: go\nnetwork:true\n", "no-blank-after-colon:3", "write network: true"},
		{"alias", "builder: &b go\nversion: *b\n", "not-yaml:3", ""},
		{"anchor", "builder: &b go\n", "anchor:2", "builder has an anchor (&b)"},
		{"tag", "builder: !b go\n", "tag:2", "builder begins with the tag !b"},
		{"merge", "<<: {builder: go}\n", "unknown-key:2", ""},
		{"control character", "builder: go\nversion: \x1b\n", "control-character:3", ""},
		{"list as root", "- builder\n", "wrong-type:2", "the file must be a map of keys, not a list"},
		{"text as root", "builder\n", "wrong-type:2", `the file must be a map of keys, not "builder"`},
		{"null as root", "~\n", "no-value:2", "the file has no value"},
		{"conflict", "<<<<<<< a\n", "conflict-marker:2", ""},
		{"key that is a list", "[a]: b\n", "not-yaml:2", "a key must be text"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := manifest{Builder: "before"}
			d, err := DecodeStrict("TOOL.md", []byte("---\n"+tt.block+"---\n"), &m)
			var strict *StrictError
			if d != nil || !errors.As(err, &strict) {
				t.Fatalf("got %v, %v", d, err)
			}
			if got := codes(strict.Diagnostics); got != tt.want {
				t.Errorf("got %s, want %s (%v)", got, tt.want, err)
			}
			if !strings.Contains(err.Error(), tt.message) || !strings.HasPrefix(err.Error(), "TOOL.md:") {
				t.Errorf("got %q, want %q", err, tt.message)
			}
			if m.Builder != "before" || m.Network || m.Version != "" {
				t.Errorf("the value was touched: %+v", m)
			}
		})
	}
}

// TestStrictSplit: nothing is repaired around the fences either.
func TestStrictSplit(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"leading blank line", "\n---\nbuilder: go\n---\n", "leading-lines:1"},
		{"glued closer", "---\nbuilder: go\n---b\n", "glued-closer:3"},
		{"glued closer and unknown key", "---\nbuildr: go\n---b\n", "unknown-key:2 glued-closer:3"},
		{"no front matter", "# Tool\n", "missing:1"},
		{"not closed", "---\nbuilder: go\n", "not-closed:1"},
		{"NUL", "---\nbuilder: \x00\n---\n", "nul-byte:2"},
	}
	for _, tt := range tests {
		var m manifest
		_, err := DecodeStrict("TOOL.md", []byte(tt.in), &m)
		var strict *StrictError
		if !errors.As(err, &strict) || codes(strict.Diagnostics) != tt.want {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
		if strict != nil && strict.Diagnostics[0].Severity != "error" {
			t.Errorf("%s: severity %s", tt.name, strict.Diagnostics[0].Severity)
		}
	}
	m := manifest{Builder: "before"}
	if d, err := DecodeStrict("TOOL.md", []byte("---\n---\nb\n"), &m); err != nil || d.Body != "b\n" || m.Builder != "before" {
		t.Errorf("an empty front matter: %v, %+v", err, m)
	}
}

func TestStrictErrorCounts(t *testing.T) {
	t.Parallel()
	var m manifest
	_, err := DecodeStrict("TOOL.md", []byte("---\na: 1\nbb: 2\nccc: 3\n---\n"), &m)
	if err == nil || !strings.HasPrefix(err.Error(), `TOOL.md:2: unknown key "a"`) || !strings.HasSuffix(err.Error(), "(and 2 more)") {
		t.Errorf("got %v", err)
	}
}

func TestUnmarshalStrict(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want, builder string }{
		{"plain", "builder: go\n", "", "go"},
		{"with a marker", "---\nbuilder: go\n", "", "go"},
		{"BOM and CRLF", "\ufeffbuilder: go\r\nversion: 1\r\n", "", "go"},
		{"CR alone", "builder: go\rversion: 1\r", "", "go"},
		{"empty", "", "", ""},
		{"comment", "# nothing\n", "", ""},
		{"two documents", "builder: go\n---\nbuilder: node\n", "not-yaml:1", ""},
		{"unknown key", "\nbuildr: go\n", "unknown-key:2", ""},
		{"NUL", "a: b\n\x00", "nul-byte:2", ""},
		{"too large", strings.Repeat("#", MaxFile+1), "too-large:1", ""},
		{"lines after a line separator", "free: 'a\u2028b'\nbuildr: go\n", "unknown-key:2", ""},
		{"lines after a lone CR", "free: 'a\r b\rc'\nbuildr: go\n", "unknown-key:2", ""},
		{"broken list", "- a: b: c\n", "not-yaml:1", ""},
		{"a glued key first", "builder:go\nversion: 1\n", "no-blank-after-colon:1", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var m manifest
			err := UnmarshalStrict("tools.yaml", []byte(tt.in), &m)
			if strict, ok := errors.AsType[*StrictError](err); ok {
				if got := codes(strict.Diagnostics); got != tt.want {
					t.Errorf("got %s (%v), want %s", got, err, tt.want)
				}
			} else if err != nil || tt.want != "" || m.Builder != tt.builder {
				t.Errorf("got %v, %+v", err, m)
			}
		})
	}
}

// TestUnmarshalStrictRoots: the root may be any type, also a map with free keys.
func TestUnmarshalStrictRoots(t *testing.T) {
	t.Parallel()
	var list []variable
	if err := UnmarshalStrict("f", []byte("- name: a\n- name: b\n"), &list); err != nil || len(list) != 2 {
		t.Errorf("list: %v, %v", list, err)
	}
	var numbers map[string]int
	if err := UnmarshalStrict("f", []byte("a: 1\nb: x\n"), &numbers); err == nil || !strings.Contains(err.Error(), `f:2: b must be a whole number, not "x"`) {
		t.Errorf("map: %v", err)
	}
	var open struct {
		A    int            `yaml:"a"`
		Rest map[string]int `yaml:",inline"`
	}
	var pointer struct {
		*Inner `yaml:",inline"`
		V      *int `yaml:"v"`
	}
	if err := UnmarshalStrict("f", []byte("v: ~\nversion: 1.10\n"), &pointer); err != nil || pointer.V != nil || pointer.Version != "1.10" {
		t.Errorf("pointer: %+v, %v", pointer, err)
	}
	if err := UnmarshalStrict("f", []byte("a: 1\nb: 2\n"), &open); err != nil || open.Rest["b"] != 2 {
		t.Errorf("inline: %+v, %v", open, err)
	}
	var panics struct {
		V explosive `yaml:"v"`
	}
	if err := UnmarshalStrict("f", []byte("v: 1\n"), &panics); err == nil || !strings.Contains(err.Error(), "v: boom") {
		t.Errorf("a panic: %v", err)
	}
}

type explosive struct{}

func (*explosive) UnmarshalYAML(func(any) error) error { panic("boom") }
