package cli

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/fspath"
	"github.com/agentctl/agentctl/pkg/skill"
)

type skillExportOptions struct {
	outputOptions
	Skills func(SkillScope) (skill.Resolver, error)
	Name   string
	Output string
	Flat   bool
	Force  bool
}

type skillExportJSON struct {
	Name   string `json:"name"`
	File   string `json:"file"`
	Digest string `json:"digest"`
	Files  int    `json:"files"`
	Bytes  int64  `json:"bytes"`
}

func newSkillExportCmd(f *Factory, run func(context.Context, *skillExportOptions) error) *cobra.Command {
	opts := &skillExportOptions{
		outputOptions: outputOptions{IO: f.IO},
		Skills:        func(s SkillScope) (skill.Resolver, error) { return f.Skills(s) },
	}
	if run == nil {
		run = runSkillExport
	}
	cmd := &cobra.Command{
		Use: "export NAME", Short: "Pack a skill into a zip archive, byte for byte reproducible",
		Long: `Pack a skill into NAME.zip, in a folder of that name. Equal skills give equal bytes
on every machine. VCS data, caches, virtual environments and a root evals/ folder
are left out; symbolic links are refused. The file and the content digest, which is
the same for folder and archive, are printed.`,
		Example:           "  agentctl skill export csv-summary\n  agentctl skill export ./csv-summary -o - | ssh host 'agentctl skill import -'",
		Args:              exactArgs(1, "the name of a skill"),
		ValidArgsFunction: firstArg(orFolder(f.complete(f.skillNames(allSkills, nil)))),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Name = args[0]
			if opts.JSON && opts.Output == "-" {
				return usageError{message: "--json and -o - both want stdout", hint: "give -o a file"}
			}
			return run(cmd.Context(), opts)
		},
	}
	opts.addFlags(cmd)
	fl := cmd.Flags()
	fl.StringVarP(&opts.Output, "output", "o", "", "write to `FILE`, - for stdout (default: NAME.zip)")
	fl.BoolVar(&opts.Flat, "flat", false, "put the files at the top of the archive")
	fl.BoolVar(&opts.Force, "force", false, "replace the file if it exists")
	return cmd
}

func runSkillExport(ctx context.Context, o *skillExportOptions) error {
	it, ds, err := findSkill(ctx, func() (skill.Resolver, error) { return o.Skills(SkillScope{}) }, o.Name)
	if err != nil {
		return err
	}
	printDiagnostics(o.IO, ds)
	file, err := o.file(it)
	if err != nil {
		return err
	}
	var buf bytes.Buffer // at most the export limit
	res, err := skill.Export(ctx, it, &buf, o.Flat)
	if err != nil {
		return fmt.Errorf("skill %q cannot be exported: %w", it.Name, err)
	}
	if o.Output == "-" {
		fmt.Fprintln(o.IO.Err, res.Digest)
		_, err := buf.WriteTo(o.IO.Out)
		return err
	}
	if err := writeOutput(file, buf.Bytes(), 0o644); err != nil {
		return err
	}
	if o.JSON {
		return writeJSON(o.IO.Out, skillExportJSON{Name: res.Name, File: file, Digest: res.Digest, Files: res.Files, Bytes: res.Bytes})
	}
	return writeTable(o.IO, []string{"file", "digest"}, [][]string{{file, res.Digest}})
}

// file is where the archive goes, absolute. A file that exists is only replaced
// by force, and none is put into the skill that it holds.
func (o *skillExportOptions) file(it *skill.Item) (string, error) {
	if o.Output == "-" {
		return "", nil
	}
	file := skill.ArchiveName(it) + ".zip"
	switch {
	case strings.HasSuffix(o.Output, "/") || isDir(o.Output):
		file = filepath.Join(o.Output, file) // as cp does
	case o.Output != "":
		file = o.Output
	}
	file, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	if fspath.Within(it.Dir, file) {
		return "", usageError{message: fmt.Sprintf("%s lies inside the skill, so the next archive would hold it", file), hint: "give -o a place outside, such as -o ../" + filepath.Base(file)}
	}
	return file, checkOutput(file, o.Force)
}
