package frontmatter

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agentctl/agentctl/internal/diag"
)

const (
	bom   = "\ufeff"
	fence = "---"
)

// source is a file cut at its fences. head + lines + tail + rest are its bytes.
type source struct {
	file string
	text string // the whole file as read
	mac  bool   // lines end in CR alone: no LF in the whole file

	head     string   // all up to the end of the opener's line
	opener   int      // line number of the opener
	lines    []string // the front matter, each line with its end
	tail     string   // the closer with its line end; glued: up to the text
	closer   int      // line number of the closer
	rest     string   // the body as in the file
	bodyLine int

	repairs  []diag.Diagnostic // came with a list
	findings []diag.Diagnostic // for lint alone
}

// split cuts a file at its fences, without a look at the YAML between them.
// It returns the reason if there is no front matter to be found.
func split(file string, data []byte) (*source, *diag.Diagnostic) {
	s := &source{file: file, text: string(data)}
	s.mac = strings.IndexByte(s.text, '\n') < 0 && strings.IndexByte(s.text, '\r') >= 0
	if bad := s.checkBytes(data); bad != nil {
		return s, bad
	}
	rest, bad := s.open(strings.TrimPrefix(s.text, bom))
	if bad == nil {
		bad = s.close(rest)
	}
	return s, bad
}

// checkBytes refuses what is no text file of a sane size.
func (s *source) checkBytes(data []byte) *diag.Diagnostic {
	if len(data) > MaxFile {
		return s.errorAt(1, "too-large", "the file has more than %d KiB, which is the most that is read: move details to files of their own", MaxFile>>10)
	}
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return s.errorAt(s.lineOf(i), "nul-byte", "a NUL byte (0x00): save the file as UTF-8 text")
	}
	if utf8.Valid(data) {
		return nil
	}
	i := 0
	for i < len(data) {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		i += n
	}
	return s.errorAt(s.lineOf(i), "bad-utf8", "the byte 0x%02x is not UTF-8: save the file as UTF-8", data[i])
}

// lineOf is the line number of a byte of the file.
func (s *source) lineOf(offset int) int {
	end := "\n"
	if s.mac {
		end = "\r"
	}
	return strings.Count(s.text[:offset], end) + 1
}

// cut splits off the first line, with its end.
func (s *source) cut(text string) (line, rest string) {
	end := byte('\n')
	if s.mac {
		end = '\r'
	}
	if i := strings.IndexByte(text, end); i >= 0 {
		return text[:i+1], text[i+1:]
	}
	return text, ""
}

// chomp is a line without its end.
func (s *source) chomp(line string) string {
	if s.mac {
		return strings.TrimSuffix(line, "\r")
	}
	if text, ok := strings.CutSuffix(line, "\n"); ok {
		return strings.TrimSuffix(text, "\r")
	}
	return line
}

// open finds the opening fence. Blank lines and one HTML comment may stand before it.
func (s *source) open(text string) (string, *diag.Diagnostic) {
	var line string
	var comment bool
	rest := text
	for n := 1; rest != ""; n++ {
		line, rest = s.cut(rest)
		content := strings.TrimRight(s.chomp(line), " \t")
		switch start := strings.TrimLeft(content, " \t"); {
		case content == fence:
			s.opener = n
			s.head = s.text[:len(s.text)-len(rest)]
			s.noteLeading()
			return rest, nil
		case start == "":
		case strings.HasPrefix(start, "<!--") && !comment:
			comment = true
			lines, after, ok := s.skipComment(line + rest)
			if !ok {
				return "", s.noFrontMatter(text)
			}
			n, rest = n+lines-1, after
		default:
			return "", s.noFrontMatter(text)
		}
	}
	return "", s.noFrontMatter(text)
}

// skipComment returns the number of lines of the HTML comment at the start of
// text and what follows it; ok is false if the comment does not end its line.
func (s *source) skipComment(text string) (lines int, rest string, ok bool) {
	rest = text
	for rest != "" {
		var line string
		line, rest = s.cut(rest)
		lines++
		if _, after, found := strings.Cut(line, "-->"); found {
			return lines, rest, strings.TrimSpace(after) == ""
		}
	}
	return lines, rest, false
}

func (s *source) noteLeading() {
	if s.opener > 1 {
		s.repair(1, "leading-lines", "the file must begin with ---, which is on line %d: remove what stands before it", s.opener)
	}
}

