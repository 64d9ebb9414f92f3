package toolpkg

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/pkg/sandbox"
)

// fakeLauncher answers by the joined arguments; what it has no answer for exits
// with 2 and a reason.
type fakeLauncher map[string]string

func (f fakeLauncher) call(_ context.Context, _ string, args ...string) (sandbox.Result, error) {
	out, ok := f[strings.Join(args, " ")]
	if !ok {
		return sandbox.Result{Exit: 2, Stderr: sandbox.Capture{Head: []byte("no")}}, nil
	}
	switch out {
	case "TIMEOUT":
		return sandbox.Result{TimedOut: true, Exit: 143}, nil
	case "ERROR":
		return sandbox.Result{}, errNoSandbox
	case "BINARY":
		out = "\xff\xfe"
	case "SILENT":
		return sandbox.Result{Exit: 2}, nil
	}
	return sandbox.Result{Stdout: sandbox.Capture{Head: []byte(out)}}, nil
}

const goodSchema = `{"type":"object","properties":{"a":{"type":"string","description":"x"}}}`

func goodLauncher() fakeLauncher {
	return fakeLauncher{
		"":    `[{"name":"one","description":"Does one."}]`,
		"one": `{"name":"one","description":"Does one.","params_json_schema":` + goodSchema + `}`,
	}
}

func (f fakeLauncher) with(args, answer string) fakeLauncher {
	f[args] = answer
	return f
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	all := `[{"name":"one","description":"All at once.","params_json_schema":` + goodSchema + `}]`
	tests := []struct {
		name, want, wantErr string
		launch              fakeLauncher
	}{
		{name: "one by one", launch: goodLauncher(), want: "Does one."},
		{name: "all at once", launch: goodLauncher().with("--describe-all", all), want: "All at once."},
		{name: "an odd answer falls back", launch: goodLauncher().with("--describe-all", "usage: …"), want: "Does one."},
		{name: "half an answer falls back", launch: goodLauncher().with("--describe-all", `[{"name":"one"}]`), want: "Does one."},
		{name: "a hanging one falls back", launch: goodLauncher().with("--describe-all", "TIMEOUT"), want: "Does one."},
		{name: "the list's description stands in", launch: goodLauncher().with("one", `{"params_json_schema":`+goodSchema+`}`), want: "Does one."},
		{name: "no answer", launch: goodLauncher().with("", "TIMEOUT"), wantErr: "launch: does not answer within 10s"},
		{name: "no text", launch: goodLauncher().with("", "BINARY"), wantErr: "launch: prints what is not UTF-8"},
		{name: "no object", launch: goodLauncher().with("one", "[]"), wantErr: "launch one: does not print a JSON object"},
		{name: "no sandbox", launch: goodLauncher().with("", "ERROR"), wantErr: "no sandbox"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			commands, found, err := Describe(t.Context(), tt.launch.call)
			if tt.wantErr != "" {
				if !strings.HasPrefix(errText(err), tt.wantErr) {
					t.Errorf("got %v, want %s", err, tt.wantErr)
				}
				return
			}
			if err != nil || len(found) > 0 || len(commands) != 1 || commands[0].Description != tt.want || string(commands[0].Params) != goodSchema {
				t.Errorf("got %+v, %v, %v", commands, found, err)
			}
		})
	}
}

func TestDescribeFindings(t *testing.T) {
	t.Parallel()
	launch := fakeLauncher{"": `[{"name":"one"}]`, "one": `{"params_json_schema":{"type":"array"}}`}
	_, found, err := Describe(t.Context(), launch.call)
	var codes []string
	for _, d := range found {
		codes = append(codes, d.Code+" "+d.File)
	}
	if want := "schema.no-items schemas/one.json schema.root-not-object schemas/one.json tool.no-description schemas/one.json"; err != nil || strings.Join(codes, " ") != want {
		t.Errorf("got %v, %v", codes, err)
	}
}

func TestCheckLauncher(t *testing.T) {
	t.Parallel()
	all := `[{"name":"one","description":"Does one.","params_json_schema":` + goodSchema + `}]`
	tests := []struct {
		name   string
		launch fakeLauncher
		want   string
	}{
		{"good", goodLauncher().with("--describe-all", all), ""},
		{"describe-all differs", goodLauncher().with("--describe-all", strings.Replace(all, "Does", "Did", 1)), "contract.describe-all"},
		{"unknown command accepted", goodLauncher().with("no-such-command", "{}"), "contract.exit-code"},
		{"bad JSON accepted", goodLauncher().with("one {", "{}"), "contract.exit-code"},
		{"bad JSON on stdin hangs", goodLauncher().with("one -", "TIMEOUT"), "contract.exit-code"},
		{"no reason", goodLauncher().with("one [1]", "SILENT"), "contract.no-message"},
		{"no list", fakeLauncher{}, "contract.describe"},
		{"an empty list", fakeLauncher{"": "[]"}, "contract.describe"},
		{"a schema", goodLauncher().with("one", `{"params_json_schema":{"type":"object","properties":{},"anyOf":[]}}`), "schema.invalid"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			found, err := CheckLauncher(t.Context(), tt.launch.call)
			var codes []string
			for _, d := range found {
				codes = append(codes, d.Code)
			}
			if err != nil || strings.Join(codes, " ") != tt.want {
				t.Errorf("got %v, %v, want %s", found, err, tt.want)
			}
		})
	}
	for _, at := range []string{"", "--describe-all", "one {"} {
		if _, err := CheckLauncher(t.Context(), goodLauncher().with(at, "ERROR").call); !errors.Is(err, errNoSandbox) {
			t.Errorf("%q: got %v", at, err)
		}
	}
	n := 0
	unstable := func(ctx context.Context, stdin string, args ...string) (sandbox.Result, error) {
		n++
		if n == 4 { // the second description of the command
			return goodLauncher().with("one", `{"description":"Now.","params_json_schema":{"type":"object","properties":{}}}`).call(ctx, stdin, args...)
		}
		return goodLauncher().call(ctx, stdin, args...)
	}
	if found, err := CheckLauncher(t.Context(), unstable); err != nil || len(found) != 1 || found[0].Code != "contract.not-stable" {
		t.Errorf("got %v, %v", found, err)
	}
}

func FuzzDescribe(f *testing.F) {
	f.Add(`[{"name":"one"}]`, `{"params_json_schema":{"type":"object"}}`)
	f.Add(`[]`, `null`)
	f.Add(`[{"name":"a-b"},{"name":"a.b"}]`, `[]`)
	f.Fuzz(func(t *testing.T, list, one string) {
		launch := func(_ context.Context, _ string, args ...string) (sandbox.Result, error) {
			text := list
			if len(args) > 0 {
				text = one
			}
			return sandbox.Result{Stdout: sandbox.Capture{Head: []byte(text)}}, nil
		}
		commands, _, err := Describe(t.Context(), launch)
		for _, c := range commands {
			if _, ok := FunctionName(c.Name); !ok || !json.Valid(c.Params) || err != nil {
				t.Errorf("let in %+v, %v", c, err)
			}
		}
	})
}
