package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/agentctl/agentctl/internal/suggest"
	"github.com/agentctl/agentctl/internal/termtext"
	"github.com/agentctl/agentctl/pkg/agent"
	"github.com/agentctl/agentctl/pkg/agent/chat"
	"github.com/agentctl/agentctl/pkg/agent/session"
	"github.com/agentctl/agentctl/pkg/skill"
)

// AuthorSkill is the skill that interviews a person about a new one.
const AuthorSkill = "author-skill"

// reply is what a slash command came to.
type reply struct {
	text   string // for people, safe to print
	err    error
	opened *Opened       // the session to go on with
	say    *session.User // a turn to begin, shown as shown
	shown  string
	skills bool // open the panel
	quit   bool
}

// command is one slash command.
type command struct {
	name, args, help string
	run              func(c *console, ctx context.Context, args string) reply
}

// commands are all of them, in the order of /help.
func commands() []command {
	return []command{
		{"help", "", "what can be typed here", (*console).help},
		{"model", "[MODEL]", "show the model, or let another one answer", (*console).model},
		{"skills", "", "the skills panel", func(*console, context.Context, string) reply { return reply{skills: true} }},
		{"skill", "NAME [ARGS]", "follow a skill now", (*console).invokeNamed},
		{"tools", "[last]", "the model's tools, or the last calls in full", (*console).tools},
		{"allow", "[[-]NAME…]", "show what runs without asking, allow more or less", (*console).allow},
		{"new", "", "begin a new session", (*console).fresh},
		{"resume", "[ID]", "list sessions, or go on with one", (*console).resume},
		{"fork", "", "go on with a copy of this session", (*console).fork},
		{"compact", "", "replace the history by a summary", (*console).compact},
		{"export", "[FILE]", "write the session as Markdown", (*console).export},
		{"usage", "", "turns, answers and tokens of this session", (*console).usageText},
		{"reload", "", "read app, skills and tools anew", (*console).reload},
		{"trust", "", "let what was left out of this workspace steer the chat", (*console).trust},
		{"quit", "", "leave (also Ctrl-D)", func(*console, context.Context, string) reply { return reply{quit: true} }},
	}
}

// console runs slash commands. It is used by one command at a time.
type console struct {
	host  Host
	cur   *Opened
	watch func(session.Record)
	ask   agent.Asker
	// last are the calls of the last turn that had any.
	last calls
}

// isCommand tells whether a line is a slash command and not a path.
func isCommand(line string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	return strings.HasPrefix(word, "/") && !strings.Contains(word[1:], "/") && word != "/"
}

// run runs one line that begins with a slash.
func (c *console) run(ctx context.Context, line string) reply {
	word, args, _ := strings.Cut(strings.TrimSpace(line), " ")
	name, args := word[1:], strings.TrimSpace(args)
	for _, cmd := range commands() {
		if cmd.name == name {
			return cmd.run(c, ctx, args)
		}
	}
	return c.invoke(ctx, name, args)
}

func (c *console) help(ctx context.Context, _ string) reply {
	var b strings.Builder
	for _, cmd := range commands() {
		b.WriteString(entry("/"+cmd.name+" "+cmd.args, cmd.help))
	}
	items, err := c.cur.Chat.Invocable(ctx)
	if err != nil {
		return reply{err: err}
	}
	for _, it := range items {
		b.WriteString(entry("/"+it.Name+" "+it.Value.ArgumentHint, it.Value.Description))
	}
	b.WriteString(`
Enter sends; Alt-Enter, Ctrl-J or \ at the end of a line begins a new line.
Tab completes commands, skills and files. Up and Down recall what was typed.
What you send while the agent works is said when it is done.
Esc or Ctrl-C stops the running step. Ctrl-O shows the last calls in full.`)
	return reply{text: b.String()}
}

// entry is a name and what it is about, on one line of a terminal of 80 columns.
func entry(name, about string) string {
	name = termtext.Line(strings.TrimSpace(name))
	name += strings.Repeat(" ", max(21-ansi.StringWidth(name), 0))
	room := max(78-ansi.StringWidth(name), 20)
	return fmt.Sprintf("%s %s\n", name, ansi.Truncate(termtext.Line(about), room, "…"))
}

func short(text string, n int) string {
	r := []rune(termtext.Line(text))
	if len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return string(r)
}

func (c *console) model(ctx context.Context, name string) reply {
	if name == "" {
		m := c.cur.Chat.Model()
		text := m.Name
		if m.ContextWindow > 0 {
			text += fmt.Sprintf(" (window of %d tokens)", m.ContextWindow)
		}
		return reply{text: termtext.Line(text) + "\n/model MODEL lets another one answer, named as with --model."}
	}
	m, err := c.host.Model(ctx, name)
	if err != nil {
		return reply{err: err}
	}
	if err := c.cur.Chat.SetModel(m); err != nil {
		return reply{err: err}
	}
	return reply{text: termtext.Line(m.Name) + " answers from now on."}
}

func (c *console) invokeNamed(ctx context.Context, args string) reply {
	name, rest, _ := strings.Cut(args, " ")
	if name == "" {
		return reply{err: errors.New("which skill? /skill NAME [ARGS]; /skills shows them")}
	}
	return c.invoke(ctx, name, strings.TrimSpace(rest))
}

