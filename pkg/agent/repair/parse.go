package repair

import (
	"encoding/json"
	"regexp"
	"strings"
)

// parse reads the calls in a block, opening tag included. cut: its end did not
// come. No call means that it is text after all.
func (f *Filter) parse(t *tag, text string, cut bool) []Call {
	what := t.text + " in the text"
	var calls []Call
	if t.text == "<function=" {
		what = "<function=…> in the text"
		if !cut {
			text += t.close
		}
		calls = xmlCalls(text, cut)
	} else {
		calls = f.bodyCalls(text[len(t.text):], cut)
	}
	return f.checked(calls, what)
}

// checked keeps the calls if one of them has a known name.
func (f *Filter) checked(calls []Call, what string) []Call {
	found := false
	for i := range calls {
		calls[i].What = what
		found = found || f.known(calls[i].Name)
	}
	if !found {
		return nil
	}
	return calls
}

func (f *Filter) bodyCalls(body string, cut bool) []Call {
	body = strings.Trim(body, blanks)
	if strings.Contains(body, "<function=") && !strings.HasPrefix(body, "{") && !strings.HasPrefix(body, "[") {
		return xmlCalls(body, cut)
	}
	if m := plainName.FindStringSubmatch(body); m != nil {
		return []Call{plainCall(m[1], strings.Trim(strings.TrimPrefix(body, m[1]), blanks), cut)}
	}
	if calls, ok := jsonCalls(body, false); ok {
		return calls
	}
	return f.brokenCall(body, cut)
}

// xmlCalls reads <function=NAME> with <parameter=NAME> elements or with a JSON
// object inside. All values are texts; the schema says what they are.
func xmlCalls(body string, cut bool) []Call {
	const end = "</function>"
	var calls []Call
	lastEnd := strings.LastIndex(body, end)
	found := functionName.FindAllStringSubmatchIndex(body, -1)
	for i, at := range found {
		inner := body[at[1]:]
		if i+1 < len(found) {
			inner = body[at[1]:found[i+1][0]]
		}
		inner, _, _ = strings.Cut(inner, end)
		calls = append(calls, Call{Name: body[at[2]:at[3]], Args: xmlArgs(inner), Cut: cut && lastEnd < at[1]})
	}
	return calls
}

var parameter = regexp.MustCompile(`<parameter=([^>\s]+)>`)

func xmlArgs(inner string) string {
	if trimmed := strings.Trim(inner, blanks); strings.HasPrefix(trimmed, "{") {
		return trimmed
	}
	args := map[string]string{}
	found := parameter.FindAllStringSubmatchIndex(inner, -1)
	for i, at := range found {
		end := len(inner)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		value, _, _ := strings.Cut(inner[at[1]:end], "</parameter>")
		args[inner[at[2]:at[3]]] = unwrapLines(value)
	}
	return encode(args)
}

var argument = regexp.MustCompile(`(?s)<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)(?:</arg_value>|$)`)

// plainCall is a name, then a JSON object or <arg_key> and <arg_value> elements.
func plainCall(name, rest string, cut bool) Call {
	rest = strings.Trim(strings.TrimPrefix(rest, "[ARGS]"), blanks)
	if strings.HasPrefix(rest, "{") {
		return Call{Name: name, Args: rest, Cut: cut && !json.Valid([]byte(rest))}
	}
	args := map[string]string{}
	for _, m := range argument.FindAllStringSubmatch(rest, -1) {
		args[strings.Trim(m[1], blanks)] = unwrapLines(m[2])
	}
	return Call{Name: name, Args: encode(args), Cut: cut}
}

// unwrapLines removes the line breaks that set a value off from its tags.
func unwrapLines(value string) string {
	return strings.TrimSuffix(strings.TrimPrefix(value, "\n"), "\n")
}

func encode(args map[string]string) string {
	out, _ := json.Marshal(args) // texts always encode
	return string(out)
}

// jsonCalls reads one call, a list of calls, or several one after the other.
// strict: nothing but calls, with arguments and without other keys.
func jsonCalls(text string, strict bool) (calls []Call, ok bool) {
	for text = strings.Trim(text, blanks+";,"); text != ""; text = strings.Trim(text, blanks+";,") {
		value, rest, _, err := mend(text)
		if err != nil || (text[0] != '{' && text[0] != '[') {
			return nil, false
		}
		more, ok := callsOf(json.RawMessage(value), strict)
		if !ok {
			return nil, false
		}
		calls = append(calls, more...)
		text = rest
	}
	return calls, len(calls) > 0
}

func callsOf(raw json.RawMessage, strict bool) ([]Call, bool) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	var calls []Call
	for _, item := range list {
		c, ok := callOf(item, strict)
		if !ok {
			return nil, false
		}
		calls = append(calls, c)
	}
	return calls, len(calls) > 0
}

var (
	nameKeys = []string{"name", "function", "tool", "tool_name"}
	argKeys  = []string{"arguments", "parameters", "args", "input"}
	callKeys = append([]string{"id", "type", "call_id"}, append(nameKeys, argKeys...)...)
)

func callOf(raw json.RawMessage, strict bool) (Call, bool) {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return Call{}, false
	}
	if inner := m["function"]; strings.HasPrefix(string(inner), "{") {
		return callOf(inner, strict)
	}
	var c Call
	for _, key := range nameKeys {
		if c.Name == "" {
			_ = json.Unmarshal(m[key], &c.Name) // no text, no name
		}
	}
	has := false
	for _, key := range argKeys {
		if value, ok := m[key]; ok && !has {
			has = true
			c.Args = argsText(value)
		}
	}
	if strict && (!has || !onlyKeys(m)) {
		return Call{}, false
	}
	return c, c.Name != ""
}

func onlyKeys(m map[string]json.RawMessage) bool {
	for key := range m {
		known := false
		for _, k := range callKeys {
			known = known || k == key
		}
		if !known {
			return false
		}
	}
	return true
}

func argsText(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text // also for null
	}
	return string(value)
}

var argsStart = regexp.MustCompile(`["'](?:arguments|parameters|args|input)["']\s*:\s*`)

// brokenCall is a call whose JSON cannot be read. It goes on as it is, so that
// the model is told what is wrong with it instead of nobody noticing.
func (f *Filter) brokenCall(body string, cut bool) []Call {
	c := Call{Name: f.firstKnown(body), Cut: cut}
	if at := argsStart.FindStringIndex(body); at != nil {
		c.Args = body[at[1]:]
	} else {
		c.Args = body
	}
	if c.Name == "" {
		return nil
	}
	return []Call{c}
}
