package repair_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/pkg/agent/repair"
)

var tools = repair.NewNames([]string{"wc", "write_file", "list-files"})

const bt = "`"

// The cases of small models: calls as text (1-3), in thinking (4), with prose
// around and in pieces (5), quoted (6), thinking in the content (20).
func TestLift(t *testing.T) {
	t.Parallel()
	wc := []repair.Call{{Name: "wc", Args: `{"path":"a"}`}}
	long := strings.Repeat("x", 6000)
	tests := []struct {
		name, in string
		want     repair.Output
	}{
		{"1 json", "<tool_call>\n{\"name\":\"wc\",\"arguments\":{\"path\":\"a\"}}\n</tool_call>", repair.Output{Calls: wc}},
		{"1 unknown name stays text", `<tool_call>{"name":"nope","arguments":{}}</tool_call>`, repair.Output{Text: `<tool_call>{"name":"nope","arguments":{}}</tool_call>`}},
		{"1 no end tag", `<tool_call>{"name":"wc","arguments":{"path":"a"}}`, repair.Output{Calls: wc}},
		{"1 a list", `<tool_call>[{"name":"wc","arguments":{"path":"a"}},{"name":"wc","arguments":{"path":"a"}}]</tool_call>`, repair.Output{Calls: slices.Concat(wc, wc)}},
		{"1 two objects in one tag", "<tool_call>{\"name\":\"wc\",\"arguments\":{\"path\":\"a\"}}\n{\"name\":\"wc\",\"parameters\":{\"path\":\"a\"}}</tool_call>", repair.Output{Calls: slices.Concat(wc, wc)}},
		{"1 no arguments", `<tool_call>{"name":"wc"}</tool_call>`, repair.Output{Calls: []repair.Call{{Name: "wc"}}}},
		{"1 arguments as text", `<tool_call>{"name":"wc","arguments":"{\"path\":\"a\"}"}</tool_call>`, repair.Output{Calls: wc}},
		{"1 the function in an object", `<tool_call>{"type":"function","function":{"name":"wc","arguments":{"path":"a"}}}</tool_call>`, repair.Output{Calls: wc}},
		{"1 broken syntax is mended", `<tool_call>{'name': 'wc', 'arguments': {'path': 'a',}}</tool_call>`, repair.Output{Calls: []repair.Call{{Name: "wc", Args: `{"path": "a"}`}}}},
		{"1 unreadable JSON is still a call", `<tool_call>{"name":"wc","arguments":{path: a}}</tool_call>`, repair.Output{Calls: []repair.Call{{Name: "wc", Args: `{path: a}}`}}}},
		{"1 cut off", `<tool_call>{"name":"wc","arguments":{"path":"a`, repair.Output{Calls: []repair.Call{{Name: "wc", Args: `{"path":"a`, Cut: true}}}},
		{"1 cut off before the arguments", `<tool_call>{"name":"wc",`, repair.Output{Calls: []repair.Call{{Name: "wc", Args: `{"name":"wc",`, Cut: true}}}},
		{"1 the end tag inside a text", `<tool_call>{"name":"wc","arguments":{"path":"</tool_call>"}}</tool_call>ok`, repair.Output{Text: "ok", Calls: []repair.Call{{Name: "wc", Args: `{"path":"</tool_call>"}`}}}},
		{"1 a quote is missing", `<tool_call>{"name":"wc","arguments":{"path":"a}}</tool_call> and on`, repair.Output{Text: "and on", Calls: []repair.Call{{Name: "wc", Args: `{"path":"a}}`}}}},
		{"1 function_call", `<function_call>{"name":"wc","arguments":{"path":"a"}}</function_call>`, repair.Output{Calls: wc}},
		{"1 name and arg_key", "<tool_call>wc\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n</tool_call>", repair.Output{Calls: wc}},
		{"1 longer than the window", `<tool_call>{"name":"wc","arguments":{"path":"` + long + `"}}</tool_call>`, repair.Output{Calls: []repair.Call{{Name: "wc", Args: `{"path":"` + long + `"}`}}}},
		{"1 no name in the window", `<tool_call>` + long + `{"name":"wc"}</tool_call>`, repair.Output{Text: `<tool_call>` + long + `{"name":"wc"}</tool_call>`}},
		{"1 an open tag and prose", "a <tool_call> is a tag", repair.Output{Text: "a <tool_call> is a tag"}},

		{"2 xml in tool_call", "<tool_call>\n<function=wc>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>", repair.Output{Calls: wc}},
		{"2 xml alone", "<function=wc><parameter=path>a</parameter></function>", repair.Output{Calls: wc}},
		{"2 xml alone with a stray end", "<function=wc>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>\ndone", repair.Output{Text: "done", Calls: wc}},
		{"2 two functions", "<tool_call><function=wc><parameter=path>a</parameter></function><function=wc><parameter=path>a</parameter></function></tool_call>", repair.Output{Calls: slices.Concat(wc, wc)}},
		{"2 lines in a value", "<function=wc><parameter=path>\na\n\nb\n</parameter><parameter=n>3</parameter></function>", repair.Output{Calls: []repair.Call{{Name: "wc", Args: `{"n":"3","path":"a\n\nb"}`}}}},
		{"2 an end tag of a parameter is missing", "<function=wc><parameter=path>a<parameter=n>3</parameter></function>", repair.Output{Calls: []repair.Call{{Name: "wc", Args: `{"n":"3","path":"a"}`}}}},
		{"2 JSON in the function", `<function=wc>{"path":"a"}</function>`, repair.Output{Calls: wc}},
		{"2 cut off", "<tool_call><function=wc><parameter=path>a", repair.Output{Calls: []repair.Call{{Name: "wc", Args: `{"path":"a"}`, Cut: true}}}},
		{"2 only the outer end is missing", "<tool_call><function=wc><parameter=path>a</parameter></function>", repair.Output{Calls: wc}},
		{"2 alone and cut off", "<function=wc><parameter=path>a</parameter>", repair.Output{Calls: []repair.Call{{Name: "wc", Args: `{"path":"a"}`, Cut: true}}}},
		{"2 unknown function", "<function=nope></function>", repair.Output{Text: "<function=nope></function>"}},

		{"3 bare", `{"name":"wc","parameters":{"path":"a"}}`, repair.Output{Calls: wc}},
		{"3 bare with blanks", "\n {\"name\": \"wc\", \"arguments\": {\"path\":\"a\"}}\n\n", repair.Output{Calls: wc}},
		{"3 several", `{"name":"wc","parameters":{"path":"a"}}; {"name":"wc","parameters":{"path":"a"}}`, repair.Output{Calls: slices.Concat(wc, wc)}},
		{"3 a list", `[{"name":"wc","arguments":{"path":"a"}}]`, repair.Output{Calls: wc}},
		{"3 fenced", "```json\n{\"name\":\"wc\",\"arguments\":{\"path\":\"a\"}}\n```", repair.Output{Calls: wc}},
		{"3 a fenced tag", "```\n<tool_call>{\"name\":\"wc\",\"arguments\":{\"path\":\"a\"}}</tool_call>\n```\n", repair.Output{Calls: wc}},
		{"3 unknown", `{"name":"nope","parameters":{}}`, repair.Output{Text: `{"name":"nope","parameters":{}}`}},
		{"3 not the whole message", `{"name":"wc","parameters":{}} is the call`, repair.Output{Text: `{"name":"wc","parameters":{}} is the call`}},
		{"3 prose before", "Call:\n{\"name\":\"wc\",\"parameters\":{}}", repair.Output{Text: "Call:\n{\"name\":\"wc\",\"parameters\":{}}"}},
		{"3 a package that has the name of a tool", `{"name":"wc","version":"1","arguments":{}}`, repair.Output{Text: `{"name":"wc","version":"1","arguments":{}}`}},
		{"3 no arguments, no call", `{"name":"wc"}`, repair.Output{Text: `{"name":"wc"}`}},
		{"3 other JSON", `{"lines": 4}`, repair.Output{Text: `{"lines": 4}`}},
		{"3 cut off", `{"name":"wc","arguments":{"path":"a`, repair.Output{Calls: []repair.Call{{Name: "wc", Args: `{"path":"a`, Cut: true}}}},
		{"3 a fence around other code", "```json\n{\"a\":1}\n```\nThat is all.", repair.Output{Text: "```json\n{\"a\":1}\n```\nThat is all."}},
		{"3 a fence that goes on", "```json\n{\"name\":\"wc\",\"arguments\":{}}\n```\nis a call", repair.Output{Text: "```json\n{\"name\":\"wc\",\"arguments\":{}}\n```\nis a call"}},
		{"3 a link", "[docs](x) and [TODO]", repair.Output{Text: "[docs](x) and [TODO]"}},

		{"3 as code", `wc({"path":"a"});`, repair.Output{Calls: wc}},
		{"3 as code, code without an end", "\n wc({\"path\":\"a\"})\n", repair.Output{Calls: wc}},
		{"3 as code, awaited, with blanks", "await wc(\n  {\"path\":\"a\"}\n) ;\n", repair.Output{Calls: wc}},
		{"3 as code, fenced", "```js\nawait wc({\"path\":\"a\"});\n```", repair.Output{Calls: wc}},
		{"3 as code, a prefix", `functions.wc({"path":"a"})`, repair.Output{Calls: []repair.Call{{Name: "functions.wc", Args: `{"path":"a"}`}}}},
		{"3 as code, after thinking", "<think>hm</think>\nwc({\"path\":\"a\"})", repair.Output{Reasoning: "hm", Calls: wc}},
		{"3 as code, brackets in a text", `wc({"path":"a}) \"b"})`, repair.Output{Calls: []repair.Call{{Name: "wc", Args: `{"path":"a}) \"b"}`}}}},
		{"3 as code, longer than the window", `wc({"path":"` + long + `"})`, repair.Output{Calls: []repair.Call{{Name: "wc", Args: `{"path":"` + long + `"}`}}}},
		{"3 as code, keys without quotes are refused later", `wc({path: "a"});`, repair.Output{Calls: []repair.Call{{Name: "wc", Args: `{path: "a"}`}}}},
		{"3 as code, cut off", `wc({"name":"write_file","args":"a`, repair.Output{Calls: []repair.Call{{Name: "wc", Args: `{"name":"write_file","args":"a`, Cut: true}}}},
		{"3 as code, cut off after the object", "wc({\"path\":\"a\"}\n", repair.Output{Calls: []repair.Call{{Name: "wc", Args: `{"path":"a"}`, Cut: true}}}},
		{"3 as code, cut off before the object", `wc(`, repair.Output{Text: `wc(`}},
		{"3 as code, unknown", `print({"path":"a"});`, repair.Output{Text: `print({"path":"a"});`}},
		{"3 as code, unknown, with a known name inside", `print({"name":"wc","arguments":{}});`, repair.Output{Text: `print({"name":"wc","arguments":{}});`}},
		{"3 as code, prose before", `Call wc({"path":"a"});`, repair.Output{Text: `Call wc({"path":"a"});`}},
		{"3 as code, prose after", `wc({"path":"a"}) counts the words.`, repair.Output{Text: `wc({"path":"a"}) counts the words.`}},
		{"3 as code, more code", "wc({\"path\":\"a\"});\nprint(1);", repair.Output{Text: "wc({\"path\":\"a\"});\nprint(1);"}},
		{"3 as code, more arguments", `wc({"path":"a"}, 3);`, repair.Output{Text: `wc({"path":"a"}, 3);`}},
		{"3 as code, another argument", `wc("a");`, repair.Output{Text: `wc("a");`}},
		{"3 as code, inline code", bt + `wc({"path":"a"})` + bt, repair.Output{Text: bt + `wc({"path":"a"})` + bt}},
		{"3 as code, a fence in prose", "Like this:\n```js\nwc({\"path\":\"a\"});\n```", repair.Output{Text: "Like this:\n```js\nwc({\"path\":\"a\"});\n```"}},
		{"3 as code, a quotation", `"wc({"path":"a"})"`, repair.Output{Text: `"wc({"path":"a"})"`}},

		{"4 in thinking", "<think>I call <tool_call>{\"name\":\"wc\",\"arguments\":{\"path\":\"a\"}}</tool_call>", repair.Output{Reasoning: "I call ", Calls: wc}},
		{"4 in thinking, closed later", "<think>hm\n<tool_call>{\"name\":\"wc\",\"arguments\":{\"path\":\"a\"}}</tool_call>\n</think>\nfour", repair.Output{Reasoning: "hm\n", Text: "four", Calls: wc}},

		{"5 prose around", "I look. <tool_call>{\"name\":\"wc\",\"arguments\":{\"path\":\"a\"}}</tool_call>\n\nThen more <b>.", repair.Output{Text: "I look. Then more <b>.", Calls: wc}},
		{"5 several blocks", "<tool_call>{\"name\":\"wc\",\"arguments\":{\"path\":\"a\"}}</tool_call>\n<tool_call>{\"name\":\"wc\",\"arguments\":{\"path\":\"a\"}}</tool_call>", repair.Output{Calls: slices.Concat(wc, wc)}},
		{"5 mistral, a list", `[TOOL_CALLS] [{"name": "wc", "arguments": {"path":"a"}}]`, repair.Output{Calls: wc}},
		{"5 mistral, names", `ok [TOOL_CALLS]wc[ARGS]{"path":"a"}[TOOL_CALLS]wc{"path":"a"}`, repair.Output{Text: "ok ", Calls: slices.Concat(wc, wc)}},
		{"5 mistral, cut off", `[TOOL_CALLS]wc[ARGS]{"path":"a`, repair.Output{Calls: []repair.Call{{Name: "wc", Args: `{"path":"a`, Cut: true}}}},
		{"5 comparison", "if a < b && b <= c", repair.Output{Text: "if a < b && b <= c"}},
		{"5 half a tag at the end", "see <tool_", repair.Output{Text: "see <tool_"}},

		{"6 inline code", "Write " + bt + "<tool_call>{\"name\":\"wc\",\"arguments\":{}}</tool_call>" + bt + " for it.", repair.Output{Text: "Write " + bt + "<tool_call>{\"name\":\"wc\",\"arguments\":{}}</tool_call>" + bt + " for it."}},
		{"6 fence", "Like this:\n```\n<tool_call>{\"name\":\"wc\",\"arguments\":{}}</tool_call>\n```\nok", repair.Output{Text: "Like this:\n```\n<tool_call>{\"name\":\"wc\",\"arguments\":{}}</tool_call>\n```\nok"}},
		{"6 tilde fence", "Like this:\n~~~xml\n<function=wc></function>\n~~~\nok", repair.Output{Text: "Like this:\n~~~xml\n<function=wc></function>\n~~~\nok"}},
		{"6 after a fence", "```sh\nls\n```\n<tool_call>{\"name\":\"wc\",\"arguments\":{\"path\":\"a\"}}</tool_call>", repair.Output{Text: "```sh\nls\n```\n", Calls: wc}},
		{"6 a lone backtick hides nothing", "the " + bt + " key\n<tool_call>{\"name\":\"wc\",\"arguments\":{\"path\":\"a\"}}</tool_call>", repair.Output{Text: "the " + bt + " key\n", Calls: wc}},
		{"6 indented code", "Like this:\n\n    <tool_call>{\"name\":\"wc\",\"arguments\":{}}</tool_call>\n    <function=wc></function>\n\nok", repair.Output{Text: "Like this:\n\n    <tool_call>{\"name\":\"wc\",\"arguments\":{}}</tool_call>\n    <function=wc></function>\n\nok"}},
		{"6 indented, after no empty line", "I look:\n    <tool_call>{\"name\":\"wc\",\"arguments\":{\"path\":\"a\"}}</tool_call>", repair.Output{Text: "I look:\n    ", Calls: wc}},
		{"6 indented at the beginning", "\n\n    <tool_call>{\"name\":\"wc\",\"arguments\":{\"path\":\"a\"}}</tool_call>", repair.Output{Text: "\n\n    ", Calls: wc}},
		{"6 block quote", "It wrote:\n> first\n> <tool_call>{\"name\":\"wc\",\"arguments\":{}}</tool_call>\n", repair.Output{Text: "It wrote:\n> first\n> <tool_call>{\"name\":\"wc\",\"arguments\":{}}</tool_call>\n"}},
		{"6 after a block quote", "> do it\n<tool_call>{\"name\":\"wc\",\"arguments\":{\"path\":\"a\"}}</tool_call>", repair.Output{Text: "> do it\n", Calls: wc}},
		{"6 after a quotation", `Let me read "a"<tool_call>{"name":"wc","arguments":{"path":"a"}}</tool_call>`, repair.Output{Text: `Let me read "a"`, Calls: wc}},
		{"6 quotation marks", `Write "<tool_call>{"name":"wc","arguments":{}}</tool_call>" or “<function=wc></function>”.`, repair.Output{Text: `Write "<tool_call>{"name":"wc","arguments":{}}</tool_call>" or “<function=wc></function>”.`}},

		{"20 think", "<think>\nhm\n</think>\n\nfour", repair.Output{Reasoning: "hm\n", Text: "four"}},
		{"20 think in brackets", "[THINK]hm [TODO][/THINK]four", repair.Output{Reasoning: "hm [TODO]", Text: "four"}},
		{"20 never closed", "<think>hm", repair.Output{Reasoning: "hm"}},
		{"20 only the end", "hm</think>four", repair.Output{Text: "hmfour"}},
		{"20 only the end, on its line", "hm\n`a\n</think>\n\nfour", repair.Output{Reasoning: "hm\n`a\n", Text: "four"}},
		{"20 only the end, then a call", "hm\n</think>\n<tool_call>{\"name\":\"wc\",\"arguments\":{\"path\":\"a\"}}</tool_call>", repair.Output{Reasoning: "hm\n", Calls: wc}},
		{"20 only the end, then a bare call", "hm\n</think>\n\n{\"name\":\"wc\",\"arguments\":{\"path\":\"a\"}}", repair.Output{Reasoning: "hm\n", Calls: wc}},
		{"20 a second end is no more than a tag", "<think>hm</think>\nfour\n</think>\nfive", repair.Output{Reasoning: "hm", Text: "four\nfive"}},
		{"20 only the end, quoted", "A line:\n```\n</think>\n```\nfour", repair.Output{Text: "A line:\n```\n</think>\n```\nfour"}},
		{"20 a fence is left open in thinking", "<think>\n```\nx\n</think>\nfour", repair.Output{Reasoning: "```\nx\n", Text: "four"}},
		{"20 prose about the tag", "The <think> tag", repair.Output{Text: "The <think> tag"}},
		{"20 quoted", bt + "<think>" + bt + " is a tag", repair.Output{Text: bt + "<think>" + bt + " is a tag"}},
		{"20 call after thinking in brackets, bare", "[THINK]hm[/THINK]\n{\"name\":\"wc\",\"arguments\":{\"path\":\"a\"}}", repair.Output{Reasoning: "hm", Calls: wc}},
		{"20 call after thinking, bare", "<think>hm</think>\n{\"name\":\"wc\",\"arguments\":{\"path\":\"a\"}}", repair.Output{Reasoning: "hm", Calls: wc}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			check(t, "at once", repair.Lift(tt.in, tools.Known), tt.want)
			for _, n := range []int{1, 2, 3, 5, 11, 64} {
				check(t, "in pieces", inPieces(tt.in, n), tt.want)
			}
		})
	}
}

