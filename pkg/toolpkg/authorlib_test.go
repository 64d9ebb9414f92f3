package toolpkg

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/diag"
	"github.com/agentctl/agentctl/internal/schema"
)

const pythonTool = `
import argparse, dataclasses, enum, math, pathlib, sys
from typing import Annotated, Any, Literal, Optional
from agentctl_tool import InvalidArgs, NotConfigured, Transient, main, tool

class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"

@dataclasses.dataclass
class Filter:
    column: str
    op: Literal["=", "<"] = "="

    def __post_init__(self):
        if self.column == "!": raise ValueError("no such column")

@tool
def many_types(
    path: pathlib.Path, ratio: float, tags: list[str], filters: list[Filter], colour: Colour = Colour.RED,
    limit: Optional[int] = None, extra: dict[str, int] | None = None, note: Annotated[str, "A note."] = "", free: Any = None,
) -> Filter:
    """Take many
    types.

    Args:
        path: The file,
            which is read.
        ratio (float): A share.
    """
    assert isinstance(path, pathlib.Path) and isinstance(ratio, float) and isinstance(colour, Colour)
    assert all(isinstance(f, Filter) for f in filters)
    return dataclasses.replace(filters[0], column=colour.value) if filters else Filter(str(limit))

@tool(name="by_fields", annotations={"readOnlyHint": True})
def whole(args: Filter) -> list:
    """Take the fields of a dataclass."""
    return [args]

@tool
async def act(what: str):
    if what == "text": return "häll<o>"
    if what == "bytes": return b"raw\x00"
    if what == "nothing": return None
    if what == "surrogate": return "\ud800"
    if what == "nan": return {"x": math.nan}
    if what == "bad": raise InvalidArgs("what", "is bäd")
    if what == "config": raise NotConfigured("no key")
    if what == "later": raise Transient("busy")
    if what == "argparse": argparse.ArgumentParser().parse_args(["--x"])
    if what == "exit 3": sys.exit(3)
    if what == "message": sys.exit("stopped")
    if what == "done": sys.exit()
    raise RuntimeError("oh")

main()
`

// pythonLib writes a tool with the library beside it.
func pythonLib(t *testing.T, tool string) (dir string) {
	t.Helper()
	needPython(t)
	dir = tempDir(t)
	lib, err := authorLibs.ReadFile(libraries["python"].from)
	if err != nil {
		t.Fatal(err)
	}
	writeTree(t, dir, map[string]string{"agentctl_tool.py": string(lib), "main.py": tool})
	return dir
}

// libCall is a program with the arguments and the environment that it gets.
type libCall struct {
	program string
	args    []string
	env     []string
}

func python(t *testing.T, dir string, env ...string) libCall {
	t.Helper()
	return libCall{needPython(t).Program, []string{filepath.Join(dir, "main.py")}, append(env, "PYTHONDONTWRITEBYTECODE=1")}
}

