// Package iostreams holds the three standard streams and what is known about
// them. It is the only way by which a command reaches a stream, so that every
// command can be tested with buffers.
package iostreams

import (
	"bytes"
	"io"
	"os"

	"github.com/mattn/go-isatty"
	"golang.org/x/term"
)

// IOStreams are the streams of one run.
type IOStreams struct {
	In  io.Reader
	Out io.Writer // the result, nothing else
	Err io.Writer // everything for people

	// InTTY, OutTTY, ErrTTY tell whether the stream is a terminal.
	InTTY, OutTTY, ErrTTY bool
	// Color is true when stdout is a terminal that may be coloured.
	Color bool
	// NoInput forbids every question, whatever the streams are.
	NoInput bool

	width func() int
}

// System returns the process's own streams. Colour is off with NO_COLOR set to
// anything or TERM=dumb, as getenv tells.
func System(getenv func(string) string) *IOStreams {
	s := &IOStreams{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		InTTY:  isTerminal(os.Stdin),
		OutTTY: isTerminal(os.Stdout),
		ErrTTY: isTerminal(os.Stderr),
	}
	s.Color = s.OutTTY && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
	s.width = func() int {
		w, _, err := term.GetSize(int(os.Stdout.Fd()))
		if err != nil {
			return 0
		}
		return w
	}
	return s
}

func isTerminal(f *os.File) bool { return isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()) }

// Test returns streams over buffers, none of them a terminal.
func Test() (s *IOStreams, in, out, errOut *bytes.Buffer) {
	in, out, errOut = &bytes.Buffer{}, &bytes.Buffer{}, &bytes.Buffer{}
	return &IOStreams{In: in, Out: out, Err: errOut}, in, out, errOut
}

// CanAsk tells whether a person can be asked something: a terminal on both
// sides and no --no-input.
func (s *IOStreams) CanAsk() bool { return s.InTTY && s.ErrTTY && !s.NoInput }

// Width is the width of the terminal in cells; 80 when it is not known.
func (s *IOStreams) Width() int {
	if s.width != nil {
		if w := s.width(); w > 0 {
			return w
		}
	}
	return 80
}
