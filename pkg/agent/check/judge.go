package check

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/agentctl/agentctl/pkg/agent"
	"github.com/agentctl/agentctl/pkg/agent/model/choose"
)

const (
	// smallWindow is below what a chat with skills and tools is comfortable with;
	// goodWindow is what it should have.
	smallWindow = 8192
	goodWindow  = 32768
)

// judge compares what was found with what is configured, and says what to set.
func (r *Report) judge(c *choose.Choice) {
	set := &settings{}
	r.judgeStreaming()
	r.judgeTools(c, set)
	r.judgeWindow(c, set)
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		switch {
		case a.Differs == b.Differs:
			return 0
		case a.Differs:
			return -1
		}
		return 1
	})
	if c.Server.BaseURL != "" { // a script is no entry that could be set
		r.Config = set.text(c)
	}
}

func (r *Report) differs(format string, args ...any) {
	r.Findings = append(r.Findings, Finding{Differs: true, Text: fmt.Sprintf(format, args...)})
}

func (r *Report) note(format string, args ...any) {
	r.Findings = append(r.Findings, Finding{Text: fmt.Sprintf(format, args...)})
}

func (r *Report) judgeStreaming() {
	switch r.Streaming.Pieces {
	case 0:
		r.differs("the model answered with nothing at all")
	case 1:
		r.differs("the answer came in one piece: nothing will be seen of it before it is complete; a proxy in between may collect it")
	}
}

func (r *Report) judgeTools(c *choose.Choice, set *settings) {
	t := r.Tools
	switch {
	case t.Calls == None && t.Refused != "":
		r.differs("the model calls no tools: %s; use another model, or an app with tools: []", t.Refused)
	case t.Calls == None:
		r.differs("the model called no tool, neither by a function call nor as text; use another model, or an app with tools: []")
	case !t.TextMode && t.Calls == Text:
		r.note("the model writes its calls into the text; they are found there")
	case t.TextMode && c.ToolMode == agent.ToolModeText:
		// as configured
	case t.TextMode && t.Refused != "" && c.ToolMode != agent.ToolModeNative:
		r.note("the server takes no tools (%s); every session finds out anew and goes over to text mode, unless it is set", t.Refused)
		set.add("tool_mode", agent.ToolModeText)
	case t.TextMode:
		r.differs("the model calls tools in text mode only, and tool_mode is %s", orAuto(c.ToolMode))
		set.add("tool_mode", agent.ToolModeText)
	}
	if t.Calls != None && !t.Used {
		r.note("it called the tool, but its answer does not have what the tool said: it may be too weak for tasks of several steps")
	}
}

func orAuto(mode string) string {
	if mode == "" {
		return agent.ToolModeAuto
	}
	return mode
}

func (r *Report) judgeWindow(c *choose.Choice, set *settings) {
	w := r.Window
	switch {
	case w.Tokens == 0 && c.Server.BaseURL == "":
		// a script has the window that is written into it
	case w.Tokens == 0 && c.ContextWindow == 0 && w.Max > 0:
		r.note("the server does not say how large the window is now, at most %d tokens; set context_window to what it runs with", w.Max)
	case w.Tokens == 0 && c.ContextWindow == 0:
		r.note("the server does not say how large the window is; set context_window if you know it, so that long chats are compacted in time")
	case w.Tokens > 0 && c.ContextWindow > w.Tokens:
		r.differs("the window is %d tokens, and %d are configured or usual for this model: long chats will fail or lose their beginning", w.Tokens, c.ContextWindow)
		set.add("context_window", strconv.Itoa(w.Tokens))
	case w.Tokens > 0 && c.ContextWindow == 0:
		r.note("the window of %d tokens is not configured; set it, so that long chats are compacted in time", w.Tokens)
		set.add("context_window", strconv.Itoa(w.Tokens))
	}
	if w.Tokens > 0 && w.Tokens < smallWindow {
		r.note("a window of %d tokens is small for a chat with skills and tools. %s", w.Tokens, fix(c, goodWindow))
	}
}

// fix tells how to get a larger window.
func fix(c *choose.Choice, tokens int) string {
	if c.WindowFix == "" {
		return fmt.Sprintf("Start the server with a window of %d", tokens)
	}
	return fmt.Sprintf(c.WindowFix, tokens)
}

// settings are keys of an entry of models, in order.
type settings struct{ keys, values []string }

func (s *settings) add(key, value string) {
	s.keys, s.values = append(s.keys, key), append(s.values, value)
}

// text is the entry: a new one for a model without, else the keys to set in the
// one that is there.
func (s *settings) text(c *choose.Choice) string {
	if len(s.keys) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "models:\n  - name: %s\n", scalar(c.Name))
	if !c.Entry {
		if !c.Server.FromEnv {
			fmt.Fprintf(&b, "    provider: %s\n", scalar(c.Provider))
		}
		if c.Server.ID != c.Name {
			fmt.Fprintf(&b, "    id: %s\n", scalar(c.Server.ID))
		}
	}
	for i, key := range s.keys {
		fmt.Fprintf(&b, "    %s: %s\n", key, s.values[i])
	}
	return b.String()
}

var plain = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._/-]*$`)

// scalar is a text in YAML.
func scalar(text string) string {
	if plain.MatchString(text) && !slices.Contains([]string{"true", "false", "null", "yes", "no", "on", "off"}, strings.ToLower(text)) {
		return text
	}
	return strconv.Quote(text)
}
