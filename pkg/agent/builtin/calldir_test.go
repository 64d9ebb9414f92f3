package builtin

import "testing"

// Two calls with long results differ in a folder that is theirs alone.
func TestSame(t *testing.T) {
	t.Parallel()
	e := &Env{Artifacts: "/w/.agentctl/artifacts"}
	a := e.same("x\n[… the whole is in /w/.agentctl/artifacts/call-aaa/stdout.txt]\nsee \"/w/.agentctl/artifacts/call-aaa\"\n")
	b := e.same("x\n[… the whole is in /w/.agentctl/artifacts/call-b/stdout.txt]\nsee \"/w/.agentctl/artifacts/call-b\"\n")
	if a != b || a == "" {
		t.Errorf("got %q and %q", a, b)
	}
	if c := e.same("x\n[… the whole is in /w/other/call-aaa/stdout.txt]"); c != "x\n[… the whole is in /w/other/call-aaa/stdout.txt]" {
		t.Errorf("got %q", c)
	}
	if got := (&Env{}).same("x"); got != "" {
		t.Errorf("without a place for files: got %q", got)
	}
}
