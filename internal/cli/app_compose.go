package cli

import (
	"context"

	"github.com/agentctl/agentctl/pkg/agent/chat"
)

// composePrompt makes the system prompt of a chat that nobody starts.
func (f *Factory) composePrompt(ctx context.Context, ref, modelName string) (string, error) {
	c, _, err := f.composeChat(ctx, chatRequest{App: ref, Model: modelName})
	if err != nil {
		return "", err
	}
	p, err := chat.Compose(ctx, c)
	return p.System, err
}
