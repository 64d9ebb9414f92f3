package cli

import (
	"context"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/pkg/agent/app"
	"github.com/agentctl/agentctl/pkg/skill"
)

// skillApp is what an app says about skills.
type skillApp struct {
	sources       []string
	packageSkills string
	packageFS     fs.FS
	// offered tells whether a chat with this app gets a skill.
	offered func(*skill.Item) bool
	// window is the context window of the app's model, 0 when it is not known.
	window int
}

// skillAppOf reads what an app says about skills. Shared skills must be named by
// the app; those of the other sources come with the source.
func skillAppOf(a *app.App) *skillApp {
	return &skillApp{
		sources:       list(a.SkillSources),
		packageSkills: a.PackageSkills,
		packageFS:     a.PackageSkillsFS,
		offered:       a.OffersSkill,
	}
}

// appFlag is embedded by verbs that can look at the skills of one app.
type appFlag struct {
	App string
	// Open reads an app by its reference.
	Open func(ctx context.Context, ref string) (*skillApp, error)
}

func (o *appFlag) addAppFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.App, "app", "", "look at the skills that a chat with `APP[/PROFILE]` gets")
}

// scope is the scope of the app, or all sources without one.
func (o *appFlag) scope(ctx context.Context) (SkillScope, error) {
	if o.App == "" {
		return SkillScope{}, nil
	}
	a, err := o.Open(ctx, o.App)
	return SkillScope{App: a}, err
}
