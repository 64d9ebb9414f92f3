package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agentctl/agentctl/pkg/agent/agenttest"
	"github.com/agentctl/agentctl/pkg/agent/model/scripted"
)

// serverKey is where a script keeps its fake model server.
type serverKey struct{}

// modelServer starts a fake model server on a real socket: model-server SCRIPT
// [KEY]. It sets AGENTCTL_BASE_URL. When the script ends, a model script that was
// not followed is a failure; use model-server-done to check earlier.
func modelServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: model-server SCRIPT [KEY]")
	}
	script, err := scripted.Load(args[0], []byte(ts.ReadFile(args[0])))
	ts.Check(err)
	ctx, cancel := context.WithCancel(context.Background())
	o := agenttest.Options{Segments: []int{1, 7, 3, 64, 2}}
	if len(args) == 2 {
		o.Key = args[1]
	}
	s, err := agenttest.Start(ctx, script, o)
	ts.Check(err)
	ts.Defer(cancel)
	ts.Setenv("AGENTCTL_BASE_URL", s.BaseURL)
	ts.Setenv("MODEL_URL", s.BaseURL)
	servers(ts)[serverKey{}] = s
}

// modelRequests checks how many requests arrived, and that all steps of the
// script were used: model-requests N. With a text, request I must hold it:
// model-requests 2 1 'some text'.
func modelRequests(ts *testscript.TestScript, neg bool, args []string) {
	s, _ := servers(ts)[serverKey{}].(*agenttest.Server)
	if s == nil || len(args) == 0 {
		ts.Fatalf("usage: model-requests N [I TEXT], after model-server")
	}
	requests := s.Requests()
	if fmt.Sprint(len(requests)) != args[0] {
		ts.Fatalf("%d requests arrived, want %s", len(requests), args[0])
	}
	if len(args) == 1 {
		ts.Check(s.Done())
		return
	}
	i, err := strconv.Atoi(args[1])
	ts.Check(err)
	body := string(requests[i-1].Body)
	if strings.Contains(body, args[2]) == neg {
		ts.Fatalf("request %d holds %q: %t\n%s", i, args[2], !neg, body)
	}
}

func servers(ts *testscript.TestScript) map[any]any {
	return ts.Value(serverKey{}).(map[any]any)
}
