package sandbox

import "fmt"

// Fault reports that the sandbox itself failed: nothing of the command ran.
type Fault struct {
	Backend string
	Reason  string
	Cure    string // what a person can do about it; may be ""
	Err     error  // may be nil
}

func (f *Fault) Error() string { return fmt.Sprintf("sandbox %s: %s", f.Backend, f.Reason) }

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// NotFoundError reports a program that does not exist inside the sandbox.
type NotFoundError struct{ Program string }

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("program %q does not exist in the sandbox", e.Program)
}

// PolicyError reports a policy that no backend may run, such as one that mounts
// the home folder.
type PolicyError struct {
	Path   string
	Reason string
	Cure   string
}

func (e *PolicyError) Error() string { return fmt.Sprintf("sandbox policy: %q %s", e.Path, e.Reason) }

// NotExecutableError reports a program that is there but cannot be run: no
// permission, a foreign format, or an interpreter that does not exist inside.
type NotExecutableError struct {
	Program string
	Reason  string
}

func (e *NotExecutableError) Error() string {
	return fmt.Sprintf("program %q cannot be run in the sandbox: %s", e.Program, e.Reason)
}
