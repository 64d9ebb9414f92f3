package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/pkg/skill"
)

type skillNewOptions struct {
	outputOptions
	writeDir
	Request skill.NewRequest
}

type skillNewJSON struct {
	Name string `json:"name"`
	Dir  string `json:"dir"`
	File string `json:"file"`
}

func newSkillNewCmd(f *Factory, run func(context.Context, *skillNewOptions) error) *cobra.Command {
	opts := &skillNewOptions{outputOptions: outputOptions{IO: f.IO}, writeDir: newWriteDir(f)}
	if run == nil {
		run = runSkillNew
	}
	cmd := &cobra.Command{
		Use: "new NAME -d TEXT", Short: "Begin a skill",
		Long: `Begin a skill in the workspace: a SKILL.md whose headings are the seven questions
that a good skill answers. Nothing that exists is overwritten.`,
		Example: `  agentctl skill new csv-summary -d "Summarises CSV files. Use when a user asks what is in a table."
  agentctl skill new release-notes -d "Writes release notes." --with scripts,evals`,
		Args: exactArgs(1, "the name of a skill"),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Request.Name = args[0]
			return run(cmd.Context(), opts)
		},
	}
	opts.addFlags(cmd)
	opts.addDirFlag(cmd)
	cmd.Flags().StringVarP(&opts.Request.Description, "description", "d", "", "what the skill does and when to use it")
	cmd.Flags().StringSliceVar(&opts.Request.With, "with", nil, "`PARTS` to add: scripts, references, evals")
	completeFlag(cmd, "with", commaList(oneOfWords(skill.Parts()...)))
	return cmd
}

func runSkillNew(ctx context.Context, o *skillNewOptions) error {
	var err error
	if o.Request.Dir, o.Request.Workspace, err = o.place(); err != nil {
		return err
	}
	var res skill.NewResult
	err = o.writing(ctx, o.IO, func() error {
		res, err = skill.New(ctx, o.Request)
		return err
	})
	if e, ok := as[*skill.ExistsError](err); ok {
		return hintedError{err: fmt.Errorf("%s exists already", e.Path), hint: "choose another name, or change it with: agentctl skill save " + skill.Slug(o.Request.Name) + " --body FILE"}
	}
	if err != nil {
		return err
	}
	if o.JSON {
		return writeJSON(o.IO.Out, skillNewJSON(res))
	}
	_, err = fmt.Fprintln(o.IO.Out, termtext.Line(res.File))
	return err
}
