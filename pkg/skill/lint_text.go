package skill

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agentctl/agentctl/internal/frontmatter"
	"github.com/agentctl/agentctl/internal/suggest"
	"github.com/agentctl/agentctl/internal/termtext"
)

const (
	maxCompatibility = 500   // of the standard
	claudeCap        = 1_536 // of Claude Code's index, for one skill
)

// texts checks what the front matter says.
func (c *check) texts() {
	c.description()
	c.keys()
	c.tools()
	s := c.it.Value
	if n := utf8.RuneCountInString(s.Compatibility); n > maxCompatibility {
		c.key("compatibility", "compatibility.too-long", "compatibility has %d characters, at most %d are allowed", n, maxCompatibility)
	}
	for _, child := range s.Doc.Children("metadata") {
		if child.Kind == frontmatter.List || child.Kind == frontmatter.Map {
			c.at(child.Line, child.Column, "metadata.value", "metadata.%s is no text, which the standard wants; agentctl keeps it", child.Key)
		}
	}
}

func (c *check) description() {
	s := c.it.Value
	text := squeeze(s.Description)
	n := utf8.RuneCountInString(text)
	if n > MaxDescription {
		c.key("description", "description.too-long", "the description has %d characters, at most %d are allowed: move details to the body", n, MaxDescription)
	}
	if both := n + utf8.RuneCountInString(squeeze(s.WhenToUse)); both > claudeCap {
		c.key("description", "description.claude-cap", "description and when_to_use have %d characters, Claude Code shows %d", both, claudeCap)
	}
	if at := strings.IndexFunc(s.Description, hides); at >= 0 {
		r, _ := utf8.DecodeRuneInString(s.Description[at:])
		c.key("description", "description.invisible", "the description holds U+%04X, which hides or reorders text: remove it", r)
	}
	switch {
	case strings.Contains(text, "</"):
		c.key("description", "description.tag", "the description holds a closing tag: some clients put it into their prompt as it is")
	case strings.ContainsAny(text, "<>"):
		c.key("description", "description.markup", "the description holds an angle bracket: some clients refuse it")
	}
	if s.WhenToUse == "" && !saysWhen.MatchString(text) {
		c.key("description", "description.no-when", `the description does not say when to use the skill: add "Use when …"`)
	}
}

// saysWhen finds words that tell when a skill applies, in some languages.
var saysWhen = regexp.MustCompile(`(?i)\b(when|whenever|while|if|use (this|it|for|to|in|as)|used? (for|to)|useful|before|after|triggers?|asks?|wants?|needs?)\b|时|時|场景|場合|とき|用于|適用|使用|경우|때|когда|quand|wenn|cuando|quando`)

// hides tells whether a character hides or reorders text.
func hides(r rune) bool {
	return termtext.Invisible(r) || unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r'
}

// claudeKeys are keys that Claude Code reads besides the standard's.
var claudeKeys = []string{
	"when_to_use", "argument-hint", "arguments", "disable-model-invocation", "user-invocable", "disallowed-tools",
	"model", "effort", "context", "agent", "background", "hooks", "paths", "shell",
}

// keys finds keys that the profile's client does not know.
func (c *check) keys() {
	known := frontmatter.SkillKeys()
	switch c.opts.Profile {
	case ProfileSpec, ProfileUpload:
		known = frontmatter.StandardKeys()
	case ProfileClaude:
		known = append(frontmatter.StandardKeys(), claudeKeys...)
	}
	strict := c.opts.Profile == ProfileSpec || c.opts.Profile == ProfileUpload
	for _, key := range c.it.Value.Doc.Keys() {
		if slices.Contains(known, key) || !strict && slices.Contains(known, frontmatter.Canonical(key)) {
			continue
		}
		hint := "it is left alone"
		if near := suggest.Nearest(key, known, 1); len(near) > 0 {
			hint = "did you mean " + near[0] + "?"
		} else if strict {
			hint = "move it below metadata"
		}
		c.key(key, "key.unknown", "the key %q is not known: %s", key, hint)
	}
}

func (c *check) tools() {
	if _, balanced := c.it.Value.Doc.Words("allowed-tools"); !balanced {
		c.key("allowed-tools", "allowed-tools.brackets", "the brackets in allowed-tools do not match: close each one")
	}
	if c.opts.Tools == nil {
		return
	}
	for _, name := range UnknownTools(c.it.Value.AllowedTools, c.opts.Tools) {
		hint := "agentctl tool list shows what there is"
		if near := suggest.Nearest(name, c.opts.Tools, 1); len(near) > 0 {
			hint = "did you mean " + near[0] + "?"
		}
		c.key("allowed-tools", "allowed-tools.unknown", "no tool is called %q: %s", name, hint)
	}
}
