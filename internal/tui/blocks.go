package tui

import (
	"fmt"
	"io"
	"strings"

	"github.com/agentctl/agentctl/internal/termtext"
)

// Blocks prints Markdown that arrives in pieces on a terminal that nothing else
// is drawn on: each block once it is complete.
type Blocks struct {
	Out io.Writer
	// Render turns Markdown into text for the terminal.
	Render func(markdown string) string

	md    splitter
	began bool
	err   error
}

// Add takes a piece.
func (b *Blocks) Add(text string) { b.print(b.md.write(text)) }

// Close prints what is left. It tells whether anything was printed until now, and
// the first error of Out.
func (b *Blocks) Close() (printed bool, err error) {
	b.print(b.md.close())
	return b.began, b.err
}

func (b *Blocks) print(blocks []string) {
	for _, text := range blocks {
		gap := ""
		if b.began {
			gap = "\n"
		}
		b.began = true
		if _, err := fmt.Fprintf(b.Out, "%s%s\n", gap, strings.Trim(b.Render(termtext.Block(text)), "\n")); b.err == nil {
			b.err = err
		}
	}
}
