package cli

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/pkg/skill"
)

type skillPrepareOptions struct {
	outputOptions
	Skills  func(SkillScope) (skill.Resolver, error)
	Name    string
	Request skill.PrepareRequest
}

type skillPrepareJSON struct {
	Name    string `json:"name"`
	Env     string `json:"env"`
	Digest  string `json:"digest"`
	Created bool   `json:"created"`
}

func newSkillPrepareCmd(f *Factory, run func(context.Context, *skillPrepareOptions) error) *cobra.Command {
	opts := &skillPrepareOptions{
		outputOptions: outputOptions{IO: f.IO}, Request: skill.PrepareRequest{CacheDir: f.Dirs.Cache},
		Skills: func(s SkillScope) (skill.Resolver, error) { return f.Skills(s) },
	}
	if run == nil {
		run = runSkillPrepare
	}
	cmd := &cobra.Command{
		Use: "prepare NAME", Short: "Make the Python environment of a skill's scripts",
		Long: `Make the environment that a skill's Python scripts need, from requirements.txt and
from inline metadata (PEP 723), with uv. It lies in the cache, keyed by what the
skill asks for: the same requirements use it again, changed ones make a new one.

Packages are downloaded as uv is set up to do. Only wheels are taken, since
building a package runs its code: --allow-builds permits that.`,
		Args:              exactArgs(1, "the name of a skill"),
		ValidArgsFunction: firstArg(orFolder(f.complete(f.skillNames(allSkills, nil)))),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Name = args[0]
			return run(cmd.Context(), opts)
		},
	}
	opts.addFlags(cmd)
	cmd.Flags().BoolVar(&opts.Request.AllowBuilds, "allow-builds", false, "let packages run their own code while they are installed")
	return cmd
}

func runSkillPrepare(ctx context.Context, o *skillPrepareOptions) error {
	it, ds, err := findSkill(ctx, func() (skill.Resolver, error) { return o.Skills(SkillScope{}) }, o.Name)
	if err != nil {
		return err
	}
	printDiagnostics(o.IO, ds)
	o.Request.Item, o.Request.Env = it, os.Environ()
	env, created, err := skill.Prepare(ctx, o.Request)
	if err != nil {
		return err
	}
	if o.JSON {
		return writeJSON(o.IO.Out, skillPrepareJSON{Name: it.Name, Env: env.Dir, Digest: env.Digest, Created: created})
	}
	return writeTable(o.IO, []string{"environment", "digest"}, [][]string{{env.Dir, env.Digest}})
}
