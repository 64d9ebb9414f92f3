package sandbox

import (
	"strings"

	"github.com/agentctl/agentctl/pkg/sandbox/internal/stage"
)

// prepare checks policy and command, and fills what every stage needs.
func prepare(h host, p Policy, c Command) (*plan, stage.Config, error) {
	if err := checkCommand(c); err != nil {
		return nil, stage.Config{}, err
	}
	pl, err := h.check(p)
	if err != nil {
		return nil, stage.Config{}, err
	}
	f, err := filterFor(false)
	if err != nil {
		return nil, stage.Config{}, err
	}
	return pl, stage.Config{
		Args: c.Args, Env: pl.env, Dir: pl.dir,
		Rlimits: rlimits(pl.limits), Landlock: pl.innerLandlock(), Filter: f,
	}, nil
}

// explainNamespaces names the cure for a system that forbids user namespaces.
func explainNamespaces(reason string) string {
	if strings.Contains(reason, "ENOSPC") || strings.Contains(reason, "no space left on device") {
		return cureNamespaceLimit
	}
	for _, sign := range []string{"uid map", "RTM_NEWADDR", "Creating new namespace failed", "No permissions to create", "operation not permitted", "keep mounts private"} {
		if strings.Contains(reason, sign) {
			return cureNamespaces
		}
	}
	return ""
}

// cureNamespaceLimit is for a limit that is reached, which can be 0.
const cureNamespaceLimit = "allow more user namespaces: sysctl user.max_user_namespaces=15000; see docs/sandbox.md"

const cureNamespaces = "allow user namespaces: on Ubuntu 24.04 load the AppArmor profile bwrap-userns-restrict (package apparmor-profiles); " +
	"in a container start it with --security-opt seccomp=unconfined --security-opt systempaths=unconfined; see docs/sandbox.md"
