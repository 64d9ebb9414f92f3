package cli

import "github.com/agentctl/agentctl/pkg/toolpkg"

// toolKind maps the errors of pkg/toolpkg.
func toolKind(err error) (kind string, exit int, hint string, ok bool) {
	if e, is := as[*toolpkg.CollisionError](err); is {
		return "collision", exitCheck, e.Cure(), true
	}
	if _, is := as[*toolpkg.BuildError](err); is {
		return "build", exitFailed, "", true
	}
	if e, is := as[*toolpkg.DescribeError](err); is {
		return "contract", exitFailed, "run the launcher yourself, or " + e.Cure() + "; the contract is in docs/tool-authoring.md", true
	}
	if _, is := as[*toolpkg.NameError](err); is {
		return "usage", exitUsage, "choose another name", true
	}
	if _, is := as[*toolpkg.ExistsError](err); is {
		return "exists", exitFailed, "choose another name; nothing is overwritten", true
	}
	return toolpkg.ErrorKind(err)
}
