package cli

import (
	"context"
	"os"
	"path/filepath"

	"github.com/agentctl/agentctl/internal/registry"
	"github.com/agentctl/agentctl/internal/workspace"
	"github.com/agentctl/agentctl/pkg/agent/chat"
	"github.com/agentctl/agentctl/pkg/skill"
)

// composePrompt makes the system prompt of a chat that nobody starts, and says what
// trust would add to it.
func (f *Factory) composePrompt(ctx context.Context, ref, modelName string) (string, error) {
	c, _, err := f.composeChat(ctx, chatRequest{App: ref, Model: modelName})
	if err != nil {
		return "", err
	}
	p, err := chat.Compose(ctx, c)
	if err != nil {
		return "", err
	}
	return p.System, f.warnPromptLacks(ctx, c)
}

// warnPromptLacks names in one line what a system prompt leaves out as long as the
// workspace is not trusted: skills of its index, and the configuration.
func (f *Factory) warnPromptLacks(ctx context.Context, c chat.Config) error {
	l, err := c.Skills.Load(ctx)
	if err != nil {
		return err
	}
	var lacks []string
	for _, it := range l.Winners() {
		if it.State == registry.Untrusted && it.Source.Name != skill.SourceWorkspace && c.App.OffersSkill(it) {
			lacks = append(lacks, "the skill "+it.Name)
		}
	}
	ws, err := f.Workspace()
	if err != nil {
		return err
	}
	file := filepath.Join(ws, workspace.ConfigFile)
	trusted, err := f.trustedAt(file)
	if _, missing := os.Stat(file); missing == nil && !trusted {
		lacks = append(lacks, workspace.ConfigFile)
	}
	if len(lacks) > 0 {
		warn(f.IO, "this workspace is not trusted, so the prompt leaves out: %s (agentctl trust)", shorten(lacks, 20))
	}
	return err
}
