package cli

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/agentctl/agentctl/internal/iostreams"
)

func TestTableOnATerminal(t *testing.T) {
	t.Parallel()
	header := []string{"name", "value", "origin"}
	rows := [][]string{
		{"models.large", strings.Repeat("茶道", 40), "/home/ann/config.yaml"},
		{"short", "x\x1b[2J", "default"},
	}
	s, _, out, _ := iostreams.Test()
	s.OutTTY = true
	if err := writeTable(s, header, rows); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	for _, line := range lines {
		if w := ansi.StringWidth(line); w > s.Width() {
			t.Errorf("%d cells: %q", w, line)
		}
	}
	if len(lines) != 3 || !strings.Contains(lines[1], "…") || !strings.HasSuffix(lines[1], " /home/ann/config.yaml") || !strings.Contains(lines[2], "x<U+001B>[2J") {
		t.Errorf("the widest column is cut, the others are not: %q", lines)
	}
	at := func(line, text string) int { return ansi.StringWidth(line[:strings.Index(line, text)]) }
	if at(lines[0], "ORIGIN") != at(lines[1], "/home") || at(lines[1], "/home") != at(lines[2], "default") {
		t.Errorf("not aligned: %q", lines)
	}
	long := fit([][]string{{strings.Repeat("n", 90), "value"}}, 40)
	if long[0] != 90 || long[1] != 5 {
		t.Errorf("a name is never cut, nor what is short: %v", long)
	}
}
