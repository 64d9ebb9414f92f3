package builtin_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/pkg/agent"
	"github.com/agentctl/agentctl/pkg/agent/builtin"
	"github.com/agentctl/agentctl/pkg/agent/session"
	"github.com/agentctl/agentctl/pkg/sandbox"
	"github.com/agentctl/agentctl/pkg/toolpkg"
)

// fetchFunctions are two commands of a prebuilt package called fetch.
func fetchFunctions(t *testing.T) []toolpkg.Function {
	t.Helper()
	digest := strings.Repeat("a", 64)
	root := filepath.Join(t.TempDir(), "fetch")
	writeFiles(t, root, map[string]string{
		"current": digest + "\n",
		digest + "/agentctl-package.json": `{"format":1,"name":"fetch","builder":"exec","platform":"any","contract":1,"runtime":{"portable":true},
			"env":[{"name":"FETCH_TOKEN","required":true,"secret":true}],"network":false,"workspace":"rw","timeout":"1m0s"}`,
		digest + "/commands.json":        `[{"name":"get-url","tool":"get_url","description":"Fetch a URL."},{"name":"list","tool":"list","description":"List URLs."}]`,
		digest + "/schemas/get-url.json": `{"type":"object","properties":{"url":{"type":"string"}},"required":["url"]}`,
		digest + "/schemas/list.json":    `{"type":"object"}`,
		digest + "/launch":               "#!/bin/sh\n",
	})
	p, err := toolpkg.LoadPackage(root)
	if err != nil {
		t.Fatal(err)
	}
	return []toolpkg.Function{{Name: "get_url", Package: p, Command: p.Commands[0]}, {Name: "list_urls", Package: p, Command: p.Commands[1]}}
}

func packageEnv(t *testing.T, f fake) (*builtin.Env, []agent.Tool) {
	t.Helper()
	env := newEnv(t, nil)
	env.Backend = open(t, f)
	env.Grants = map[string][]string{"fetch": {"FETCH_TOKEN"}}
	env.LookupEnv = func(string) (string, bool) { return "s3cret-value", true }
	return env, builtin.PackageTools(env, fetchFunctions(t))
}

func TestPackageTool(t *testing.T) {
	t.Parallel()
	_, tools := packageEnv(t, func(p sandbox.Policy, c sandbox.Command) (sandbox.Result, error) {
		if filepath.Base(c.Args[0]) != "launch" || !slices.Equal(c.Args[1:], []string{"get-url", `{"url":"x"}`}) {
			t.Errorf("args %q", c.Args)
		}
		_, _ = c.Stdout.Write([]byte("done with " + p.Env["FETCH_TOKEN"] + "\n"))
		return sandbox.Result{Appeared: []string{"/ws/.git"}}, os.WriteFile(filepath.Join(p.Env["AGENTCTL_OUTPUT_DIR"], "a.txt"), []byte("1"), 0o600)
	})
	spec := tools[0].Spec()
	if spec.Name != "get_url" || spec.Description != "Fetch a URL." || !strings.Contains(string(spec.Schema), `"url"`) {
		t.Errorf("spec %+v", spec)
	}
	var shown string
	call := newCall(t, args{"url": "x"})
	call.Output = func(stream, text string) { shown += stream + " " + text }
	out, err := tools[0].Run(t.Context(), call)
	if err != nil {
		t.Fatal(err)
	}
	if out.Failed || !strings.HasPrefix(out.Text, "exit_code: 0\nstdout:\ndone with ") || !strings.HasSuffix(out.Text, "a.txt (1 byte)\n") {
		t.Errorf("got %+v", out)
	}
	if strings.Contains(out.Text+shown, "s3cret-value") || !strings.HasPrefix(shown, "stdout done with ") {
		t.Errorf("the secret is in %q or %q", out.Text, shown)
	}
	if len(out.Warnings) != 1 || out.Warnings[0].Code != "sandbox.appeared" {
		t.Errorf("warnings %+v", out.Warnings)
	}
}

func TestPackageToolEndings(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		fake     fake
		grant    bool
		text     string
		badArgs  bool
		warnings []session.Warning
	}{
		{
			"configuration", says("", "set FETCH_URL\n", 3), true,
			"exit_code: 3\nstderr:\nget_url is not set up here. The user was told what is missing. Go on without it, or say that it needs to be set up.\n", false,
			[]session.Warning{{Code: "tool.configuration", Text: "fetch:get-url: set FETCH_URL"}},
		},
		{
			"a variable that is not granted", nil, false,
			"exit_code: 2\nstderr:\nget_url is not set up here. The user was told what is missing. Go on without it, or say that it needs to be set up.\n", false,
			[]session.Warning{{Code: "tool.configuration", Text: `fetch:get-url: tool package "fetch": variable FETCH_TOKEN is required and not granted; grant it in your own configuration (agentctl config path) with tools: {env: {fetch: [FETCH_TOKEN]}}`}},
		},
		{
			"arguments", says("", `agentctl-error: {"kind":"invalid_arguments","message":"no such host","field":"url"}`+"\n", 2), true,
			"exit_code: 2\nstderr:\nagentctl-error: {\"kind\":\"invalid_arguments\",\"message\":\"no such host\",\"field\":\"url\"}\n", true, nil,
		},
		{"a plain 2", says("", "panic\n", 2), true, "exit_code: 2\nstderr:\npanic\n", false, nil},
		{
			"damaged", func(sandbox.Policy, sandbox.Command) (sandbox.Result, error) {
				return sandbox.Result{}, &sandbox.NotFoundError{Program: "launch"}
			}, true,
			"exit_code: 126\nstderr:\nget_url is damaged and cannot run. The user was told. Go on without it.\n", false,
			[]session.Warning{{Code: "tool.broken", Text: `fetch:get-url: prebuilt tool package "fetch" cannot be used: its launch or the interpreter of that is missing; run agentctl tool prebuild --force fetch`}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			env, tools := packageEnv(t, tt.fake)
			if !tt.grant {
				env.Grants = nil
			}
			out := runTool(t, tools[0], args{"url": "x"})
			if out.Text != tt.text || !out.Failed || out.BadArgs != tt.badArgs || out.ExitCode == nil || !reflect.DeepEqual(out.Warnings, tt.warnings) {
				t.Errorf("got %+v\nwant %+v", out, tt)
			}
		})
	}
}

