package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/iostreams"
	"github.com/agentctl/agentctl/internal/tui"
	"github.com/agentctl/agentctl/pkg/skill"
)

type skillPanelOptions struct {
	IO *iostreams.IOStreams
	f  *Factory
}

func newSkillPanelCmd(f *Factory, run func(context.Context, *skillPanelOptions) error) *cobra.Command {
	opts := &skillPanelOptions{IO: f.IO, f: f}
	if run == nil {
		run = runSkillPanel
	}
	return &cobra.Command{
		Use: "panel", Short: "Look at skills and change them on one screen",
		Long: `Show all skills with their source, state and cost in the model's index, on the
terminal: read one, enable or disable it, write a new one with the model, import,
export, lint. The same panel is /skills in a chat.

It needs a terminal; agentctl skill list is for scripts.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), opts) },
	}
}

func runSkillPanel(ctx context.Context, o *skillPanelOptions) error {
	if !o.IO.InTTY || !o.IO.OutTTY || o.IO.NoInput || o.f.Getenv("TERM") == "dumb" {
		return usageError{message: "the skills panel needs a terminal", hint: "agentctl skill list shows the same as lines, with --json as JSON"}
	}
	all := func(context.Context) (SkillScope, func(*skill.Item) bool, error) { return SkillScope{}, nil, nil }
	author, err := tui.RunPanel(ctx, tui.PanelOptions{
		Skills: o.f.skillHost(all), In: o.IO.In, Out: o.IO.Out, Color: o.IO.Color, Render: screenMarkdown(o.IO.Color),
	})
	if err != nil || author == nil {
		return chatError(ctx, err)
	}
	chat := &chatOptions{IO: o.IO, f: o.f, Output: outputText}
	return chat.runInteractive(ctx, author)
}
