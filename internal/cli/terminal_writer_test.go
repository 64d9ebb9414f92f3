package cli

import (
	"bytes"
	"testing"
)

func TestTerminalWriter(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		writes []string
		want   string
	}{
		{"plain", []string{"a\tb\n"}, "a\tb\n"},
		{"a control sequence", []string{"\x1b[2Jx"}, "<U+001B>[2Jx"},
		{"a cut character", []string{"\xe2\x82", "\xac!"}, "€!"},
		{"a cut character at the end", []string{"x\xe2\x82"}, "x\uFFFD"},
		{"line ends of other systems", []string{"a\r\nb\r", "\nc"}, "a\nb\nc"},
		{"a lone carriage return", []string{"a\r", "b"}, "a<U+000D>b"},
		{"bytes that are no text", []string{"\xff\x9b2J\n"}, "\uFFFD2J\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var b bytes.Buffer
			w := forTerminal(&b, true)
			for _, s := range tt.writes {
				if n, err := w.Write([]byte(s)); n != len(s) || err != nil {
					t.Fatalf("Write: %d, %v", n, err)
				}
			}
			if err := w.Close(); err != nil || b.String() != tt.want {
				t.Errorf("got %q, %v, want %q", b.String(), err, tt.want)
			}
		})
	}
}

func TestForTerminalPassesBytes(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := forTerminal(&b, false)
	if _, err := w.Write([]byte("\x1b[2J\xff\r\n")); err != nil || w.Close() != nil || b.String() != "\x1b[2J\xff\r\n" {
		t.Errorf("got %q, %v", b.String(), err)
	}
}
