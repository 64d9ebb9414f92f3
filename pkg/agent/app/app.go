// Package app reads apps: which model, prompt, skills and tools a chat gets.
//
// An app is a folder with APP.md; a profile is a variant of it, a folder below
// profiles/ with an APP.md of its own and skills that nobody else sees. Use
// [Library.Open] to get one composed [App], and [Check] before a chat starts
// with it: an app that names what does not exist is refused, not shrunk.
//
// Apps are read strictly: an unknown key is an error, since a dropped line
// would change rights.
package app

import (
	"fmt"
	"io/fs"
	"slices"

	"github.com/agentctl/agentctl/internal/diag"
)

// ManifestFile is the file that makes a folder an app, and a folder below
// profiles/ a profile.
const ManifestFile = "APP.md"

// DefaultName is the app of a chat that names none, and the profile of an app
// that is opened without one, as far as the app has it.
const DefaultName = "default"

// The values of [App.Inventory]; "" leaves the choice to the model's entry.
const (
	InventoryAuto   = "auto"
	InventoryAlways = "always"
	InventoryNever  = "never"
)

// App is one app with one of its profiles merged in.
type App struct {
	Name string
	// Profile is the folder name of the profile, "" for the app alone.
	Profile string
	// Profiles are the names of all profiles of the app, sorted.
	Profiles    []string
	Description string
	// Model is a model as --model takes it; "" means none was given.
	Model string
	// Inventory is auto, always, never, or "" when it was not given.
	Inventory string
	// Prompt is the app's body, a blank line, the profile's body.
	Prompt string
	// Skills are the shared skills that are offered: missing means none.
	Skills Selection
	// SkillSources are the classes of skills in use: workspace, shared and
	// package unless the app says otherwise.
	SkillSources []string
	// NoSkills: the app gave an empty list of sources. The chat has neither index
	// nor read_skill.
	NoSkills bool
	// Tools are built-in tools, "pkg" and "pkg:cmd": missing means the built-ins,
	// All every prebuilt package.
	Tools Selection
	// Aliases give commands another function name: name to "pkg:cmd".
	Aliases map[string]string
	// ContextFiles are paths in the workspace that join the prompt if they exist.
	ContextFiles []string
	// PackageSkills is the profile's .skill folder, "" when there is none. For an
	// embedded app it is a label, and PackageSkillsFS holds the files.
	PackageSkills   string
	PackageSkillsFS fs.FS
	// Source is the class of the source: workspace, user, embedded or path.
	Source string
	// Dir is the app's folder, File its APP.md, ProfileFile the profile's.
	Dir, File, ProfileFile string
	// Untrusted: the app came with a workspace that may not steer a model.
	Untrusted bool
	// Diagnostics are warnings about the two files.
	Diagnostics []diag.Diagnostic

	// Instead are the errors of an app of this name that comes first and does not
	// load, so that this one is used in its place.
	Instead []diag.Diagnostic

	places map[string]place // where each key was set last
}

// Selection is a list of names that tells missing, empty and "*" apart.
type Selection struct {
	Set   bool     // the key was given
	All   bool     // "*" was given, alone or in the list
	Names []string // the other names, in the order of the file
}

// Has tells whether the list names exactly this.
func (s Selection) Has(name string) bool { return slices.Contains(s.Names, name) }

// place is where a key stands.
type place struct {
	file string
	line int
}

// Ref is the app as --app takes it: APP or APP/PROFILE.
func (a *App) Ref() string {
	if a.Profile == "" {
		return a.Name
	}
	return a.Name + "/" + a.Profile
}

// RequireTrust returns an [*UntrustedError] when the app came with a workspace
// that is not trusted. Everything that starts a model calls it; verbs that only
// read do not.
func (a *App) RequireTrust() error {
	if !a.Untrusted {
		return nil
	}
	return &UntrustedError{App: a.Ref(), File: a.File}
}

// UntrustedError reports an app that may not start a chat yet.
type UntrustedError struct{ App, File string }

func (e *UntrustedError) Error() string {
	return fmt.Sprintf("app %q comes from %s, a workspace that is not trusted", e.App, e.File)
}
