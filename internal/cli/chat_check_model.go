package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/pkg/agent/app"
	"github.com/agentctl/agentctl/pkg/agent/check"
	"github.com/agentctl/agentctl/pkg/agent/model/choose"
)

// chatCheckJSON is what `chat --check --json` prints.
type chatCheckJSON struct {
	Model string `json:"model"`
	From  string `json:"from"`
	// Found: nobody named it; it is the only one there is.
	Found    bool   `json:"found"`
	Provider string `json:"provider"`
	URL      string `json:"url"` // "" for a script
	// Streams, and after how many milliseconds the first words came.
	Streams bool  `json:"streams"`
	FirstMS int64 `json:"first_ms"`
	// ToolCalls is native, text or none.
	ToolCalls string `json:"tool_calls"`
	ToolMode  string `json:"tool_mode"` // as configured
	// The windows are in tokens, 0 when they are not known or not configured.
	ContextWindow    int                `json:"context_window"`
	ConfiguredWindow int                `json:"configured_window"`
	WindowSource     string             `json:"window_source"`
	Findings         []checkFindingJSON `json:"findings"`
	// Config are lines for agentctl.yaml, "" when nothing is to be set.
	Config string `json:"config"`
	Exit   int    `json:"exit"`
}

type checkFindingJSON struct {
	// Differs: the model works, but not as configured.
	Differs bool   `json:"differs"`
	Text    string `json:"text"`
}

// checkModel asks the model of a chat whether it does what a chat needs.
func (o *chatOptions) checkModel(ctx context.Context) error {
	if o.HasPrompt || o.Stdin || o.Output == outputStreamJSON || o.Continue || o.Session != "" || o.Fork != "" {
		return usageError{message: "--check asks questions of its own: it takes no prompt, no session and no stream-json", hint: "agentctl chat --check [--model MODEL] [--json]"}
	}
	choice, err := o.chosenModel(ctx)
	if err != nil {
		return checkError(ctx, err)
	}
	report, err := check.Run(ctx, check.Options{Choice: choice, Now: o.f.Now, Tell: func(text string) { warn(o.IO, "%s", text) }})
	if err == nil && choice.Done != nil {
		err = choice.Done() // a script that was not followed to its end
	}
	if err != nil {
		return checkError(ctx, err)
	}
	out := checkShape(choice, report)
	if err := o.printCheck(out); err != nil {
		return err
	}
	if out.Exit != exitOK {
		return exitError(out.Exit)
	}
	return nil
}

// checkError is [chatError] without a session to go on with.
func checkError(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return hintedError{
			err:  lateError("the model did not answer in time"),
			hint: "raise --timeout: a server may take a minute to load a model",
		}
	}
	return chatError(ctx, err)
}

// chosenModel is the one that a chat with these flags would ask.
func (o *chatOptions) chosenModel(ctx context.Context) (*choose.Choice, error) {
	conf, err := o.f.chatConfig()
	if err != nil {
		return nil, err
	}
	a, err := o.f.App(ctx, cmp.Or(o.App, conf.Chat.App, app.DefaultName))
	if err != nil {
		return nil, err
	}
	if err := a.RequireTrust(); err != nil {
		return nil, err
	}
	return o.f.chooseModel(ctx, o.Model, a.Model, conf.Config)
}

func checkShape(c *choose.Choice, r *check.Report) chatCheckJSON {
	out := chatCheckJSON{
		Model: c.Name, From: c.From, Found: c.Found, Provider: c.Provider, URL: c.Server.BaseURL,
		Streams: r.Streaming.OK(), FirstMS: r.Streaming.First.Milliseconds(),
		ToolCalls: r.Tools.Calls, ToolMode: cmp.Or(c.ToolMode, "auto"),
		ContextWindow: r.Window.Tokens, ConfiguredWindow: c.ContextWindow, WindowSource: r.Window.Source,
		Findings: []checkFindingJSON{}, Config: r.Config, Exit: exitOK,
	}
	for _, f := range r.Findings {
		out.Findings = append(out.Findings, checkFindingJSON{f.Differs, f.Text})
	}
	if r.Differs() {
		out.Exit = exitCheck
	}
	return out
}

func (o *chatOptions) printCheck(out chatCheckJSON) error {
	if o.Output == outputJSON {
		return writeJSON(o.IO.Out, out)
	}
	if err := writeTable(o.IO, []string{"check", "result", "detail"}, out.rows()); err != nil {
		return err
	}
	for _, f := range out.Findings {
		mark := "note"
		if f.Differs {
			mark = "differs"
		}
		fmt.Fprintf(o.IO.Err, "agentctl: %s: %s\n", mark, termtext.Line(f.Text))
	}
	if out.Config == "" {
		return nil
	}
	file := o.f.Dirs.ConfigFile()
	fmt.Fprintf(o.IO.Err, "agentctl: set this in %s, or in agentctl.yaml of the workspace:\n", termtext.Line(file))
	_, err := fmt.Fprintf(o.IO.Out, "\n%s", termtext.Block(out.Config))
	return err
}

// rows are the checks as a table.
func (c chatCheckJSON) rows() [][]string {
	streams := "no"
	if c.Streams {
		streams = "yes"
	}
	window, source := "unknown", "the server does not say"
	if c.ContextWindow > 0 {
		window, source = strconv.Itoa(c.ContextWindow), "from "+c.WindowSource
	}
	if c.ConfiguredWindow > 0 {
		source += "; " + strconv.Itoa(c.ConfiguredWindow) + " configured or usual"
	}
	from := "from " + c.From
	if c.Found {
		from = c.From
	}
	return [][]string{
		{"model", c.Model, from},
		{"reachable", "yes", cmp.Or(c.URL, "a script, no server")},
		{"streams", streams, fmt.Sprintf("first words after %s", (time.Duration(c.FirstMS) * time.Millisecond).String())},
		{"tool calls", c.ToolCalls, "tool_mode: " + c.ToolMode},
		{"window", window, source},
	}
}

// checkKind maps the errors of a check.
func checkKind(err error) (kind string, exit int, hint string, ok bool) {
	e, ok := as[*check.UnknownModelError](err)
	if !ok {
		return "", 0, "", false
	}
	if len(e.Nearest) > 0 {
		hint = "did you mean " + strings.Join(e.Nearest, " or ") + "?\n"
	}
	return "not_found", exitUsage, hint + "it has: " + shorten(e.Known, 20), true
}
