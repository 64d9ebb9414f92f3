package repair

import (
	"regexp"
	"slices"
	"strings"
)

// whole is a message that may be one call, bare or in a fence, as JSON or as code
// writes it. It is held back to its end, as long as it looks like one.
type whole struct{ named bool }

// maxFenceHead is the longest first line of a fence in bytes.
const maxFenceHead = 6 + 30 + 1

// mayBeWhole tells whether the message can still be one call.
func (f *Filter) mayBeWhole() bool {
	rest := strings.TrimLeft(f.buf, blanks)
	return !strings.HasPrefix(rest, "<") && !f.plain && !f.thinking && !f.spoken && !f.lifted
}

func (f *Filter) inWhole() bool {
	if !f.whole.named {
		head := f.buf[:min(len(f.buf), window)]
		like, wait := f.looksLikeCall(head)
		decide := len(head) == window || f.final
		f.whole.named = f.whole.named || like && decide && f.firstKnown(head) != ""
		if !like && !wait || decide && !f.whole.named {
			return f.notWhole()
		}
	}
	if !f.final {
		return false
	}
	calls := f.wholeCalls(strings.Trim(f.buf, blanks))
	if len(calls) == 0 {
		return f.notWhole()
	}
	f.whole = nil
	f.take(len(f.buf), calls)
	return true
}

func (f *Filter) notWhole() bool {
	f.whole, f.plain = nil, true
	return true
}

var (
	fenceHead = regexp.MustCompile("^`{3,6}[^\n`]{0,30}\n") // at most maxFenceHead
	firstKey  = regexp.MustCompile(`^\[?\s*\{\s*["'](\w+)["']`)
	openings  = regexp.MustCompile(`^(\[\s*)?(\{\s*)?(["']\w*)?$`)

	// A call as code writes it: tool({"key": "value"}); with one object.
	codeHead    = regexp.MustCompile(`^(?:await\s+)?([\w.:/-]{1,64})\(\s*\{`)
	codeOpening = regexp.MustCompile(`^(?:await\s+)?[\w.:/-]{0,64}(?:\(\s*)?$`)
	codeEnd     = regexp.MustCompile(`^\s*\)\s*;?$`)
)

// looksLikeCall looks at the first characters. wait: there are too few. The name of
// a call in code comes first, so that named is decided here.
func (f *Filter) looksLikeCall(head string) (like, wait bool) {
	text := strings.TrimLeft(head, blanks)
	if strings.HasPrefix(text, "`") {
		at := fenceHead.FindStringIndex(text)
		if at == nil {
			short := len(text) < maxFenceHead && !strings.Contains(text, "\n")
			return false, short && (strings.HasPrefix("```", text) || strings.HasPrefix(text, "```"))
		}
		text = strings.TrimLeft(text[at[1]:], blanks)
		if text == "" {
			return false, true
		}
		if text[0] == '<' {
			t, wait := findTag(text, false)
			return t != nil && t.kind == callOpen, wait
		}
	}
	if m := firstKey.FindStringSubmatch(text); m != nil {
		return slices.Contains(callKeys, m[1]), false
	}
	if m := codeHead.FindStringSubmatch(text); m != nil {
		f.whole.named = f.known(m[1])
		return f.whole.named, false
	}
	return false, openings.MatchString(text) || codeOpening.MatchString(text)
}

// wholeCalls reads the complete message.
func (f *Filter) wholeCalls(text string) []Call {
	what := "a bare JSON call"
	if at := fenceHead.FindStringIndex(text); at != nil {
		what = "a fenced JSON call"
		fence := text[:len(text)-len(strings.TrimLeft(text, "`"))]
		inner, ok := strings.CutSuffix(text[at[1]:], fence)
		if !ok {
			return nil
		}
		text = strings.Trim(inner, blanks)
		if strings.HasPrefix(text, "<") {
			if out := Lift(text, f.known); strings.Trim(out.Text, blanks) == "" {
				return out.Calls
			}
			return nil
		}
	}
	if calls := codeCalls(text); len(calls) > 0 {
		return f.checked(calls, "a call written as code")
	}
	if calls, ok := jsonCalls(text, true); ok {
		return f.checked(calls, what)
	}
	if argsStart.MatchString(text) && valueEnd(text) < 0 {
		return f.checked(f.brokenCall(text, true), what)
	}
	return nil
}

// codeCalls reads a message that is one call as code writes it.
func codeCalls(text string) []Call {
	at := codeHead.FindStringSubmatchIndex(text)
	if at == nil {
		return nil
	}
	c := Call{Name: text[at[2]:at[3]], Args: text[at[1]-1:], Cut: true}
	if end := valueEnd(c.Args); end >= 0 {
		rest := c.Args[end:]
		if c.Args, c.Cut = c.Args[:end], rest == ""; !c.Cut && !codeEnd.MatchString(rest) {
			return nil
		}
	}
	return []Call{c}
}

// valueEnd is where the first object or list in a text ends, -1 when it was cut off.
func valueEnd(text string) int {
	var s jsonScanner
	for i := range len(text) {
		if s.next(text[i]) {
			return i + 1
		}
	}
	return -1
}
