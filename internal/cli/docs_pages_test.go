package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/agentctl/agentctl/internal/schema"
)

// The folders of generated pages.
const (
	commandPages = "commands"
	manPages     = "man"
	schemaPages  = "schemas"
)

// pages returns every generated page by its path. The same program always gives
// the same bytes: no page has a date.
func pages(root *cobra.Command) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, cmd := range documented(root) {
		if err := commandPage(out, cmd); err != nil {
			return nil, fmt.Errorf("page of %s: %w", cmd.CommandPath(), err)
		}
	}
	for _, s := range shapes() {
		page, err := schemaPage(s)
		if err != nil {
			return nil, fmt.Errorf("schema of %s: %w", s.Verb, err)
		}
		out[schemaPages+"/"+strings.NewReplacer(" --", "_", " ", "_").Replace(s.Verb)+".json"] = page
	}
	return out, nil
}

// documented returns cmd and everything below it that help shows.
func documented(cmd *cobra.Command) []*cobra.Command {
	out := []*cobra.Command{cmd}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && !sub.IsAdditionalHelpTopicCommand() {
			out = append(out, documented(sub)...)
		}
	}
	return out
}

// commandPage adds the Markdown and the man page of one command.
func commandPage(out map[string][]byte, cmd *cobra.Command) error {
	plain := cmd.Long
	defer func() { cmd.Long = plain }()
	cmd.Long = codeBlocks(plain)
	cmd.DisableAutoGenTag = true

	var md, man bytes.Buffer
	if err := doc.GenMarkdown(cmd, &md); err != nil {
		return err
	}
	epoch := time.Unix(0, 0).UTC() // cobra insists on a date; undated removes it
	header := &doc.GenManHeader{Section: "1", Manual: "agentctl manual", Date: &epoch}
	if err := doc.GenMan(cmd, header, &man); err != nil {
		return err
	}
	path := cmd.CommandPath()
	out[commandPages+"/"+strings.ReplaceAll(path, " ", "_")+".md"] = append(bytes.TrimRight(md.Bytes(), "\n"), '\n')
	out[manPages+"/"+strings.ReplaceAll(path, " ", "-")+".1"] = undated(man.Bytes(), epoch)
	return nil
}

// undated takes the date out of a man page's title line.
func undated(page []byte, date time.Time) []byte {
	return bytes.Replace(page, []byte(date.Format("Jan 2006")), nil, 1)
}

// codeBlocks indents what help indents by two, such as tables, by four, so that
// Markdown keeps its lines.
func codeBlocks(text string) string {
	var out strings.Builder
	inBlock := false
	for line := range strings.Lines(text) {
		indented := strings.HasPrefix(line, "  ")
		if indented && !inBlock {
			out.WriteString("\n")
		}
		inBlock = indented
		if indented {
			line = "  " + line
		}
		out.WriteString(line)
	}
	return out.String()
}

// schemaPage is the JSON Schema of what a verb prints with --json.
func schemaPage(s shape) ([]byte, error) {
	raw, err := schema.Reflect(s.Value)
	if err != nil {
		return nil, err
	}
	title := "agentctl " + s.Verb + " --json"
	if s.Verb == "error" {
		title = "what every verb prints with --json when it fails"
	}
	head := fmt.Sprintf(`{"$schema":"https://json-schema.org/draft/2020-12/schema","title":%q,`, title)
	var out bytes.Buffer
	if err := json.Indent(&out, []byte(head+string(raw[1:])), "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}
