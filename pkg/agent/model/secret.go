package model

import "regexp"

var secretHeader = regexp.MustCompile(`(?i)auth|key|token|secret|cookie|password`)

// SecretHeader tells whether the value of an HTTP header of that name is not to be
// shown.
func SecretHeader(name string) bool { return secretHeader.MatchString(name) }