func TestPackageToolFaults(t *testing.T) {
	t.Parallel()
	fault := &sandbox.Fault{Backend: "bwrap", Reason: "broke"}
	env, tools := packageEnv(t, func(sandbox.Policy, sandbox.Command) (sandbox.Result, error) { return sandbox.Result{}, fault })
	if _, err := tools[0].Run(t.Context(), newCall(t, args{"url": "x"})); !errors.Is(err, fault) {
		t.Errorf("got %v, want %v", err, fault)
	}
	closed := errors.New("no backend")
	env.Backend = func(context.Context) (sandbox.Backend, error) { return nil, closed }
	if _, err := tools[0].Run(t.Context(), newCall(t, args{"url": "x"})); !errors.Is(err, closed) {
		t.Errorf("got %v, want %v", err, closed)
	}
	ctx, cancel := context.WithCancel(t.Context())
	env.Backend = open(t, func(sandbox.Policy, sandbox.Command) (sandbox.Result, error) {
		cancel()
		return sandbox.Result{Canceled: true}, nil
	})
	if _, err := tools[0].Run(ctx, newCall(t, args{"url": "x"})); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	env.Backend = nil
	if out := runTool(t, tools[0], args{"url": "x"}); out.Text != "error: tools cannot be run in this chat. Go on without." {
		t.Errorf("got %q", out.Text)
	}
}

func TestPackageToolApproval(t *testing.T) {
	t.Parallel()
	env, _ := packageEnv(t, nil)
	fns := fetchFunctions(t)
	ask := func() agent.ApprovalRequest {
		req, err := builtin.PackageTools(env, fns)[0].(agent.Approvable).Approval(t.Context(), newCall(t, args{"url": "x"}))
		if err != nil {
			t.Fatal(err)
		}
		return req
	}
	want := agent.ApprovalRequest{
		Key: "fetch:get-url", Covers: "every call of fetch:get-url", Names: []string{"fetch:get-url", "fetch", "get_url"}, Summary: `run fetch:get-url {"url":"x"}`,
		Detail: fill(env, "in the sandbox: no network; it can read and write in WS\n"),
	}
	if req := ask(); !reflect.DeepEqual(req, want) {
		t.Errorf("got  %+v\nwant %+v", req, want)
	}
	fns[0].Package.Network = true
	want.Network, want.Detail = true, fill(env, "in the sandbox: with network; it can read and write in WS\n")
	if req := ask(); !reflect.DeepEqual(req, want) {
		t.Errorf("got  %+v\nwant %+v", req, want)
	}
	for access, want := range map[string]string{"ro": "it can read in WS", "none": "no files of yours"} {
		fns[0].Package.Workspace = access
		if req := ask(); req.Detail != fill(env, "in the sandbox: with network; "+want+"\n") {
			t.Errorf("%s: %q", access, req.Detail)
		}
	}
	env.Unconfined = true
	if req := ask(); !req.Ask || req.Detail != "without a sandbox: it can do what you can do\n" {
		t.Errorf("got %+v", req)
	}
}

// Models take the names of tools for programs.
func TestExecKnowsPackages(t *testing.T) {
	t.Parallel()
	env, _ := packageEnv(t, nil)
	checkTexts(t, env, "exec", []textTest{
		{"command", args{"argv": []string{"get-url", "x"}}, "error: get-url is a tool of this chat, not a program. Call the function get_url.", true},
		{"pkg:cmd", args{"argv": []string{"fetch:get-url"}}, "error: fetch:get-url is a tool of this chat, not a program. Call the function get_url.", true},
		{"package", args{"argv": []string{"sh", "-c", "fetch x"}}, "error: fetch is a tool of this chat, not a program. Call the function get_url or list_urls.", true},
	})
	want := []string{"get_url", "fetch:get-url", "fetch", "get-url", "list_urls", "fetch:list", "list"}
	if got := env.ToolNames(); !slices.Equal(got[:len(want)], want) {
		t.Errorf("got %q, want %q first", got, want)
	}
}