func (c libCall) run(t *testing.T, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), c.program, append(c.args, args...)...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = strings.NewReader(stdin), &out, &errs, c.env
	if err := cmd.Run(); err != nil {
		if _, ok := errors.AsType[*exec.ExitError](err); !ok {
			t.Fatal(err)
		}
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func (c libCall) describe(t *testing.T, command string) Command {
	t.Helper()
	out, errs, code := c.run(t, "", command)
	var got Command
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != 0 {
		t.Fatalf("describe: exit %d, %v, %s", code, err, errs)
	}
	if _, err := schema.Compile(got.Params); err != nil {
		t.Error(err)
	}
	return got
}

func wantSchema(t *testing.T, got Command, want string) {
	t.Helper()
	if !bytes.Equal(compact(got.Params), compact([]byte(want))) {
		t.Errorf("got  %s\nwant %s", compact(got.Params), compact([]byte(want)))
	}
}

func TestPythonLibrarySchema(t *testing.T) {
	t.Parallel()
	py := python(t, pythonLib(t, pythonTool))
	list, _, code := py.run(t, "")
	if want := `[{"name": "many-types", "description": "Take many types."}, {"name": "by_fields", "description": "Take the fields of a dataclass."}, {"name": "act", "description": ""}]` + "\n"; list != want || code != 0 {
		t.Errorf("list: %s", list)
	}
	wantSchema(t, py.describe(t, "many-types"), `{"type":"object","properties":{
"path":{"type":"string","description":"The file, which is read."},"ratio":{"type":"number","description":"A share."},
"tags":{"type":"array","items":{"type":"string"}},
"filters":{"type":"array","items":{"type":"object","properties":{"column":{"type":"string"},"op":{"type":"string","enum":["=","<"],"default":"="}},"additionalProperties":false,"required":["column"]}},
"colour":{"type":"string","enum":["red","blue"],"default":"red"},"limit":{"anyOf":[{"type":"integer"},{"type":"null"}]},
"extra":{"anyOf":[{"type":"object","additionalProperties":{"type":"integer"}},{"type":"null"}]},
"note":{"type":"string","description":"A note.","default":""},"free":{}},
"additionalProperties":false,"required":["path","ratio","tags","filters"]}`)
	fields := py.describe(t, "by_fields")
	wantSchema(t, fields, `{"type":"object","properties":{"column":{"type":"string"},"op":{"type":"string","enum":["=","<"],"default":"="}},"additionalProperties":false,"required":["column"]}`)
	if string(compact(fields.Annotations)) != `{"readOnlyHint":true}` {
		t.Errorf("annotations: %s", fields.Annotations)
	}
	all, _, _ := py.run(t, "", "--describe-all")
	var both []Command
	if err := json.Unmarshal([]byte(all), &both); err != nil || len(both) != 3 {
		t.Errorf("all: %v, %s", err, all)
	}
}

// libTest is a call of a library's tool and what comes of it.
type libTest struct {
	name, command, args, stdin string
	code                       int
	stdout, stderr             string
}

func (c libCall) check(t *testing.T, tests []libTest) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, code := c.run(t, tt.stdin, tt.command, tt.args)
			if code != tt.code || stdout != tt.stdout || !strings.Contains(stderr, tt.stderr) {
				t.Errorf("exit %d, %q, %q\nwant %d, %q, %q", code, stdout, stderr, tt.code, tt.stdout, tt.stderr)
			}
			if marked := strings.Contains(stderr, markerPrefix); marked && code != ToolArguments {
				t.Errorf("a marker with exit %d", code)
			}
		})
	}
}

