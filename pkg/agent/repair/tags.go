package repair

import "strings"

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

// code follows Markdown as far as it takes to know whether a place is code.
type code struct {
	lineStart bool // only blanks since the line began
	fence     string
	inline    int // length of the run of backticks that opened it
}

var atLineStart = code{lineStart: true}

func (c *code) inside() bool { return c.fence != "" || c.inline > 0 }

// step goes on by the n bytes that belong together at the start of text. wait:
// they may go on in the next piece.
func (c *code) step(text string, final bool) (n int, wait bool) {
	switch b := text[0]; b {
	case '\n':
		c.lineStart, c.inline = true, 0 // a lone backtick must not hide the rest
		return 1, false
	case ' ', '\t', '\r':
		return 1, false
	case '`', '~':
		n = len(text) - len(strings.TrimLeft(text, string(b)))
		if n == len(text) && !final {
			return 0, true
		}
		c.run(text[:n], text[n:])
	default:
		n = 1
	}
	c.lineStart = false
	return n, false
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
