package cli

import (
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/workspace"
)

// warnUntrustedWorkspace says in one line what of the workspace the chat leaves
// out, and how to allow it.
func (o *chatOptions) warnUntrustedWorkspace() error {
	ws, err := o.f.Workspace()
	if err != nil {
		return err
	}
	// Sources of packages do not reach a chat before they are built.
	left := slices.DeleteFunc(workspace.Steering(ws), func(place string) bool { return place == "tools" })
	if len(left) > 0 {
		warn(o.IO, "%s is not trusted, so this was left out: %s. Look at it, then run: agentctl trust (or give --trust-workspace for one run)",
			ws, strings.Join(left, ", "))
	}
	return nil
}
