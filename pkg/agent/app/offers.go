package app

import "github.com/agentctl/agentctl/pkg/skill"

// OffersSkill tells whether a chat with this app gets a skill of its sources:
// shared skills must be named by the app, by name or folder; those of the other
// sources come with the source.
func (a *App) OffersSkill(it *skill.Item) bool {
	if it.Source.Name != skill.SourceShared {
		return true
	}
	return a.Skills.All || a.Skills.Has(it.Name) || a.Skills.Has(it.Folder())
}
