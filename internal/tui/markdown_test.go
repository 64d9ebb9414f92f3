package tui

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestSplitter(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "", nil},
		{"paragraphs", "one\ntwo\n\n\nthree", []string{"one\ntwo", "three"}},
		{"a heading stands alone", "text\n# Head\nmore\n", []string{"text", "# Head", "more"}},
		{"no heading", "#hash\n", []string{"#hash"}},
		{"a fence keeps blank lines", "```go\na\n\nb\n```\nafter", []string{"```go\na\n\nb\n```", "after"}},
		{"a fence ends a paragraph", "text\n~~~\na\n~~~", []string{"text", "~~~\na\n~~~"}},
		{"a longer fence holds a shorter one", "````\n```\n\n```\n````\n", []string{"````\n```\n\n```\n````"}},
		{"text behind backticks closes no fence", "```\n```go\n\nx\n```\n", []string{"```\n```go\n\nx\n```"}},
		{"an open fence at the end", "```\na\n\nb", []string{"```\na\n\nb"}},
		{"a loose list is one block", "- a\n\n- b\n\n  more\n\nafter\n", []string{"- a\n\n- b\n\n  more", "after"}},
		{"a numbered list", "1. a\n2. b\n\ntext", []string{"1. a\n2. b", "text"}},
		{"a fence in a list", "- a\n  ```\n  x\n\n  y\n  ```\n- b\n\nend", []string{"- a\n  ```\n  x\n\n  y\n  ```\n- b", "end"}},
		{"a table", "| a |\n|---|\n| 1 |\n\nend", []string{"| a |\n|---|\n| 1 |", "end"}},
		{"line ends of other systems", "a\r\n\r\nb\r\n", []string{"a", "b"}},
		{"blank lines only", "\n \n\t\n", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, size := range []int{1, 3, 1000} {
				if got := split(tt.text, size); !slices.Equal(got, tt.want) {
					t.Errorf("in pieces of %d: got %q, want %q", size, got, tt.want)
				}
			}
		})
	}
}

// split writes text in pieces and returns all blocks.
func split(text string, size int) []string {
	var s splitter
	var got []string
	for len(text) > 0 {
		n := min(size, len(text))
		got = append(got, s.write(text[:n])...)
		text = text[n:]
	}
	return append(got, s.close()...)
}

func TestSplitterOpen(t *testing.T) {
	t.Parallel()
	var s splitter
	s.write("done\n\n- a\n- b")
	if got, want := s.open(), "- a\n- b"; got != want {
		t.Errorf("open is %q, want %q", got, want)
	}
}

// FuzzSplitter: nothing is lost but blank lines, and the size of the pieces does
// not matter.
func FuzzSplitter(f *testing.F) {
	f.Add("a\n\n```\nb\n\n```\n- c\n\n  d\n# e", 2)
	f.Add("\r\n| a |\n~~~", 1)
	f.Add("1. x\n\n\n2) y\n\ttext\n````", 5)
	f.Fuzz(func(t *testing.T, text string, size int) {
		whole, pieces := split(text, len(text)+1), split(text, max(size%7, 1))
		if !slices.Equal(whole, pieces) {
			t.Errorf("whole %q, in pieces %q", whole, pieces)
		}
		if got, want := letters(strings.Join(whole, "\n")), letters(text); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func letters(text string) string { return strings.Join(strings.Fields(text), "") }

// On a terminal of its own an answer appears block by block, without the control
// characters of a model.
func TestBlocks(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	b := &Blocks{Out: &out, Render: func(md string) string { return "[" + md + "]\n" }}
	if printed, err := b.Close(); printed || err != nil {
		t.Errorf("before anything: %t, %v", printed, err)
	}
	for _, step := range []struct{ text, want string }{
		{"# He", ""},
		{"ad\n", "[# Head]\n"},
		{"one\ntwo \x1b[2J\n\nth", "[# Head]\n\n[one\ntwo <U+001B>[2J]\n"},
	} {
		if b.Add(step.text); out.String() != step.want {
			t.Errorf("after %q: %q, want %q", step.text, out.String(), step.want)
		}
	}
	if printed, err := b.Close(); !printed || err != nil || !strings.HasSuffix(out.String(), "\n\n[th]\n") {
		t.Errorf("at the end: %q, %t, %v", out.String(), printed, err)
	}
	broken := &Blocks{Out: brokenWriter{}, Render: func(md string) string { return md }}
	broken.Add("a\n\n")
	if _, err := broken.Close(); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("error %v", err)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
