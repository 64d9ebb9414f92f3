package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/pkg/skill"
	"github.com/agentctl/agentctl/pkg/toolpkg"
)

type toolNewOptions struct {
	outputOptions
	Request   toolpkg.NewRequest
	FromSkill string
	Workspace func() (string, error)
	Skills    func(SkillScope) (skill.Resolver, error)
}

func newToolNewCmd(f *Factory, run func(context.Context, *toolNewOptions) error) *cobra.Command {
	opts := &toolNewOptions{
		outputOptions: outputOptions{IO: f.IO}, Workspace: f.Workspace,
		Skills: func(s SkillScope) (skill.Resolver, error) { return f.Skills(s) },
	}
	if run == nil {
		run = runToolNew
	}
	cmd := &cobra.Command{
		Use: "new NAME --lang LANG", Short: "Begin a tool package",
		Long: `Begin a tool package in tools/NAME of the workspace, with one command that works:
it builds, passes lint and runs at once. Nothing that exists is overwritten.

--from-skill makes a package of the scripts that a skill's tools.yaml describes,
one command each. Its files are copied, the Python packages that it asks for become
dependencies of the package, and the skill stays as it is.`,
		Example: `  agentctl tool new row-counter --lang go -d "Counts rows of CSV files."
  agentctl tool new label-bounds --from-skill product-labels`,
		Args: exactArgs(1, "the name of a package"),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Request.Name = args[0]
			return run(cmd.Context(), opts)
		},
	}
	opts.addFlags(cmd)
	flags := cmd.Flags()
	flags.StringVar(&opts.Request.Lang, "lang", "", "`LANG` to begin with: "+strings.Join(toolpkg.Languages(), ", "))
	flags.StringVarP(&opts.Request.Description, "description", "d", "", "what the package is for")
	flags.StringVar(&opts.FromSkill, "from-skill", "", "make commands of the scripts of `SKILL`")
	cmd.MarkFlagsMutuallyExclusive("lang", "from-skill")
	completeFlag(cmd, "lang", oneOfWords(toolpkg.Languages()...))
	completeFlag(cmd, "from-skill", f.complete(f.skillNames(allSkills, nil)))
	return cmd
}

func runToolNew(ctx context.Context, o *toolNewOptions) error {
	if err := o.fromSkill(ctx); err != nil {
		return err
	}
	if o.FromSkill == "" {
		if o.Request.Lang == "" {
			return usageError{message: "say in which language to begin, or from which skill", hint: "--lang " + strings.Join(toolpkg.Languages(), ", --lang ") + " or --from-skill SKILL"}
		}
		if err := oneOf("lang", o.Request.Lang, toolpkg.Languages()...); err != nil {
			return err
		}
	}
	ws, err := o.Workspace()
	if err != nil {
		return err
	}
	o.Request.Dir = filepath.Join(ws, "tools")
	res, err := toolpkg.New(o.Request)
	if err != nil {
		return err
	}
	if o.JSON {
		return writeJSON(o.IO.Out, res)
	}
	warn(o.IO, "next: agentctl tool prebuild %s", res.Name)
	_, err = fmt.Fprintln(o.IO.Out, termtext.Line(res.Dir))
	return err
}

// fromSkill reads the scripts of the skill that was named, if one was.
func (o *toolNewOptions) fromSkill(ctx context.Context) error {
	if o.FromSkill == "" {
		return nil
	}
	l, err := loadListing(ctx, func() (skill.Resolver, error) { return o.Skills(SkillScope{}) })
	if err != nil {
		return err
	}
	res, err := l.Resolve(o.FromSkill)
	if err != nil {
		return err
	}
	tools, found := skill.ScriptTools(res.Winner)
	printDiagnostics(o.IO, found)
	if len(found) > 0 && len(tools) > 0 { // half a skill would pass for all of it
		return hintedError{
			err:  fmt.Errorf("skill %q describes %s and has faults beside them; nothing was made", res.Winner.Name, termtext.Count(len(tools), "script")),
			hint: "correct " + filepath.Join(res.Winner.Dir, skill.ToolsFile) + ", or take the faulty entries out", exit: exitUsage,
		}
	}
	if len(tools) == 0 {
		return hintedError{
			err:  fmt.Errorf("skill %q describes no script that can be called", res.Winner.Name),
			hint: "describe its scripts in " + filepath.Join(res.Winner.Dir, skill.ToolsFile), exit: exitUsage,
		}
	}
	set, err := scriptSet(ctx, res.Winner)
	if err != nil {
		return err
	}
	for _, t := range tools {
		argv, err := skill.Interpreter(res.Winner.FS, t.Script)
		if err != nil {
			return err
		}
		set.Scripts = append(set.Scripts, toolpkg.Script{
			Name: t.Name, Description: t.Description, Path: t.Script, Interpreter: argv, Schema: t.Schema,
		})
	}
	o.Request.Scripts = set
	if o.Request.Description == "" {
		o.Request.Description = squeeze(res.Winner.Value.Description)
	}
	return nil
}

// scriptSet is what a package takes from a skill besides its commands.
func scriptSet(ctx context.Context, it *skill.Item) (*toolpkg.ScriptSet, error) {
	files, err := skill.Files(ctx, it)
	if err != nil {
		return nil, err
	}
	wants, err := skill.DependenciesOf(ctx, it)
	return &toolpkg.ScriptSet{
		Skill: it.Name, FS: it.FS, Files: files, Dependencies: wants.Packages, RequiresPython: wants.RequiresPython,
	}, err
}
