package tui

import (
	"context"

	"github.com/agentctl/agentctl/pkg/agent"
	"github.com/agentctl/agentctl/pkg/agent/chat"
	"github.com/agentctl/agentctl/pkg/agent/model/choose"
	"github.com/agentctl/agentctl/pkg/agent/session"
	"github.com/agentctl/agentctl/pkg/skill"
)

// Start says which session is meant: the zero value is a new one.
type Start struct {
	// Session is an id, or how one begins; Fork copies that of such an id; Last
	// goes on with the one that was used last.
	Session, Fork string
	Last          bool
}

// Opened is a chat with its session.
type Opened struct {
	Chat *chat.Chat
	// ID is the session's, "" when none is kept.
	ID string
	// Resumed: the session had records before.
	Resumed bool
	// Close lets go of the session.
	Close func()
}

// Host is what the program around the screen does for it. Every function may be
// called from any goroutine, one at a time; Models also beside another one.
type Host struct {
	// Open starts a chat whose records go to watch and whose questions to ask.
	Open func(ctx context.Context, s Start, watch func(session.Record), ask agent.Asker) (*Opened, error)
	// Reload composes the chat anew: app, skills, tools, configuration.
	Reload func(context.Context) (chat.Config, error)
	// Model finds a model by the name that a person gives, Models are names
	// that it takes, for Tab.
	Model  func(context.Context, string) (*choose.Choice, error)
	Models func(context.Context) []string
	// Complete fills exit code and error of a turn's result.
	Complete func(context.Context, session.Result, error) session.Result
	// Why says in a sentence why a turn ended without an answer, and what to do.
	Why func(session.Result) (message, hint string)
	// Explain does the same for any other error.
	Explain func(error) (message, hint string)
	// Remember keeps an approval for ever.
	Remember func(ctx context.Context, key string) error
	// Allow adds rules as --allow takes them, for this run: all or, with an error, none.
	Allow func(rules []string) error
	// Disallow takes a rule back, also one for ever, and tells whether it was there.
	Disallow func(ctx context.Context, rule string) (bool, error)
	// Allowed lists the rules: by flag and /allow, by configuration, for ever.
	Allowed func() ([]Rule, error)
	// Trust is the person's agreement to everything in the workspace; it returns
	// the places that were left out until now.
	Trust func(ctx context.Context) ([]string, error)
	// Sessions lists those of the workspace, the one used last first.
	Sessions func(context.Context) ([]SessionRow, error)
	// Export writes a session as Markdown and returns the file.
	Export func(ctx context.Context, id, file string) (string, error)
	// Skills is what the skills panel works on.
	Skills SkillHost
	// Render turns Markdown into text for a terminal of that width.
	Render func(markdown string, width int) string
	// History are the lines typed before, the oldest first; AddHistory appends one.
	History    []string
	AddHistory func(context.Context, string)
	// Workspace is where file names start.
	Workspace string
	// Banner is shown at the start, one line.
	Banner string
}

// Rule is something that runs without asking.
type Rule struct{ Name, From string }

// SessionRow is one session of a list.
type SessionRow struct{ ID, Title, When string }

// SkillHost is what the skills panel does.
type SkillHost struct {
	// List loads all skills of all sources.
	List func(context.Context) (SkillList, error)
	// Body is the text of a skill, for people.
	Body func(context.Context, *skill.Item) (string, error)
	// Switch enables or disables a skill: for this run, or always.
	Switch func(ctx context.Context, name string, on, always bool) error
	// Import takes over an archive or folder and says what it made.
	Import func(ctx context.Context, path string) (string, error)
	// Export packs a skill into a file ("" = its default name) and says where it is.
	Export func(ctx context.Context, it *skill.Item, file string) (string, error)
	// Lint holds a skill to the rules and returns one finding a line.
	Lint func(context.Context, *skill.Item) ([]string, error)
	// Author is the listing that holds author-skill, whatever an app offers.
	Author func(context.Context) (*skill.Listing, error)
}

// SkillList is what the panel shows.
type SkillList struct {
	Rows []SkillRow
	// Broken has a line for each skill that does not load.
	Broken []string
}

// SkillRow is one skill of the panel.
type SkillRow struct {
	Item *skill.Item
	// Cost is its share of the index in characters, 0 for one that is not in it.
	Cost int
}
