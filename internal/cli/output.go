package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/iostreams"
	"github.com/agentctl/agentctl/internal/termtext"
)

// outputOptions is embedded by every verb's options.
type outputOptions struct {
	IO   *iostreams.IOStreams
	JSON bool
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
	tw := tabwriter.NewWriter(s.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, strings.ToUpper(strings.Join(header, "\t")))
	for _, row := range rows {
		fmt.Fprintln(tw, strings.Join(fit(safe(row), s.Width()), "\t"))
	}
	return tw.Flush()
}

func safe(row []string) []string {
	out := make([]string, len(row))
	for i, cell := range row {
		out[i] = termtext.Line(cell)
	}
	return out
}

// fit cuts the last cell so that a row stays on one line of the terminal, as
// far as the other cells allow.
func fit(row []string, width int) []string {
	last := len(row) - 1
	used := 0
	for _, cell := range row[:last] {
		used += len([]rune(cell)) + 2
	}
	room := max(width-used-12, 20)
	if r := []rune(row[last]); len(r) > room {
		row[last] = string(r[:room-1]) + "…"
	}
	return row
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