func check(t *testing.T, how string, got, want repair.Output) {
	t.Helper()
	for i := range got.Calls {
		if got.Calls[i].What == "" {
			t.Errorf("%s: a call without What", how)
		}
		got.Calls[i].What = ""
	}
	if got.Text != want.Text || got.Reasoning != want.Reasoning || !slices.Equal(got.Calls, want.Calls) {
		t.Errorf("%s:\n got %+v\nwant %+v", how, got, want)
	}
}

func inPieces(text string, n int) repair.Output {
	f := repair.NewFilter(tools.Known)
	var out repair.Output
	add := func(more repair.Output) {
		if more.Thought {
			out.Reasoning, out.Text = out.Reasoning+out.Text, ""
		}
		out.Text += more.Text
		out.Reasoning += more.Reasoning
		out.Calls = append(out.Calls, more.Calls...)
	}
	for len(text) > 0 {
		cut := min(n, len(text))
		add(f.Write(text[:cut]))
		text = text[cut:]
	}
	add(f.Close())
	return out
}

// What can be shown is shown at once.
func TestFilterDoesNotHoldBackMoreThanItMust(t *testing.T) {
	t.Parallel()
	f := repair.NewFilter(tools.Known)
	steps := []struct{ in, text string }{
		{"Hello", ""}, // may be the name of a tool
		{" wor<", "Hello wor"},
		{"b> and <tool", "<b> and "},
		{"_call> is", ""},
		{" a tag</tool_call>.", "<tool_call> is a tag</tool_call>."},
		{strings.Repeat("y", 10), strings.Repeat("y", 10)},
	}
	for _, s := range steps {
		if got := f.Write(s.in).Text; got != s.text {
			t.Errorf("%q: got %q, want %q", s.in, got, s.text)
		}
	}
}

