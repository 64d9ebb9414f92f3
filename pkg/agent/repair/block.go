package repair

import (
	"regexp"
	"strings"
)

// window is how much of a block is held back before it has named a known tool.
// One that has not by then is text.
const window = 4096

// block is a call in the making: buf begins with its opening tag.
type block struct {
	tag     *tag
	named   bool // a known name was seen
	from    int  // where the search for the end goes on
	scanner jsonScanner
	scanned int // bytes of buf that scanner has seen
	closed  int // the first closing tag, when the JSON before it seemed open
	ended   int // where the body ends, once that has come
}

func (f *Filter) inBlock() bool {
	b := f.block
	if !b.named {
		head := f.buf[:min(len(f.buf), window)]
		if end := b.end(head); end >= 0 {
			head = head[:end]
		} else if len(head) < window && !f.final {
			return false
		}
		if b.named = f.namesKnown(head, b.tag); !b.named {
			return f.reject(len(head))
		}
	}
	end := b.end(f.buf) // of the body, -1 when it has not come
	if end < 0 && !f.final {
		return false
	}
	cut := end < 0
	if cut && b.closed > 0 {
		end, cut = b.closed, false
	} else if cut {
		end = len(f.buf)
	}
	calls := f.parse(b.tag, f.buf[:end], cut)
	if len(calls) == 0 {
		return f.reject(end)
	}
	f.block = nil
	f.take(min(len(f.buf), end+len(b.tag.close)), calls)
	return true
}

// reject makes the opening tag ordinary text. looked is how much was looked at to find
// that out.
func (f *Filter) reject(looked int) bool {
	f.block = nil
	f.vain += looked
	n, _ := f.code.step(f.buf, true)
	f.pass(n)
	return true
}

// end finds the end of the body, -1 when it has not come yet. It looks at each
// byte once.
func (b *block) end(buf string) int {
	switch {
	case b.ended > 0:
		return b.ended
	case b.tag.close == "":
		b.ended = b.jsonEnd(buf)
	default:
		b.ended = b.tagEnd(buf)
	}
	return b.ended
}

func (b *block) tagEnd(buf string) int {
	for {
		i := strings.Index(buf[min(b.from, len(buf)):], b.tag.close)
		if i < 0 {
			b.from = max(b.from, len(buf)-len(b.tag.close)+1)
			return -1
		}
		i += b.from
		// A closing tag inside a string of the arguments is not the end.
		if !b.inString(buf, i) {
			return i
		}
		if b.closed == 0 {
			b.closed = i
		}
		b.from = i + len(b.tag.close)
	}
}

func (b *block) jsonEnd(buf string) int {
	start := max(b.from, len(b.tag.text))
	b.from = len(buf)
	for i := start; i < len(buf); i++ {
		if buf[i] == '[' && b.scanner.depth == 0 {
			if i+1 == len(buf) {
				b.from = i
				return -1
			}
			if buf[i+1] == 'A' {
				continue // [ARGS], which stands before them
			}
		}
		if b.scanner.next(buf[i]) {
			b.from = i + 1
			return i + 1
		}
	}
	return -1
}

// inString tells whether the body is JSON that is inside a string at i.
func (b *block) inString(buf string, i int) bool {
	if b.scanned == 0 {
		body := strings.TrimLeft(buf[len(b.tag.text):i], blanks)
		if body == "" || (body[0] != '{' && body[0] != '[') {
			return false
		}
		b.scanned = len(b.tag.text)
	}
	for ; b.scanned < i; b.scanned++ {
		b.scanner.next(buf[b.scanned])
	}
	return b.scanner.inString
}

// jsonScanner finds the end of the first object or list in a text.
type jsonScanner struct {
	depth             int
	inString, escaped bool
}

// next takes a byte and tells whether it is the last one of the value.
func (s *jsonScanner) next(c byte) bool {
	switch {
	case s.escaped:
		s.escaped = false
	case s.inString:
		s.escaped = c == '\\'
		s.inString = c != '"'
	case c == '"':
		s.inString = s.depth > 0
	case c == '{' || c == '[':
		s.depth++
	case (c == '}' || c == ']') && s.depth > 0:
		s.depth--
		return s.depth == 0
	}
	return false
}

var (
	jsonName     = regexp.MustCompile(`["'](?:name|function|tool|tool_name)["']\s*:\s*["']([^"'\\]+)["']`)
	functionName = regexp.MustCompile(`<function=([^<>\s]+)>`)
	plainName    = regexp.MustCompile(`^\s*([\w.:/-]+)\s*(?:\n|<arg_key>|\[ARGS\]|\{)`)
)

// namesKnown tells whether the beginning of a block names a known tool.
func (f *Filter) namesKnown(text string, t *tag) bool {
	body := text
	if t != nil && t.text != "<function=" {
		body = text[min(len(t.text), len(text)):]
	}
	return f.firstKnown(body) != ""
}

func (f *Filter) firstKnown(body string) string {
	for _, re := range []*regexp.Regexp{plainName, jsonName, functionName} {
		for _, m := range re.FindAllStringSubmatch(body, -1) {
			if f.known(m[1]) {
				return m[1]
			}
		}
	}
	return ""
}
