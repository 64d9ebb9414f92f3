package cli

import "github.com/agentctl/agentctl/pkg/sandbox"

// sandboxKind maps what a sandbox says about itself and about a program that it
// could not run.
func sandboxKind(err error) (kind string, exit int, hint string, ok bool) {
	if e, is := as[*sandbox.Fault](err); is {
		return "sandbox", exitSandbox, e.Cure, true
	}
	if e, is := as[*sandbox.PolicyError](err); is {
		return "sandbox_policy", exitUsage, e.Cure, true
	}
	if _, is := as[*sandbox.NotFoundError](err); is {
		return "program_not_found", exitMissing, "give its path, such as ./tool or /usr/local/go/bin/go; by name only what stands on the sandbox's own PATH is found", true
	}
	if _, is := as[*sandbox.NotExecutableError](err); is {
		return "not_executable", exitBroken, "", true
	}
	return "", 0, "", false
}
