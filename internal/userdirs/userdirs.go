// Package userdirs names the folders of the user that agentctl reads and writes.
package userdirs

import (
	"path/filepath"

	"github.com/adrg/xdg"
)

// Dirs are absolute paths. They are values so that tests and other programs can
// put them anywhere; [System] reads them from the environment.
type Dirs struct {
	Home   string
	Config string // agentctl's own: config.yaml, skills/, apps/
	State  string // trust, sessions, approvals, disabled skills
	Cache  string // embedded packages, skill environments: may be deleted any time
}

const name = "agentctl"

// System returns the folders of this process's user by the XDG rules of the
// platform.
func System() Dirs {
	xdg.Reload()
	return Dirs{
		Home:   xdg.Home,
		Config: filepath.Join(xdg.ConfigHome, name),
		State:  filepath.Join(xdg.StateHome, name),
		Cache:  filepath.Join(xdg.CacheHome, name),
	}
}

// ConfigFile is the user's configuration.
func (d Dirs) ConfigFile() string { return filepath.Join(d.Config, "config.yaml") }

// Skills are the user's skill roots, in order of precedence.
func (d Dirs) Skills() []string {
	return []string{
		filepath.Join(d.Config, "skills"),
		filepath.Join(d.Home, ".agents", "skills"),
		filepath.Join(d.Home, ".claude", "skills"),
	}
}

// Apps is the folder of the user's apps.
func (d Dirs) Apps() string { return filepath.Join(d.Config, "apps") }
