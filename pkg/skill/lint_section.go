package skill

import (
	"regexp"
	"strings"
)

// onlyComment is a line that says nothing to a model but a comment.
var onlyComment = regexp.MustCompile(`^\s*(?:[-*+]|\d+[.)])?\s*<!--.*-->\s*$`)

// section is what was seen since the last heading, outside of code blocks.
type section struct {
	title   string
	comment int  // line of the first comment; 0 is none
	filled  bool // there is text
}

// sectionLine follows one line of the body. Each section that a template left
// with its comment alone is reported at its end.
func (c *check) sectionLine(s section, line int, text string, code bool) section {
	switch {
	case !code && strings.HasPrefix(text, "#"):
		c.sectionEnd(s)
		return section{title: strings.TrimSpace(strings.TrimLeft(text, "#"))}
	case !code && onlyComment.MatchString(text):
		if s.comment == 0 {
			s.comment = line
		}
	case strings.TrimSpace(text) != "":
		s.filled = true
	}
	return s
}

func (c *check) sectionEnd(s section) {
	if s.comment > 0 && !s.filled {
		c.at(s.comment, 1, "body.unfilled", "%q holds nothing but a comment: write it, or delete the heading", s.title)
	}
}
