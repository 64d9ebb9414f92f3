package cli

import "github.com/agentctl/agentctl/pkg/agent/app"

// appKind maps the errors of apps.
func appKind(err error) (kind string, exit int, hint string, ok bool) {
	if _, is := as[*app.UntrustedError](err); is {
		return "untrusted", exitRefused, "look at the workspace, then run: agentctl trust (or give --trust-workspace for one run)", true
	}
	return "", 0, "", false
}
