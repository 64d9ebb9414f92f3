package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/pkg/skill"
)

func newSkillCmd(f *Factory) *cobra.Command {
	return group(&cobra.Command{
		Use: "skill", Short: "Write, find, read, check, move and share skills",
		Long: `A skill is a folder with a SKILL.md: know-how in prose that a model loads when a
task needs it. Skills of the workspace win over the user's own, these over shared
ones, and these over those of an app's profile.

A NAME that holds a / or is . is a folder; the SKILL.md in it stands for it.`,
	},
		newSkillNewCmd(f, nil), newSkillSaveCmd(f, nil), newSkillReadCmd(f, nil), newSkillListCmd(f, nil),
		newSkillIndexCmd(f, nil), newSkillLintCmd(f, nil), newSkillExportCmd(f, nil), newSkillImportCmd(f, nil),
		newSkillEnableCmd(f), newSkillDisableCmd(f), newSkillPanelCmd(f, nil), newSkillSyncCmd(f, nil), newSkillPromoteCmd(f, nil),
		newSkillPrepareCmd(f, nil),
	)
}

// isFolder tells whether a NAME on the command line is a folder, or the SKILL.md of
// one.
func isFolder(name string) bool {
	return name == "." || name == ".." || strings.ContainsAny(name, `/\`) || strings.EqualFold(name, skill.ManifestName)
}

// findSkill returns the skill that a NAME on the command line means: that of a
// folder, or the one that resolver finds.
func findSkill(ctx context.Context, skills func() (skill.Resolver, error), name string) (*skill.Item, []skill.Diagnostic, error) {
	if isFolder(name) {
		return skill.Open(ctx, name)
	}
	l, err := loadListing(ctx, skills)
	if err != nil {
		return nil, nil, err
	}
	res, err := l.Resolve(name)
	if err != nil {
		return nil, nil, err
	}
	return res.Winner, diagnosticsOf(l, res.Winner), nil
}

func loadListing(ctx context.Context, skills func() (skill.Resolver, error)) (*skill.Listing, error) {
	r, err := skills()
	if err != nil {
		return nil, err
	}
	return r.Load(ctx)
}

// diagnosticsOf are those findings of a listing that are about one skill, and
// about broken ones in whose place it is used.
func diagnosticsOf(l *skill.Listing, it *skill.Item) []skill.Diagnostic {
	about := map[string]bool{it.File(): true}
	for _, d := range l.Diagnostics {
		if d.Code == "package.broken-winner" && strings.HasSuffix(d.Message, fmt.Sprintf("so %s is used instead", it.File())) {
			about[d.File] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(l.Diagnostics), func(d skill.Diagnostic) bool { return !about[d.File] })
}