func (s *source) noFrontMatter(text string) *diag.Diagnostic {
	line := strings.TrimLeft(text, " \t\r\n")
	switch {
	case conflict(line):
		n := s.lineOf(len(s.text) - len(line))
		return s.errorAt(n, "conflict-marker", "a merge conflict was left in the file: resolve it")
	case strings.HasPrefix(line, "+++"):
		return s.errorAt(1, "missing", "no front matter: it must be YAML between two lines of three dashes, not TOML between +++")
	case strings.HasPrefix(line, fence):
		n := s.lineOf(len(s.text) - len(line))
		return s.errorAt(n, "missing", "no front matter: the opening line must be --- alone, from column 1 on")
	}
	return s.errorAt(1, "missing", "no front matter: the file must begin with a line ---, then description: and other keys, then a line ---")
}

// close finds the closing fence and sets lines, tail and rest.
func (s *source) close(text string) *diag.Diagnostic {
	var line string
	size := 0
	rest := text
	for n := s.opener + 1; rest != ""; n++ {
		line, rest = s.cut(rest)
		content := s.chomp(line)
		if isCloser(content) {
			s.end(n, line, rest)
			return nil
		}
		if conflict(content) {
			return s.errorAt(n, "conflict-marker", "a merge conflict was left in the front matter (%s): resolve it", content[:7])
		}
		if size += len(content) + 1; size > MaxFrontMatter {
			return s.errorAt(s.opener, "too-long", "the front matter does not end within %d bytes: close it with a line ---, and move details to the body", MaxFrontMatter)
		}
		s.lines = append(s.lines, line)
	}
	return s.errorAt(s.opener, "not-closed", "the front matter is not closed: add a line --- after its last key%s", s.nearFence())
}

// isCloser tells whether a line ends the front matter: exactly three dashes at
// column 0, whatever follows, or three dots alone.
func isCloser(line string) bool {
	after, ok := strings.CutPrefix(line, fence)
	return ok && !strings.HasPrefix(after, "-") || strings.TrimRight(line, " \t") == "..."
}

// end records the closer, its line and what is below it.
func (s *source) end(n int, line, below string) {
	s.closer, s.tail, s.rest, s.bodyLine = n, line, below, n+1
	content := s.chomp(line)
	if content[0] == '.' {
		s.finding(n, 1, diag.Warning, "dots-closer", "the front matter is closed by ...: write ---, which every client knows")
		return
	}
	if glued := strings.Trim(content[len(fence):], " \t\r"); glued != "" {
		at := strings.Index(line, glued)
		s.tail, s.bodyLine = line[:at], n
		s.rest = s.text[len(s.text)-len(below)-len(line)+at:]
		s.repair(n, "glued-closer", "text follows the closing --- on its line: put it on a line of its own")
	}
}

// nearFence names the line that was perhaps meant as the closer.
func (s *source) nearFence() string {
	for i, line := range s.lines {
		if t := strings.TrimSpace(line); t == fence || t == "----" || t == "--" || t == "—" {
			return fmt.Sprintf(" (line %d is no fence: it must be exactly three dashes from column 1 on)", s.opener+1+i)
		}
	}
	return ""
}

// conflict tells whether a line is a mark that git leaves in a conflicting merge.
func conflict(line string) bool {
	if len(line) < 7 {
		return false
	}
	switch line[:7] {
	case "<<<<<<<", ">>>>>>>", "|||||||":
		return true
	case "=======":
		return strings.Trim(line, "= \t\r\n") == "" || line[7] == ' '
	}
	return false
}

func (s *source) diagnostic(line, column int, severity diag.Severity, code, format string, args ...any) diag.Diagnostic {
	return diag.Diagnostic{
		File: s.file, Line: line, Column: column, Severity: severity,
		Code: "frontmatter." + code, Message: fmt.Sprintf(format, args...),
	}
}

func (s *source) errorAt(line int, code, format string, args ...any) *diag.Diagnostic {
	d := s.diagnostic(line, min(line, 1), diag.Error, code, format, args...)
	return &d
}

func (s *source) repair(line int, code, format string, args ...any) {
	s.repairs = append(s.repairs, s.diagnostic(line, 1, diag.Warning, code, format, args...))
}

func (s *source) finding(line, column int, severity diag.Severity, code, format string, args ...any) {
	s.findings = append(s.findings, s.diagnostic(line, column, severity, code, format, args...))
}