// invoke seeds a turn with a skill's body, as the user's own invocation.
func (c *console) invoke(ctx context.Context, name, args string) reply {
	user, err := c.cur.Chat.Invoke(ctx, name, args)
	if _, missing := errors.AsType[*skill.NotFoundError](err); missing && name == AuthorSkill {
		return c.author(ctx, args) // as new in the panel, whatever the app offers
	}
	if err != nil {
		return reply{err: c.unknown(ctx, name, err)}
	}
	return reply{say: &user, shown: strings.TrimSpace("/" + name + " " + args)}
}

// unknown explains a name that is neither a command nor a skill to call.
func (c *console) unknown(ctx context.Context, name string, err error) error {
	if _, ok := errors.AsType[*skill.NotFoundError](err); !ok {
		return err
	}
	why, werr := c.cur.Chat.WhyNot(ctx, name)
	if werr != nil {
		return werr
	}
	if why != "" {
		return withheld(name, why)
	}
	var known []string
	for _, cmd := range commands() {
		known = append(known, cmd.name)
	}
	if items, err := c.cur.Chat.Invocable(ctx); err == nil {
		for _, it := range items {
			known = append(known, it.Name)
		}
	}
	text := fmt.Sprintf("there is no command and no skill /%s", name)
	if near := suggest.Nearest(name, known, 2); len(near) > 0 {
		text += "; did you mean /" + strings.Join(near, " or /") + "?"
	}
	return errors.New(text + " (/help lists all)")
}

// withheld says why a skill that is there cannot be called, and what to do.
func withheld(name string, why chat.Withheld) error {
	words := map[chat.Withheld]string{
		chat.Untrusted: "was left out, because the workspace is not trusted: look at it in /skills, then type /trust",
		chat.Appeared:  "was left out, because a program made its folder: look at it in /skills, then type /trust",
		chat.Disabled:  "is disabled: /skills switches it on",
		chat.ModelOnly: "is for the model alone (user-invocable: false): ask for what it does",
		chat.NotInApp:  "is not offered by the app of this chat: name it under skills in its APP.md",
	}
	return fmt.Errorf("the skill /%s %s", name, words[why])
}

// author is the interview about a new skill.
func (c *console) author(ctx context.Context, args string) reply {
	l, err := c.host.Skills.Author(ctx)
	if err != nil {
		return reply{err: err}
	}
	user, err := c.cur.Chat.InvokeFrom(ctx, l, AuthorSkill, args)
	if err != nil {
		return reply{err: err}
	}
	return reply{say: &user, shown: strings.TrimSpace("/" + AuthorSkill + " " + args)}
}

func (c *console) tools(_ context.Context, args string) reply {
	switch args {
	case "last":
		return reply{text: c.lastCalls()}
	case "":
	default:
		return reply{err: errors.New("/tools takes nothing, or last")}
	}
	var b strings.Builder
	for _, t := range c.cur.Chat.Tools() {
		spec := t.Spec()
		b.WriteString(entry(spec.Name, spec.Description))
	}
	if b.Len() == 0 {
		return reply{text: "The model has no tools here."}
	}
	return reply{text: b.String() + "\n/tools last shows the last calls in full."}
}

func (c *console) lastCalls() string {
	if len(c.last) == 0 {
		return "No tool was called yet."
	}
	return c.last.full()
}

// allow takes names to allow and, after a hyphen, names to take back.
func (c *console) allow(ctx context.Context, args string) reply {
	var more, back []string
	for _, name := range agent.SplitRules(strings.Fields(args)) {
		if rule, off := strings.CutPrefix(name, "-"); off {
			back = append(back, rule)
		} else {
			more = append(more, name)
		}
	}
	if len(more)+len(back) == 0 {
		return c.allowed()
	}
	var lines []string
	if len(more) > 0 {
		if err := c.host.Allow(more); err != nil {
			return reply{err: err}
		}
		lines = append(lines, "Runs without asking in this chat: "+termtext.Line(strings.Join(more, ", ")))
	}
	for _, rule := range back {
		line, err := c.disallow(ctx, rule)
		if err != nil {
			return reply{err: err}
		}
		lines = append(lines, line)
	}
	return reply{text: strings.Join(lines, "\n")}
}

func (c *console) allowed() reply {
	rules, err := c.host.Allowed()
	if err != nil {
		return reply{err: err}
	}
	var b strings.Builder
	b.WriteString("Runs without asking: reads, and package commands that need no network.\n")
	for _, r := range rules {
		b.WriteString(entry(r.Name, r.From))
	}
	b.WriteString("/allow NAME allows more in this chat: a tool, exec:PROGRAM, PKG, PKG:CMD, network.\n")
	b.WriteString("/allow -NAME takes it back, also what was allowed always.")
	return reply{text: b.String()}
}

func (c *console) disallow(ctx context.Context, rule string) (line string, err error) {
	had, err := c.host.Disallow(ctx, rule)
	if err != nil {
		return "", err
	}
	if !had {
		return fmt.Sprintf("%q was allowed neither in this chat nor always; /allow lists what is, also by the configuration.", rule), nil
	}
	return "Asks again from now on: " + termtext.Line(rule), nil
}
