package cli

import (
	"io"
	"regexp"

	"github.com/agentctl/agentctl/internal/iostreams"
)

// renderMarkdown prints Markdown of others on a terminal: styled, wrapped, and
// without control characters.
func renderMarkdown(s *iostreams.IOStreams, source string) error {
	_, err := io.WriteString(s.Out, screenMarkdown(s.Color)(source, s.Width())+"\n")
	return err
}

// screenMarkdown renders the blocks of a chat.
func screenMarkdown(color bool) func(source string, width int) string {
	return newMarkdown(color).render
}

// padding is what glamour fills lines with up to the width: blanks, and styles
// without text.
var padding = regexp.MustCompile(`(?m)(?:\x1b\[[0-9;]*m| )*(\x1b\[0m)(?:\x1b\[[0-9;]*m| )*$| +$`)