func TestPythonLibraryCalls(t *testing.T) {
	t.Parallel()
	const ok = `{"path":"a","ratio":1,"tags":["x"],"filters":[{"column":"c"}]`
	python(t, pythonLib(t, pythonTool)).check(t, []libTest{
		{"types arrive", "many-types", ok + `,"colour":"blue"}`, "", 0, `{"column": "blue", "op": "="}` + "\n", ""},
		{"stdin", "many-types", "-", ok + `,"limit":null}`, 0, `{"column": "red", "op": "="}` + "\n", ""},
		{"an integral float is an integer", "many-types", `{"path":"a","ratio":1,"tags":[],"filters":[],"limit":2.0}`, "", 0, `{"column": "2", "op": "="}` + "\n", ""},
		{"the fields of a dataclass", "by_fields", `{"column":"ä"}`, "", 0, `[{"column": "ä", "op": "="}]` + "\n", ""},
		{"text", "act", `{"what":"text"}`, "", 0, "häll<o>\n", ""},
		{"bytes", "act", `{"what":"bytes"}`, "", 0, "raw\x00", ""},
		{"nothing", "act", `{"what":"nothing"}`, "", 0, "", ""},
		{"half a character", "act", `{"what":"surrogate"}`, "", 0, "?\n", ""},
		{"NaN as a result", "act", `{"what":"nan"}`, "", 1, "", "the result cannot be written as JSON"},
		{"a refused argument", "act", `{"what":"bad"}`, "", 2, "", `agentctl-error: {"kind": "invalid_arguments", "message": "is b\u00e4d", "field": "what"}`},
		{"configuration", "act", `{"what":"config"}`, "", 3, "", "no key"},
		{"transient", "act", `{"what":"later"}`, "", 4, "", "busy"},
		{"argparse is a failure", "act", `{"what":"argparse"}`, "", 1, "", "unrecognized arguments"},
		{"an exit of the contract", "act", `{"what":"exit 3"}`, "", 3, "", ""},
		{"an exit with a message", "act", `{"what":"message"}`, "", 1, "", "stopped"},
		{"an exit without a code", "act", `{"what":"done"}`, "", 0, "", ""},
		{"an exception", "act", `{"what":"?"}`, "", 1, "", "RuntimeError: oh"},
		{"missing", "act", `{}`, "", 2, "", `"field": "what"`},
		{"empty", "act", ``, "", 2, "", `"message": "is required"`},
		{"unknown", "act", `{"what":"text","x":1}`, "", 2, "", "x: unknown property; known: what"},
		{"a wrong type", "act", `{"what":1}`, "", 2, "", "what: expected a string, got an integer"},
		{"a wrong item", "many-types", `{"path":"a","ratio":1,"tags":[1],"filters":[]}`, "", 2, "", "tags[0]: expected a string, got an integer"},
		{"a wrong choice", "many-types", ok + `,"colour":"green"}`, "", 2, "", `colour: must be one of "red", "blue"`},
		{"a wrong field", "many-types", `{"path":"a","ratio":1,"tags":[],"filters":[{"column":"c","x":1}]}`, "", 2, "", "filters[0].x"},
		{"what a dataclass refuses", "by_fields", `{"column":"!"}`, "", 2, "", `"no such column"`},
		{"a wrong number", "many-types", `{"path":"a","ratio":true,"tags":[],"filters":[]}`, "", 2, "", "ratio: expected a number, got true or false"},
		{"bad JSON", "act", `{`, "", 2, "", "arguments must be one JSON object"},
		{"NaN", "many-types", `{"path":"a","ratio":NaN}`, "", 2, "", "NaN is no JSON"},
		{"a number that no float holds", "many-types", `{"path":"a","ratio":1e999}`, "", 2, "", "1e999 is no JSON"},
		{"deep", "act", "-", strings.Repeat("[", 200000), 2, "", "arguments must be one JSON object"},
		{"no UTF-8", "act", "-", "{\"what\":\"\xff\"}", 2, "", "no UTF-8"},
		{"an array", "act", `[]`, "", 2, "", "arguments must be one JSON object, got an array"},
		{"unknown command", "ac", `{}`, "", 2, "", "unknown command 'ac'; usage: launch [COMMAND [JSON or -]]; commands: many-types, by_fields, act"},
	})
}

func TestPythonLibraryRefusesFunctions(t *testing.T) {
	t.Parallel()
	const head = "import dataclasses\nfrom agentctl_tool import main, tool\n"
	for _, tt := range []struct{ text, want string }{
		{"@tool\ndef f(a): pass\n", "parameter a has no type hint"},
		{"@tool\ndef f(*a: int): pass\n", "parameter a cannot be given by its name"},
		{"@tool\ndef f(a: set): pass\n", "no schema for"},
		{"@tool(name='F')\ndef f(): pass\n", "command 'F': a name has"},
		{"@tool\ndef f(): pass\n@tool\ndef f(): pass\n", "command 'f' is registered twice"},
		{"@dataclasses.dataclass\nclass A:\n    a: list['A']\n@tool\ndef f(a: A): pass\n", "A contains itself"},
		{"@dataclasses.dataclass\nclass A:\n    a: 'A | None'\n@tool\ndef f(n: int, a: A | None = None): pass\n", "A contains itself"},
	} {
		_, stderr, code := python(t, pythonLib(t, head+tt.text+"main()\n")).run(t, "", "f")
		if code != ToolFailed || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: exit %d, %s, want %s", tt.text, code, stderr, tt.want)
		}
	}
}

func TestPythonLibraryWithNobodyReading(t *testing.T) {
	t.Parallel()
	dir := pythonLib(t, "from agentctl_tool import main, tool\n@tool\ndef big() -> str:\n    return 'x' * 1000000\nmain()\n")
	py := python(t, dir)
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", `{ "$0" "$1" big '{}'; echo "exit $?" >&2; } | head -c 10`, py.program, py.args[0])
	cmd.Env = py.env
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if out, err := cmd.Output(); err != nil || string(out) != "xxxxxxxxxx" || !strings.HasSuffix(errs.String(), "exit 1\n") || strings.Contains(errs.String(), "Traceback") {
		t.Errorf("got %q, %v, %s", out, err, errs.String())
	}
}

