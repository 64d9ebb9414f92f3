package cli

// shape is the JSON that a verb prints with --json. The schemas in
// docs/schemas are generated from these values, and a test validates the output
// of real runs against them.
type shape struct {
	Verb  string // as typed after agentctl, e.g. "skill list"
	Value any    // a zero value of the printed type
}

// shapes lists every --json shape.
func shapes() []shape {
	return []shape{
		{"error", errorJSON{}},
		{"app lint", appLintJSON{}},
		{"app list", appListJSON{}},
		{"app prompt", appPromptJSON{}},
		{"app show", appShowJSON{}},
		{"config path", configPathJSON{}},
		{"config show", configShowJSON{}},
		{"skill index", skillIndexJSON{}},
		{"skill list", skillListJSON{}},
		{"skill read", skillReadJSON{}},
		{"skill save", skillSaveJSON{}},
		{"sandbox doctor", sandboxDoctorJSON{}},
		{"sandbox run", sandboxRunJSON{}},
		{"trust", trustJSON{}},
		{"version", versionJSON{}},
	}
}
