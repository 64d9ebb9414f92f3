package sandbox

import (
	"errors"
	"testing"
)

func TestErrorTexts(t *testing.T) {
	t.Parallel()
	cause := errors.New("cause")
	tests := []struct {
		err  error
		want string
	}{
		{&Fault{Backend: "bwrap", Reason: "it broke", Err: cause}, "sandbox bwrap: it broke"},
		{&NotFoundError{Program: "x"}, `program "x" does not exist in the sandbox`},
		{&NotExecutableError{Program: "x", Reason: "permission denied"}, `program "x" cannot be run in the sandbox: permission denied`},
		{&PolicyError{Path: "/", Reason: "is the whole file system"}, `sandbox policy: "/" is the whole file system`},
	}
	for _, tt := range tests {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
	if !errors.Is(tests[0].err, cause) {
		t.Error("a fault hides its cause")
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	if reason, cure := explainNative("fork/exec /proc/self/exe: operation not permitted"); reason == "" || cure != cureNamespaces {
		t.Errorf("%q, %q", reason, cure)
	}
	if reason, cure := explainBwrap(" \n"); reason == "" || cure != "" {
		t.Errorf("%q, %q", reason, cure)
	}
	if !refusedThread(Result{Stderr: Capture{Head: []byte("runtime: failed to create new OS thread (have 5)")}}) {
		t.Error("the runtime's message is not known")
	}
}
