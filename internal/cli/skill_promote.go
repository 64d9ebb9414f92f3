package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/pkg/skill"
)

type skillPromoteOptions struct {
	outputOptions
	Skills  func(SkillScope) (skill.Resolver, error)
	Tools   func(context.Context) ([]string, error)
	Name    string
	Request skill.PromoteRequest
}

type skillPromoteJSON struct {
	Name          string `json:"name"`
	Dir           string `json:"dir"`
	Digest        string `json:"digest"`
	CommitMessage string `json:"commit_message"`
}

const promoteCodes = `  0    done; also when the same content is there already
  1    failed; another skill of that name is there and --force was not given
  2    wrong arguments, or the skill does not exist
  3    the skill has lint errors
  130  interrupted`

func newSkillPromoteCmd(f *Factory, run func(context.Context, *skillPromoteOptions) error) *cobra.Command {
	opts := &skillPromoteOptions{
		outputOptions: outputOptions{IO: f.IO}, Tools: f.knownTools,
		Skills: func(s SkillScope) (skill.Resolver, error) { return f.Skills(s) },
	}
	if run == nil {
		run = runSkillPromote
	}
	cmd := &cobra.Command{
		Use: "promote NAME --to DIR", Short: "Copy a checked skill to a shared folder",
		Long: `Copy a skill without lint errors to DIR/NAME, whole or not at all. The digest and a
commit message are printed; nothing is committed.`,
		Example:           "  agentctl skill promote csv-summary --to skills",
		Args:              exactArgs(1, "the name of a skill"),
		Annotations:       map[string]string{exitCodes: promoteCodes},
		ValidArgsFunction: firstArg(orFolder(f.complete(f.skillNames(allSkills, nil)))),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Name = args[0]
			if opts.Request.To == "" {
				return usageError{message: "--to is missing", hint: "name the folder of shared skills, such as --to skills"}
			}
			return run(cmd.Context(), opts)
		},
	}
	opts.addFlags(cmd)
	cmd.Flags().StringVar(&opts.Request.To, "to", "", "copy to the skills folder `DIR`")
	cmd.Flags().BoolVar(&opts.Request.Force, "force", false, "replace a skill that differs")
	return cmd
}

func runSkillPromote(ctx context.Context, o *skillPromoteOptions) error {
	it, _, err := findSkill(ctx, func() (skill.Resolver, error) { return o.Skills(SkillScope{}) }, o.Name)
	if err != nil {
		return err
	}
	o.Request.Item = it
	if o.Request.To, err = filepath.Abs(o.Request.To); err != nil {
		return err
	}
	if o.Request.Lint.Tools, err = o.Tools(ctx); err != nil {
		return err
	}
	res, err := skill.Promote(ctx, o.Request)
	printDiagnostics(o.IO, res.Findings.Diagnostics)
	if e, ok := as[*skill.LintError](err); ok {
		return o.rejected(e, res)
	}
	if err != nil {
		return err
	}
	if res.Unchanged {
		warn(o.IO, "%s holds the same content already", res.Dir)
	}
	return o.print(res)
}

// rejected says that the check did not pass; with --json in the verb's own shape.
func (o *skillPromoteOptions) rejected(e *skill.LintError, res skill.PromoteResult) error {
	warn(o.IO, "error: %v; nothing was copied", e)
	if o.JSON {
		if err := o.print(res); err != nil {
			return err
		}
	}
	return exitError(exitCheck)
}

func (o *skillPromoteOptions) print(res skill.PromoteResult) error {
	if o.JSON {
		return writeJSON(o.IO.Out, skillPromoteJSON{Name: res.Name, Dir: res.Dir, Digest: res.Digest, CommitMessage: res.CommitMessage})
	}
	_, err := fmt.Fprintf(o.IO.Out, "%s\t%s\n\n%s", termtext.Line(res.Dir), res.Digest, termtext.Block(res.CommitMessage))
	return err
}
