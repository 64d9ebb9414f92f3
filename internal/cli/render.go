package cli

import (
	"io"

	"github.com/charmbracelet/glamour"
	"github.com/charmbracelet/glamour/styles"

	"github.com/agentctl/agentctl/internal/iostreams"
	"github.com/agentctl/agentctl/internal/termtext"
)

// renderMarkdown prints Markdown of others on a terminal: styled, wrapped, and
// without control characters. The style is fixed, so that no query is sent to
// the terminal.
func renderMarkdown(s *iostreams.IOStreams, text string) error {
	style := styles.NoTTYStyle
	if s.Color {
		style = styles.DarkStyle
	}
	r, err := glamour.NewTermRenderer(glamour.WithStandardStyle(style), glamour.WithWordWrap(min(s.Width(), 100)))
	if err != nil {
		return err
	}
	out, err := r.Render(termtext.Block(text))
	if err != nil {
		return err
	}
	_, err = io.WriteString(s.Out, out)
	return err
}
