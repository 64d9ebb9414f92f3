package repair_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/pkg/agent/repair"
)

func TestRepetition(t *testing.T) {
	t.Parallel()
	sentence := "The quick brown fox jumps over the lazy dog again and again. " // 61 bytes
	long := strings.Repeat("One paragraph of many words, ", 40) + "with an end. "
	tests := []struct {
		name, text string
		want       bool
	}{
		{"ten times", strings.Repeat(sentence, 10), true},
		{"after something else", "Well. " + strings.Repeat(sentence, 11), true},
		{"nine times", strings.Repeat(sentence, 9), false},
		{"a word", strings.Repeat("no ", 200), true},
		{"a word, not for long", strings.Repeat("no ", 100), false},
		{"a paragraph", strings.Repeat(long, 10), true},
		{"numbered lines differ", numbered(200), false},
		{"a table", "| a | b |\n|---|---|\n" + strings.Repeat("| 0 | 0 |\n", 20), false},
		{"it went on to something else", strings.Repeat(sentence, 9) + "But now the answer. " + strings.Repeat(sentence, 9), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := new(repair.Repetition).Write(tt.text); got != tt.want {
				t.Errorf("at once: got %t, want %t", got, tt.want)
			}
			var r repair.Repetition
			for i := range len(tt.text) {
				if r.Write(tt.text[i:i+1]) && !tt.want {
					t.Fatalf("noticed after %d bytes", i+1)
				}
			}
		})
	}
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "Step %d: look at the file and note what is in it, line by line.\n", i)
	}
	return b.String()
}

// However a text comes, one that goes on repeating is noticed before the twelfth
// time.
func TestRepetitionInPieces(t *testing.T) {
	t.Parallel()
	const piece = "What was said once is said once more, and then it is said again. "
	for _, size := range []int{1, 3, 40, 64, 1000} {
		var r repair.Repetition
		text, at := strings.Repeat(piece, 40), 0
		for at < len(text) && !r.Write(text[at:min(at+size, len(text))]) {
			at += size
		}
		if at > 12*len(piece)+size {
			t.Errorf("in pieces of %d it was noticed after %d bytes", size, at)
		}
	}
}

func TestWithoutRepetition(t *testing.T) {
	t.Parallel()
	const piece = "The quick brown fox jumps over the lazy dog again and again. "
	tests := []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"none", "all is well", "all is well"},
		{"cut in the middle", "So:\n" + strings.Repeat(piece, 12) + piece[:20], "So:\n" + piece},
		{"nine times is its own affair", strings.Repeat(piece, 9), strings.Repeat(piece, 9)},
	}
	for _, tt := range tests {
		if got := repair.WithoutRepetition(tt.text); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func FuzzRepetition(f *testing.F) {
	f.Add("ab", 300, 3)
	f.Add("0\x84", 12, 64)
	f.Add("\x84\x84\x84\x84", 199, 7)
	f.Add("The quick brown fox jumps over the lazy dog again and again. ", 12, 64)
	f.Fuzz(func(t *testing.T, piece string, times, size int) {
		times, size = max(times%200, 0), max(size%100, 1)
		if len(piece) > 1000 {
			return
		}
		text := strings.Repeat(piece, times)
		var r repair.Repetition
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			r.Write(rest[:n])
			rest = rest[n:]
		}
		if got := repair.WithoutRepetition(text); len(got) > len(text) || !strings.HasPrefix(text, got) {
			t.Errorf("%q became %q", text, got)
		}
	})
}
