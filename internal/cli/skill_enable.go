package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/state"
	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/pkg/skill"
)

type skillSwitchOptions struct {
	outputOptions
	Skills    func(SkillScope) (skill.Resolver, error)
	Disabled  func() (func(string) bool, error)
	Workspace func() (string, error)
	State     state.Store
	Names     []string
	All       bool
	Enable    bool
}

type skillSwitchJSON struct {
	Changed []string `json:"changed"`
}

func newSkillEnableCmd(f *Factory) *cobra.Command { return newSkillSwitchCmd(f, true) }

func newSkillDisableCmd(f *Factory) *cobra.Command { return newSkillSwitchCmd(f, false) }

func newSkillSwitchCmd(f *Factory, enable bool) *cobra.Command {
	opts := &skillSwitchOptions{
		outputOptions: outputOptions{IO: f.IO}, State: f.State(), Enable: enable, Disabled: f.disabledSkills,
		Skills:    func(s SkillScope) (skill.Resolver, error) { return f.Skills(s) },
		Workspace: f.Workspace,
	}
	verb, effect := "enable", "Offer skills to models again"
	if !enable {
		verb, effect = "disable", "Keep skills from models"
	}
	cmd := &cobra.Command{
		Use: verb + " NAME… | --all", Short: effect,
		Long: effect + ` in this workspace, by name and whatever their source. A disabled skill
is neither in a model's index nor readable by it; people can still read it. The
names that changed are printed.`,
		ValidArgsFunction: eachOnce(f.complete(f.skillNames(allSkills, switched(enable)))),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Names = args
			if opts.All == (len(args) > 0) {
				return usageError{message: fmt.Sprintf("%s wants names, or --all", cmd.CommandPath()), hint: "usage: " + cmd.UseLine()}
			}
			return runSkillSwitch(cmd.Context(), opts)
		},
	}
	opts.addFlags(cmd)
	cmd.Flags().BoolVar(&opts.All, "all", false, "all skills")
	return cmd
}

func runSkillSwitch(ctx context.Context, o *skillSwitchOptions) error {
	names, err := o.names(ctx)
	if err != nil {
		return err
	}
	ws, err := o.Workspace()
	if err != nil {
		return err
	}
	if len(names) > 0 {
		if _, err := o.State.SwitchSkills(ctx, ws, names, o.Enable); err != nil {
			return err
		}
	}
	if o.JSON {
		return writeJSON(o.IO.Out, skillSwitchJSON{list(names)})
	}
	for _, n := range names {
		if _, err := fmt.Fprintln(o.IO.Out, termtext.Line(n)); err != nil {
			return err
		}
	}
	return nil
}

// names are the skills whose state has to change, by their own names.
func (o *skillSwitchOptions) names(ctx context.Context) ([]string, error) {
	l, err := loadListing(ctx, func() (skill.Resolver, error) { return o.Skills(SkillScope{}) })
	if err != nil {
		return nil, err
	}
	disabled, err := o.Disabled()
	if err != nil {
		return nil, err
	}
	var all []string
	if o.All {
		for _, it := range l.Winners() {
			all = append(all, it.Name)
		}
	}
	for _, name := range o.Names {
		res, err := l.Resolve(name)
		if err != nil {
			return nil, err
		}
		all = append(all, res.Winner.Name)
	}
	var out []string
	seen := map[string]bool{}
	for _, name := range all {
		switch {
		case seen[name]:
		case disabled(name) == o.Enable:
			out = append(out, name)
		case !o.All:
			warn(o.IO, "%s is %s already", termtext.Line(name), map[bool]string{true: "enabled", false: "disabled"}[o.Enable])
		}
		seen[name] = true
	}
	return out, nil
}
