package tui

import (
	"regexp"
	"strings"
)

// splitter cuts Markdown that arrives in pieces into blocks that can be rendered
// on their own. A block ends at a blank line; lists, tables and fences wait for
// their end, since a part of one would look different from the whole.
type splitter struct {
	partial strings.Builder // a line without its end
	lines   []string
	fence   string // the marker of an open fence
	list    bool
	blanks  int // blank lines of a list that may go on
}

var (
	listItem = regexp.MustCompile(`^\s{0,3}([-*+]|\d{1,9}[.)])(\s|$)`)
	heading  = regexp.MustCompile(`^#{1,6}(\s|$)`)
	fenceTag = regexp.MustCompile("^\\s*(`{3,}|~{3,})")
)

// write adds text and returns the blocks that are complete now.
func (s *splitter) write(text string) []string {
	var blocks []string
	for {
		line, rest, ok := strings.Cut(text, "\n")
		s.partial.WriteString(line)
		if !ok {
			return blocks
		}
		line, text = s.partial.String(), rest
		s.partial.Reset()
		blocks = append(blocks, s.line(strings.TrimSuffix(line, "\r"))...)
	}
}

// close ends the text and returns the blocks that are left.
func (s *splitter) close() []string {
	var blocks []string
	if s.partial.Len() > 0 {
		blocks = s.write("\n")
	}
	blocks = append(blocks, s.end()...)
	*s = splitter{}
	return blocks
}

// open is the text of the block that is not complete.
func (s *splitter) open() string {
	return strings.TrimLeft(strings.Join(append(append([]string(nil), s.lines...), s.partial.String()), "\n"), "\n")
}

// line takes one complete line.
func (s *splitter) line(line string) []string {
	if s.fence != "" {
		return s.inFence(line)
	}
	if strings.TrimSpace(line) == "" {
		return s.blank(line)
	}
	var done []string
	if s.blanks > 0 && !continuesList(line) {
		done = s.end()
	}
	s.blanks = 0
	tag := fenceTag.FindStringSubmatch(line)
	switch {
	case heading.MatchString(line):
		done = append(done, s.end()...)
		s.lines = append(s.lines, line)
		return append(done, s.end()...)
	case tag != nil && !s.list:
		done = append(done, s.end()...)
	case len(s.lines) == 0 && listItem.MatchString(line):
		s.list = true
	}
	if tag != nil {
		s.fence = tag[1]
	}
	s.lines = append(s.lines, line)
	return done
}

// inFence keeps everything until the fence closes.
func (s *splitter) inFence(line string) []string {
	s.lines = append(s.lines, line)
	if closing := strings.TrimSpace(line); !strings.HasPrefix(closing, s.fence) || strings.Trim(closing, s.fence[:1]) != "" {
		return nil
	}
	s.fence = ""
	if s.list {
		return nil
	}
	return s.end()
}

func (s *splitter) blank(line string) []string {
	if !s.list {
		return s.end()
	}
	s.lines = append(s.lines, line)
	s.blanks++
	return nil
}

func continuesList(line string) bool {
	return listItem.MatchString(line) || strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t")
}

// end closes the block that is open.
func (s *splitter) end() []string {
	text := strings.Trim(strings.Join(s.lines, "\n"), "\n")
	s.lines, s.list, s.blanks, s.fence = nil, false, 0, ""
	if text == "" {
		return nil
	}
	return []string{text}
}
