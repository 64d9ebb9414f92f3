package frontmatter

import "strings"

// The YAML library says where a value begins, not where it ends. These scanners
// find the end of values that it has already read without an error.

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func blankLine(line string) bool { return strings.Trim(line, " \t\r\n") == "" }

// skipQuoted returns the index after the closing quote of text, which begins
// with a quote, or -1 if it is not closed.
func skipQuoted(text string) int {
	quote := text[0]
	for i := 1; i < len(text); i++ {
		switch {
		case quote == '"' && text[i] == '\\':
			i++
		case text[i] != quote:
		case quote == '\'' && strings.HasPrefix(text[i+1:], "'"):
			i++
		default:
			return i + 1
		}
	}
	return -1
}

// skipFlow returns the index after the bracket that closes text, which begins
// with [ or {, or -1 if it is not closed.
func skipFlow(text string) int {
	depth := 0
	fresh := true   // a quote here opens a value; inside a word it is a letter
	closed := false // a quote or bracket was closed; a colon then needs no blank
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '[', '{':
			depth++
			fresh = true
		case ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
			fresh, closed = false, true
		case '"', '\'':
			if n := skipQuoted(text[i:]); fresh {
				if n < 0 {
					return -1
				}
				i += n - 1
				closed = true
			}
			fresh = false
		case '#':
			if isBlank(text[i-1]) || text[i-1] == '\n' {
				end := strings.IndexByte(text[i:], '\n')
				if end < 0 {
					return -1
				}
				i += end
			}
		case ',':
			fresh, closed = true, false
		case ':':
			fresh = closed || plainColon(text[i:min(i+2, len(text))]) == 0
			closed = false
		case ' ', '\t', '\n':
		default:
			fresh, closed = false, false
		}
	}
	return -1
}

// skipProperties returns the index of the value proper, behind tag and anchor.
func skipProperties(text string) int {
	i := 0
	for {
		for i < len(text) && isBlank(text[i]) {
			i++
		}
		if i == len(text) || text[i] != '!' && text[i] != '&' {
			return i
		}
		for i < len(text) && !isBlank(text[i]) && text[i] != '\n' {
			i++
		}
	}
}

// closedEnd returns the index after a value that says itself where it ends:
// quoted, or in brackets. It is 0 for others and -1 if the end is missing.
func closedEnd(text string) int {
	at := skipProperties(text)
	if at == len(text) {
		return 0
	}
	n := 0
	switch text[at] {
	case '"', '\'':
		n = skipQuoted(text[at:])
	case '[', '{':
		n = skipFlow(text[at:])
	default:
		return 0
	}
	if n < 0 {
		return -1
	}
	return at + n
}

// commentAt returns the index of the # that begins a comment on the one line of
// a value, or -1.
func commentAt(text string) int {
	for i := max(closedEnd(text), 0); i < len(text); i++ {
		if text[i] == '#' && (i == 0 || isBlank(text[i-1])) {
			return i
		}
	}
	return -1
}

// keyToken splits "key: value" after its colon. The key is as written, quotes
// and all. ok is false if the text does not begin with a key.
func keyToken(text string) (key, value string, ok bool) {
	end := -1
	if text != "" && (text[0] == '"' || text[0] == '\'') {
		if n := skipQuoted(text); n > 0 {
			rest := strings.TrimLeft(text[n:], " \t")
			if strings.HasPrefix(rest, ":") {
				key, end = text[:n], len(text)-len(rest)
			}
		}
	} else if end = plainColon(text); end > 0 {
		key = strings.TrimRight(text[:end], " \t")
	}
	if key == "" {
		return "", "", false
	}
	value = text[end+1:]
	return key, value, value == "" || isBlank(value[0]) || value[0] == '\n' || value[0] == '\r'
}

// plainColon is the index of the first colon that a blank or the end follows.
func plainColon(text string) int {
	for i := 0; i < len(text); i++ {
		if text[i] == ':' && (i+1 == len(text) || isBlank(text[i+1]) || text[i+1] == '\n' || text[i+1] == '\r') {
			return i
		}
	}
	return -1
}
