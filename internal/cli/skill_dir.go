package cli

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/iostreams"
	"github.com/agentctl/agentctl/internal/state"
	"github.com/agentctl/agentctl/internal/workspace"
)

// writeDir is embedded by verbs that write skills into the workspace.
type writeDir struct {
	Dir       string
	Default   func() (string, error)
	Workspace func() (string, error)
	State     state.Store
}

func newWriteDir(f *Factory) writeDir {
	return writeDir{Default: f.skillDir, Workspace: f.Workspace, State: f.State()}
}

func (o *writeDir) addDirFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.Dir, "dir", "", "write to the skills folder `DIR` (default: skills.dir, else .skill in the workspace)")
}

// target is the folder of skills to write to, absolute.
func (o *writeDir) target() (string, error) {
	if o.Dir == "" {
		return o.Default()
	}
	return filepath.Abs(o.Dir)
}

// place is the folder of skills for new ones, and the workspace whose other folders
// can have what is meant, "" when --dir names one folder alone.
func (o *writeDir) place() (dir, ws string, err error) {
	if dir, err = o.target(); err != nil || o.Dir != "" {
		return dir, "", err
	}
	ws, err = o.Workspace()
	return dir, ws, err
}

// writing runs a write into the workspace. When a person's own hand makes the
// first thing in it that could steer a model, nothing came from elsewhere, and
// the workspace is trusted.
func (o *writeDir) writing(ctx context.Context, s *iostreams.IOStreams, write func() error) error {
	ws, err := o.Workspace()
	if err != nil {
		return err
	}
	if err := o.State.Settle(ctx); err != nil {
		return err
	}
	appeared, err := o.State.Appeared(ws)
	if err != nil {
		return err
	}
	own := len(workspace.Steering(ws))+len(appeared) == 0
	if err := write(); err != nil {
		return err
	}
	if own {
		if len(workspace.Steering(ws)) == 0 {
			return nil // written somewhere else
		}
		_, err = o.State.Trust(ctx, ws, true)
		return err
	}
	return o.warnLeftOut(s, ws)
}

// warnLeftOut says why chat will not use what was written.
func (o *writeDir) warnLeftOut(s *iostreams.IOStreams, ws string) error {
	trusted, err := o.State.Trusted(ws)
	if err != nil {
		return err
	}
	appeared, err := o.State.Appeared(ws)
	switch {
	case err != nil:
		return err
	case !trusted:
		warn(s, "workspace %s is not trusted, so chat leaves its skills out (agentctl trust)", ws)
	case len(appeared) > 0:
		warn(s, "%s appeared while a program ran, so chat leaves it out until you agree (agentctl trust)", strings.Join(appeared, ", "))
	}
	return nil
}
