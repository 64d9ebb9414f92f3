package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/iostreams"
	"github.com/agentctl/agentctl/internal/termtext"
)

// outputOptions is embedded by every verb's options.
type outputOptions struct {
	IO   *iostreams.IOStreams
	JSON bool
	// FlagErr is what is wrong with the flags, of verbs that report it in a shape of
	// their own.
	FlagErr error
}

func (o *outputOptions) addFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.JSON, "json", false, "print the result as JSON")
}

// writeJSON prints one value as indented JSON. HTML characters stay readable.
func writeJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(termtext.JSON(b.Bytes()))
	return err
}

// list keeps an empty list [] in JSON instead of null.
func list[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}

// writeTable prints rows: aligned with a header on a terminal, tab-separated
// and bare elsewhere. Cells are foreign text and made safe.
func writeTable(s *iostreams.IOStreams, header []string, rows [][]string) error {
	if !s.OutTTY {
		for _, row := range rows {
			if _, err := fmt.Fprintln(s.Out, strings.Join(safe(row), "\t")); err != nil {
				return err
			}
		}
		return nil
	}
	table := [][]string{safe(header)}
	for i, name := range header {
		table[0][i] = strings.ToUpper(name)
	}
	for _, row := range rows {
		table = append(table, safe(row))
	}
	widths := fit(table, s.Width())
	for _, row := range table {
		var line strings.Builder
		for i, cell := range row {
			cell = ansi.Truncate(cell, widths[i], "…")
			line.WriteString(cell + strings.Repeat(" ", widths[i]-ansi.StringWidth(cell)+columnGap))
		}
		if _, err := fmt.Fprintln(s.Out, strings.TrimRight(line.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}

const (
	columnGap = 2
	minColumn = 10 // cells that a column keeps when the terminal is too narrow
)

// fit returns the widths of the columns, in cells. So that a row stays on one line
// of the terminal the widest columns are cut, but never the first, which names
// something.
func fit(table [][]string, width int) []int {
	widths := make([]int, len(table[0]))
	for _, row := range table {
		for i, cell := range row {
			widths[i] = max(widths[i], ansi.StringWidth(cell))
		}
	}
	used := columnGap * (len(widths) - 1)
	for _, w := range widths {
		used += w
	}
	for ; used > width; used-- {
		widest := 0
		for i := 1; i < len(widths); i++ {
			if widths[i] > minColumn && (widest == 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest == 0 {
			break
		}
		widths[widest]--
	}
	return widths
}

func safe(row []string) []string {
	out := make([]string, len(row))
	for i, cell := range row {
		out[i] = termtext.Line(cell)
	}
	return out
}

// printDiagnostics tells people what was found, one line each, on stderr.
func printDiagnostics(s *iostreams.IOStreams, ds []diag.Diagnostic) {
	for _, d := range ds {
		fmt.Fprintln(s.Err, termtext.Line(d.String()))
	}
}

// warn prints one line for people.
func warn(s *iostreams.IOStreams, format string, args ...any) {
	fmt.Fprintf(s.Err, "agentctl: %s\n", termtext.Line(fmt.Sprintf(format, args...)))
}
