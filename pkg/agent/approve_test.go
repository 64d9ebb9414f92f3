package agent_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agentctl/agentctl/pkg/agent"
	"github.com/agentctl/agentctl/pkg/agent/session"
)

func TestPolicy(t *testing.T) {
	t.Parallel()
	git := agent.ApprovalRequest{Key: "exec:git", Names: []string{"exec", "exec:git"}, Ask: true}
	fetch := agent.ApprovalRequest{Key: "fetch:get", Names: []string{"fetch", "fetch:get", "get"}}
	online := fetch
	online.Network = true
	onlineExec := git
	onlineExec.Network = true
	never := func(context.Context, agent.ApprovalRequest) (bool, bool, error) { return false, false, nil }
	tests := []struct {
		name    string
		policy  agent.Policy
		request agent.ApprovalRequest
		allow   bool
		by      string
	}{
		{"no need to ask", agent.Policy{Ask: never}, fetch, true, "default"},
		{"no terminal", agent.Policy{}, git, false, "no-terminal"},
		{"network, no terminal", agent.Policy{}, online, false, "no-terminal"},
		{"the user", agent.Policy{Ask: never}, git, false, "user"},
		{"flag", agent.Policy{Flags: []string{"exec"}}, git, true, "flag"},
		{"flag for a program", agent.Policy{Flags: []string{"exec:git"}}, git, true, "flag"},
		{"flag for another program", agent.Policy{Flags: []string{"exec:ls"}}, git, false, "no-terminal"},
		{"all", agent.Policy{Flags: []string{"all"}}, onlineExec, true, "flag"},
		{"configuration", agent.Policy{Allow: []string{"exec"}}, git, true, "config"},
		{"configuration denies", agent.Policy{Deny: []string{"exec"}, Flags: []string{"all"}}, git, false, "config"},
		{"configuration denies what needs no question", agent.Policy{Deny: []string{"fetch:get"}}, fetch, false, "config"},
		{"configuration denies network", agent.Policy{Deny: []string{"network"}, Flags: []string{"all"}}, online, false, "config"},
		{"network is none of it", agent.Policy{Deny: []string{"network"}}, fetch, true, "default"},
		{"configuration denies all", agent.Policy{Deny: []string{"all"}}, fetch, false, "config"},
		{"network by its word", agent.Policy{Flags: []string{"network"}}, online, true, "flag"},
		{"network by the name of the command", agent.Policy{Flags: []string{"fetch:get"}}, online, true, "flag"},
		{"network by the name of another command", agent.Policy{Flags: []string{"fetch:put"}}, online, false, "no-terminal"},
		{"that word is not enough for what asks anyway", agent.Policy{Flags: []string{"network"}}, onlineExec, false, "no-terminal"},
		{"remembered", agent.Policy{Remembered: func(key string) bool { return key == "exec:git" }}, git, true, "remembered"},
		{"remembered for something else", agent.Policy{Remembered: func(key string) bool { return key == "exec" }}, git, false, "no-terminal"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, err := tt.policy.Approve(t.Context(), tt.request)
			if err != nil || d.Allow != tt.allow || d.By != tt.by {
				t.Errorf("got %+v, error %v, want %v by %s", d, err, tt.allow, tt.by)
			}
		})
	}
}

func TestPolicyRemembersForTheSession(t *testing.T) {
	t.Parallel()
	asked := 0
	keep := false
	p := &agent.Policy{Ask: func(context.Context, agent.ApprovalRequest) (bool, bool, error) {
		asked++
		return true, keep, nil
	}}
	git := agent.ApprovalRequest{Key: "exec:git", Names: []string{"exec", "exec:git"}, Ask: true}
	ls := agent.ApprovalRequest{Key: "exec:ls", Names: []string{"exec", "exec:ls"}, Ask: true}
	for i, step := range []struct {
		request agent.ApprovalRequest
		keep    bool
		asked   int
		by      string
	}{{git, false, 1, "user"}, {git, true, 2, "user"}, {git, false, 2, "remembered"}, {ls, false, 3, "user"}} {
		keep = step.keep
		d, err := p.Approve(t.Context(), step.request)
		if err != nil || !d.Allow || d.By != step.by || asked != step.asked {
			t.Errorf("step %d: %+v after %d questions, error %v, want %+v", i, d, asked, err, step)
		}
	}
}

