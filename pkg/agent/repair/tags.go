package repair

import (
	"slices"
	"strings"
)

type kind int

const (
	thinkOpen kind = iota
	thinkClose
	callOpen
	callClose
)

// tag is a text that opens or closes something.
type tag struct {
	text  string
	kind  kind
	close string // of a callOpen, "" when the end of the JSON is the end
}

var tags = []*tag{
	{text: "<think>", kind: thinkOpen},
	{text: "<thinking>", kind: thinkOpen},
	{text: "</think>", kind: thinkClose},
	{text: "</thinking>", kind: thinkClose},
	{text: "[THINK]", kind: thinkOpen}, // Mistral
	{text: "[/THINK]", kind: thinkClose},
	{text: "<tool_call>", kind: callOpen, close: "</tool_call>"},
	{text: "<function_call>", kind: callOpen, close: "</function_call>"},
	{text: "<function=", kind: callOpen, close: "</function>"},
	{text: "[TOOL_CALLS]", kind: callOpen},
	{text: "</tool_call>", kind: callClose},
	{text: "</function_call>", kind: callClose},
	{text: "</function>", kind: callClose},
	{text: "[/TOOL_CALLS]", kind: callClose},
}

// findTag returns the tag that text begins with. wait: it may be one, when more
// comes.
func findTag(text string, final bool) (t *tag, wait bool) {
	if text[0] != '<' && text[0] != '[' {
		return nil, false
	}
	for _, t := range tags {
		if strings.HasPrefix(text, t.text) {
			return t, false
		}
		wait = wait || strings.HasPrefix(t.text, text)
	}
	return nil, wait && !final
}

// code follows Markdown as far as it takes to know whether a place is code or a
// quotation.
type code struct {
	lineStart bool // only blanks since the line began
	fence     string
	inline    int  // length of the run of backticks that opened it
	quoted    bool // the line begins with > or is indented code
	indent    int  // blanks since the line began
	spoken    bool // there is text on a line before
	mayIndent bool // an indented line is code here: after an empty line, or more code
	last      [3]byte
}

var atLineStart = code{lineStart: true}

// inside tells whether what follows is code or quoted, so that it means nothing.
func (c *code) inside() bool {
	return c.fence != "" || c.inline > 0 || c.quoted || c.lineStart && c.indented() || c.afterQuote()
}

// indented tells whether the blanks of the line make it code.
func (c *code) indented() bool {
	const enough = 4
	return c.mayIndent && c.indent >= enough
}

// quotes open a quotation of a few words.
var quotes = []string{"“", "‘", "„", "«"}

// afterQuote tells whether a quotation was just opened. The plain marks open one
// only where a word could begin; elsewhere they close it.
func (c *code) afterQuote() bool {
	before, last := c.last[1], c.last[2]
	if last == '"' || last == '\'' {
		return strings.IndexByte("\x00 \t\r\n([{:", before) >= 0
	}
	return slices.ContainsFunc(quotes, func(q string) bool { return strings.HasSuffix(string(c.last[:]), q) })
}

// step goes on by the n bytes that belong together at the start of text. wait:
// they may go on in the next piece.
func (c *code) step(text string, final bool) (n int, wait bool) {
	n = 1
	switch b := text[0]; b {
	case '\n':
		c.newLine()
	case ' ', '\r':
		c.indent++
	case '\t':
		c.indent += 4
	case '`', '~':
		n = len(text) - len(strings.TrimLeft(text, string(b)))
		if n == len(text) && !final {
			return 0, true
		}
		c.run(text[:n], text[n:])
		c.text(b)
	default:
		c.text(b)
	}
	c.last = [3]byte{c.last[1], c.last[2], text[n-1]}
	return n, false
}

// text takes the first byte of something that is no blank.
func (c *code) text(b byte) {
	if c.lineStart {
		c.quoted = b == '>' || c.indented()
	}
	c.lineStart = false
}

func (c *code) newLine() {
	empty := c.lineStart
	c.mayIndent = c.spoken && empty || c.quoted && c.indented()
	c.spoken = c.spoken || !empty
	c.lineStart, c.quoted, c.indent = true, false, 0
	c.inline = 0 // a lone backtick must not hide the rest
}

// run takes a run of backticks or tildes.
func (c *code) run(run, after string) {
	switch {
	case c.fence != "":
		ends := after == "" || strings.ContainsRune(blanks, rune(after[0]))
		if c.lineStart && strings.HasPrefix(run, c.fence) && ends {
			c.fence = ""
		}
	case c.lineStart && len(run) >= 3:
		c.fence = run
	case run[0] == '~':
	case c.inline == 0:
		c.inline = len(run)
	case c.inline == len(run):
		c.inline = 0
	}
}
