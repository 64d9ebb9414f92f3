package state

import (
	"context"
	"path/filepath"

	"github.com/agentctl/agentctl/pkg/sandbox"
)

// skillsFile holds the user's switches for one workspace, by skill name. A name
// that is not there follows the configuration.
type skillsFile struct {
	Workspace sandbox.PathText `json:"workspace"`
	Enabled   map[string]bool  `json:"enabled"`
}

func (s Store) skillsPath(workspace string) string {
	return filepath.Join(s.WorkspaceDir(workspace), "skills.json")
}

// SkillSwitches returns the skills that the user switched on (true) or off
// (false) in a workspace.
func (s Store) SkillSwitches(workspace string) (map[string]bool, error) {
	var f skillsFile
	err := s.read(s.skillsPath(workspace), &f)
	return f.Enabled, err
}

// SwitchSkills records switches and returns the names that changed, in order.
func (s Store) SwitchSkills(ctx context.Context, workspace string, names []string, enabled bool) (changed []string, err error) {
	f := skillsFile{}
	err = s.update(ctx, s.skillsPath(workspace), &f, func() bool {
		f.Workspace = sandbox.PathText(canonical(workspace))
		if f.Enabled == nil {
			f.Enabled = map[string]bool{}
		}
		for _, n := range names {
			if on, set := f.Enabled[n]; set && on == enabled {
				continue
			}
			f.Enabled[n] = enabled
			changed = append(changed, n)
		}
		return len(changed) > 0
	})
	return changed, err
}