func TestSplitRules(t *testing.T) {
	t.Parallel()
	got := agent.SplitRules([]string{"exec, write_file", "", "network,,all "})
	if want := []string{"exec", "write_file", "network", "all"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What a model is told about a denial, and who decided, for the record.
func TestDecisionsAreRecorded(t *testing.T) {
	t.Parallel()
	ask := func(allow bool, err error) agent.Asker {
		return func(context.Context, agent.ApprovalRequest) (bool, bool, error) { return allow, false, err }
	}
	tests := []struct {
		name   string
		policy agent.Policy
		want   session.Approval
		text   string
		status string
	}{
		{"allowed", agent.Policy{Ask: ask(true, nil)}, session.Approval{Decision: "allow", By: "user"}, "write {}", "ok"},
		{"by the user", agent.Policy{Ask: ask(false, nil)}, session.Approval{Decision: "deny", By: "user"}, "denied: write did not run, because the user denied it. Do not try it again in another way. Go on without it, or tell the user what you would have done.", "denied"},
		{"nobody there", agent.Policy{}, session.Approval{Decision: "deny", By: "no-terminal"}, "denied: write did not run, because it needs approval and nobody can be asked here. Do not try it again in another way. Go on without it, or tell the user what you would have done.", "denied"},
		{"configured", agent.Policy{Deny: []string{"write"}}, session.Approval{Decision: "deny", By: "config"}, "denied: write did not run, because the configuration denies it. Do not try it again in another way. Go on without it, or tell the user what you would have done.", "denied"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			write := asking{tool: tool{name: "write"}, request: agent.ApprovalRequest{Key: "write", Names: []string{"write"}, Ask: true}}
			a := newAgent(&answers{steps: [][]any{{callOf("a", "write", "")}, {say("ok")}}}, write)
			a.Approver = &tt.policy
			turn(t, a, "go")
			tt.want.ID, tt.want.Name, tt.want.Key = "a", "write", "write"
			if got := bodies[session.Approval](a); len(got) != 1 || got[0] != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
			if res := bodies[session.ToolResult](a)[0]; res.Content != tt.text || res.Status != tt.status {
				t.Errorf("%s %q, want %s %q", res.Status, res.Content, tt.status, tt.text)
			}
		})
	}
	gone := errors.New("terminal is gone")
	a := newAgent(&answers{steps: [][]any{{callOf("a", "write", "")}}}, asking{tool: tool{name: "write"}, request: agent.ApprovalRequest{Key: "write", Ask: true}})
	a.Approver = &agent.Policy{Ask: ask(false, gone)}
	if _, err := a.Turn(t.Context(), "go", session.Context{}); !errors.Is(err, gone) {
		t.Errorf("error %v, want %v", err, gone)
	}
}

// The duration of a call is that of the tool, not of the person's decision.
func TestDurationLeavesOutTheDecision(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAgent(&answers{steps: [][]any{{callOf("a", "look", "")}, {say("ok")}}}, asking{
			tool: tool{name: "look", run: func(context.Context, agent.Call) (agent.Output, error) {
				time.Sleep(2 * time.Second)
				return agent.Output{Text: "seen"}, nil
			}},
			request: agent.ApprovalRequest{Key: "look", Ask: true},
		})
		a.Approver = &agent.Policy{Ask: func(context.Context, agent.ApprovalRequest) (bool, bool, error) {
			time.Sleep(time.Minute)
			return true, false, nil
		}}
		turn(t, a, "go")
		if got := bodies[session.ToolResult](a); len(got) != 1 || got[0].DurationMS != 2000 {
			t.Errorf("results %+v", got)
		}
	})
}
