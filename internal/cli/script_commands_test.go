package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptCommands are the words that scripts can use besides testscript's own.
var scriptCommands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"json":           jsonCommand,
	"exit":           exitCommand,
	"wheel":          wheelCommand,
	"model-server":   modelServer,
	"model-requests": modelRequests,
}

// exitCommand runs a program and checks its exit code: exit 2 agentctl skill read x
func exitCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit CODE PROGRAM ARGS…")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	if err != nil {
		coder, ok := err.(interface{ ExitCode() int })
		if !ok {
			ts.Fatalf("%s: %v", args[1], err)
		}
		got = coder.ExitCode()
	}
	if fmt.Sprint(got) != args[0] {
		ts.Fatalf("%s exited with %d, want %s", strings.Join(args[1:], " "), got, args[0])
	}
}

// jsonCommand reads one value of a JSON document and compares it:
// json stdout skills.0.name csv-summary. Without a value
// it only has to be there. The value is compared as text; objects and lists as compact JSON. ! json stdout
// a.b checks that the value is not there.
func jsonCommand(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: [!] json FILE PATH [VALUE]")
	}
	var doc any
	if err := json.Unmarshal([]byte(ts.ReadFile(args[0])), &doc); err != nil {
		ts.Fatalf("%s is no JSON: %v", args[0], err)
	}
	value, ok := lookup(doc, strings.Split(args[1], "."))
	if neg {
		if ok && (len(args) < 3 || jsonText(value) == os.Expand(args[2], ts.Getenv)) {
			ts.Fatalf("%s of %s is %s", args[1], args[0], jsonText(value))
		}
		return
	}
	if !ok {
		ts.Fatalf("%s has no %s", args[0], args[1])
	}
	if len(args) == 2 {
		return // it is there
	}
	if got := jsonText(value); got != args[2] {
		ts.Fatalf("%s of %s is %q, want %q", args[1], args[0], got, args[2])
	}
}

// lookup walks keys and list indexes; # is the length of a list.
func lookup(v any, path []string) (any, bool) {
	for _, p := range path {
		switch x := v.(type) {
		case map[string]any:
			next, ok := x[p]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			if p == "#" {
				v = float64(len(x))
				continue
			}
			var i int
			if _, err := fmt.Sscan(p, &i); err != nil || i < 0 || i >= len(x) {
				return nil, false
			}
			v = x[i]
		default:
			return nil, false
		}
	}
	return v, true
}

func jsonText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	data, _ := json.Marshal(v)
	return string(data)
}
