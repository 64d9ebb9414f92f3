package tui

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

func TestEditor(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text, keys string // keys with blanks between; | marks the cursor in want
		want             string
	}{
		{"typing", "", "a b", "ab|"},
		{"a family is one character", "a👩‍👩‍👧b", "left backspace", "a|b"},
		{"a combining accent goes with its letter", "ae\u0301", "backspace", "a|"},
		{"delete to the right", "日本", "home delete", "|本"},
		{"delete at the end", "a", "delete", "a|"},
		{"backspace at the start", "a", "home backspace", "|a"},
		{"over a line end", "a\nb", "home backspace", "a|b"},
		{"left over a line end", "a\n", "left", "a|\n"},
		{"words", "one two  three", "alt+b alt+b X", "one X|two  three"},
		{"a word to the right", "one two", "home alt+f X", "oneX| two"},
		{"to the start and the end of the line", "one\ntwo\nthree", "up home X end Y", "one\nXtwoY|\nthree"},
		{"kill to the start", "one\ntwo", "left ctrl+u", "one\n|o"},
		{"kill to the end", "one\ntwo", "home ctrl+k", "one\n|"},
		{"kill a word", "one two ", "ctrl+w", "one |"},
		{"a new line", "a", "alt+enter b ctrl+j c shift+enter d", "a\nb\nc\nd|"},
		{"up keeps the column", "long line\nab\nlong line", "up", "long line\nab|\nlong line"},
		{"down keeps the column", "ab\ncdef\ng", "up up right down", "ab\ncd|ef\ng"},
		{"an unknown key does nothing", "a", "f5", "a|"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var e editor
			e.set(tt.text)
			for k := range strings.FieldsSeq(tt.keys) {
				text := ""
				if utf8.RuneCountInString(k) == 1 {
					text = k
				}
				e.key(k, text)
			}
			if got := e.text[:e.at] + "|" + e.text[e.at:]; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestEditorInsertIsSafe(t *testing.T) {
	t.Parallel()
	var e editor
	e.insert("a\x1b[31mb\r\nc\td\x00\u202e\re")
	if want := "a[31mb\nc\td\ne"; e.text != want {
		t.Errorf("got %q, want %q", e.text, want)
	}
}

func TestEditorHistory(t *testing.T) {
	t.Parallel()
	e := editor{history: []string{"first", "second"}}
	e.clear()
	e.insert("draft")
	for _, step := range []struct{ key, want string }{
		{"up", "second"}, {"up", "first"}, {"up", "first"}, {"down", "second"}, {"down", "draft"}, {"down", "draft"},
	} {
		if e.key(step.key, ""); e.text != step.want {
			t.Errorf("after %s: %q, want %q", step.key, e.text, step.want)
		}
	}
	e.remember("draft")
	e.remember("draft")
	e.clear()
	if e.key("up", ""); e.text != "draft" || len(e.history) != 3 {
		t.Errorf("got %q of %q", e.text, e.history)
	}
}

func TestEditorRows(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		at, width  int
		method     ansi.Method
		rows       string // joined by |
		x, y       int
	}{
		{"empty", "", 0, 5, 0, "", 0, 0},
		{"the end of a full row is on the next", "abcde", 5, 5, 0, "abcde|", 0, 1},
		{"wide characters do not overlap the edge", "日本語", 9, 5, 0, "日本|語", 2, 1},
		{"a tab is drawn as blanks", "a\tb", 2, 10, 0, "a    b", 5, 0},
		{"lines", "ab\ncd", 3, 5, 0, "ab|cd", 0, 1},
		{"the line end belongs to its line", "ab\ncd", 2, 5, 0, "ab|cd", 2, 0},
		{"a terminal that counts characters", "👩‍👩‍👧x", 18, 9, ansi.WcWidth, "👩‍👩‍👧x", 6, 0},
		{"a terminal that knows clusters", "👩‍👩‍👧x", 18, 9, ansi.GraphemeWidth, "👩‍👩‍👧x", 2, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := editor{text: tt.text, at: tt.at}
			rows, x, y := e.rows(style{method: tt.method}, tt.width)
			if got := strings.Join(rows, "|"); got != tt.rows || x != tt.x || y != tt.y {
				t.Errorf("got %q at %d,%d, want %q at %d,%d", got, x, y, tt.rows, tt.x, tt.y)
			}
		})
	}
}

// FuzzEditor: whatever is typed, the cursor stays in the text and on the screen.
func FuzzEditor(f *testing.F) {
	f.Add("a\n👩‍👩‍👧\tb", "left up backspace delete ctrl+w down home ctrl+k x", 5)
	f.Add("\xff\xfe", "backspace backspace", 1)
	f.Fuzz(func(t *testing.T, text, keys string, width int) {
		var e editor
		e.insert(text)
		for k := range strings.FieldsSeq(keys) {
			e.key(k, "x")
			if e.at < 0 || e.at > len(e.text) {
				t.Fatalf("after %q the cursor is at %d of %q", k, e.at, e.text)
			}
		}
		width = max(width%20, 2)
		rows, x, y := e.rows(style{}, width)
		if y >= len(rows) || y < 0 || x < 0 || x > width+len(tab) {
			t.Errorf("cursor at %d,%d of %q", x, y, rows)
		}
	})
}
