package sandbox

// hints explain failures that the sandbox caused. They are for the caller; the
// command never sees them.
func (pl *plan) hints(r Result) []string {
	return nil
}