// However the text is cut, the same comes out, and nothing but calls and tags
// gets lost.
func FuzzFilter(f *testing.F) {
	f.Add("<think>a</think>b <tool_call>{\"name\":\"wc\",\"arguments\":{}}</tool_call>", 3)
	f.Add("```json\n{\"name\":\"wc\",\"arguments\":{}}\n```", 1)
	f.Add("[TOOL_CALLS]wc[ARGS]{\"a\":\"b\"} `x` ~~~", 2)
	f.Add("<function=wc><parameter=a>1</parameter></function></tool_call> <tool_", 7)
	f.Add(" [ { \"name", 1)
	f.Add("```js\nawait wc({\"path\": \"a\"});\n```", 2)
	f.Add("wc({\"path\": \"a\"}", 3)
	f.Fuzz(func(t *testing.T, text string, n int) {
		if n < 1 {
			n = 1
		}
		whole, pieces := repair.Lift(text, tools.Known), inPieces(text, n)
		if whole.Text != pieces.Text || whole.Reasoning != pieces.Reasoning || !slices.Equal(whole.Calls, pieces.Calls) {
			t.Errorf("at once %+v\nin pieces of %d %+v", whole, n, pieces)
		}
		plain := !strings.ContainsAny(text, "<{[`")
		if plain && whole.Text != text {
			t.Errorf("got %q, want %q", whole.Text, text)
		}
		if len(whole.Text)+len(whole.Reasoning) > len(text) {
			t.Errorf("more text came out than went in: %+v", whole)
		}
	})
}

