package cli

import "github.com/agentctl/agentctl/pkg/toolpkg"

// shape is the JSON that a verb prints with --json. The schemas in
// docs/schemas are generated from these values, and a test validates the output
// of real runs against them.
type shape struct {
	Verb  string // as typed after agentctl, e.g. "skill list"; with a flag that has a shape of its own
	Value any    // a zero value of the printed type
}

// shapes lists every --json shape.
func shapes() []shape {
	return []shape{
		{"error", errorJSON{}},
		{"app lint", lintJSON{}},
		{"app list", appListJSON{}},
		{"app prompt", appPromptJSON{}},
		{"app show", appShowJSON{}},
		{"chat", chatJSON{}},
		{"chat --check", chatCheckJSON{}},
		{"completion", completionJSON{}},
		{"config path", configPathJSON{}},
		{"config show", configShowJSON{}},
		{"session export", sessionExportJSON{}},
		{"session list", sessionListJSON{}},
		{"session rename", sessionRenameJSON{}},
		{"session rm", sessionRmJSON{}},
		{"session show", sessionShowJSON{}},
		{"skill disable", skillSwitchJSON{}},
		{"skill enable", skillSwitchJSON{}},
		{"skill export", skillExportJSON{}},
		{"skill import", skillImportJSON{}},
		{"skill index", skillIndexJSON{}},
		{"skill lint", skillLintJSON{}},
		{"skill list", skillListJSON{}},
		{"skill new", skillNewJSON{}},
		{"skill prepare", skillPrepareJSON{}},
		{"skill promote", skillPromoteJSON{}},
		{"skill read", skillReadJSON{}},
		{"skill save", skillSaveJSON{}},
		{"skill sync", skillSyncJSON{}},
		{"sandbox doctor", sandboxDoctorJSON{}},
		{"sandbox run", sandboxRunJSON{}},
		{"tool describe", toolDescribeJSON{}},
		{"tool describe --prompt", toolPromptJSON{}},
		{"tool invoke", toolpkg.InvokeResult{}},
		{"tool lint", lintJSON{}},
		{"tool list", toolListJSON{}},
		{"tool new", toolpkg.NewResult{}},
		{"tool prebuild", toolPrebuildJSON{}},
		{"tool prebuild --key", toolKeyJSON{}},
		{"trust", trustJSON{}},
		{"version", versionJSON{}},
	}
}
