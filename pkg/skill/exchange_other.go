//go:build !linux

package skill

import "errors"

// exchange is for systems that can do it.
func exchange(string, string) error { return errors.ErrUnsupported }