// A message with very many tags that are no calls is about tags: from a million bytes
// on, which were looked at in vain, a tag is text. That bounds what a message costs,
// whatever is in it.
func TestTagsInVain(t *testing.T) {
	t.Parallel()
	const call = "<tool_call>{\"name\":\"wc\",\"arguments\":{}}</tool_call>"
	blocks := func(n int) string {
		return strings.Repeat("<tool_call>"+strings.Repeat(" ", 1000-23)+"</tool_call>\n", n)
	}
	const each = 1000 - 12 // what is looked at
	for _, tt := range []struct {
		name, text string
		calls      int
	}{
		{"as many as may be", blocks(1<<20/each) + call, 1},
		{"one more", blocks(1<<20/each+1) + call, 0},
		{"none of them has an end", strings.Repeat("<tool_call> ", 1<<20/12) + "\n" + call, 0},
		{"calls are not in vain", strings.Repeat(call, 5_000), 5_000},
		{"with a name that is known, but no calls", strings.Repeat("<tool_call>x\n\"name\":\"wc\" ", 20_000), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			looked := 0
			known := func(name string) bool { looked++; return tools.Known(name) }
			out := repair.Lift(tt.text, known)
			if len(out.Calls) != tt.calls || looked > 3*5_000+1000 {
				t.Errorf("%d calls, want %d; %d names were looked up", len(out.Calls), tt.calls, looked)
			}
			if got := len(inPieces(tt.text, 4096).Calls); got != tt.calls {
				t.Errorf("%d calls in pieces, want %d", got, tt.calls)
			}
		})
	}
}