const pydanticTool = `
from pydantic import BaseModel, Field
from agentctl_tool import main, tool

class Item(BaseModel):
    name: str
    count: int = Field(default=1, ge=1)

class Order(BaseModel):
    items: list[Item]
    note: str | None = None
    gift: Item | None = None

@tool
def order(args: Order) -> Order:
    """Order."""
    return args

@tool
def mixed(item: Item, urgent: bool = False) -> dict:
    """Order one."""
    return {"item": item, "urgent": urgent}

main()
`

// TestPythonLibraryWithPydantic takes pydantic from the built sample.
func TestPythonLibraryWithPydantic(t *testing.T) {
	t.Parallel()
	site := filepath.Join(samples[0].built(t).Dir, "runtime", "site-packages")
	py := python(t, pythonLib(t, pydanticTool), "PYTHONPATH="+site)
	for _, name := range []string{"order", "mixed"} {
		got := py.describe(t, name)
		for _, d := range lintCommands([]Command{got}) {
			if d.Severity != diag.Info {
				t.Errorf("%s: %v", name, d)
			}
		}
		var root struct {
			Defs map[string]struct {
				AdditionalProperties *bool `json:"additionalProperties"`
			} `json:"$defs"`
			AdditionalProperties *bool `json:"additionalProperties"`
		}
		if err := json.Unmarshal(got.Params, &root); err != nil || root.AdditionalProperties == nil || *root.AdditionalProperties {
			t.Errorf("%s is open: %s, %v", name, got.Params, err)
		}
		for model, def := range root.Defs {
			if def.AdditionalProperties == nil || *def.AdditionalProperties {
				t.Errorf("%s: %s is open", name, model)
			}
		}
	}
	py.check(t, []libTest{
		{"a model", "order", `{"items":[{"name":"ä"}]}`, "", 0, `{"items": [{"name": "ä", "count": 1}]}` + "\n", ""},
		{"a model among others", "mixed", `{"item":{"name":"a","count":2},"urgent":true}`, "", 0, `{"item": {"name": "a", "count": 2}, "urgent": true}` + "\n", ""},
		{"missing", "order", `{}`, "", 2, "", `"field": "items"`},
		{"all that is wrong", "order", `{"items":[{"count":0}]}`, "", 2, "", `items.0.count: Input should be greater than or equal to 1`},
		{"unknown at the top", "order", `{"items":[],"x":1}`, "", 2, "", "x: unknown property; known: items, note, gift"},
		{"unknown below", "order", `{"items":[{"name":"a","x":1}]}`, "", 2, "", "items[0].x: unknown property; known: name, count"},
		{"unknown in an optional one", "order", `{"items":[],"gift":{"name":"a","x":1}}`, "", 2, "", "gift.x: unknown property"},
		{"among others", "mixed", `{"item":{"count":0,"name":"a"}}`, "", 2, "", `"field": "item.count"`},
	})
}

const nodeTool = `
import { InvalidArgs, NotConfigured, Transient, main, tool } from "./agentctl-tool.mjs";
tool({
  name: "act", description: "Act.",
  parameters: { type: "object", required: ["what"], properties: {
    what: { type: "string", minLength: 1 }, n: { type: "integer", minimum: 1, maximum: 3, default: 2 }, mode: { type: "string", enum: ["a", "b"] },
    list: { type: "array", items: { type: ["number", "null"] } }, nested: { type: "object", additionalProperties: false, properties: { x: { type: "boolean" } } },
  } },
  annotations: { readOnlyHint: true },
}, async (args) => {
  switch (args.what) {
    case "all": return args;
    case "text": return "häll<o>";
    case "nothing": return undefined;
    case "nan": return { x: [NaN] };
    case "bad": throw new InvalidArgs("what", "is bäd");
    case "config": throw new NotConfigured("no key");
    case "later": throw new Transient("busy");
    case "exit 2": process.exit(2);
    case "exit 3": process.exit(3);
    case "late": setTimeout(() => { throw new Error("late"); }, 1); await new Promise((ok) => setTimeout(ok, 1000)); return 1;
    case "open": setInterval(() => {}, 1000); return "done";
  }
  throw new Error("oh");
});
tool({ name: "bare", description: "Nothing." }, () => 1);
await main();
`

