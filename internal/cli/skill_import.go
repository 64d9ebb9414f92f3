package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/pkg/skill"
)

type skillImportOptions struct {
	outputOptions
	writeDir
	Tools   func(context.Context) ([]string, error)
	Request skill.ImportRequest
}

type skillImportJSON struct {
	Name        string            `json:"name"`
	Dir         string            `json:"dir"`
	Digest      string            `json:"digest"`
	Files       int               `json:"files"`
	DryRun      bool              `json:"dry_run"`
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
}

func newSkillImportCmd(f *Factory, run func(context.Context, *skillImportOptions) error) *cobra.Command {
	opts := &skillImportOptions{outputOptions: outputOptions{IO: f.IO}, writeDir: newWriteDir(f), Tools: f.knownTools}
	if run == nil {
		run = runSkillImport
	}
	cmd := &cobra.Command{
		Use: "import FILE, DIR or -", Short: "Take over a skill from an archive or folder",
		Long: `Take over a skill from a zip archive (a file, or - for stdin) or a folder, with or
without a folder around it. Names, sizes and links are checked before anything is
written; the skill appears whole or not at all. The folder is the skill's name in
kebab-case ASCII. A skill that exists is not touched without --force.

The skill's lint findings are printed. Its instructions and scripts come from
somebody else: read them before you let a model use them.`,
		Args:              exactArgs(1, "one archive, folder, or - for stdin"),
		ValidArgsFunction: firstArg(files),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Request.Source = args[0]
			return run(cmd.Context(), opts)
		},
	}
	opts.addFlags(cmd)
	opts.addDirFlag(cmd)
	fl := cmd.Flags()
	fl.StringVar(&opts.Request.Name, "name", "", "keep it as `NAME`; rewrites the name in the file, and so the digest")
	fl.BoolVar(&opts.Request.Force, "force", false, "replace a skill that exists")
	fl.BoolVar(&opts.Request.DryRun, "dry-run", false, "check everything and write nothing")
	return cmd
}

func runSkillImport(ctx context.Context, o *skillImportOptions) error {
	if o.Request.Source == "-" {
		o.Request.Source, o.Request.Data = "stdin", interruptible(ctx, o.IO.In)
	}
	var err error
	if o.Request.Dir, err = o.target(); err != nil {
		return err
	}
	if o.Request.Lint.Tools, err = o.Tools(ctx); err != nil {
		return err
	}
	var res skill.ImportResult
	take := func() error {
		res, err = skill.Import(ctx, o.Request)
		return err
	}
	if o.Request.DryRun {
		err = take()
	} else {
		err = o.writing(ctx, o.IO, take)
	}
	if o.Request.DryRun && res.Digest != "" {
		printDiagnostics(o.IO, res.Diagnostics)
	}
	if err != nil {
		return err
	}
	if o.JSON {
		return writeJSON(o.IO.Out, skillImportJSON{
			Name: res.Name, Dir: res.Dir, Digest: res.Digest, Files: res.Files, DryRun: o.Request.DryRun, Diagnostics: list(res.Diagnostics),
		})
	}
	if o.Request.DryRun {
		warn(o.IO, "nothing was written: %s would be made of %s", res.Dir, termtext.Count(res.Files, "file"))
	} else {
		printDiagnostics(o.IO, res.Diagnostics)
	}
	return writeTable(o.IO, []string{"folder", "digest"}, [][]string{{res.Dir, res.Digest}})
}
