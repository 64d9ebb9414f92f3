// Package repair makes sense of what fallible models write: calls in the text
// instead of as calls, thinking inside the answer, names and arguments that are
// almost right. It mends form only and never meaning; a call that was cut off
// never comes out as one that can run.
//
// The steps, in order: [Filter] (or [Lift] for a whole text) finds calls and
// thinking in the text, [Names] finds the tool, [Arguments] parses, coerces and
// validates, and [Refusal] and [UnknownTool] are the texts that teach. Every step
// says what it mended, in words for a repair event.
package repair

import (
	"strings"
)

// Output is what became of some text.
type Output struct {
	// Text is what people may see.
	Text string
	// Reasoning is what stood inside <think>.
	Reasoning string
	// Calls were written as text, and are no longer part of it.
	Calls []Call
	// Thought: the text that came before this Output was thinking, too. Many
	// templates open it on the model's behalf, and only </think> shows.
	Thought bool
}

// Call is a tool call that was found in the text.
type Call struct {
	// Name is as written; Known accepted it.
	Name string
	// Args is the text of the arguments, see [Arguments].
	Args string
	// Cut marks a call whose end did not come. It must not run, whatever Args is.
	Cut bool
	// What says how it was written, e.g. "<tool_call> in the text".
	What string
}

// output is an Output in the making: it may be put together from very many pieces.
type output struct {
	text, reasoning strings.Builder
	calls           []Call
	thought         bool
}

func (o *output) add(more Output) {
	if more.Thought {
		o.think()
	}
	o.text.WriteString(more.Text)
	o.reasoning.WriteString(more.Reasoning)
	o.calls = append(o.calls, more.Calls...)
}

// think makes all text reasoning.
func (o *output) think() {
	o.thought = true
	o.reasoning.WriteString(o.text.String())
	o.text.Reset()
}

func (o *output) done() Output {
	return Output{Text: o.text.String(), Reasoning: o.reasoning.String(), Calls: o.calls, Thought: o.thought}
}

// Lift takes calls and thinking out of a whole text.
func Lift(text string, known func(name string) bool) Output {
	f := NewFilter(known)
	var out output
	out.add(f.Write(text))
	out.add(f.Close())
	return out.done()
}

// Filter is [Lift] for text that arrives in pieces. It holds back what may be
// the beginning of a call until that is decided; how the text is cut into pieces
// changes nothing.
//
// A call in the text is lifted when known accepts its name, outside of code and
// quotations: an answer about tool calls may quote them. A call that is bare or fenced
// JSON, or written as code, is lifted when it is the entire message.
type Filter struct {
	known func(string) bool
	text  strings.Builder // all that was written; buf is its end, without a copy
	buf   string          // not decided yet
	final bool            // no more text comes

	thinking bool
	thought  bool // a tag of thinking was seen
	lifted   bool // a call was found
	spoken   bool // something else than blanks was shown
	gap      bool // blanks are left out: a call or a thought was taken out here
	plain    bool // the message is not one call and nothing else
	code     code

	block *block // the call that buf begins with
	whole *whole // the call that the message may be
	out   output

	// vain is how much was looked at behind tags that are no calls after all.
	vain int
}

// maxVain bounds vain: behind each tag that is no call, all is looked at again. A
// message with more of them is about tags, or made to take long; from there on they
// are text.
const maxVain = 1 << 20

// NewFilter returns a Filter for one message.
func NewFilter(known func(name string) bool) *Filter {
	return &Filter{known: known, code: atLineStart}
}

// Write takes the next piece and returns what is decided.
func (f *Filter) Write(text string) Output {
	decided := f.text.Len() - len(f.buf)
	f.text.WriteString(text)
	f.buf = f.text.String()[decided:]
	return f.run()
}

// Close returns the rest. The Filter cannot be used afterwards.
func (f *Filter) Close() Output {
	f.final = true
	return f.run()
}

func (f *Filter) run() Output {
	for f.buf != "" && f.step() {
	}
	out := f.out.done()
	f.out = output{}
	return out
}

// step decides about a part of buf, and tells whether it could.
func (f *Filter) step() bool {
	switch {
	case f.block != nil:
		return f.inBlock()
	case f.whole != nil:
		return f.inWhole()
	case f.mayBeWhole():
		if strings.Trim(f.buf, blanks) == "" && !f.final {
			return false
		}
		f.whole = &whole{}
		return true
	}
	return f.scan()
}

// scan passes text on up to the next tag, and obeys that.
func (f *Filter) scan() bool {
	for i := 0; i < len(f.buf); {
		if !f.code.inside() || f.thinking {
			tag, wait := findTag(f.buf[i:], f.final)
			if wait || f.obeys(tag) {
				f.pass(i)
				if !wait {
					f.obey(tag)
				}
				return !wait
			}
		}
		n, wait := f.code.step(f.buf[i:], f.final)
		if wait {
			f.pass(i)
			return false
		}
		i += n
	}
	f.pass(len(f.buf))
	return false
}

// obeys tells whether a tag means something at this place.
func (f *Filter) obeys(t *tag) bool {
	switch {
	case t == nil:
		return false
	case f.code.inside():
		// A thought ends, whatever it left open.
		return t.kind == thinkClose
	case t.kind == thinkOpen:
		// In the middle of a line it is prose about the tag.
		return !f.thinking && f.code.lineStart
	case t.kind == callClose:
		return f.lifted
	case t.kind == callOpen:
		return f.vain <= maxVain
	}
	return true
}

func (f *Filter) obey(t *tag) {
	switch t.kind {
	case callOpen:
		f.block = &block{tag: t}
		return
	case thinkOpen, thinkClose:
		if t.kind == thinkClose && !f.thought && !f.lifted && f.code.lineStart {
			f.out.think()
			f.spoken = false
		}
		f.thought, f.thinking = true, t.kind == thinkOpen
		f.plain = f.spoken // the message begins after it
		f.code = atLineStart
		f.gap = true
	}
	f.buf = f.buf[len(t.text):]
}

// pass hands on the first n bytes of buf.
func (f *Filter) pass(n int) {
	text := f.buf[:n]
	f.buf = f.buf[n:]
	if f.gap {
		text = strings.TrimLeft(text, blanks)
		f.gap = text == ""
	}
	if f.thinking {
		f.out.reasoning.WriteString(text)
		return
	}
	f.spoken = f.spoken || strings.Trim(text, blanks) != ""
	f.out.text.WriteString(text)
}

// take removes the first n bytes of buf, which were calls.
func (f *Filter) take(n int, calls []Call) {
	f.buf = f.buf[n:]
	f.out.calls = append(f.out.calls, calls...)
	f.lifted, f.gap = true, true
	f.thinking = false // a call ends it, with or without its closing tag
	f.code = atLineStart
}

const blanks = " \t\r\n"
