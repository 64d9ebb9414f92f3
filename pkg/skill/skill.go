package skill

import (
	"context"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/frontmatter"
	"github.com/agentctl/agentctl/internal/registry"
)

// ManifestName is the file that makes a folder a skill.
const ManifestName = "SKILL.md"

// Skill is what one SKILL.md says.
type Skill struct {
	// Name is as written, or the folder's name where none is written.
	Name string
	// Description is never empty; white space is as written.
	Description string
	// WhenToUse is appended to the description in the index.
	WhenToUse string
	// ArgumentHint is raw text for help.
	ArgumentHint string
	// Aliases are other names that it answers to.
	Aliases []string
	// Given is the name in another script that it was saved under, "" for none.
	Given string
	// AllowedTools are the tools that the skill asks for; they never grant anything.
	AllowedTools []string
	// UserInvocable skills are offered as /name in chat.
	UserInvocable bool
	// DisableModelInvocation hides the skill from models, not from people.
	DisableModelInvocation bool
	License, Compatibility string
	// Body is the text below the front matter, with LF line ends.
	Body string
	// BodyLine is the line of the file at which Body starts.
	BodyLine int
	// Doc is the whole file, for rewriting and for keys that are not fields here.
	Doc *frontmatter.Document

	findings []Diagnostic // of the reader, for lint alone
	cacheDir string       // where an embedded skill gets a real folder
}

// What the registry finds, for skills.
type (
	// Item is one skill that loaded.
	Item = registry.Item[*Skill]
	// Listing is the result of one scan.
	Listing = registry.Listing[*Skill]
	// Source is one root of skills.
	Source = registry.Source
	// NotFoundError reports a name that no skill has.
	NotFoundError = registry.NotFoundError
	// BrokenError reports that the only skill of a name does not load.
	BrokenError = registry.BrokenError
	// WithheldError reports a skill that models do not get.
	WithheldError = registry.WithheldError
	// Diagnostic is one finding in a file.
	Diagnostic = diag.Diagnostic
)

// Resolver is the one seam: everything that lists, indexes, reads, exports or
// lints by name goes through it.
type Resolver interface {
	// Load scans the sources; the error is only that of ctx.
	Load(ctx context.Context) (*Listing, error)
}
