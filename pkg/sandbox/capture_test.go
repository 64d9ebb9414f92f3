package sandbox

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestSinkKeepsHeadAndTail(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name         string
		head, tail   int
		in           string
		wantH, wantT string
		dropped      int64
	}{
		{"empty", 2, 2, "", "", "", 0},
		{"fits the head", 2, 2, "ab", "ab", "", 0},
		{"fits both", 2, 2, "abcd", "ab", "cd", 0},
		{"one over", 2, 2, "abcde", "ab", "de", 1},
		{"far over", 2, 2, "abcdefghijklmnop", "ab", "op", 12},
		{"no tail", 2, 0, "abcdef", "ab", "", 4},
		{"everything", -1, 2, "abcdef", "abcdef", "", 0},
		{"no limit of the tail", 1, -1, "abcdef", "a", "bcdef", 0},
	}
	for _, tt := range tests {
		for _, step := range []int{1, 3, 100} {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				s := newSink(Limits{Head: tt.head, Tail: tt.tail}, nil)
				for rest := []byte(tt.in); len(rest) > 0; {
					n := min(step, len(rest))
					if got, err := s.Write(rest[:n]); got != n || err != nil {
						t.Fatalf("Write = %d, %v", got, err)
					}
					rest = rest[n:]
				}
				c, err := s.capture()
				if err != nil || string(c.Head) != tt.wantH || string(c.Tail) != tt.wantT || c.Dropped != tt.dropped {
					t.Errorf("in steps of %d: %q, %q, %d, %v; want %q, %q, %d", step, c.Head, c.Tail, c.Dropped, err, tt.wantH, tt.wantT, tt.dropped)
				}
			})
		}
	}
}

type failingWriter struct{ left int }

var errFull = errors.New("full")

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.left--; w.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestSinkSurvivesAFailingWriter(t *testing.T) {
	t.Parallel()
	calls := 0
	s := newSink(Limits{Head: 100, Tail: 100}, &failingWriter{left: 1})
	s.failed = func() { calls++ }
	for range 4 {
		if n, err := s.Write([]byte("ab")); n != 2 || err != nil {
			t.Fatalf("Write = %d, %v", n, err)
		}
	}
	c, err := s.capture()
	if !errors.Is(err, errFull) || calls != 1 || string(c.Head) != "abababab" {
		t.Errorf("error %v, %d calls, kept %q", err, calls, c.Head)
	}
}

func TestSinkMemoryIsFlat(t *testing.T) {
	t.Parallel()
	s := newSink(Limits{Head: 1 << 10, Tail: 1 << 10}, nil)
	block := bytes.Repeat([]byte("x"), 4<<10)
	for range 1 << 10 {
		_, _ = s.Write(block)
	}
	if c := cap(s.tail); c > 32<<10 {
		t.Errorf("the tail takes %d bytes", c)
	}
}

func TestLastLine(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"a\nb\n": "b", "": "it said nothing", "one": "one"} {
		if got := lastLine(in); got != want {
			t.Errorf("lastLine(%q) = %q, want %q", in, got, want)
		}
	}
	if strings.Contains(lastLine("x\ny"), "x") {
		t.Error("more than the last line")
	}
}
