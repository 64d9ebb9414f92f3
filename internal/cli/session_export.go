package cli

import (
	"bytes"
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/pkg/agent/session"
)

// The values of --format.
const (
	formatMarkdown = "markdown"
	formatJSON     = "json"
)

var sessionFormats = []string{formatMarkdown, formatJSON}

type sessionExportOptions struct {
	sessionOptions
	ID     string
	Format string
	Output string
	Force  bool
}

type sessionExportJSON struct {
	ID     string `json:"id"`
	Format string `json:"format"`
	Bytes  int    `json:"bytes"`
	// File is where the text is, else Content is the text.
	File    string `json:"file,omitempty"`
	Content string `json:"content,omitempty"`
}

func newSessionExportCmd(f *Factory, run func(context.Context, *sessionExportOptions) error) *cobra.Command {
	opts := &sessionExportOptions{sessionOptions: newSessionOptions(f)}
	if run == nil {
		run = runSessionExport
	}
	cmd := &cobra.Command{
		Use: "export ID", Short: "Write a session as Markdown or JSON",
		Long: `Write a session to stdout, or to a file with -o: as Markdown for people, or as one
JSON document for programs, which is what session show --json prints.`,
		Example:           "  agentctl session export 4fa2 -o talk.md\n  agentctl session export 4fa2 --format json | jq .title",
		Args:              exactArgs(1, "the ID of a session"),
		Annotations:       map[string]string{exitCodes: sessionCodes},
		ValidArgsFunction: firstArg(f.complete(f.sessionIDs)),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.ID = args[0]
			return run(cmd.Context(), opts)
		},
	}
	opts.addFlags(cmd)
	fl := cmd.Flags()
	fl.StringVar(&opts.Format, "format", formatMarkdown, "markdown or json")
	fl.StringVarP(&opts.Output, "output", "o", "", "write to `FILE` (default, and -: stdout)")
	fl.BoolVar(&opts.Force, "force", false, "replace the file if it exists")
	completeFlag(cmd, "format", oneOfWords(sessionFormats...))
	return cmd
}

func runSessionExport(_ context.Context, o *sessionExportOptions) error {
	if err := oneOf("format", o.Format, sessionFormats...); err != nil {
		return err
	}
	store, id, err := o.find(o.ID)
	if err != nil {
		return err
	}
	records, err := store.Records(id)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := o.write(&b, store, id, records); err != nil {
		return err
	}
	out := sessionExportJSON{ID: id, Format: o.Format, Bytes: b.Len()}
	if o.Output == "" || o.Output == "-" {
		if out.Content = b.String(); o.JSON {
			return writeJSON(o.IO.Out, out)
		}
		_, err := b.WriteTo(o.IO.Out)
		return err
	}
	if out.File, err = o.save(b.Bytes()); err != nil {
		return err
	}
	if o.JSON {
		return writeJSON(o.IO.Out, out)
	}
	return writeTable(o.IO, []string{"file"}, [][]string{{out.File}})
}

func (o *sessionExportOptions) write(b *bytes.Buffer, store session.Store, id string, records []session.Record) error {
	if o.Format == formatMarkdown {
		return session.Markdown(b, records)
	}
	doc, err := sessionDocument(store, id, records)
	if err != nil {
		return err
	}
	return writeJSON(b, doc)
}

// save writes the file, readable by the user alone as the session is, and
// returns its absolute path.
func (o *sessionExportOptions) save(data []byte) (string, error) {
	file, err := filepath.Abs(o.Output)
	if err != nil {
		return "", err
	}
	if err := checkOutput(file, o.Force); err != nil {
		return "", err
	}
	return file, writeOutput(file, data, 0o600)
}
