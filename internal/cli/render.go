package cli

import (
	"io"
	"regexp"

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

// screenMarkdown renders the blocks of a chat: without margins, which would not
// survive a narrow terminal, and with the terminal's own colour for plain text.
func screenMarkdown(color bool) func(markdown string, width int) string {
	config := styles.NoTTYStyleConfig
	if color {
		config = styles.DarkStyleConfig
		config.Document.Color = nil
	}
	margin := uint(0)
	config.Document.Margin = &margin
	config.Document.BlockPrefix, config.Document.BlockSuffix = "", ""
	config.Code.Prefix, config.Code.Suffix = "", ""
	return func(markdown string, width int) string {
		r, err := glamour.NewTermRenderer(glamour.WithStyles(config), glamour.WithWordWrap(min(width, 100)))
		if err != nil {
			return markdown
		}
		out, err := r.Render(markdown)
		if err != nil {
			return markdown
		}
		return padding.ReplaceAllString(out, "$1")
	}
}

// padding is what glamour fills lines with up to the width: blanks, and styles
// without text.
var padding = regexp.MustCompile(`(?m)(?:\x1b\[[0-9;]*m| )*(\x1b\[0m)(?:\x1b\[[0-9;]*m| )*$| +$`)