func TestNodeLibrary(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	lib, err := authorLibs.ReadFile(libraries["node"].from)
	if err != nil {
		t.Fatal(err)
	}
	writeTree(t, dir, map[string]string{"agentctl-tool.mjs": string(lib), "main.mjs": nodeTool})
	node := libCall{needNode(t), []string{filepath.Join(dir, "main.mjs")}, nil}
	if list, _, code := node.run(t, ""); list != `[{"name":"act","description":"Act."},{"name":"bare","description":"Nothing."}]`+"\n" || code != 0 {
		t.Errorf("list: %s", list)
	}
	wantSchema(t, node.describe(t, "bare"), `{"type":"object","properties":{},"additionalProperties":false}`)
	act := node.describe(t, "act")
	if string(compact(act.Annotations)) != `{"readOnlyHint":true}` {
		t.Errorf("annotations: %s", act.Annotations)
	}
	node.check(t, []libTest{
		{"arguments and defaults", "act", `{"what":"all","mode":"b","list":[1,null],"nested":{"x":true}}`, "", 0, `{"what":"all","mode":"b","list":[1,null],"nested":{"x":true},"n":2}` + "\n", ""},
		{"stdin", "act", "-", `{"what":"text"}`, 0, "häll<o>\n", ""},
		{"no arguments", "bare", "", "", 0, "1\n", ""},
		{"nothing", "act", `{"what":"nothing"}`, "", 0, "", ""},
		{"NaN as a result", "act", `{"what":"nan"}`, "", 1, "", "the result holds NaN"},
		{"a refused argument", "act", `{"what":"bad"}`, "", 2, "", `agentctl-error: {"kind":"invalid_arguments","message":"is bäd","field":"what"}`},
		{"configuration", "act", `{"what":"config"}`, "", 3, "", "no key"},
		{"transient", "act", `{"what":"later"}`, "", 4, "", "busy"},
		{"an exit of 2 is a failure", "act", `{"what":"exit 2"}`, "", 1, "", ""},
		{"an exit of the contract", "act", `{"what":"exit 3"}`, "", 3, "", ""},
		{"an error", "act", `{"what":"?"}`, "", 1, "", "Error: oh"},
		{"an error that nobody awaits", "act", `{"what":"late"}`, "", 1, "", "Error: late"},
		{"what is still open", "act", `{"what":"open"}`, "", 0, "done\n", ""},
		{"missing", "act", `{}`, "", 2, "", `what: is required`},
		{"empty", "act", `{"what":""}`, "", 2, "", `what: is empty`},
		{"unknown", "act", `{"what":"text","x":1}`, "", 2, "", "x: unknown property; known: what, n, mode, list, nested"},
		{"unknown that every object has", "act", `{"what":"text","constructor":1,"__proto__":{}}`, "", 2, "", "constructor: unknown property"},
		{"unknown below", "act", `{"what":"text","nested":{"y":1}}`, "", 2, "", "nested.y: unknown property; known: x"},
		{"a wrong type", "act", `{"what":1}`, "", 2, "", "what: expected string, got number"},
		{"a wrong item", "act", `{"what":"x","list":[1,"2"]}`, "", 2, "", "list[1]: expected number or null, got string"},
		{"no integer", "act", `{"what":"x","n":1.5}`, "", 2, "", "n: expected integer, got number"},
		{"too small", "act", `{"what":"x","n":0}`, "", 2, "", "n: must be at least 1"},
		{"too large", "act", `{"what":"x","n":4}`, "", 2, "", "n: must be at most 3"},
		{"a number that no float holds", "act", `{"what":"x","list":[1e999]}`, "", 2, "", "list[0]: expected number or null"},
		{"a wrong choice", "act", `{"what":"x","mode":"c"}`, "", 2, "", `mode: must be one of "a", "b"`},
		{"bad JSON", "act", `{`, "", 2, "", "arguments must be one JSON object"},
		{"NaN", "act", `{"what":NaN}`, "", 2, "", "arguments must be one JSON object"},
		{"no UTF-8", "act", "-", "{\"what\":\"\xff\"}", 2, "", "arguments are no UTF-8"},
		{"an array", "act", `[]`, "", 2, "", "arguments must be one JSON object, got array"},
		{"unknown command", "ac", `{}`, "", 2, "", `unknown command "ac"; usage: launch [COMMAND [JSON or -]]; commands: act, bare`},
	})
}
