package cli

import (
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/agentctl/agentctl/internal/iostreams"
	"github.com/agentctl/agentctl/internal/termtext"
)

// terminalWriter passes on what a program prints to a terminal, with control
// sequences made visible. A character that is cut by the end of a write waits
// for its rest; Close writes what is left.
type terminalWriter struct {
	w    io.Writer
	rest []byte
}

// forTerminal returns w itself where no terminal is at the other end, so that
// every byte passes as it is.
func forTerminal(w io.Writer, isTerminal bool) io.WriteCloser {
	if !isTerminal {
		return nopCloser{w}
	}
	return &terminalWriter{w: w}
}

// writeText prints foreign text: every byte as it is in a pipe, made visible on a
// terminal.
func writeText(s *iostreams.IOStreams, text string) error {
	w := forTerminal(s.Out, s.OutTTY)
	_, err := io.WriteString(w, text)
	return errors.Join(err, w.Close())
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// Write reports all of p as written unless the terminal fails.
func (t *terminalWriter) Write(p []byte) (int, error) {
	data := append(t.rest, p...)
	end := completeLen(data)
	t.rest = append([]byte(nil), data[end:]...)
	if err := t.print(data[:end]); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close writes an incomplete character as it is shown: broken.
func (t *terminalWriter) Close() error {
	rest := t.rest
	t.rest = nil
	return t.print(rest)
}

func (t *terminalWriter) print(data []byte) error {
	out := make([]byte, 0, len(data))
	for i, b := range data {
		// A carriage return before a line feed is a line end of other systems.
		if b != '\r' || i+1 == len(data) || data[i+1] != '\n' {
			out = append(out, b)
		}
	}
	_, err := io.WriteString(t.w, termtext.Block(strings.ToValidUTF8(string(out), "\uFFFD")))
	return err
}

// completeLen is the length of data without a character that is cut at its end,
// and without a carriage return whose line feed may come with the next write.
func completeLen(data []byte) int {
	end := len(data)
	if end > 0 && data[end-1] == '\r' {
		return end - 1
	}
	for i := end - 1; i >= 0 && i >= end-utf8.UTFMax; i-- {
		if utf8.RuneStart(data[i]) {
			if !utf8.FullRune(data[i:]) {
				return i
			}
			break
		}
	}
	return end
}
